#pragma once

#include <OP/OP_OperatorTable.h>

namespace sunder::sop {

// One a node; each registers its type and its verb.
void addTetrahedralize(OP_OperatorTable& table);
void addMaterial(OP_OperatorTable& table);
void addGuide(OP_OperatorTable& table);
void addPieces(OP_OperatorTable& table);
void addSurface(OP_OperatorTable& table);
void addConstantTopology(OP_OperatorTable& table);

}  // namespace sunder::sop
