#pragma once
// Provenance: builder over an embedded dialog script, justBuilt() and templates(), as in elrnv/softy (MPL-2.0); grammar of dialog scripts from
// files of SideFXLabs. Own code. It refuses what is not in that grammar.
#include <PRM/PRM_Template.h>
#include <UT/UT_StringHolder.h>

class PRM_TemplateBuilder {
  public:
    PRM_TemplateBuilder(const UT_StringHolder& file, const char* script);
    bool justBuilt() const { return justBuilt_; }
    PRM_Template* templates() const { return const_cast<PRM_Template*>(templates_.data()); }

  private:
    std::vector<PRM_Template> templates_;
    bool justBuilt_ = true;
};
