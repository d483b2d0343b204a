#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/sim/collider.h"
#include "tests/sim/slope_fixture.h"

/// The contact forces of the papers: `thesis` and `nodes`.
namespace sunder {

using namespace testing;

namespace {
const ContactResponse kPapers[] = {ContactResponse::kThesis, ContactResponse::kNodes};

void collide(ContactResponse response, double restitution, bool rigid) {
    WorldState world = makeCollision(restitution, rigid);
    StepSettings settings = spaceSettings(Integrator::kExplicit);
    settings.contactResponse = response;
    const Momenta before = momenta(world);
    const double energy = kineticEnergyOf(world);
    const Vec3 apart = massCentre(world.bodies[1]) - massCentre(world.bodies[0]);
    double contact = 0, leftOver = 0, gained = 0;
    int steps = 0, rejected = 0;
    run(world, settings, 0.6, 120, [&](const StepReport& r) {
        contact = std::max(contact, r.energy.contact);
        leftOver = std::max(leftOver, std::abs(r.energy.numerical));
        gained = std::min(gained, r.energy.friction);
        steps += r.steps;
        rejected += r.rejected;
    });
    const Momenta after = momenta(world);
    const std::string kind = std::string(name(response)) + ", restitution " + (restitution > 0 ? "1" : "0") + (rigid ? ", one rigid" : "");
    figure("largest contact energy over the initial energy, " + kind, contact / energy);
    figure("lost by contact, " + kind, world.energy.friction / energy);
    figure("largest left over, " + kind, leftOver / energy);
    figure("linear drift, " + kind, (after.linear - before.linear).norm() / before.linearScale);
    figure("angular drift, " + kind, (after.angular - before.angular).norm() / before.angularScale);
    figure("steps, " + kind, steps);
    figure("rejected, " + kind, rejected);
    EXPECT_GT(contact, 0.01 * energy) << kind;
    EXPECT_GT((massCentre(world.bodies[1]) - massCentre(world.bodies[0])).dot(apart), 0) << kind;
    EXPECT_LT((after.linear - before.linear).norm(), 1e-10 * before.linearScale) << kind;
    EXPECT_LT((after.angular - before.angular).norm(), 1e-10 * before.angularScale) << kind;
    EXPECT_LT(leftOver, 1e-3 * energy) << kind;
}

/// How deep a block dropped from 5 cm comes to rest, after 1.5 s.
struct Rest {
    double depth, speed;
};
Rest dropBlock(WorldState world, std::size_t block, ContactResponse response) {
    StepSettings settings;
    settings.integrator = Integrator::kExplicit;
    settings.contactResponse = response;
    settings.sleepSpeed = 0;
    run(world, settings, 1.5, 60);
    double fastest = 0;
    for (const Vec3& v : world.bodies[block].state->v) fastest = std::max(fastest, v.norm());
    return {-lowestVertex(*world.bodies[block].state), fastest};
}

void expectRestsAsDeep(const WorldState& world, std::size_t block, const std::string& what) {
    const Rest overlap = dropBlock(world, block, ContactResponse::kOverlap);
    for (const ContactResponse response : kPapers) {
        const Rest rest = dropBlock(world, block, response);
        figure("depth over overlap's, " + what + ", " + name(response), rest.depth / overlap.depth);
        figure("fastest vertex, " + what + ", " + name(response), rest.speed, "m/s");
        EXPECT_GT(rest.depth, 0.3 * overlap.depth) << what << ", " << name(response);
        EXPECT_LT(rest.depth, 3 * overlap.depth) << what << ", " << name(response);
        EXPECT_LT(rest.speed, 1e-3) << what << ", " << name(response);
    }
}
}  // namespace

TEST(ContactResponse, CollisionKeepsMomentaAndBooks) {
    for (const ContactResponse response : kPapers)
        for (const double restitution : {1.0, 0.0}) collide(response, restitution, false);
}

TEST(ContactResponse, CollisionWithARigidBodyKeepsMomentaAndBooks) {
    for (const ContactResponse response : kPapers) collide(response, 0, true);
}

TEST(ContactResponse, DroppedBlockRestsAsDeepAsWithOverlap) { expectRestsAsDeep(makeBlockOnSlab(0.5, 0.05), 1, "on a slab"); }

TEST(ContactResponse, DroppedRigidBlockRests) {
    WorldState world;
    addBody(world, makeSlab(12, 0.5, stiffMaterial(), 12));
    Body block = makeBody(placed(makeBox(3, 2, 3, Vec3(0.6, 0.3, 0.5)), Vec3(-2, 0.05, -0.2)), stiffMaterial());
    block.rigid = true;
    addBody(world, std::move(block));
    expectRestsAsDeep(world, 1, "rigid on a slab");
}

TEST(ContactResponse, DroppedBlockRestsOnACollider) {
    WorldState world;
    addBody(world, makeBody(placed(makeBox(3, 2, 3, Vec3(0.6, 0.3, 0.5)), Vec3(-0.2, 0.05, -0.2)), stiffMaterial()));
    Collider floor;
    floor.name = "floor";
    floor.keys.push_back({0, boxSurface(Vec3(-1, -0.5, -1), Vec3(1, 0, 1))});
    world.colliders.push_back(buildCollider(floor));
    expectRestsAsDeep(world, 0, "on a collider");
}

// tan(angle) = mu decides, within 2 percent on either side.
TEST(ContactResponse, BlockOnASlopeSticksOrSlides) {
    for (const ContactResponse response : kPapers)
        for (const double steepness : {0.98, 1.02}) {
            WorldState world = makeBlockOnSlab(0.5);
            expectSticksOrSlides(world, 1, {0.5, steepness, Integrator::kExplicit, response}, name(response));
        }
}

TEST(ContactResponse, ImplicitStepsRefuseIt) {
    for (const ContactResponse response : kPapers)
        for (const Integrator integrator : {Integrator::kImplicit, Integrator::kNewmark}) {
            WorldState world = makeBlockOnSlab(0.5);
            StepSettings settings;
            settings.integrator = integrator;
            settings.contactResponse = response;
            Workspace workspace;
            try {
                step(world, 0.01, settings, workspace);
                FAIL() << name(response);
            } catch (const Error& e) {
                EXPECT_NE(std::string(e.what()).find("not the gradient"), std::string::npos) << e.what();
                EXPECT_NE(std::string(e.what()).find(name(response)), std::string::npos) << e.what();
                EXPECT_NE(e.remedy().find("explicit"), std::string::npos) << e.what();
            }
            settings.contact = false;
            EXPECT_NO_THROW(step(world, 0.01, settings, workspace));
        }
}

TEST(ContactResponse, SameBytesForAnyNumberOfThreads) {
    const int threads = threadCount();
    for (const ContactResponse response : kPapers) {
        std::vector<std::vector<Vec3>> ends;
        for (const int count : {1, 2, 7}) {
            setThreadCount(count);
            WorldState world = makeCollision(0);
            StepSettings settings = spaceSettings(Integrator::kExplicit);
            settings.contactResponse = response;
            run(world, settings, 0.15, 10);
            ends.emplace_back();
            for (const WorldBody& b : world.bodies) {
                ends.back().insert(ends.back().end(), b.state->x.begin(), b.state->x.end());
                ends.back().insert(ends.back().end(), b.state->v.begin(), b.state->v.end());
                ends.back().insert(ends.back().end(), b.state->contact.slide.begin(), b.state->contact.slide.end());
            }
            EXPECT_EQ(ends.back(), ends.front()) << name(response) << ", " << count << " threads";
        }
    }
    setThreadCount(threads);
}

// The workspace holds nothing of it: a fresh one for every step changes no bit.
TEST(ContactResponse, NothingOfItIsInTheWorkspace) {
    for (const ContactResponse response : kPapers) {
        StepSettings settings;
        settings.integrator = Integrator::kExplicit;
        settings.contactResponse = response;
        WorldState one = makeBlockOnSlab(0.5), other = makeBlockOnSlab(0.5);
        Workspace kept;
        for (int k = 0; k < 6; ++k) {
            Workspace fresh;
            step(one, 0.01, settings, kept);
            step(other, 0.01, settings, fresh);
        }
        EXPECT_EQ(one.bodies[1].state->x, other.bodies[1].state->x) << name(response);
        EXPECT_EQ(one.energy.friction, other.energy.friction) << name(response);
    }
}

}  // namespace sunder
