#pragma once
// Provenance: public class page of SOP_NodeVerb; verbs registered at run time and looked up by name as in OpenVDB's openvdb_houdini (Apache-2.0);
// CookParms as used in elrnv/softy (MPL-2.0). Own code.
#include <GU/GU_DetailHandle.h>
#include <OP/OP_Node.h>
#include <SOP/SOP_Error.h>

class SOP_Node;

class SOP_NodeParms {
  public:
    virtual ~SOP_NodeParms() = default;
};
/// Lives from cook to cook.
class SOP_NodeCache {
  public:
    virtual ~SOP_NodeCache() = default;
};

class SOP_NodeVerb {
  public:
    enum CookMode { COOK_GENERIC, COOK_INPLACE, COOK_DUPLICATE, COOK_GENERATOR, COOK_INSTANCE, COOK_PASSTHROUGH };

    class CookParms {
      public:
        template <class T>
        const T& parms() const {
            return static_cast<const T&>(*standinParms);
        }
        const GU_Detail* inputGeo(exint i) const;
        bool hasInput(exint i) const;
        exint nInputs() const { return static_cast<exint>(standinInputs.size()); }
        GU_DetailHandle& gdh() const { return *standinOutput; }
        SOP_NodeCache* cache() const { return standinCache; }
        const OP_Context& getContext() const { return standinContext; }
        fpreal getCookTime() const { return standinContext.getTime(); }
        SOP_Node* getNode() const { return standinNode; }
        void sopAddError(int code, const char* text) const;
        void sopAddWarning(int code, const char* text) const;
        void sopAddMessage(int code, const char* text) const;
        UT_ErrorSeverity error() const;

        SOP_NodeParms* standinParms = nullptr;
        std::vector<GU_ConstDetailHandle> standinInputs;
        bool standinStolen = false;  ///< input 0 has become the output
        GU_DetailHandle* standinOutput = nullptr;
        SOP_NodeCache* standinCache = nullptr;
        OP_Context standinContext;
        SOP_Node* standinNode = nullptr;
        std::vector<standin::Message>* standinMessages = nullptr;
    };

    virtual ~SOP_NodeVerb() = default;
    virtual SOP_NodeParms* allocParms() const = 0;
    virtual SOP_NodeCache* allocCache() const { return nullptr; }
    virtual UT_StringHolder name() const = 0;
    virtual CookMode cookMode(const SOP_NodeParms*) const = 0;
    virtual void cook(const CookParms&) const = 0;

    /// The host keeps the verb for ever.
    static void registerVerb(SOP_NodeVerb* verb);
    static const SOP_NodeVerb* lookupVerb(const char* name);
};
