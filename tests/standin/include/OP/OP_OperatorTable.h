#pragma once
// Provenance: addOperator as called in SideFX's permissively licensed samples. Own code.
#include <OP/OP_Operator.h>

#include <memory>

class OP_OperatorTable {
  public:
    /// Takes over the operator.
    bool addOperator(OP_Operator* op);
    OP_Operator* getOperator(const char* name) const;
    std::vector<std::unique_ptr<OP_Operator>> standinList;
};

// The hook of a plugin, which the host declares.
extern "C" __attribute__((visibility("default"))) void newSopOperator(OP_OperatorTable* table);
