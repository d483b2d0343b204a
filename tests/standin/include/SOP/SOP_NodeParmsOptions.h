#pragma once
// Provenance: parameters by name out of a table of templates, and caches that are cooked by doCook, as in OpenVDB's openvdb_houdini (Apache-2.0).
// Own code. Parameters may be read within the cook alone, by the thread that cooks and outside of parallel loops; their strings are
// scratched when it ends.
#include <SOP/SOP_NodeVerb.h>

#include <thread>

class SOP_NodeParmsOptions : public SOP_NodeParms {
  public:
    explicit SOP_NodeParmsOptions(const PRM_Template* templates) : templates_(templates) {}
    const PRM_Template* standinTemplates() const { return templates_; }
    standin::ParmValues standinValues;
    bool standinCooking = false;
    std::thread::id standinThread;

    double standinNumber(const char* name, int component, fpreal time = 0) const;
    std::string standinText(const char* name) const;

  private:
    const standin::Parm& find(const char* name, bool text) const;
    void requireCooking(const char* name) const;
    const PRM_Template* templates_;
};

class SOP_NodeCacheOptions : public SOP_NodeCache {
  public:
    OP_ERROR doCook(const SOP_NodeVerb* verb, const SOP_NodeVerb::CookParms& parms);

  protected:
    virtual OP_ERROR cookMySop(OP_Context& context) = 0;
    const SOP_NodeVerb::CookParms* cookparms() const { return parms_; }
    const GU_Detail* inputGeo(int i) const { return parms_->inputGeo(i); }
    exint evalInt(const char* name, int component, fpreal time) const;
    fpreal evalFloat(const char* name, int component, fpreal time) const;
    void evalString(UT_String& value, const char* name, int component, fpreal time) const;
    void addError(int code, const char* text) const { parms_->sopAddError(code, text); }
    void addWarning(int code, const char* text) const { parms_->sopAddWarning(code, text); }
    OP_ERROR error() const { return parms_->error(); }
    GU_Detail* gdp = nullptr;

  private:
    const SOP_NodeParmsOptions& options() const;
    const SOP_NodeVerb::CookParms* parms_ = nullptr;
};
