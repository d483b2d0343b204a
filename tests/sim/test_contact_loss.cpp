#include "core/contact/contact_potential.h"
#include "tests/sim/contact_fixture.h"

/// What implicit and newmark steps of two colliding bodies lose to the integrator, found from the places and
/// velocities at both ends of a step alone, against the book `numerical`, which holds what all other books
/// leave over. So a book that says too much or too little of dampers, friction or viscosity shows.
namespace sunder {

using namespace testing;

namespace {
/// The two bodies of a world, all tets of one against all of the other.
class TwoBodies {
  public:
    explicit TwoBodies(const WorldState& world) {
        bodies_.offset = {0};
        for (int k = 0; k < 2; ++k) {
            body_[k] = world.bodies[static_cast<std::size_t>(k)].body;
            shape_[k] = buildContactShape(*body_[k]);
            bodies_.shapes.push_back(&shape_[k]);
            bodies_.memory.push_back(&memory_);
            bodies_.offset.push_back(bodies_.offset.back() + body_[k]->mesh.vertexCount());
        }
        for (std::size_t i = 0; i < shape_[0].corners.size(); ++i)
            for (std::size_t j = 0; j < shape_[1].corners.size(); ++j)
                if (shape_[0].corners[i][0] >= 0 && shape_[1].corners[j][0] >= 0)
                    pairs_.pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
        pairs_.ranges.push_back({0, 1, 0, pairs_.pairs.size()});
    }
    TwoBodies(const TwoBodies&) = delete;

    /// One end of a step.
    struct End {
        std::vector<Vec3> x, v;
        ContactSet set;
    };
    End lookAt(const WorldState& world) const {
        End end;
        for (const WorldBody& b : world.bodies) {
            end.x.insert(end.x.end(), b.state->x.begin(), b.state->x.end());
            end.v.insert(end.v.end(), b.state->v.begin(), b.state->v.end());
        }
        const std::vector<Span<const Vec3>> parts = bodies_.parts(end.x);
        findContacts(pairs_, bodies_.shapes, parts, end.set);
        computeClusters(parts, end.set);
        return end;
    }

    /// 1/2 |v1 - v0|_M^2.
    double inertiaLoss(const End& start, const End& end) const {
        double sum = 0;
        for (int k = 0; k < 2; ++k)
            for (std::size_t i = 0; i < body_[k]->mass.size(); ++i) {
                const std::size_t at = bodies_.offset[static_cast<std::size_t>(k)] + i;
                sum += 0.5 * body_[k]->mass[i] * (end.v[at] - start.v[at]).squaredNorm();
            }
        return sum;
    }
    /// W(x0) - W(x1) - grad W . (x0 - x1) of elasticity; with grad W at the end, or its mean over both.
    double elasticLoss(const End& start, const End& end, bool mean) const {
        double sum = 0;
        for (int k = 0; k < 2; ++k) {
            const Span<const Vec3> x0 = part(start.x, k), x1 = part(end.x, k);
            std::vector<Vec3> force = elasticForce(k, x1);
            if (mean) {
                const std::vector<Vec3> first = elasticForce(k, x0);
                for (std::size_t i = 0; i < force.size(); ++i) force[i] = 0.5 * (force[i] + first[i]);
            }
            sum += computeEnergy(body_[k]->elements, x0).energy -
                   computeEnergy(body_[k]->elements, x1).energy - workOf(force, x0, x1);
        }
        return sum;
    }
    /// The same of the springs of contact, with their dampers: what these take is what force they have times
    /// how much deeper their vertices get.
    double contactLoss(const End& start, const End& end, double rate) const {
        const std::vector<Vec3> force = pushes(start, end, {rate, false}, end);
        return springs(start.set) - springs(end.set) - workOf(force, start.x, end.x) -
               damperLoss(start.set, end.set, rate);
    }
    /// Springs alone, with the mean force.
    double contactLossOfMean(const End& start, const End& end) const {
        std::vector<Vec3> force = pushes(start, end, {0, false}, end);
        const std::vector<Vec3> first = pushes(start, end, {0, false}, start);
        for (std::size_t i = 0; i < force.size(); ++i) force[i] = 0.5 * (force[i] + first[i]);
        return springs(start.set) - springs(end.set) - workOf(force, start.x, end.x);
    }

