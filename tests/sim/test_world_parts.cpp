#include "core/sim/world_parts.h"

#include "core/io/material_text.h"
#include "core/material/presets.h"
#include "core/sim/scene_frame.h"
#include "core/sim/snapshot.h"
#include "tests/sim/contact_fixture.h"

namespace sunder {
namespace {
using namespace testing;

WorldState twoBodies() {
    WorldState world;
    addBody(world, makeBody(placed(makeBox(1, 1, 1, Vec3(0.2, 0.2, 0.2)), Vec3(0, 1, 0)), elastic(1e6, 0.3, 1000)));
    addBody(world, makeBody(placed(makeBox(2, 1, 1, Vec3(0.4, 0.2, 0.2)), Vec3(1, 1, 0)), elastic(1e6, 0.3, 1000)));
    return world;
}

TEST(WorldParts, MakeTheWorldAgainInAnyOrder) {
    WorldState world = twoBodies();
    world.time = 0.5;
    world.stepCount = 7;
    const std::vector<WorldPart> parts = takeApart(world, WorldPart());
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(saveSnapshot(putTogether({&parts[1], &parts[0]})), saveSnapshot(world));
    EXPECT_EQ(parts[0].world.bodies[0].state.get(), world.bodies[0].state.get());  // shared, not copied
}

TEST(WorldParts, PartsOfDifferentWorldsAreRefused) {
    WorldState world = twoBodies();
    const std::vector<WorldPart> parts = takeApart(world, WorldPart());
    world.stepCount = 1;
    const std::vector<WorldPart> later = takeApart(world, WorldPart());
    EXPECT_THROW(putTogether({&parts[0]}), Error);
    EXPECT_THROW(putTogether({&parts[0], &later[1]}), Error);
    EXPECT_THROW(putTogether({&parts[0], &parts[0]}), Error);
    EXPECT_THROW(putTogether({}), Error);
}

TEST(WorldParts, SurviveTheirBytes) {
    WorldPart clock;
    clock.framesPerSecond = 24;
    clock.steps = 5;
    const WorldPart part = takeApart(twoBodies(), clock)[1];
    const std::vector<std::uint8_t> bytes = savePart(part);
    const WorldPart back = loadPart(bytes);
    EXPECT_EQ(savePart(back), bytes);
    EXPECT_EQ(back.number, 1);
    EXPECT_EQ(back.steps, 5);
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, bytes.size() / 2}) EXPECT_THROW(loadPart(Span<const std::uint8_t>(bytes).subspan(0, size)), Error);
    std::vector<std::uint8_t> other = bytes;
    other[7] = '9';
    EXPECT_THROW(loadPart(other), Error);
    EXPECT_GT(memoryOf(part), 500u);
}

TEST(WorldParts, GlueGoesWithTheFirstPart) {
    WorldState world = twoBodies();
    GlueBond bond;
    bond.body = 1;
    bond.vertex = 3;
    bond.corners = world.bodies[0].body->mesh.tets[0];
    bond.weight = Vec4(0.1, 0.2, 0.3, 0.4);
    bond.stiffness = 5;
    bond.broken = true;
    world.glue = {bond, bond};
    world.glue[1].broken = false;
    const std::vector<WorldPart> parts = takeApart(world, WorldPart());
    EXPECT_EQ(parts[1].common, nullptr);
    const WorldPart first = loadPart(savePart(parts[0])), second = loadPart(savePart(parts[1]));
    EXPECT_EQ(saveSnapshot(putTogether({&second, &first})), saveSnapshot(world));
    EXPECT_GT(memoryOf(parts[0]), memoryOf(takeApart(twoBodies(), WorldPart())[0]) + sizeof(GlueBond));
    std::vector<std::uint8_t> bytes = savePart(parts[0]);
    bytes.resize(bytes.size() / 3);
    EXPECT_THROW(loadPart(bytes), Error);
    world.glue[0].corners[2] = 1000;
    const std::vector<WorldPart> wild = takeApart(world, WorldPart());
    EXPECT_THROW(putTogether({&wild[0], &wild[1]}), Error);
}

