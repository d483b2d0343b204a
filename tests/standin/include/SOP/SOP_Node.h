#pragma once
// Provenance: public class page of SOP_Node; cookVerb, cookMyselfAsVerb, myNodeVerbCache and mySopFlags as in OpenVDB's openvdb_houdini (Apache-2.0)
// and elrnv/softy (MPL-2.0). Own code.
#include <SOP/SOP_NodeVerb.h>

class SOP_Flags {
  public:
    void setManagesDataIDs(bool on) { standinManages = on; }
    bool standinManages = false;
};

class SOP_Node : public OP_Node {
  public:
    SOP_Node(OP_Network* network, const char* name, OP_Operator* op) : OP_Node(network, name, op) {}
    ~SOP_Node() override;
    virtual const SOP_NodeVerb* cookVerb() const { return nullptr; }
    virtual void getNodeSpecificInfoText(OP_Context&, OP_NodeInfoParms&) {}
    virtual const char* inputLabel(unsigned i) const;

    /// Cooks this node and what it is wired to. The result is shared with whoever asks.
    virtual GU_ConstDetailHandle getCookedGeoHandle(OP_Context& context);
    std::vector<SOP_Node*> standinInputs;
    /// Input 0 becomes the output, as when nobody else needs it.
    bool standinStealInput = false;
    bool standinManagesDataIds() const { return mySopFlags.standinManages; }
    void standinDropCache();

  protected:
    virtual OP_ERROR cookMySop(OP_Context& context) = 0;
    OP_ERROR cookMyselfAsVerb(OP_Context& context);
    SOP_Flags mySopFlags;
    SOP_NodeCache* myNodeVerbCache = nullptr;

  private:
    GU_DetailHandle output_;
};
