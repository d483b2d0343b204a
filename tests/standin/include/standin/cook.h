#pragma once

// Cooks verbs and loads plugins, for tests.

#include <OP/OP_OperatorTable.h>
#include <SOP/SOP_Node.h>
#include <SOP/SOP_NodeParmsOptions.h>

#include <memory>
#include <string>

namespace standin {

struct CookRequest {
    const SOP_NodeVerb* verb = nullptr;
    std::vector<GU_ConstDetailHandle> inputs;
    ParmValues values;
    SOP_NodeCache* cache = nullptr;  ///< null: a fresh one
    SOP_Node* node = nullptr;
    fpreal time = 0;
    bool leftover = false;    ///< of a verb that does everything itself (COOK_GENERIC): the output holds something already
    bool stealInput = false;  ///< in place: the output is input 0 itself, which nobody may read any more
};
struct CookResult {
    GU_DetailHandle geometry;
    std::vector<Message> messages;

    bool failed() const;
    bool says(const std::string& part) const;
};
/// Cooks as the host would, and checks what the host relies on afterwards.
CookResult cook(const CookRequest& request);

/// A plugin, opened by the name of its file and registered through its hooks.
class Plugin {
  public:
    explicit Plugin(const std::string& file);
    bool loaded() const { return handle_ != nullptr; }
    const std::string& problem() const { return problem_; }
    void* symbol(const char* name) const;

  private:
    void* handle_ = nullptr;
    std::string problem_;
};
/// All operators that newSopOperator of a plugin registers.
void registerSops(const Plugin& plugin, OP_OperatorTable& table);

/// All operators of a table with their inputs and parameters, as JSON.
std::string describeOperators(const OP_OperatorTable& table, const char* category);

}  // namespace standin
