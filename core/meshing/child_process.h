#pragma once

#include <string>
#include <vector>

#include "core/base/monitor.h"

namespace sunder {

/// A file without a name, gone when closed.
class ScratchFile {
  public:
    /// Throws WriteError if the temporary folder cannot hold one.
    ScratchFile();
    ~ScratchFile();
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    int descriptor() const { return descriptor_; }
    void write(const void* data, std::size_t size);
    /// All of it from the start, at most `limit` bytes.
    std::vector<char> read(std::size_t limit = static_cast<std::size_t>(-1)) const;

  private:
    int descriptor_ = -1;
};

struct ChildLimits {
    double seconds = 0;  ///< wall time after which the child is ended; 0 for none
};

struct ChildOutcome {
    bool started = false, timedOut = false, signalled = false;
    int code = 0;  ///< exit code, signal number, or errno if not started
};

/// Runs a program with no arguments in a process group of its own, with `request` as descriptor 3, `response`
/// as 4 and `log` as standard output and error, until it ends. Polls the monitor every few milliseconds; on
/// cancellation ends the group and throws Cancelled.
ChildOutcome runChild(const std::string& program, const ScratchFile& request, const ScratchFile& response,
                      const ScratchFile& log, const ChildLimits& limits, Monitor* monitor);

}  // namespace sunder
