#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/timer.h"
#include "core/body/rigid.h"
#include "core/fracture/crack_debt.h"
#include "core/sim/body_work.h"
#include "core/sim/contact_work.h"
#include "core/sim/glue.h"
#include "core/sim/release.h"
#include "core/sim/sleep.h"
#include "core/sim/world_fracture.h"

/// Explicit steps of second order (kick, drift, kick):
///   v' = v + dt/2 a,  x += dt v',  a = f(x, v' + dt/2 a) / m,  v = v' + dt/2 a.
/// The step is the smaller of a share of the stable one and of what the watch on the total energy allows: where kinetic plus
/// potential plus lost minus put-in energy rises, the steps since the last safe point are taken again at half the size.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 1024;
constexpr int kStepsBetweenSafePoints = 16;
constexpr int kStepsBetweenLooks = 8;  // for what breaks
constexpr double kSqueeze = 0.9;  // a tet squeezed by more than this since the last safe point asks for a new bound of the step
constexpr double kSuddenRise = 5; // of energyTolerance, in one step
constexpr double kMostRestraint = 0.1;
constexpr double kPulseShare = 0.01;  // of the shortest pulse of a blast
constexpr double kGrowth = 1.2;   // of the step after a safe stretch, up to the stable one

/// What a rollback restores.
struct SafePoint {
    std::vector<BodyState> states;
    EnergyBooks books;
    double time;
    double contactLoss, contactWork;
    std::vector<std::pair<bool, std::vector<Vec3>>> contactForces;  ///< of bodies, and whether they count
};

class ExplicitStepper {
  public:
    explicit ExplicitStepper(StepContext& context) : c_(context) {}

    bool run(double time, double duration) {
        const double start = time, end = time + duration;
        double dt = c_.nextStep > 0 ? c_.nextStep : 1e300;
        c_.work.contact.detect(c_.work.bodies, time);
        const double drawn = c_.work.contact.addForces(c_.work.bodies, {}).drawn;
        c_.books.contact += drawn;  // not zero if the velocities were changed, or the response
        c_.books.friction -= drawn;
        addGlueForces(c_.work);
        for (BodyWork& work : c_.work.bodies)
            if (!work.state.sleep.asleep && !hasAcceleration(work)) startAcceleration(work, time, std::min(duration, c_.settings.courant * stableStep(work)));
        balanced_ = total(c_.books) + c_.books.numerical;
        double pulse = 1e300;  // of those that a step into this stretch, or the first one behind it, can see
        for (const BodyWork& work : c_.work.bodies)
            pulse = std::min(pulse, kPulseShare * work.loads->shortestPulse(work.state.x, time, end + duration));
        breaks_ = anyBreaks(c_.work.bodies, c_.settings);
        updateRoundOff();
        while (time < end) {
            throwIfCancelled(c_.monitor);
            if (c_.monitor) c_.monitor->progress((time - start) / duration);
            const SafePoint safe = save(time);
            const double stable = std::min(largestStep(), pulse), squeezed = smallestDetF_ > 0 ? kSqueeze * smallestDetF_ : -HUGE_VAL;
            dt = std::min(dt, stable);
            dt = c_.work.contact.approachStep(c_.work.bodies, time, dt, std::min(kStepsBetweenSafePoints * dt, end - time));
            if (dt < c_.settings.smallestStep) return fail(dt);
            int taken = 0;
            bool good = true;
            for (; good && taken < kStepsBetweenSafePoints && time < end && smallestDetF_ >= squeezed; ++taken) {
                // equal steps to the end, so that no sliver of a step is left over
                const double left = end - time, steps = std::ceil(left / dt * (1 - 1e-12)), size = left / steps;
                good = stepOnce(time, size);
                time = steps <= 1 ? end : time + size;
                if (good) noteStep(size);
                if (good && changeNow(time, size, time == end)) break;
            }
            if (good) {
                dt = std::min(stable, dt * kGrowth);
                continue;
            }
            restore(safe);
            time = safe.time;
            c_.report.rejected += taken;
            dt /= 2;
        }
        c_.nextStep = dt;
        const std::vector<std::uint8_t> stirring = findStirring(c_.work.bodies, c_.work.contact, end - duration, end);
        updateSleep(c_.work, stirring, c_.settings, duration);
        return true;
    }

