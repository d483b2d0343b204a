#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/io/geometry_io.h"
#include "core/io/scene_json.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"

/// The scenes of examples/ as they are in the repository.
namespace sunder {
namespace {
constexpr const char* kRoundsUsedUp = "more was to break in a step than fracture.rounds";  // much breaks at once in many of them


namespace fs = std::filesystem;

std::vector<std::string> exampleScenes() {
    std::vector<std::string> files;
    for (const fs::directory_entry& folder : fs::directory_iterator(SUNDER_EXAMPLES_DIR))
        for (const fs::directory_entry& file : fs::directory_iterator(folder))
            if (file.path().extension() == ".json") files.push_back(fs::relative(file.path(), SUNDER_EXAMPLES_DIR).string());
    std::sort(files.begin(), files.end());
    return files;
}

/// The first model that a scene names and that is not there, or nothing.
std::string missingModel(const Scene& scene) {
    for (const SceneBody& body : scene.bodies)
        if (const auto* file = std::get_if<FileSource>(&body.source))
            if (!fs::exists(fs::path(scene.folder) / file->path)) return file->path;
    return {};
}

class Example : public ::testing::TestWithParam<std::string> {};

// It can be read, its bodies can be made, of a size that is worth a picture, and its first step, a part of a frame, can be taken.
TEST_P(Example, LoadsAndSteps) {
    Scene scene = readScene(std::string(SUNDER_EXAMPLES_DIR) + "/" + GetParam());
    if (const std::string missing = missingModel(scene); !missing.empty()) GTEST_SKIP() << missing << " is not here";
    WorldState world = buildWorld(scene, [](const std::string& path, Monitor* monitor) { return readGeometry(path, monitor); });
    std::size_t tets = 0;
    for (const WorldBody& body : world.bodies) tets += body.body->mesh.tetCount();
    RecordProperty("tets", static_cast<int>(tets));
    EXPECT_GT(tets, 400u);
    EXPECT_LT(tets, 60000u);
    Workspace workspace;
    const double part = 1 / scene.fps / scene.settings.substeps;
    scene.settings.substeps = 1;
    const StepReport report = step(world, part, scene.settings, workspace);
    EXPECT_FALSE(report.failed) << report.message;
    EXPECT_GT(report.smallestDetF, 0);
    for (const std::string& warning : report.warnings)
        if (warning.rfind(kRoundsUsedUp, 0) != 0) ADD_FAILURE() << warning;
}

std::string testName(const ::testing::TestParamInfo<std::string>& scene) {
    std::string name = scene.param.substr(0, scene.param.find(".json"));
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(All, Example, ::testing::ValuesIn(exampleScenes()), testName);

// Every folder says what its scenes show.
TEST(Examples, HaveAReadme) {
    for (const fs::directory_entry& folder : fs::directory_iterator(SUNDER_EXAMPLES_DIR))
        EXPECT_TRUE(fs::exists(folder.path() / "README.md")) << folder.path();
}

}  // namespace
}  // namespace sunder
