#pragma once
// Provenance: constructor as in SideFX's permissively licensed samples and HinaPE-Houdini (MPL-2.0). Own code.
#include <PRM/PRM_Template.h>

#include <string>

class SIM_DopDescription {
  public:
    SIM_DopDescription(bool createDop, const char* dopName, const char* label, const char* defaultDataName, const char* className, const PRM_Template* templates)
        : standinCreates(createDop), standinName(dopName), standinLabel(label), standinDataName(defaultDataName), standinClass(className), standinTemplates(templates) {}
    void setDefaultUniqueDataName(bool) {}
    bool standinCreates;
    std::string standinName, standinLabel, standinDataName, standinClass;
    const PRM_Template* standinTemplates;
};
