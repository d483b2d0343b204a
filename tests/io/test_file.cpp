#include "core/io/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "core/base/error.h"
#include "core/io/geometry_io.h"
#include "tests/io/samples.h"

namespace sunder::testing {
namespace {

/// Stands in for a full disk: no file may grow beyond `bytes`.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit limit{bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit old_{};
    void (*handler_)(int);
};

template <class Function>
std::string writeComplaint(Function function) {
    try {
        function();
    } catch (const WriteError& error) {
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return {};
}

TEST(File, WritesAndReads) {
    const TemporaryFolder folder;
    const std::vector<std::uint8_t> bytes = {0, 1, 2, 255};
    writeFileAtomic(folder / "a", bytes);
    EXPECT_EQ(readFile(folder / "a"), bytes);
    writeFileAtomic(folder / "a", std::string("second"));
    EXPECT_EQ(textOf(readFile(folder / "a")), "second");
    writeFileAtomic(folder / "empty", std::string());
    EXPECT_TRUE(readFile(folder / "empty").empty());
    EXPECT_EQ(folder.entryCount(), 2u);
    const std::vector<std::uint8_t> large(3000000, 7);
    writeFileAtomic(folder / "large", large);
    EXPECT_EQ(readFile(folder / "large"), large);
}

TEST(File, NothingAppearsBeforeCommit) {
    const TemporaryFolder folder;
    {
        AtomicFile file(folder / "a");
        file.write(std::string("half"));
        EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    }
    EXPECT_EQ(folder.entryCount(), 0u);
    AtomicFile file(folder / "a");
    file.write(std::string("whole"));
    file.commit();
    EXPECT_EQ(textOf(readFile(folder / "a")), "whole");
    EXPECT_EQ(folder.entryCount(), 1u);
}

TEST(File, HalfAFileOfAKilledProcessIsRemovedAndNothingElse) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        AtomicFile file(folder / "a");
        file.write(std::string("half"));
        ::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(folder.entryCount(), 1u);
    AtomicFile alive(folder / "b");
    for (const char* other : {"x.tmp", "notes.12.tmp", "notes-12.tmp", "a.12-.tmp", "a.-3.tmp", ".12-3.tmp", "12-3.tmp", ".tmp", "tmp"})
        writeFileAtomic(folder / other, std::string("of the user"));
    EXPECT_EQ(folder.entryCount(), 11u);
    removeLeftovers(folder / ".");
    EXPECT_EQ(folder.entryCount(), 10u);
    alive.commit();
    EXPECT_TRUE(std::filesystem::exists(folder / "b"));
    removeLeftovers(folder / "nowhere");
}

TEST(File, CleaningBesideWritingTakesNothingAway) {
    const TemporaryFolder folder;
    std::atomic<bool> done{false};
    std::thread cleaner([&] {
        while (!done) removeLeftovers(folder / ".");
    });
    int lost = 0;
    for (int k = 0; k < 20000; ++k) {
        const AtomicFile file(folder / "a");
        lost += folder.entryCount() == 0 ? 1 : 0;
    }
    done = true;
    cleaner.join();
    EXPECT_EQ(lost, 0);
}

TEST(File, FullDiskLeavesThePreviousFile) {
    const TemporaryFolder folder;
    const Geometry geometry = largeGeometry();
    writeGeometry(folder / "a.bgeo", sampleGeometry(false));
    const std::vector<std::uint8_t> before = readFile(folder / "a.bgeo");
    std::string complaint;
    {
        const FileSizeLimit full(100000);
        complaint = writeComplaint([&] { writeGeometry(folder / "a.bgeo", geometry); });
    }
    EXPECT_NE(complaint.find("a.bgeo"), std::string::npos) << complaint;
    EXPECT_NE(complaint.find("File too large"), std::string::npos) << complaint;
    EXPECT_EQ(readFile(folder / "a.bgeo"), before);
    EXPECT_EQ(folder.entryCount(), 1u);
    writeGeometry(folder / "a.bgeo", geometry);
    EXPECT_EQ(difference(geometry, readGeometry(folder / "a.bgeo")), "");
}

TEST(File, UnwritablePlaces) {
    const TemporaryFolder folder;
    writeFileAtomic(folder / "file", std::string("x"));
    std::filesystem::create_directory(folder / "sub");
    EXPECT_NE(
        writeComplaint([&] { writeFileAtomic(folder / "none/a", std::string("x")); }).find("No such file"),
        std::string::npos);
    EXPECT_NE(
        writeComplaint([&] { writeFileAtomic(folder / "file/a", std::string("x")); }).find("Not a directory"),
        std::string::npos);
    EXPECT_NE(
        writeComplaint([&] { writeFileAtomic(folder / "sub", std::string("x")); }).find("s a directory"),
        std::string::npos);
    EXPECT_EQ(folder.entryCount(), 2u);
}

TEST(File, FolderWithoutPermission) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "sub");
    ::chmod((folder / "sub").c_str(), 0500);
    // the superuser may write everywhere, so he becomes nobody for a moment
    const bool isSuper = ::geteuid() == 0;
    if (isSuper) {
        ASSERT_EQ(::seteuid(65534), 0);
    }
    const std::string complaint =
        writeComplaint([&] { writeFileAtomic(folder / "sub/a", std::string("x")); });
    if (isSuper) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    EXPECT_NE(complaint.find("Permission denied"), std::string::npos) << complaint;
    EXPECT_FALSE(std::filesystem::exists(folder / "sub/a"));
}

TEST(File, KeepsASymbolicLink) {
    const TemporaryFolder folder;
    writeFileAtomic(folder / "file", std::string("old"));
    std::filesystem::create_symlink(folder / "file", folder / "link");
    writeFileAtomic(folder / "link", std::string("new"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(textOf(readFile(folder / "file")), "new");
}

TEST(File, UnreadablePlaces) {
    const TemporaryFolder folder;
    EXPECT_THROW(readFile(folder / "none"), Error);
    EXPECT_THROW(readFile(folder.path()), Error);
    writeFileAtomic(folder / "a", std::string("12345"));
    EXPECT_THROW(readFile(folder / "a", 4), Error);
    EXPECT_EQ(readFile(folder / "a", 5).size(), 5u);
    try {
        readGeometry(folder / "missing.obj");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("missing.obj"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
    }
    writeFileAtomic(folder / "empty.ply", std::string());
    EXPECT_THROW(readGeometry(folder / "empty.ply"), Error);
}

TEST(File, ScratchLeavesNoTrace) {
    const TemporaryFolder folder;
    NamelessFile scratch(folder.path());
    scratch.write("a");
    scratch.write("b");
    EXPECT_EQ(folder.entryCount(), 0u);
    AtomicFile file(folder / "out");
    scratch.copyTo(file);
    file.commit();
    EXPECT_EQ(textOf(readFile(folder / "out")), "ab");
}

TEST(File, FolderOfAPath) {
    EXPECT_EQ(folderOf("a/b/c"), "a/b");
    EXPECT_EQ(folderOf("c"), ".");
    EXPECT_EQ(folderOf("/c"), "/");
}

}  // namespace
}  // namespace sunder::testing
