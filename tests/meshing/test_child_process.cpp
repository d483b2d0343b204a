#include "core/meshing/child_process.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/base/timer.h"

namespace sunder {
namespace {

/// A shell script that lives as long as the test.
class Script {
  public:
    explicit Script(const std::string& body) {
        char path[] = "/tmp/sunder-script-XXXXXX";
        const int file = mkstemp(path);
        if (file >= 0) ::close(file);
        path_ = path;
        std::ofstream(path_) << "#!/bin/sh\n" << body << "\n";
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    }
    ~Script() { std::filesystem::remove(path_); }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

ChildOutcome run(const std::string& program, double seconds = 0, Monitor* monitor = nullptr,
                 std::string* said = nullptr) {
    ScratchFile request, response, log;
    request.write("hello", 5);
    const ChildOutcome outcome = runChild(program, request, response, log, {seconds}, monitor);
    if (said) {
        const auto bytes = log.read();
        said->assign(bytes.begin(), bytes.end());
    }
    return outcome;
}

TEST(ChildProcess, TellsExitCodesSignalsAndMissingPrograms) {
    EXPECT_EQ(run("/bin/true").code, 0);
    EXPECT_EQ(run("/bin/false").code, 1);
    const ChildOutcome crashed = run(Script("kill -SEGV $$").path());
    EXPECT_TRUE(crashed.signalled);
    EXPECT_EQ(crashed.code, SIGSEGV);
    EXPECT_FALSE(run("/nonexistent/program").started);
}

TEST(ChildProcess, CollectsWhatItPrints) {
    std::string said;
    EXPECT_EQ(run(Script("echo out; echo err >&2; exit 3").path(), 0, nullptr, &said).code, 3);
    EXPECT_EQ(said, "out\nerr\n");
}

TEST(ChildProcess, TimeLimitEndsIt) {
    const Timer timer;
    EXPECT_TRUE(run(Script("sleep 60").path(), 0.2).timedOut);
    EXPECT_LT(timer.seconds(), 1.2);
}

TEST(ChildProcess, CancellationEndsItAndItsChildren) {
    struct : Monitor {
        int polls = 0;
        bool cancelled() override { return ++polls > 5; }
    } monitor;
    const std::string pidFile = "/tmp/sunder-child-" + std::to_string(getpid());
    const Script script("sleep 60 & echo $! > " + pidFile + "; wait");
    const Timer timer;
    EXPECT_THROW(run(script.path(), 0, &monitor), Cancelled);
    EXPECT_LT(timer.seconds(), 1.0);
    std::ifstream file(pidFile);
    pid_t sleeper = 0;
    if (file >> sleeper) {
        // The sleeper is nobody's child that we could wait for; it is gone or a zombie within moments.
        for (int i = 0; i < 100 && kill(sleeper, 0) == 0; ++i) {
            std::ifstream stat("/proc/" + std::to_string(sleeper) + "/stat");
            std::string id, name, state;
            if (!(stat >> id >> name >> state) || state == "Z") break;
            usleep(10000);
            ASSERT_LT(i, 99) << "the child's own child lives on";
        }
    }
    std::filesystem::remove(pidFile);
}

}  // namespace
}  // namespace sunder
