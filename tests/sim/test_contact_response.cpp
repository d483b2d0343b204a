#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/sim/collider.h"
#include "tests/sim/slope_fixture.h"

/// The contact forces of the papers: `thesis` and `nodes`.
namespace sunder {

using namespace testing;

namespace {
const ContactResponse kPapers[] = {ContactResponse::kThesis, ContactResponse::kNodes};

void collide(ContactResponse response, double restitution, bool rigid, double courant = StepSettings().courant) {
    WorldState world = makeCollision(restitution, rigid);
    StepSettings settings = spaceSettings(Integrator::kExplicit);
    settings.contactResponse = response;
    settings.courant = courant;
    const Momenta before = momenta(world);
    const double energy = kineticEnergyOf(world);
    const Vec3 apart = massCentre(world.bodies[1]) - massCentre(world.bodies[0]);
    double contact = 0, leftOver = 0;
    int steps = 0, rejected = 0;
    run(world, settings, 0.6, 120, [&](const StepReport& r) {
        contact = std::max(contact, r.energy.contact);
        leftOver = std::max(leftOver, std::abs(r.energy.numerical));
        steps += r.steps;
        rejected += r.rejected;
    });
    const Momenta after = momenta(world);
    const std::string kind = std::string(name(response)) + ", restitution " + (restitution > 0 ? "1" : "0") + (rigid ? ", one rigid" : "");
    figure("largest contact energy over the initial energy, " + kind, contact / energy);
    figure("lost by contact, " + kind, world.energy.friction / energy);
    figure("largest left over, " + kind, leftOver / energy);
    figure("left over at the end, " + kind, world.energy.numerical / energy);
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
    double cost;  ///< s of contact a step
};
Rest dropBlock(WorldState world, std::size_t block, ContactResponse response) {
    StepSettings settings;
    settings.integrator = Integrator::kExplicit;
    settings.contactResponse = response;
    settings.sleepSpeed = 0;
    double seconds = 0, fastest = 0;
    int steps = 0;
    run(world, settings, 1.5, 60, [&](const StepReport& r) {
        seconds += r.contactSeconds;
        steps += r.steps;
    });
    for (const Vec3& v : world.bodies[block].state->v) fastest = std::max(fastest, v.norm());
    return {-lowestVertex(*world.bodies[block].state), fastest, seconds / steps};
}

void expectRestsAsDeep(const WorldState& world, std::size_t block, const std::string& what) {
    const Rest overlap = dropBlock(world, block, ContactResponse::kOverlap);
    for (const ContactResponse response : kPapers) {
        const Rest rest = dropBlock(world, block, response);
        figure("depth over overlap's, " + what + ", " + name(response), rest.depth / overlap.depth);
        figure("time of contact a step over overlap's, " + what + ", " + name(response), rest.cost / overlap.cost);
        figure("fastest vertex, " + what + ", " + name(response), rest.speed, "m/s");
        EXPECT_GT(rest.depth, 0) << what << ", " << name(response);
        EXPECT_LT(rest.depth, 3 * overlap.depth) << what << ", " << name(response);
        EXPECT_LT(rest.speed, 1e-3) << what << ", " << name(response);
    }
}
}  // namespace

// Without dampers a vertex that is pushed by itself makes its body ring at what the step can just resolve: then kinetic and elastic energy are
// off by dt^2/8 f^2/m, which is no loss, and a quarter of it at half the step.
TEST(ContactResponse, CollisionKeepsMomentaAndBooks) {
    for (const ContactResponse response : kPapers) collide(response, 0, false);
    collide(ContactResponse::kThesis, 1, false);
    collide(ContactResponse::kNodes, 1, false, 0.2);
}

// Without dampers and friction a potential would give back all that it took. What these forces keep, or give in excess, is on the books as
// lost; how much it is belongs to the scene, so it is measured here, and only kept from being most of the energy.
TEST(ContactResponse, ForcesWithoutAPotentialAreOnTheBooks) {
    for (const ContactResponse response : {ContactResponse::kOverlap, ContactResponse::kThesis, ContactResponse::kNodes}) {
        WorldState world = makeCollision(1, false, 0);
        StepSettings settings = spaceSettings(Integrator::kExplicit);
        settings.contactResponse = response;
        settings.courant = 0.2;
        const double energy = kineticEnergyOf(world);
        double least = 0, most = 0;
        run(world, settings, 0.6, 120, [&](const StepReport& r) {
            least = std::min(least, r.energy.friction / energy);
            most = std::max(most, r.energy.friction / energy);
        });
        figure(std::string("taken at the end, ") + name(response), world.energy.friction / energy);
        figure(std::string("least, ") + name(response), least);
        figure(std::string("most, ") + name(response), most);
        figure(std::string("contact energy at the end, ") + name(response), world.energy.contact / energy);
        figure(std::string("left over, ") + name(response), world.energy.numerical / energy);
        EXPECT_LT(std::abs(world.energy.numerical), 1e-3 * energy) << name(response);
        EXPECT_LT(std::max(most, -least), 0.3) << name(response);
    }
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

// Two pieces of one body, of which one flies at the other.
TEST(ContactResponse, PiecesOfABodyMeet) {
    for (const ContactResponse response : kPapers) {
        TetMesh mesh = makeBox(2, 2, 2, Vec3(0.4, 0.4, 0.4));
        const std::size_t count = mesh.rest.size(), tets = mesh.tets.size();
        for (std::size_t i = 0; i < count; ++i) mesh.rest.push_back(mesh.rest[i] + Vec3(0.5, 0.07, 0.09));
        for (std::size_t k = 0; k < tets; ++k) {
            Tet tet = mesh.tets[k];
            for (std::int32_t& v : tet) v += static_cast<std::int32_t>(count);
            mesh.tets.push_back(tet);
        }
        WorldState world;
        addBody(world, makeBody(std::move(mesh), stiffMaterial()));
        editState(world, [&](BodyState& s) {
            for (std::size_t i = 0; i < count; ++i) s.v[i] = Vec3(1, 0, 0);
        });
        StepSettings settings = spaceSettings(Integrator::kExplicit);
        settings.contactResponse = response;
        const Momenta before = momenta(world);
        run(world, settings, 0.3, 30);
        const Momenta after = momenta(world);
        double pushed = 0;
        for (std::size_t i = count; i < 2 * count; ++i) pushed += world.bodies[0].state->v[i].x() / static_cast<double>(count);
        figure(std::string("speed of the piece that was hit, ") + name(response), pushed, "m/s");
        EXPECT_GT(pushed, 0.4) << name(response);
        EXPECT_LT((after.linear - before.linear).norm(), 1e-10 * before.linearScale) << name(response);
        EXPECT_LT((after.angular - before.angular).norm(), 1e-10 * before.angularScale) << name(response);
    }
}

// A wall comes up to speed and pushes a box: what it puts in is what is gained and lost.
TEST(ContactResponse, MovingColliderPushesABox) {
    for (const ContactResponse response : kPapers) {
        WorldState world;
        addBody(world, makeBody(placed(makeBox(2, 2, 2, Vec3(0.4, 0.4, 0.4)), Vec3(0.05, 0, -0.2)), stiffMaterial()));
        Collider wall;
        wall.name = "wall";
        Motion::Key start, end;
        end.time = 1;
        end.translation = Vec3(1.5, 0, 0);
        wall.motion.keys = {start, end};
        wall.motion.smooth = true;
        wall.keys.push_back({0, boxSurface(Vec3(-0.5, -0.1, -0.5), Vec3(0, 1, 0.5))});
        world.colliders.push_back(buildCollider(std::move(wall)));
        StepSettings settings = spaceSettings(Integrator::kExplicit);
        settings.contactResponse = response;
        run(world, settings, 0.45, 45);
        const EnergyBooks& e = world.energy;
        figure(std::string("work, ") + name(response), e.work, "J");
        figure(std::string("gained and lost over work, ") + name(response), (e.mechanical() + e.damped + e.friction) / e.work);
        figure(std::string("speed over the wall's, ") + name(response), speedOf(world.bodies[0]) / world.colliders[0]->motion.velocity(Vec3::Zero(), 0.45).x());
        EXPECT_GT(e.work, 1) << name(response);
        EXPECT_NEAR((e.mechanical() + e.damped + e.friction) / e.work, 1, 1e-3) << name(response);
        EXPECT_NEAR(speedOf(world.bodies[0]) / world.colliders[0]->motion.velocity(Vec3::Zero(), 0.45).x(), 1, 0.1) << name(response);
    }
}

// Boxes that overlap at the start are driven apart slowly, and the books hold what that takes.
TEST(ContactResponse, OverlapAtTheStartDoesNotExplode) {
    for (const ContactResponse response : kPapers) {
        WorldState world;
        for (int k = 0; k < 3; ++k)
            addBody(world, makeBody(placed(makeBox(2, 2, 2, Vec3(0.4, 0.4, 0.4)), Vec3(0.35 * k, 0.03 * k, 0.02 * k)), elastic(1e6, 0.3)));
        StepSettings settings = spaceSettings(Integrator::kExplicit);
        settings.contactResponse = response;
        settings.separationSpeed = 0.5;
        double fastest = 0, left = 0, numerical = 0, turnover = 0;
        run(world, settings, 0.6, 60, [&](const StepReport& r) {
            left = 0;
            for (const WorldBody& b : world.bodies) {
                for (const Vec3& v : b.state->v) fastest = std::max(fastest, v.norm());
                for (const double a : b.state->contact.allowance) left = std::max(left, a);
            }
            numerical = std::max(numerical, std::abs(r.energy.numerical));
            turnover = std::max(turnover, r.energy.mechanical() + r.energy.friction + r.energy.damped);
        });
        figure(std::string("peak speed, ") + name(response), fastest, "m/s");
        figure(std::string("left over of the turnover, ") + name(response), numerical / turnover);
        figure(std::string("work, ") + name(response), world.energy.work, "J");
        figure(std::string("lost, ") + name(response), world.energy.friction, "J");
        EXPECT_LT(fastest, 10 * settings.separationSpeed) << name(response);
        EXPECT_LT(left, 1e-3) << name(response);
        EXPECT_LT(numerical, 0.01 * turnover) << name(response);
    }
}

// tan(angle) = mu decides, within 2 percent on either side.
TEST(ContactResponse, BlockOnASlopeSticksOrSlides) {
    for (const ContactResponse response : kPapers)
        for (const double steepness : {0.98, 1.02}) {
            WorldState world = makeBlockOnSlab(0.5);
            expectSticksOrSlides(world, 1, {0.5, steepness, Integrator::kExplicit, response}, name(response));
        }
}

// What a pair of bodies has in contactPairs counts in place of what each has of its own.
TEST(ContactResponse, RestitutionOfAPairCounts) {
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark})
        for (const ContactResponse response : {ContactResponse::kOverlap, ContactResponse::kThesis, ContactResponse::kNodes}) {
            if (integrator != Integrator::kExplicit && response != ContactResponse::kOverlap) continue;
            StepSettings settings;
            settings.gravity.setZero();
            settings.integrator = integrator;
            settings.contactResponse = response;
            WorldState own = makeCollision(0.6), none = makeCollision(0), paired = makeCollision(0);
            run(own, settings, 0.25, 12);
            run(none, settings, 0.25, 12);
            settings.contactPairs = {{own.bodies[1].body->name, own.bodies[0].body->name, 0.5, 0.5, 0.6}};
            run(paired, settings, 0.25, 12);
            const auto distance = [&](const WorldState& w) {
                double largest = 0;
                for (std::size_t b = 0; b < 2; ++b)
                    for (std::size_t i = 0; i < w.bodies[b].state->x.size(); ++i)
                        largest = std::max(largest, (w.bodies[b].state->x[i] - own.bodies[b].state->x[i]).norm());
                return largest;
            };
            EXPECT_GT(distance(none), 1e-3) << name(response);
            // the bounds of explicit steps go with the largest of all dampers, so these are of another size
            EXPECT_LT(distance(paired), (integrator == Integrator::kExplicit ? 0.05 : 1e-3) * distance(none)) << name(response);
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
