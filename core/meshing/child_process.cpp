#include "core/meshing/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/base/timer.h"

extern char** environ;

namespace sunder {

namespace {
/// Spawn attributes and file actions, released on every way out.
class SpawnSetup {
  public:
    SpawnSetup() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        // Its own group, so that one signal reaches whatever it may start; default signal handling whatever
        // the host ignores.
        posix_spawnattr_setflags(&attributes,
                                 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setpgroup(&attributes, 0);
        sigset_t signals;
        sigfillset(&signals);
        posix_spawnattr_setsigdefault(&attributes, &signals);
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes, &signals);
    }
    ~SpawnSetup() {
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

/// Ends the child's group and collects the child unless that has been done.
class ChildGuard {
  public:
    explicit ChildGuard(pid_t pid) : pid_(pid) {}
    ~ChildGuard() {
        if (pid_ > 0) end();
    }
    ChildGuard(const ChildGuard&) = delete;
    ChildGuard& operator=(const ChildGuard&) = delete;

    void end() {
        kill(-pid_, SIGKILL);
        kill(pid_, SIGKILL);
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }
    /// True when it has ended. A host that collects all children by itself leaves us no status: that reads as
    /// exit code 0, and the response tells.
    bool poll(int& status) {
        const pid_t result = waitpid(pid_, &status, WNOHANG);
        if (result == 0 || (result < 0 && errno == EINTR)) return false;
        if (result < 0) status = 0;
        pid_ = -1;
        return true;
    }

  private:
    pid_t pid_;
};

ChildOutcome outcomeOf(int status) {
    ChildOutcome outcome;
    outcome.started = true;
    outcome.signalled = WIFSIGNALED(status);
    outcome.code = outcome.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
}
}  // namespace

ScratchFile::ScratchFile() {
    const char* folder = std::getenv("TMPDIR");
    std::string path = std::string(folder && *folder ? folder : "/tmp") + "/sunder-XXXXXX";
    const int file = mkostemp(path.data(), O_CLOEXEC);
    // Above the numbers that a child gets its files under.
    descriptor_ = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 10);
    if (descriptor_ < 0)
        throw WriteError("cannot make a temporary file in " + path.substr(0, path.rfind('/')) + ": " +
                             std::strerror(errno),
                         "set TMPDIR to a folder that can be written");
    close(file);
    unlink(path.c_str());
}

ScratchFile::~ScratchFile() {
    if (descriptor_ >= 0) close(descriptor_);
}

void ScratchFile::write(const void* data, std::size_t size) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = ::write(descriptor_, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            throw WriteError(std::string("cannot write a temporary file: ") + std::strerror(errno),
                             "set TMPDIR to a folder with more room");
        at += written;
        size -= static_cast<std::size_t>(written);
    }
}

std::vector<char> ScratchFile::read(std::size_t limit) const {
    struct stat info {};
    fstat(descriptor_, &info);
    std::vector<char> bytes(std::min(limit, static_cast<std::size_t>(info.st_size)));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got =
            pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    return bytes;
}

ChildOutcome runChild(const std::string& program, const ScratchFile& request, const ScratchFile& response,
                      const ScratchFile& log, const ChildLimits& limits, Monitor* monitor) {
    SpawnSetup setup;
    posix_spawn_file_actions_addopen(&setup.actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&setup.actions, request.descriptor(), 3);
    posix_spawn_file_actions_adddup2(&setup.actions, response.descriptor(), 4);
    for (const int output : {1, 2})
        posix_spawn_file_actions_adddup2(&setup.actions, log.descriptor(), output);

    char* arguments[] = {const_cast<char*>(program.c_str()), nullptr};
    pid_t pid = -1;
    ChildOutcome failed;
    failed.code = posix_spawn(&pid, program.c_str(), &setup.actions, &setup.attributes, arguments, environ);
    if (failed.code != 0) return failed;

    ChildGuard child(pid);
    const Timer timer;
    int status = 0;
    for (double pause = 0.5e-3; !child.poll(status); pause = std::min(2 * pause, 20e-3)) {
        throwIfCancelled(monitor);
        if (limits.seconds > 0 && timer.seconds() > limits.seconds) {
            child.end();
            ChildOutcome late;
            late.started = late.timedOut = true;
            return late;
        }
        std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    }
    return outcomeOf(status);
}

}  // namespace sunder
