#include <iostream>

#include "build_info_generated.h"
#include "cli/build_info.h"
#include "cli/command.h"

namespace sunder::cli {

BuildInfo buildInfo() { return {SUNDER_VERSION, SUNDER_COMMIT, SUNDER_COMPILER, SUNDER_FLAGS}; }
const char* buildFeatures() { return SUNDER_FEATURES; }

void addVersion(CLI::App& app, Invocation& invocation) {
    CLI::App* command =
        app.add_subcommand("version", "Version, commit, compiler and optional parts of this build");
    command->callback([&invocation] {
        invocation.run = [] {
            const BuildInfo build = buildInfo();
            std::cout << "sunder " << build.version << "\ncommit   " << build.commit << "\ncompiler "
                      << build.compiler << "\nflags    " << build.flags << "\nwith     " << buildFeatures()
                      << '\n';
        };
    });
}

}  // namespace sunder::cli
