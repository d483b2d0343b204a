#include <iostream>

#include "cli/command.h"
#include "core/io/scene_json.h"

namespace sunder::cli {

void addSchema(CLI::App& app, Invocation& invocation) {
    CLI::App* command = app.add_subcommand(
        "schema", "Every key of a scene file: unit, default, range and meaning, as Markdown");
    command->callback([&invocation] { invocation.run = [] { std::cout << sceneReference(); }; });
}

}  // namespace sunder::cli
