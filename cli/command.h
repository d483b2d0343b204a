#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

#include "core/base/error.h"

namespace sunder::cli {

/// What the command line asked for: filled by the chosen command, run by main.
struct Invocation {
    std::function<void()> run;
    bool json = false;  ///< errors, too, are JSON objects
};

/// The command line itself is wrong, in a way that its parser cannot see.
class UsageError : public Error {
  public:
    using Error::Error;
};

/// A step failed for good.
class SimulationError : public Error {
  public:
    using Error::Error;
};

// Each adds its command with all options to the application.
void addSimulate(CLI::App& app, Invocation& invocation);
void addTetrahedralize(CLI::App& app, Invocation& invocation);
void addInfo(CLI::App& app, Invocation& invocation);
void addRender(CLI::App& app, Invocation& invocation);
void addSurface(CLI::App& app, Invocation& invocation);
void addCache(CLI::App& app, Invocation& invocation);
void addPieces(CLI::App& app, Invocation& invocation);
void addDebris(CLI::App& app, Invocation& invocation);
void addMaterials(CLI::App& app, Invocation& invocation);
void addSchema(CLI::App& app, Invocation& invocation);
void addVersion(CLI::App& app, Invocation& invocation);

}  // namespace sunder::cli
