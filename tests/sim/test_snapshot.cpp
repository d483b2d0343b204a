#include "core/sim/snapshot.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/sim/stepper.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

template <class T>
void fill(AttributeSet& set, const char* name, std::size_t elements, int size, T value) {
    for (T& v : set.add<T>(name, elements, size, AttributeMeaning::kVector)) v = value;
}

Body makeInput(const char* name, int cells) {
    Body body;
    body.name = name;
    body.mesh = testing::makeBox(cells, cells, cells, Vec3(1, 1, 1));
    body.mesh.topologyVersion = 7;
    const std::size_t vertices = body.mesh.vertexCount(), tets = body.mesh.tetCount();
    fill<float>(body.attributes.vertices, "f", vertices, 3, 0.1f);
    fill<double>(body.attributes.vertices, "d", vertices, 1, 0.1);
    fill<std::int32_t>(body.attributes.tets, "i", tets, 2, -5);
    fill<std::int64_t>(body.attributes.tets, "l", tets, 1, std::int64_t{1} << 40);
    fill<std::uint8_t>(body.attributes.tets, "u", tets, 1, std::uint8_t{200});
    fill<std::string>(body.attributes.detail, "s", 1, 1, std::string("text"));
    body.attributes.vertices.addGroup("top", vertices).members[1] = 1;
    Material soft;
    soft.name = "soft";
    soft.youngs = 2e5;
    soft.stiffnessDamping = 1e-3;
    body.materials = {soft, Material{}};
    body.tetMaterial.assign(tets, 1);
    body.tetMaterial[0] = 0;
    body.force.assign(vertices, Vec3(0, 0.1, 0));
    return body;
}

void addConstraints(Body& body) {
    HardTarget pin;
    pin.name = "pin";
    pin.vertices = {0, 1};
    pin.anchor = {body.mesh.rest[0], body.mesh.rest[1]};
    pin.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0.1, 0, 0), Vec3(0, 1, 0)}};
    pin.motion.smooth = true;
    pin.releaseTime = 0.5;
    SoftTarget spring;
    spring.vertices = {3};
    spring.anchor = {body.mesh.rest[3]};
    spring.weight = {0.5};
    spring.strength = 10;
    spring.damping = 0.2;
    body.constraints.hard = {pin};
    body.constraints.soft = {spring};
}

WorldState makeWorld(int cells) {
    WorldState world;
    for (const char* name : {"a", "b"}) {
        Body input = makeInput(name, cells);
        if (name[0] == 'a') addConstraints(input);
        WorldBody b;
        b.body = buildBody(std::move(input));
        BodyState state = makeBodyState(*b.body);
        for (std::size_t v = 0; v < state.v.size(); ++v)
            state.v[v] = Vec3(0.1, 1.0 / (1.0 + static_cast<double>(v)), 0);
        b.state = std::make_shared<const BodyState>(std::move(state));
        world.bodies.push_back(std::move(b));
    }
    world.time = 0.1;
    world.stepCount = 12;
    world.nextStep = 1e-4;
    world.energy.damped = 0.3;
    world.energy.numerical = -0.7;
    return world;
}

TEST(Snapshot, HoldsEverything) {
    const WorldState world = makeWorld(2);
    const WorldState loaded = loadSnapshot(saveSnapshot(world));
    EXPECT_EQ(loaded.time, world.time);
    EXPECT_EQ(loaded.stepCount, world.stepCount);
    EXPECT_EQ(loaded.nextStep, world.nextStep);
    EXPECT_EQ(loaded.energy.numerical, -0.7);
    ASSERT_EQ(loaded.bodies.size(), 2u);
    const Body& body = *loaded.bodies[0].body;
    EXPECT_EQ(body.name, "a");
    EXPECT_EQ(body.mesh.rest, world.bodies[0].body->mesh.rest);
    EXPECT_EQ(body.mesh.tets, world.bodies[0].body->mesh.tets);
    EXPECT_EQ(body.mesh.topologyVersion, 7u);
    EXPECT_EQ(body.tetMaterial, world.bodies[0].body->tetMaterial);
    EXPECT_EQ(body.materials[0].youngs, 2e5);
    EXPECT_EQ(body.attributes.detail.find("s")->as<std::string>()->at(0), "text");
    EXPECT_EQ(body.attributes.tets.find("i")->tupleSize, 2);
    EXPECT_EQ(body.attributes.vertices.findGroup("top")->count(), 1u);
    ASSERT_EQ(body.constraints.hard.size(), 1u);
    EXPECT_EQ(body.constraints.hard[0].motion.keys[1].rotation, Vec3(0, 1, 0));
    EXPECT_TRUE(body.constraints.hard[0].motion.smooth);
    EXPECT_EQ(body.constraints.soft[0].weight, std::vector<double>{0.5});
    EXPECT_EQ(body.mass, world.bodies[0].body->mass) << "what is derived is derived again to the same bits";
    EXPECT_EQ(loaded.bodies[1].state->v, world.bodies[1].state->v);
}