  private:
    void updateRoundOff() {
        roundOff_ = 0;
        for (const BodyWork& work : c_.work.bodies) roundOff_ += roundOffEnergy(work);
    }

    /// Every few steps, as a crack is slower than sound, which needs as many for a tet; and in the last. True if something broke or let go.
    bool changeNow(double time, double dt, bool last) {
        if (++sinceLook_ < kStepsBetweenLooks && !last) return false;
        sinceLook_ = 0;
        const int before = c_.report.bondsBroken + c_.report.released;
        breakBonds(c_, time);
        letGoOfWhatPulls(c_, time);
        const bool letGo = c_.report.bondsBroken + c_.report.released > before;
        return (breaks_ && breakNow(time, dt)) || letGo;
    }

    bool breakNow(double time, double dt) {
        std::vector<TopologyEdit> edits;
        if (breakBodies(c_, {time, kStepsBetweenLooks * dt}, edits).cuts == 0) return false;
        c_.work.contact.detect(c_.work.bodies, time);
        c_.work.contact.addForces(c_.work.bodies, {});
        addGlueForces(c_.work);
        for (std::size_t b = 0; b < edits.size(); ++b)
            if (!edits[b].empty()) startAcceleration(c_.work.bodies[b], time, dt);
        updateRoundOff();
        return true;
    }

    double largestStep() const {
        double stable = 1e300;
        for (const BodyWork& work : c_.work.bodies)
            if (!work.state.sleep.asleep) stable = std::min(stable, stableStep(work));
        return c_.settings.courant * stable * restraint();
    }

    /// Where the integrator has added more than energyTolerance of all the energy that has been in play, steps get shorter in
    /// proportion.
    double restraint() const {
        const EnergyBooks& b = c_.books;
        const double inPlay = b.kinetic + b.elastic + b.contact + b.target + b.glue + b.lost();
        const double gained = total(b) - balanced_, allowed = c_.settings.energyTolerance * inPlay + roundOff_;
        return gained > allowed ? std::max(allowed / gained, kMostRestraint) : 1;
    }

    SafePoint save(double time) const {
        SafePoint safe{{}, c_.books, time, c_.contactLoss, c_.contactWork, {}};
        for (const BodyWork& work : c_.work.bodies) {
            safe.states.push_back(work.state);
            safe.contactForces.emplace_back(work.touching, work.touching ? work.contactForce : std::vector<Vec3>());
        }
        return safe;
    }

    void restore(const SafePoint& safe) {
        for (std::size_t b = 0; b < safe.states.size(); ++b) {
            c_.work.bodies[b].state = safe.states[b];
            c_.work.bodies[b].touching = safe.contactForces[b].first;
            c_.work.bodies[b].contactForce = safe.contactForces[b].second;
        }
        c_.books = safe.books;
        c_.contactLoss = safe.contactLoss;
        c_.contactWork = safe.contactWork;
    }

    void noteStep(double size) {
        StepReport& r = c_.report;
        r.smallestStep = r.steps == 0 ? size : std::min(r.smallestStep, size);
        r.largestStep = std::max(r.largestStep, size);
        ++r.steps;
    }

    bool fail(double dt) {
        c_.report.message = format(
            "the explicit step fell to %g s because tets were squeezed or stretched too far or the energy kept rising; use the "
            "implicit integrator, lower courant, or look for degenerate tets",
            dt);
        return false;
    }

    /// One step of all bodies; false if the energy rose too much.
    bool stepOnce(double time, double dt) {
        const EnergyBooks before = c_.books;
        EnergyBooks after = before;
        after.kinetic = after.elastic = after.gravity = after.contact = after.target = after.glue = 0;
        bool positive = true;
        smallestDetF_ = 1;
        std::optional<ContactWork> moved;
        if (!hasPotential()) moved.emplace(c_.work.bodies);
        std::vector<HeldStep> held(c_.work.bodies.size());
        for (std::size_t b = 0; b < held.size(); ++b) held[b] = drift(c_.work.bodies[b], time, dt);
        pushApart(time + dt, dt, moved, after);
        for (std::size_t b = 0; b < held.size(); ++b) positive &= kick(c_.work.bodies[b], held[b], time, dt, after);
        for (std::size_t b = 0; b < held.size(); ++b) payForCracks(c_.work.bodies[b], held[b], dt, after);
        const double rise = total(after) - total(before);
        // what flows between the kinds in a step measures how exact the balance can be
        const double scale = after.kinetic + after.elastic + after.contact + after.target + after.glue + std::abs(after.gravity - before.gravity) +
                             std::abs(after.work - before.work) + std::abs(after.friction - before.friction) + (after.plastic - before.plastic);
        c_.books = after;
        return positive && std::isfinite(rise) && rise <= kSuddenRise * c_.settings.energyTolerance * scale + roundOff_;
    }

