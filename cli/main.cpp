#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/signals.h"
#include "core/base/memory.h"
#include "core/base/text.h"

namespace sunder::cli {
namespace {

std::string footer() {
    std::string text = "exit codes:\n";
    for (const ExitCodeInfo& info : kExitCodes) text += format("  %3d  %s\n", info.code, info.meaning);
    return text +
           "\nexamples:\n"
           "  sunder simulate examples/demo/tube.json --out out/tube\n"
           "  sunder simulate examples/demo/tube.json --out out/tube --resume\n"
           "  sunder render out/tube --color stress\n"
           "  sunder tetrahedralize bunny.obj bunny.bgeo.sc\n"
           "  sunder COMMAND --help";
}

int report(const Invocation& invocation, int code, const std::string& message, const std::string& remedy) {
    if (invocation.json) {
        const nlohmann::ordered_json error = {{"message", message}, {"remedy", remedy}, {"exitCode", code}};
        std::cerr << nlohmann::ordered_json{{"error", error}}.dump(-1, ' ', false,
                                                                   nlohmann::json::error_handler_t::replace)
                  << '\n';
        return code;
    }
    std::cerr << "sunder: error: " << message << '\n';
    if (!remedy.empty()) std::cerr << "remedy: " << remedy << '\n';
    return code;
}

int exitCodeOfSignal() {
    switch (caughtSignal()) {
        case SIGTERM:
            return kTerminated;
        case SIGHUP:
            return kHungUp;
        default:
            return kInterrupted;
    }
}

/// The one place where exceptions become exit codes.
int runGuarded(const Invocation& invocation) {
    try {
        invocation.run();
        std::cout.flush();
        if (!std::cout)
            throw WriteError("cannot write to the standard output",
                             "free some space, or keep the reader of the pipe open");
        return kDone;
    } catch (const Cancelled&) {
        if (invocation.json)
            return report(invocation, exitCodeOfSignal(), "stopped", "continue with --resume");
        std::cerr << "sunder: stopped\n";
        return exitCodeOfSignal();
    } catch (const UsageError& e) {
        return report(invocation, kUsageError, e.what(), e.remedy());
    } catch (const SimulationError& e) {
        return report(invocation, kSimulationFailed, e.what(), e.remedy());
    } catch (const WriteError& e) {
        return report(invocation, kCannotWrite, e.what(), e.remedy());
    } catch (const Error& e) {
        return report(invocation, kBadInput, e.what(), e.remedy());
    } catch (const std::bad_alloc&) {
        return report(invocation, kInternalError, "there is not enough memory",
                      "use a coarser mesh or a larger machine");
    } catch (const std::exception& e) {
        return report(invocation, kInternalError, e.what(),
                      "this is a mistake of sunder's; please report it with the input");
    }
}

int parseAndRun(int argc, char** argv) {
    CLI::App app("Solids that bend, dent, ring and break: scene files in, caches and pictures out.",
                 "sunder");
    app.require_subcommand(1);
    app.footer(footer());
    Invocation invocation;
    for (const auto add :
         {addSimulate, addTetrahedralize, addInfo, addRender, addSurface, addCache, addPieces, addDebris, addMaterials,
          addSchema, addVersion})
        add(app, invocation);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        return report(invocation, kUsageError, e.what(), "run 'sunder --help', or 'sunder COMMAND --help'");
    }
    return runGuarded(invocation);
}

}  // namespace
}  // namespace sunder::cli

int main(int argc, char** argv) {
    sunder::keepFreedMemory();
    sunder::cli::catchSignals();
    return sunder::cli::parseAndRun(argc, argv);
}