TEST(Snapshot, HoldsWhatGeometryNames) {
    WorldState world = makeWorld(1);
    Body named = *world.bodies[1].body;
    named.materialText = {"", "a text"};
    world.bodies[1].body = buildBody(std::move(named));
    const WorldState loaded = loadSnapshot(saveSnapshot(world));
    EXPECT_TRUE(loaded.bodies[0].body->materialText.empty());
    EXPECT_EQ(loaded.bodies[1].body->materialText, world.bodies[1].body->materialText);
    EXPECT_TRUE(loadSnapshot(saveSnapshot(world, 10)).bodies[1].body->materialText.empty()) << "version 10 knew none";
    Body wrong = *world.bodies[1].body;
    wrong.materialText.pop_back();
    EXPECT_THROW(buildBody(wrong), Error);
    world.bodies[1].body = std::make_shared<const Body>(std::move(wrong));
    EXPECT_THROW(loadSnapshot(saveSnapshot(world)), Error);
}

TEST(Snapshot, HoldsWhatIsRigidAndTheWorkOfColliders) {
    WorldState world = makeWorld(1);
    Body rigid = *world.bodies[1].body;
    rigid.rigid = true;
    world.bodies[1].body = buildBody(std::move(rigid));
    world.contactLoss = 0.25;
    world.contactWork = -1.5;
    const WorldState loaded = loadSnapshot(saveSnapshot(world));
    EXPECT_EQ(loaded.contactLoss, 0.25);
    EXPECT_EQ(loaded.contactWork, -1.5);
    EXPECT_FALSE(loaded.bodies[0].body->rigid);
    EXPECT_TRUE(loaded.bodies[1].body->rigid);
    EXPECT_EQ(loaded.bodies[1].body->mass, world.bodies[1].body->mass);
}

// Nothing in this world needs what came later.
TEST(Snapshot, OfOlderVersionsAreRead) {
    WorldState world = makeWorld(1);
    BodyState asleep = *world.bodies[0].state;
    asleep.sleep.asleep = true;
    asleep.sleep.pull = Vec3(0, -9.81, 0);
    asleep.sleep.pieces = {{0, static_cast<std::int32_t>(asleep.x.size()), 0.75, true, {}}};
    world.bodies[0].state = std::make_shared<const BodyState>(std::move(asleep));
    for (const std::uint32_t version : {3u, 9u}) {
        const auto old = saveSnapshot(world, version);
        EXPECT_LT(old.size(), saveSnapshot(world).size());
        EXPECT_EQ(saveSnapshot(loadSnapshot(old)), saveSnapshot(world)) << "version " << version;
    }
}

// Of version 3, version 2 lacks 8 bytes of `contactWork` behind the version, four doubles and the count of steps, one byte of `rigid` before the force of
// each body, and 33 bytes about its sleep at the end of its state.
TEST(Snapshot, OfVersionTwoIsRead) {
    WorldState world = makeWorld(1);
    world.bodies.resize(1);
    world.contactLoss = 0.25;
    world.contactWork = 3;
    auto bytes = saveSnapshot(world, 3);
    const std::size_t vertices = world.bodies[0].body->mesh.vertexCount();
    const std::size_t behind = 4 * (8 + 24 * vertices) + 3 * 8;  // force, x, v and a; contact remembers nothing
    bytes.resize(bytes.size() - 33);
    bytes.erase(bytes.end() - static_cast<std::ptrdiff_t>(behind) - 1);
    bytes.erase(bytes.begin() + 36, bytes.begin() + 44);
    bytes[0] = 2;
    const WorldState loaded = loadSnapshot(bytes);
    world.contactWork = 0;
    EXPECT_EQ(saveSnapshot(loaded), saveSnapshot(world));
}

TEST(Snapshot, SavesTheSameBytesAgain) {
    const auto bytes = saveSnapshot(makeWorld(2));
    EXPECT_EQ(saveSnapshot(loadSnapshot(bytes)), bytes);
}