    bool hasPotential() const { return c_.settings.contactResponse == ContactResponse::kOverlap; }

    /// Contact forces at the new place. `moved` is there if they have no potential.
    void pushApart(double time, double dt, const std::optional<ContactWork>& moved, EnergyBooks& after) {
        const Timer timer;
        c_.work.contact.detect(c_.work.bodies, time);
        after.glue = addGlueForces(c_.work);
        const double shrunk = c_.work.contact.shrinkOverlaps(c_.work.bodies, dt * c_.settings.separationSpeed);
        const ContactTotals contact = c_.work.contact.addForces(c_.work.bodies, {dt});
        // half of a step's force acts before its end and half of it after
        const double led = 0.5 * dt * (c_.contactWork + contact.ledPower);
        after.contact += contact.energy;
        after.work += shrunk;
        after.work += led;
        after.friction += (moved ? led + shrunk - moved->done(c_.work.bodies) : 0.5 * dt * (c_.contactLoss + contact.power)) - contact.drawn;
        c_.contactLoss = contact.power;
        c_.contactWork = contact.ledPower;
        c_.report.contactSeconds += timer.seconds();
    }

    static double total(const EnergyBooks& e) {
        return e.mechanical() + e.lost() - e.work;
    }

    /// Held vertices on their way through a step.
    struct HeldStep {
        HeldVertices vertices;
        std::vector<Vec3> shift, force;  ///< m, and what acted on each before, N
        double kinetic = 0;              ///< before, J
    };

    static void payForCracks(BodyWork& work, const HeldStep& held, double dt, EnergyBooks& after) {
        if (work.state.debts.empty() || work.state.sleep.asleep) return;
        const double paid = payDebts(*work.body, held.vertices.fixed, dt, work.state);
        after.kinetic -= paid;
        after.fracture += paid;
    }

