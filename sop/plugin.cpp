// The hook by which Houdini finds the nodes.
#include <UT/UT_DSOVersion.h>

#include "sop/nodes.h"

void newSopOperator(OP_OperatorTable* table) {
    sunder::sop::addTetrahedralize(*table);
    sunder::sop::addMaterial(*table);
    sunder::sop::addGuide(*table);
    sunder::sop::addPieces(*table);
    sunder::sop::addSurface(*table);
    sunder::sop::addConstantTopology(*table);
}
