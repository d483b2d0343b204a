#pragma once

namespace sunder::cli {

enum ExitCode : int {
    kDone = 0,
    kInternalError = 1,
    kUsageError = 2,
    kBadInput = 3,
    kSimulationFailed = 4,
    kCannotWrite = 5,
    kHungUp = 129,
    kInterrupted = 130,
    kTerminated = 143,
};

struct ExitCodeInfo {
    ExitCode code;
    const char* meaning;
};

/// For help texts and the documentation.
inline constexpr ExitCodeInfo kExitCodes[] = {
    {kDone, "done"},
    {kInternalError, "internal error: a mistake of sunder's, or not enough memory"},
    {kUsageError, "the command line makes no sense"},
    {kBadInput, "bad input: a file is missing, cannot be read, or says something that cannot be"},
    {kSimulationFailed, "the simulation failed; frames and checkpoint up to there are kept"},
    {kCannotWrite, "cannot write: folder missing, no permission, disk full; what was complete is kept"},
    {kHungUp, "hung up (SIGHUP); --resume continues"},
    {kInterrupted, "interrupted (Ctrl-C); --resume continues"},
    {kTerminated, "terminated (SIGTERM); --resume continues"},
};

}  // namespace sunder::cli