/// What was saved before anything was kept in common: the same bytes without a size behind the header.
TEST(WorldParts, BytesOfTheFirstVersionAreRead) {
    const WorldPart part = takeApart(twoBodies(), WorldPart())[1];
    std::vector<std::uint8_t> bytes = savePart(part);
    constexpr std::size_t kHeader = 40, kSize = 8;
    bytes.erase(bytes.begin() + kHeader, bytes.begin() + kHeader + kSize);
    bytes[7] = '1';
    EXPECT_EQ(savePart(loadPart(bytes)), savePart(part));
}

TEST(WorldParts, TimesAreThoseOfFramesAndNoRunningSum) {
    for (const double fps : {24.0, 25.0, 30.0, 23.976, 96.0}) {
        WorldPart part;
        for (std::int64_t n = 1; n < 2000; ++n) {
            const PartStep next = nextStep(part, 1 / fps);
            ASSERT_EQ(next.from, static_cast<double>(n - 1) / fps);
            ASSERT_EQ(next.to, static_cast<double>(n) / fps);
            part = next.clock;
            part.world.time = next.to;
        }
        const PartStep finer = nextStep(part, 1 / (4 * fps));  // from now on in quarters
        EXPECT_EQ(finer.from, part.world.time);
        EXPECT_NEAR(finer.to - finer.from, 0.25 / fps, 1e-12);
    }
    EXPECT_THROW(nextStep(WorldPart(), 0), Error);
}

TEST(WorldParts, FramesOfBodiesAreThoseOfTheWhole) {
    const WorldState world = twoBodies();
    const Geometry all = frameGeometry(world, 3);
    const std::vector<Geometry> each = bodyFrames(world, 3);
    std::size_t points = 0, tets = 0;
    for (const Geometry& g : each) {
        g.validate();
        for (std::size_t i = 0; i < g.pointCount(); ++i) {
            EXPECT_EQ(g.positions[i], all.positions[points + i]);
            EXPECT_EQ(g.points.find("id")->number(i), all.points.find("id")->number(points + i));
        }
        for (std::size_t t = 0; t < g.primitiveCount(); ++t) EXPECT_EQ(g.primitives.find("quality")->number(t), all.primitives.find("quality")->number(tets + t));
        points += g.pointCount();
        tets += g.primitiveCount();
    }
    EXPECT_EQ(points, all.pointCount());
}

TEST(WorldParts, EditsAreWhatIsNotTheImageOfTheState) {
    const WorldState world = twoBodies();
    Geometry shown = bodyFrames(world, 1)[0];
    for (Vec3& p : shown.positions) p = p.cast<float>().cast<double>();
    EXPECT_EQ(takeEdits(world.bodies[0], shown), nullptr);
    Geometry moved = shown;
    moved.positions[3].x() += 0.5;
    (*moved.points.find("v")->as<float>())[4] = 2;
    const auto state = takeEdits(world.bodies[0], moved);
    ASSERT_NE(state, nullptr);
    EXPECT_EQ(state->x[3], moved.positions[3]);
    EXPECT_EQ(state->x[0], world.bodies[0].state->x[0]);  // all bits of what was left alone
    EXPECT_EQ(state->v[1], Vec3(0, 2, 0));
    Geometry cut = shown;
    cut.positions.pop_back();
    EXPECT_THROW(takeEdits(world.bodies[0], cut), Error);
    Geometry turned = shown;
    std::swap(turned.vertexPoint[0], turned.vertexPoint[1]);
    EXPECT_THROW(takeEdits(world.bodies[0], turned), Error);
}

TEST(MaterialText, EveryPresetSurvivesIt) {
    for (const MaterialPreset& preset : materialPresets()) {
        const std::string text = materialToText(preset.material);
        EXPECT_EQ(materialToText(materialFromText(text, "test")), text);
        EXPECT_EQ(text.find('\n'), std::string::npos);
    }
    EXPECT_THROW(materialFromText("{\"yongs\": 1}", "test"), Error);
    EXPECT_THROW(materialFromText("glass", "test"), Error);
    EXPECT_THROW(materialFromText("{\"poisson\": 0.5}", "test"), Error);
}

}  // namespace
}  // namespace sunder