  private:
    template <class T>
    Span<const T> part(const std::vector<T>& all, int k) const {
        const auto b = static_cast<std::size_t>(k);
        return Span<const T>(all).subspan(bodies_.offset[b], bodies_.offset[b + 1] - bodies_.offset[b]);
    }
    static double workOf(const std::vector<Vec3>& force, Span<const Vec3> from, Span<const Vec3> to) {
        double sum = 0;
        for (std::size_t i = 0; i < force.size(); ++i) sum += force[i].dot(to[i] - from[i]);
        return sum;
    }
    std::vector<Vec3> elasticForce(int k, Span<const Vec3> x) const {
        ForceScratch scratch;
        std::vector<Vec3> force(x.size());
        computeForces(body_[k]->elements, x, {}, scratch, force);
        return force;
    }
    /// Normal forces of contact at an end of the step, dampers included unless the rate is 0.
    std::vector<Vec3> pushes(const End& start, const End& end, const ContactStage& stage,
                             const End& at) const {
        ContactPotential potential;
        potential.begin(bodies_, stage, start.set, start.x, start.v);
        std::vector<Vec3> force(end.x.size(), Vec3::Zero());
        potential.value(at.set, at.x, force);
        return force;
    }
    double depth(const ContactSet& set, std::size_t b, std::size_t i) const {
        return set.vertices[b].volume[i] / shape_[b].area[i];
    }
    double springs(const ContactSet& set) const {
        double sum = 0;
        for (std::size_t b = 0; b < 2; ++b)
            for (const std::int32_t n : set.vertices[b].touching)
                sum += shape_[b]
                           .spring(static_cast<std::size_t>(n))
                           .energy(depth(set, b, static_cast<std::size_t>(n)));
        return sum;
    }
    /// A damper never pulls: it takes no more than the spring pushes.
    double damperLoss(const ContactSet& start, const ContactSet& end, double rate) const {
        double sum = 0;
        for (std::size_t b = 0; b < 2; ++b)
            for (const std::int32_t n : end.vertices[b].touching) {
                const auto i = static_cast<std::size_t>(n);
                const double d = depth(end, b, i), deeper = d - depth(start, b, i);
                sum += std::max(-shape_[b].spring(i).force(d),
                                end.vertices[b].damping(shape_[b], i) * rate * deeper) *
                       deeper;
            }
        return sum;
    }

