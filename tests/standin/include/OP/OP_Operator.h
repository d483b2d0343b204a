#pragma once
// Provenance: constructor and members as on the public class page of OP_Operator and as called in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
#include <PRM/PRM_Template.h>
#include <UT/UT_StringHolder.h>

#include <string>
#include <vector>

class OP_Network;
class OP_Node;
class OP_Operator;
class CH_LocalVariable;
using OP_Constructor = OP_Node* (*)(OP_Network*, const char*, OP_Operator*);
enum OP_OperatorFlag { OP_FLAG_GENERATOR = 1 };

class OP_Operator {
  public:
    OP_Operator(const char* name, const char* english, OP_Constructor constructor, PRM_Template* templates, unsigned minSources, unsigned maxSources = 9999,
                CH_LocalVariable* variables = nullptr, unsigned flags = 0, const char** inputLabels = nullptr, int maxOutputs = 1,
                const char* tabSubMenuPath = nullptr);
    virtual ~OP_Operator() = default;
    const UT_StringHolder& getName() const { return name_; }
    const UT_StringHolder& getEnglish() const { return english_; }
    void setIconName(const char* icon) { icon_ = icon; }
    void setOpTabSubMenuPath(const char* path) { tab_ = path; }
    virtual bool getHDKHelp(UT_String&) const { return false; }
    virtual bool getOpHelpURL(UT_String&) { return false; }

    OP_Constructor standinConstructor() const { return constructor_; }
    const PRM_Template* standinTemplates() const { return templates_; }
    unsigned standinMinSources() const { return minSources_; }
    unsigned standinMaxSources() const { return maxSources_; }
    std::string standinIcon() const { return icon_; }
    std::string standinTab() const { return tab_; }
    /// Read anew every time: the host keeps the pointers that it was given.
    std::vector<std::string> standinInputLabels() const;

  private:
    UT_StringHolder name_, english_;
    OP_Constructor constructor_;
    PRM_Template* templates_;
    unsigned minSources_, maxSources_, flags_;
    const char** inputLabels_;
    std::string icon_, tab_;
};
