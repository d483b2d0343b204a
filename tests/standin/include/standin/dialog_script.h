#pragma once

#include <PRM/PRM_Template.h>

namespace standin {
/// Parameters of a dialog script, folders flattened. Throws std::runtime_error for what is not in its grammar.
std::vector<Parm> parseDialogScript(const std::string& script);
}  // namespace standin