    std::shared_ptr<const Body> body_[2];
    ContactShape shape_[2];
    ContactMemory memory_;
    ContactBodies bodies_;
    PairList pairs_;
};

// What is not solved does work on the way of a step: newtonTolerance, 1e-6 of the forces, times what these
// turn over.
constexpr double kUnsolved = 1e-5;

struct CollisionLoss {
    double energy = 0;                             ///< at the start, J
    double found = 0, booked = 0;                  ///< all that the integrator took, J
    double inertia = 0, elastic = 0, contact = 0;  ///< its parts
    double mostOff = 0, mostBooked = 0;            ///< at any time, J
    double friction = 0, touched = 0;  ///< lost in friction and contact dampers; largest energy of contact, J
};

WorldState makeUndamped(double friction) {
    WorldState world = testing::makeCollision(1, false, friction);
    for (WorldBody& b : world.bodies) {
        Body body = *b.body;
        for (Material& m : body.materials) m.stiffnessDamping = 0;
        b.body = buildBody(std::move(body));
    }
    return world;
}

/// 0.6 s of the collision. Steps that are not solved in one go have ends that nobody sees: there must be
/// none.
CollisionLoss collide(WorldState world, Integrator integrator, int steps) {
    const TwoBodies bodies(world);
    const bool newmark = integrator == Integrator::kNewmark;
    StepSettings settings = spaceSettings(integrator);
    settings.contactTolerance = 0;
    const double rate = steps / 0.6;
    CollisionLoss loss;
    loss.energy = kineticEnergyOf(world);
    TwoBodies::End start = bodies.lookAt(world);
    run(world, settings, 0.6, steps, [&](const StepReport& r) {
        EXPECT_EQ(r.steps, 1);
        EXPECT_EQ(r.rejected, 0);
        TwoBodies::End end = bodies.lookAt(world);
        if (!newmark) loss.inertia += bodies.inertiaLoss(start, end);
        loss.elastic += bodies.elasticLoss(start, end, newmark);
        loss.contact += newmark ? bodies.contactLossOfMean(start, end) : bodies.contactLoss(start, end, rate);
        loss.found = loss.inertia + loss.elastic + loss.contact;
        loss.booked = r.energy.numerical;
        loss.mostOff = std::max(loss.mostOff, std::abs(loss.found - loss.booked));
        loss.mostBooked = std::max(loss.mostBooked, std::abs(loss.booked));
        loss.touched = std::max(loss.touched, r.energy.contact);
        start = std::move(end);
    });
    loss.friction = world.energy.friction;
    return loss;
}

void print(const CollisionLoss& loss, const std::string& what) {
    figure("largest contact energy over the initial energy, " + what, loss.touched / loss.energy);
    figure("lost in friction and dampers, " + what, loss.friction / loss.energy);
    figure("the integrator's loss, found, " + what, loss.found / loss.energy);
    figure("of which by velocities, elasticity, " + what, loss.inertia / loss.energy);
    figure("    elasticity, " + what, loss.elastic / loss.energy);
    figure("    contact, " + what, loss.contact / loss.energy);
    figure("the integrator's loss, booked, " + what, loss.booked / loss.energy);
    figure("largest difference at any time, " + what, loss.mostOff / loss.energy);
}
}  // namespace

// M (v1 - v0) / dt = -grad W(x1) - d with v1 = (x1 - x0) / dt gives, times the way x1 - x0, by |v1|^2 - v0 .
// v1 = (|v1|^2 - |v0|^2 + |v1 - v0|^2) / 2,
//   T0 + W0 - T1 - W1 - d . (x1 - x0) = 1/2 |v1 - v0|_M^2 + W0 - W1 - grad W(x1) . (x0 - x1).
// What dampers, viscosity and friction d take has books of its own, to which the sum on the right owes
// nothing: that friction is not even in it.
TEST(ContactLoss, OfBackwardEulerIsWhatItsRuleSays) {
    const struct {
        const char* name;
        WorldState world;
    } cases[] = {{"no friction, no dampers", makeUndamped(0)},
                 {"dampers", testing::makeCollision(0, false, 0)},
                 {"dampers and friction", testing::makeCollision(0)}};
    for (const auto& c : cases) {
        const CollisionLoss loss = collide(c.world, Integrator::kImplicit, 120);
        print(loss, c.name);
        EXPECT_GT(loss.touched, 0.01 * loss.energy) << c.name;
        EXPECT_GT(loss.found, 0.01 * loss.energy) << c.name;  // there is something to find
        EXPECT_LT(loss.mostOff, kUnsolved * loss.energy) << c.name;
    }
}

// Average acceleration: M (v1 - v0) / dt = -(grad W(x0) + grad W(x1)) / 2 and (v0 + v1) / 2 = (x1 - x0) / dt,
// so no term of velocities is left.
TEST(ContactLoss, OfNewmarkIsWhatItsRuleSays) {
    const CollisionLoss loss = collide(makeUndamped(0), Integrator::kNewmark, 120);
    print(loss, "newmark, no friction, no dampers");
    EXPECT_GT(loss.touched, 0.01 * loss.energy);
    EXPECT_LT(loss.mostOff, kUnsolved * loss.energy);
}

namespace {
/// Largest loss at any time over the initial energy, for ever shorter steps.
std::vector<double> lossesOf(const WorldState& world, Integrator integrator, const std::string& what) {
    std::vector<double> losses;
    for (const int steps : {60, 120, 240, 480}) {
        const CollisionLoss loss = collide(world, integrator, steps);
        losses.push_back(loss.mostBooked / loss.energy);
        const std::string which = what + ", " + std::to_string(steps) + " steps";
        figure("largest loss to the integrator over the initial energy, " + which, losses.back());
        if (losses.size() > 1)
            figure("order, " + which, std::log2(losses[losses.size() - 2] / losses.back()));
    }
    return losses;
}

double orderOf(const std::vector<double>& losses, std::size_t k) {
    return std::log2(losses[k] / losses[k + 1]);
}
}  // namespace

// What a step of backward Euler does not resolve it takes away, however long it is: the order comes to 1 from
// below as more and more of a knock is resolved.
TEST(ContactLoss, OfBackwardEulerFallsWithTheStep) {
    const std::vector<double> losses = lossesOf(testing::makeCollision(0), Integrator::kImplicit, "implicit");
    EXPECT_LT(losses[1], 0.2);
    for (const std::size_t k : {0, 1, 2}) {
        EXPECT_GT(orderOf(losses, k), 0.5);
        EXPECT_LT(orderOf(losses, k), 1.1);
    }
    EXPECT_GT(orderOf(losses, 2), orderOf(losses, 0));
}

// Springs alone: second order. Dampers and friction are booked with the forces at the end of a step, of which
// half act in the next one: first order.
TEST(ContactLoss, OfNewmarkFallsWithTheStep) {
    const std::vector<double> springs =
        lossesOf(makeUndamped(0), Integrator::kNewmark, "newmark, no friction, no dampers");
    const std::vector<double> all = lossesOf(testing::makeCollision(0), Integrator::kNewmark, "newmark");
    EXPECT_LT(all[1], 0.02);
    for (const std::size_t k : {0, 1, 2}) EXPECT_NEAR(orderOf(all, k), 1, 0.2);
    for (const std::size_t k : {0, 1, 2}) EXPECT_NEAR(orderOf(springs, k), 2, 0.2);
    EXPECT_LT(springs[1], 2e-3);
}

}  // namespace sunder