TEST(Snapshot, TwentyStepsEqualTenSaveLoadTen) {
    for (const Integrator integrator :
         {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark, Integrator::kRkf45}) {
        StepSettings settings;
        settings.integrator = integrator;
        settings.ground.enabled = true;
        settings.ground.point = Vec3(0, -0.01, 0);
        WorldState through = makeWorld(1);
        Workspace workspace;
        WorldState resumed;
        for (int i = 0; i < 20; ++i) {
            if (i == 10) resumed = loadSnapshot(saveSnapshot(through));
            const StepReport report = step(through, 0.005, settings, workspace);
            ASSERT_FALSE(report.failed) << report.message << ", integrator " << static_cast<int>(integrator);
        }
        Workspace fresh;
        for (int i = 0; i < 10; ++i) ASSERT_FALSE(step(resumed, 0.005, settings, fresh).failed);
        EXPECT_EQ(saveSnapshot(resumed), saveSnapshot(through))
            << "integrator " << static_cast<int>(integrator);
    }
}

void addBlock(WorldState& world, const Vec3& corner, const Vec3& velocity) {
    Body body;
    body.name = "block" + std::to_string(world.bodies.size());
    body.mesh = testing::makeBox(2, 2, 2, Vec3(0.3, 0.2, 0.3));
    for (Vec3& p : body.mesh.rest) p += corner;
    Material material;
    material.youngs = 1e5;
    material.stiffnessDamping = 1e-3;
    body.materials = {material};
    body.contact = {0.8, 0.6, 0.2, 1.5, 2, 6, SelfContact::kNone};
    WorldBody made;
    made.body = buildBody(std::move(body));
    BodyState state = makeBodyState(*made.body);
    state.v.assign(state.v.size(), velocity);
    made.state = std::make_shared<const BodyState>(std::move(state));
    world.bodies.push_back(std::move(made));
}

/// One block on the ground, another on top of it that slides and is slowed down by friction.
WorldState makeStack() {
    WorldState world;
    addBlock(world, Vec3(0, 0, 0), Vec3::Zero());
    addBlock(world, Vec3(0.02, 0.199, -0.01), Vec3(0.3, 0, 0.1));
    return world;
}

TEST(Snapshot, HoldsWhatContactRemembers) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit}) {
        StepSettings settings;
        settings.integrator = integrator;
        settings.ground.enabled = true;
        WorldState through = makeStack(), resumed;
        Workspace workspace, fresh;
        for (int i = 0; i < 20; ++i) {
            if (i == 10) resumed = loadSnapshot(saveSnapshot(through));
            const StepReport report = step(through, 0.005, settings, workspace);
            ASSERT_FALSE(report.failed) << report.message;
        }
        const ContactSurface& surface = resumed.bodies[1].body->contact;
        EXPECT_EQ(surface.friction, 0.8);
        EXPECT_EQ(surface.dynamicFriction, 0.6);
        EXPECT_EQ(surface.restitution, 0.2);
        EXPECT_EQ(surface.stiffnessScale, 1.5);
        EXPECT_EQ(surface.group, 2u);
        EXPECT_EQ(surface.mask, 6u);
        EXPECT_EQ(surface.self, SelfContact::kNone);
        double drawn = 0;
        for (const Vec3& slide : resumed.bodies[1].state->contact.slide) drawn = std::max(drawn, slide.norm());
        EXPECT_GT(drawn, 0) << "friction's springs are drawn when it is saved";
        for (int i = 0; i < 10; ++i) ASSERT_FALSE(step(resumed, 0.005, settings, fresh).failed);
        EXPECT_EQ(saveSnapshot(resumed), saveSnapshot(through)) << "integrator " << static_cast<int>(integrator);
    }
}

TEST(Snapshot, CutAnywhereIsAnError) {
    const auto bytes = saveSnapshot(makeWorld(1));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THROW(loadSnapshot(Span<const std::uint8_t>(bytes.data(), size)), Error)
            << size << " of " << bytes.size();
    auto longer = bytes;
    longer.push_back(0);
    EXPECT_THROW(loadSnapshot(longer), Error);
}

// A snapshot has no checksum of its own: a flipped bit may give another world, or an Error, but never
// anything else.
TEST(Snapshot, FlippedBitsAreHarmless) {
    const auto bytes = saveSnapshot(makeWorld(1));
    std::size_t refused = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        for (const int bit : {0, 7}) {
            auto damaged = bytes;
            damaged[i] = static_cast<std::uint8_t>(damaged[i] ^ (1 << bit));
            try {
                loadSnapshot(damaged);
            } catch (const Error&) {
                ++refused;
            }
        }
    EXPECT_GT(refused, bytes.size() / 20);
}

TEST(Snapshot, OfAnotherVersionSaysSo) {
    auto bytes = saveSnapshot(makeWorld(1));
    bytes[0] = 99;
    try {
        loadSnapshot(bytes);
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("version 99"), std::string::npos) << e.what();
        EXPECT_FALSE(e.remedy().empty());
    }
}

}  // namespace
}  // namespace sunder
