#include "core/io/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/io/file.h"
#include "core/io/manifest.h"
#include "core/io/scene_json.h"
#include "core/sim/snapshot.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

class CheckpointTest : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  (std::string("sunder_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                   std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path(const char* name = "checkpoint.sunder") const { return (folder_ / name).string(); }

    static Checkpoint make() {
        Body body;
        body.name = "box";
        body.mesh = testing::makeBox(1, 1, 1, Vec3(1, 1, 1));
        body.materials = {Material{}};
        Checkpoint c;
        c.sceneIdentity = 0x0123456789abcdefull;
        c.frame = 1042;
        c.world.time = 1.0 / 3.0;
        WorldBody b;
        b.body = buildBody(std::move(body));
        b.state = std::make_shared<const BodyState>(makeBodyState(*b.body));
        c.world.bodies.push_back(std::move(b));
        return c;
    }
    std::string errorOf(const std::vector<std::uint8_t>& bytes) const {
        // not atomic: waiting for the disk a thousand times would take half a minute
        std::ofstream(path("damaged"), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        try {
            readCheckpoint(path("damaged"));
        } catch (const Error& e) {
            EXPECT_FALSE(e.remedy().empty()) << e.what();
            return e.what();
        }
        return {};
    }

    std::filesystem::path folder_;
};

TEST_F(CheckpointTest, ComesBackWhole) {
    const Checkpoint c = make();
    writeCheckpoint(path(), c);
    const Checkpoint r = readCheckpoint(path());
    EXPECT_EQ(r.sceneIdentity, c.sceneIdentity);
    EXPECT_EQ(r.frame, 1042);
    EXPECT_EQ(saveSnapshot(r.world), saveSnapshot(c.world));
}

TEST_F(CheckpointTest, CutShortIsRefusedAtEveryLength) {
    writeCheckpoint(path(), make());
    const auto bytes = readFile(path());
    for (std::size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 37) {
        const std::string error = errorOf({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
        EXPECT_NE(error.find(size < 8 ? "not a checkpoint" : "cut short"), std::string::npos)
            << size << ": " << error;
    }
}

TEST_F(CheckpointTest, EveryFlippedByteIsNoticed) {
    writeCheckpoint(path(), make());
    const auto bytes = readFile(path());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto damaged = bytes;
        damaged[i] ^= 0x10;
        EXPECT_FALSE(errorOf(damaged).empty()) << "byte " << i;
    }
    auto longer = bytes;
    longer.push_back(0);
    EXPECT_NE(errorOf(longer).find("damaged"), std::string::npos);
}

TEST_F(CheckpointTest, OfAnotherVersionNamesBoth) {
    writeCheckpoint(path(), make());
    auto bytes = readFile(path());
    bytes[8] = static_cast<std::uint8_t>(kCheckpointVersion + 1);
    const std::string error = errorOf(bytes);
    EXPECT_NE(error.find("has version 2, this build reads version 1"), std::string::npos) << error;
}

TEST_F(CheckpointTest, FailedWriteKeepsTheOldOne) {
    writeCheckpoint(path(), make());
    std::filesystem::permissions(folder_,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    Checkpoint later = make();
    later.frame = 2000;
    if (::geteuid() == 0) {
        // root passes every permission: a folder in the way of the file fails for everybody
        std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
        std::filesystem::create_directories(path("taken/inside"));
        EXPECT_THROW(writeCheckpoint(path("taken"), later), WriteError);
    } else {
        EXPECT_THROW(writeCheckpoint(path(), later), WriteError);
        std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    }
    EXPECT_EQ(readCheckpoint(path()).frame, 1042);
}

Manifest makeManifest() {
    Manifest m;
    m.parameters = sceneToJson(parseScene(R"({"endFrame": 3, "bodies": [{"source": {"box": {}}}]})"));
    m.sceneIdentity = 77;
    m.seed = UINT64_MAX;
    m.build = {"1", "abc", "gcc", "-O3"};
    m.warnings = {"careful"};
    FrameRecord r;
    r.frame = 1001;
    r.file = "frame.1001.bgeo.sc";
    r.tets = 5;
    r.pieces = 1;
    r.energy.kinetic = 0.1;
    r.energy.work = 1.0 / 3.0;
    r.smallestDetF = 0.75;
    r.steps = 4;
    r.held = 3;
    r.seconds = {{"step", 0.5}, {"write", 0.25}};
    r.hash = 0xfedcba9876543210ull;
    m.frames = {r};
    return m;
}

TEST_F(CheckpointTest, ManifestComesBackWhole) {
    const Manifest m = makeManifest();
    writeManifest(path("manifest.json"), m);
    const Manifest r = readManifest(path("manifest.json"));
    EXPECT_EQ(manifestToJson(r), manifestToJson(m));
    EXPECT_EQ(r.seed, UINT64_MAX);
    EXPECT_EQ(r.frames[0].energy.work, 1.0 / 3.0);
    EXPECT_EQ(r.frames[0].hash, 0xfedcba9876543210ull);
    EXPECT_EQ(r.frames[0].held, 3);
    // what an older build wrote has nothing of what is held
    std::string text = manifestToJson(m);
    const std::size_t at = text.find("\"held\"");
    ASSERT_NE(at, std::string::npos);
    text.erase(at, text.find(',', at) + 1 - at);
    writeFileAtomic(path("manifest.json"), text);
    EXPECT_EQ(readManifest(path("manifest.json")).frames[0].held, 0);
}

TEST_F(CheckpointTest, DamagedManifestIsAnErrorAtEveryLength) {
    const std::string text = manifestToJson(makeManifest());
    for (std::size_t size = 0; size + 2 < text.size(); size += 13) {
        writeFileAtomic(path("manifest.json"), text.substr(0, size));
        EXPECT_THROW(readManifest(path("manifest.json")), Error) << size;
    }
    for (const char* other : {"[]", "{}", "{\"frames\": 3}", "null"}) {
        writeFileAtomic(path("manifest.json"), std::string(other));
        EXPECT_THROW(readManifest(path("manifest.json")), Error) << other;
    }
}

TEST_F(CheckpointTest, DifferencesOfScenesAreNamed) {
    const std::string a = sceneToJson(parseScene(R"({"endFrame": 3, "bodies": [{"source": {"box": {}}}]})"));
    const std::string b = sceneToJson(
        parseScene(R"({"endFrame": 9, "bodies": [{"source": {"box": {}}, "material": {"youngs": 5}}]})"));
    EXPECT_TRUE(differingParameters(a, a).empty());
    EXPECT_EQ(differingParameters(a, b), std::vector<std::string>{"/bodies/0/material/youngs"});
}

}  // namespace
}  // namespace sunder
