#pragma once
// Provenance: a parameter table ends with an empty template (public class page of PRM_Template; SideFX's permissively licensed samples). Own code.
#include <string>
#include <utility>
#include <vector>

namespace standin {
/// One parameter as its dialog script has it.
struct Parm {
    std::string name, label, type, help, disableWhen;
    int size = 1;
    std::vector<std::string> defaults;
    std::string minimum, maximum;  ///< of the range; empty: none
    bool hardMinimum = false, hardMaximum = false;
    std::vector<std::pair<std::string, std::string>> menu;

    bool isText() const { return type == "string" || type == "file" || type == "oppath"; }
    bool isMenu() const { return !menu.empty(); }
};
}  // namespace standin

class PRM_Template {
  public:
    PRM_Template() = default;
    explicit PRM_Template(standin::Parm parm) : parm_(std::move(parm)) {}
    const char* getToken() const { return parm_.name.empty() ? nullptr : parm_.name.c_str(); }
    const standin::Parm& standinParm() const { return parm_; }

  private:
    standin::Parm parm_;
};