    /// First kick, and drift; s.v becomes the velocity predicted for the end of the step, which viscous forces see.
    static HeldStep drift(BodyWork& work, double time, double dt) {
        const Body& body = *work.body;
        BodyState& s = work.state;
        if (s.sleep.asleep) return {};
        HeldStep held{heldVertices(body, s, time, time + dt), {}, {}, 0};
        const HeldVertices& h = held.vertices;
        held.kinetic = kineticEnergy(body, s.v, h.vertices);
        if (body.rigid && h.vertices.empty()) {
            driftRigid(work, dt);
            return held;
        }
        parallelFor(work.vertexCount(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                s.v[i] += (0.5 * dt) * s.a[i];
                s.x[i] += dt * s.v[i];
                s.v[i] += (0.5 * dt) * s.a[i];
            }
        });
        // held vertices have been moved by their forces like all others; take that back
        for (std::size_t k = 0; k < h.vertices.size(); ++k) {
            const auto i = static_cast<std::size_t>(h.vertices[k]);
            const Vec3 start = s.x[i] - dt * (s.v[i] - (0.5 * dt) * s.a[i]);
            held.shift.push_back(h.position[k] - start);
            held.force.push_back(body.mass[i] * s.a[i]);
            s.x[i] = h.position[k];
            s.v[i] = h.velocity[k];
        }
        return held;
    }

    /// The same for a rigid body, whose angular momentum is what stays in free flight.
    static void driftRigid(BodyWork& work, double dt) {
        const std::vector<double>& mass = work.body->mass;
        BodyState& s = work.state;
        const RigidFrame start = rigidFrame(mass, s.x);
        const RigidField before = rigidPart(start, mass, s.x, s.v), pulled = rigidPart(start, mass, s.x, s.a);
        const Vec3 velocity = before.centre + 0.5 * dt * pulled.centre, spin = before.turn + 0.5 * dt * pulled.turn;
        const FreeTurn free = turnFreely(start, spin, dt);
        std::vector<Vec3> x(s.x.size());
        moveRigidly(start, dt * velocity, free.turn, s.x, x);
        s.x.swap(x);
        const RigidFrame end = rigidFrame(mass, s.x);
        const RigidField predicted{velocity + 0.5 * dt * pulled.centre, free.spin + 0.5 * dt * pulled.turn};
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            s.v[i] = predicted.at(end, s.x[i]);
            s.a[i] = pulled.at(end, s.x[i]);  // what the second kick takes back of the prediction
        }
    }

    /// Replaces the velocities and accelerations of single vertices by those of the whole. Returns the kinetic energy.
    static double joinRigid(BodyWork& work) {
        BodyState& s = work.state;
        const RigidFrame frame = rigidFrame(work.body->mass, s.x);
        const RigidField velocity = rigidPart(frame, work.body->mass, s.x, s.v), pulled = rigidPart(frame, work.body->mass, s.x, s.a);
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            s.v[i] = velocity.at(frame, s.x[i]);
            s.a[i] = pulled.at(frame, s.x[i]);
        }
        return kineticEnergy(*work.body, s.v);
    }

    /// Forces at the new place, and the second kick.
    bool kick(BodyWork& work, const HeldStep& held, double time, double dt, EnergyBooks& books) {
        const Body& body = *work.body;
        BodyState& s = work.state;
        const HeldVertices& h = held.vertices;
        const PlasticStep flow{s.plastic, s.sleep.asleep ? 0 : dt, s.plastic};
        const Evaluation e = visitForces(work, s.x, s.v, time + dt, {dt, s.a, h.fixed}, flow, [&](std::size_t i, const Vec3& force) {
            if (s.sleep.asleep) return 0.0;
            const Vec3 a = force / body.mass[i];
            s.v[i] += (0.5 * dt) * (a - s.a[i]);
            s.a[i] = a;
            return h.fixed.empty() || !h.fixed[i] ? 0.5 * body.mass[i] * s.v[i].squaredNorm() : 0.0;
        });
        double heldWork = 0;
        for (std::size_t k = 0; k < h.vertices.size(); ++k) {
            const auto i = static_cast<std::size_t>(h.vertices[k]);
            s.v[i] = h.velocity[k];
            heldWork -= 0.5 * (held.force[k] + body.mass[i] * s.a[i]).dot(held.shift[k]);
        }
        const double heldAfter = kineticEnergy(body, s.v, h.vertices);
        books.kinetic += body.rigid && h.vertices.empty() && !s.sleep.asleep ? joinRigid(work) : e.visited + heldAfter;
        // with the velocity after the kick, dt f . v sums up to the mean force of each step times its way
        for (std::size_t i = 0; i < work.blastForce.size(); ++i) heldWork += dt * work.blastForce[i].dot(s.v[i]);
        book(e, dt, heldWork + heldAfter - held.kinetic, books);
        smallestDetF_ = std::min(smallestDetF_, e.internal.smallestDetF);
        return !needsPositiveDet(body) || e.internal.smallestDetF > 0;
    }

    static void book(const Evaluation& e, double dt, double heldWork, EnergyBooks& books) {
        books.elastic += e.internal.energy;
        books.gravity += e.loads.gravity;
        books.contact += e.loads.contact;
        books.target += e.loads.target;
        books.damped += dt * (e.internal.dissipation + e.loads.dragPower);
        books.friction += dt * e.loads.frictionPower;
        books.targetDamped += dt * e.loads.targetPower;
        books.plastic += e.internal.plasticWork;
        books.work += dt * (e.loads.paintedPower + e.loads.motionPower) + heldWork;
    }

    StepContext& c_;
    bool breaks_ = false;
    int sinceLook_ = 0;
    double smallestDetF_ = 1;  ///< at the last step
    double roundOff_ = 0;      ///< J
    double balanced_ = 0;      ///< what total() of the books would be if no integrator had ever added or lost energy
};
}  // namespace

bool stepExplicit(StepContext& context, double time, double duration) { return ExplicitStepper(context).run(time, duration); }

}  // namespace sunder
