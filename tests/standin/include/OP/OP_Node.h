#pragma once
// Provenance: public class pages of OP_Node, OP_Parameters and OP_NodeInfoParms; callers in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
#include <OP/OP_Context.h>
#include <OP/OP_Operator.h>
#include <SYS/SYS_Types.h>
#include <UT/UT_Error.h>
#include <UT/UT_String.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

using OP_ERROR = UT_ErrorSeverity;

class OP_Network {};

class OP_NodeInfoParms {
  public:
    void append(const char* text) { standinText += text; }
    std::string standinText;
};

namespace standin {
/// Values of parameters by name, as the user has set them; what is not here is at its default.
struct ParmValues {
    std::map<std::string, std::vector<double>> numbers;
    std::map<std::string, std::string> texts;
    std::map<std::string, std::function<double(fpreal)>> keys;  ///< of numbers that are keyed: by time
};
struct Message {
    UT_ErrorSeverity severity;
    std::string text;
};
}  // namespace standin

class OP_Node {
  public:
    OP_Node(OP_Network*, const char* name, OP_Operator* op) : name_(name), operator_(op) {}
    virtual ~OP_Node() = default;
    const UT_StringHolder& getName() const { return name_; }
    OP_Operator* getOperator() const { return operator_; }
    OP_ERROR error() const;
    void addError(int code, const char* text);
    void addWarning(int code, const char* text);
    // parameters of the node itself: for its user interface and for cooks that are no verbs; never within a solve
    exint evalInt(const char* name, int component, fpreal time) const;
    fpreal evalFloat(const char* name, int component, fpreal time) const;
    void evalString(UT_String& value, const char* name, int component, fpreal time) const;

    std::vector<standin::Message> standinMessages;
    standin::ParmValues standinValues;

  private:
    UT_StringHolder name_;
    OP_Operator* operator_;
};
