#include "core/sim/stepper.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/timer.h"
#include "core/body/apply_edit.h"
#include "core/sim/body_work.h"
#include "core/sim/glue.h"
#include "core/sim/sleep.h"
#include "core/sim/small_pieces.h"

namespace sunder {

Workspace::Workspace() : data_(std::make_unique<Data>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

namespace {
void require(bool condition, const char* message, const char* remedy) {
    if (!condition) throw Error(message, remedy);
}

void checkState(const Body& body, const BodyState& state) {
    const std::size_t n = body.mesh.vertexCount();
    if (state.x.size() != n || state.v.size() != n)
        throw Error(format("the state of body '%s' has %zu positions and %zu velocities for %zu vertices", body.name.c_str(),
                           state.x.size(), state.v.size(), n),
                    "make it with makeBodyState");
    if (body.elements.plastic() && state.plastic.size() != body.mesh.tetCount())
        throw Error(format("the state of body '%s' has %zu plastic states for %zu tets", body.name.c_str(), state.plastic.size(), body.mesh.tetCount()),
                    "make it with makeBodyState");
    for (std::size_t i = 0; i < n; ++i)
        if (!state.x[i].allFinite() || !state.v[i].allFinite())
            throw Error(format("vertex %zu of body '%s' has a position or velocity that is not a number", i, body.name.c_str()),
                        "look at what changed the state before this step");
}

void checkPush(const WorldBody& b) {
    if (!b.push) return;
    if (b.push->size() != b.body->mesh.vertexCount())
        throw Error(format("body '%s' is pushed at %zu vertices, it has %zu", b.body->name.c_str(), b.push->size(), b.body->mesh.vertexCount()), "give a force for every vertex, or none");
    for (std::size_t i = 0; i < b.push->size(); ++i)
        if (!(*b.push)[i].allFinite()) throw Error(format("the force on vertex %zu of body '%s' is not a number", i, b.body->name.c_str()), "look at the nodes that push it");
}

}  // namespace

void prepare(Workspace::Data& data, const WorldState& world, const StepSettings& settings) {
    data.bodies.resize(world.bodies.size());
    for (std::size_t b = 0; b < data.bodies.size(); ++b) {
        BodyWork& work = data.bodies[b];
        if (work.body != world.bodies[b].body) {
            work = BodyWork{};
            work.body = world.bodies[b].body;
        }
        checkState(*work.body, *world.bodies[b].state);
        checkPush(world.bodies[b]);
        work.state = *world.bodies[b].state;
        work.push = world.bodies[b].push ? *world.bodies[b].push : std::vector<Vec3>();
        work.force.resize(work.vertexCount());
        work.state.a.resize(work.vertexCount(), Vec3::Zero());
        work.cuts = 0;
        work.glueForce.clear();
        makeLoads(work, settings);
        work.touching = false;
    }
    data.glue = world.glue;
    wakeDisturbed(data.bodies, settings);
    wakeGlued(data);
    data.colliders = world.colliders;
    data.contact.prepare(data.bodies, data.colliders, world.time, settings);
    for (std::size_t b = 0; b < data.bodies.size(); ++b) {
        data.bodies[b].contactOmegaSq = data.contact.omegaSq(b);
        data.bodies[b].contactDamping = data.contact.damping(b);
    }
    boundGlue(data);
}

double updatePresent(Workspace::Data& data, double time, EnergyBooks& books, double* contactSeconds) {
    books.kinetic = books.elastic = books.gravity = books.contact = books.target = 0;
    double smallestDetF = data.bodies.empty() ? 1 : 1e300;
    for (BodyWork& work : data.bodies) {
        const ForceTotals internal = computeEnergy(work.body->elements, work.state.x, {work.state.plastic});
        const LoadTotals loads = work.loads->potentials(work.state.x, time);
        books.kinetic += kineticEnergy(*work.body, work.state.v);
        books.elastic += internal.energy;
        books.gravity += loads.gravity;
        books.contact += loads.contact;
        books.target += loads.target;
        smallestDetF = std::min(smallestDetF, internal.smallestDetF);
    }
    const Timer timer;
    books.contact += data.contact.energy(data.bodies, time);
    if (contactSeconds) *contactSeconds += timer.seconds();
    books.glue = glueEnergy(data);
    return smallestDetF;
}

namespace {
bool watchesEnergy(Integrator integrator) { return integrator == Integrator::kExplicit || integrator == Integrator::kRkf45; }

bool integrate(StepContext& context, double time, double duration) {
    switch (context.settings.integrator) {
        case Integrator::kExplicit: return stepExplicit(context, time, duration);
        case Integrator::kRkf45: return stepRkf45(context, time, duration);
        case Integrator::kImplicit:
        case Integrator::kNewmark: return stepImplicit(context, time, duration);
    }
    return false;
}
/// Times between start and end at which some target lets go or a collider gets another topology, then the end. No inner step crosses one.
std::vector<double> findStops(const Workspace::Data& data, double start, double end) {
    std::vector<double> stops = {end};
    const auto add = [&](double release) {
        if (release > start && release < end) stops.push_back(release);
    };
    for (const BodyWork& work : data.bodies) {
        for (const HardTarget& t : work.body->constraints.hard) add(t.releaseTime);
        for (const SoftTarget& t : work.body->constraints.soft) add(t.releaseTime);
    }
    for (const auto& collider : data.colliders)
        for (const Collider::Stretch& stretch : collider->stretches) add(stretch.time.front());
    std::sort(stops.begin(), stops.end());
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    return stops;
}

/// Targets that let go now. What was in a soft one's spring leaves the world with it; accelerations are found anew.
void letGo(StepContext& context, double time) {
    for (BodyWork& work : context.work.bodies) {
        const double released = work.loads->releasedEnergy(work.state.x, time);
        context.books.target -= released;
        context.books.work -= released;
        const auto now = [&](const auto& target) { return target.releaseTime == time; };
        const Constraints& all = work.body->constraints;
        if (std::any_of(all.hard.begin(), all.hard.end(), now) || std::any_of(all.soft.begin(), all.soft.end(), now))
            work.state.a.assign(work.vertexCount(), Vec3::Zero());
        work.loads->begin(time);
    }
}

void reportOverlaps(const WorldContact& contact, const WorldContact::Overlap& deepest, const StepSettings& settings, StepReport& report) {
    if (!(deepest.depth > 0)) return;
    const Vec3& p = deepest.position;
    report.warnings.push_back(format("bodies overlap at the start, most of all '%s' and '%s' by %.3g m at (%.4g, %.4g, %.4g); they are driven apart with "
                                     "separationSpeed = %g m/s",
                                     contact.name(deepest.body).c_str(), contact.name(deepest.other).c_str(), deepest.depth, p.x(), p.y(), p.z(),
                                     settings.separationSpeed));
}

constexpr double kMuchUnsolved = 0.05;  // of all the energy that is and was in the world

/// Solves that end early leave forces that nothing bears, and those work. The text is the same every time, so that hosts show it once.
void reportUnsolved(const EnergyBooks& books, const StepSettings& settings, StepReport& report) {
    const double all = books.mechanical() - books.gravity + std::abs(books.lost()) + std::abs(books.numerical);
    if (!(std::abs(report.unsolvedLoss) > kMuchUnsolved * all)) return;
    const char* tolerances = settings.oneSolve ? "a smaller linearTolerance" : settings.contact ? "a smaller newtonTolerance and contactTolerance" : "a smaller newtonTolerance";
    report.warnings.push_back(format("solves that ended before all forces were in balance changed the energy by more than a twentieth within a frame, as a brake or a push from outside would; "
                                     "use %s, or more substeps",
                                     tolerances));
}

/// What keeps tets of a body from turning inside out, or from staying so.
const char* remedyOf(const Body& body) {
    const auto any = [&](auto is) { return std::any_of(body.materials.begin(), body.materials.end(), is); };
    if (any([](const Material& m) { return m.plasticity.law == PlasticLawId::kAdditive || m.plasticity.law == PlasticLawId::kCreep; }))
        return "where its flow leaves nothing against collapse, use plasticity 'multiplicative' with the law 'corotated', or finer cells";
    if (any([](const Material& m) { return m.plasticity.law == PlasticLawId::kMultiplicative; })) return "use more substeps, or finer cells";
    if (any([](const Material& m) { return m.law == ElasticLawId::kGreen; })) return "use the law 'corotated' or 'neohookean', which turn them back, more substeps, or finer cells";
    return "they come back when nothing presses them any more; if they show, use more substeps, finer cells or a stiffer material";
}

/// The same text for a body every time.
void reportInverted(const std::vector<BodyWork>& bodies, StepReport& report) {
    for (const BodyWork& work : bodies) {
        if (!(computeEnergy(work.body->elements, work.state.x, {work.state.plastic}).smallestDetF < 0)) continue;
        report.warnings.push_back(format("tets of body '%s' are inside out; %s", work.body->name.c_str(), remedyOf(*work.body)));
    }
}

constexpr int kManyHeld = 24;

void reportHeld(const WorldContact& contact, StepReport& report) {
    report.held = static_cast<int>(contact.heldCount());
    if (report.held < kManyHeld) return;
    const auto [a, b] = contact.mostHeldPair();
    report.warnings.push_back(format("%d vertices have gone far through faces of other bodies and are held by those alone, most of them between '%s' and '%s'; use finer "
                                     "cells for the softer of the two, a larger stiffnessScale, or more substeps",
                                     report.held, contact.name(a).c_str(), contact.name(b).c_str()));
}

void reportFracture(const StepSettings& settings, StepReport& report) {
    if (report.broken.tooMuchMemory)
        report.warnings.push_back(format("the bodies have reached mostMemory = %g GB, at %g bytes a tet, and break no further; raise it, or give their materials more toughness",
                                         settings.fracture.mostMemory, kBytesATet));
    else if (report.broken.tooManyTets)
        report.warnings.push_back(format("a body has reached mostTets = %d and breaks no further; raise it, or give the material more toughness", settings.fracture.mostTets));
    else if (report.broken.left > 0)
        report.warnings.push_back(format("a body has reached mostCuts = %d in this frame, and %d times a node was left to break later; raise it if they come too late", settings.fracture.mostCuts, report.broken.left));
    // without a count, so that hosts show it once; who asks for no rounds at all knows
    if (report.roundsUsedUp > 0 && settings.fracture.rounds > 0)
        report.warnings.push_back(format("more was to break in a step than fracture.rounds = %d can solve for again, so that cracks ran on in a shape that has not seen them and may fray; raise "
                                         "fracture.rounds, or substeps",
                                         settings.fracture.rounds));
    if (report.broken.addedMass > 0)
        report.warnings.push_back(format("%.3g kg were added to tets that cracks left too small, so that explicit steps get no shorter than an eighth of what they were; even "
                                         "out the sizes and stiffnesses of tets, or raise fracture.snapShare, to need less",
                                         report.broken.addedMass));
    if (report.broken.massIsFull)
        report.warnings.push_back("a body has got a hundredth of its mass more for the sake of explicit steps, which get shorter from now on; use implicit steps, or raise "
                                  "fracture.snapShare");
}

/// A collider gets another topology now: whatever it carried may fall.
const Collider* findNewTopology(const Workspace::Data& data, double time) {
    for (const auto& collider : data.colliders)
        for (std::size_t k = 1; k < collider->stretches.size(); ++k)
            if (collider->stretches[k].time.front() == time) return collider.get();
    return nullptr;
}

/// Faces of another topology are others. The text is the same every time, so that hosts show it once.
void reportNewTopology(const Collider& collider, const StepSettings& settings, StepReport& report) {
    if (settings.keepSides && settings.contact)
        report.warnings.push_back(format("collider '%s' changes its topology: keepSides forgets then by which of its faces bodies came in, and what is far through them is let go; "
                                         "use a surface with the same triangles at all times",
                                         collider.name.c_str()));
}

/// Integrators tell the share of the stretch that they were given; the host hears that of the whole step.
class StretchMonitor : public Monitor {
  public:
    StretchMonitor(Monitor* host, double first, double last) : host_(host), first_(first), last_(last) {}
    bool cancelled() override { return host_ && host_->cancelled(); }
    void progress(double share) override {
        if (host_) host_->progress(first_ + (last_ - first_) * share);
    }
    void warn(const std::string& text) override {
        if (host_) host_->warn(text);
    }

  private:
    Monitor* host_;
    double first_, last_;
};

bool integrateAll(StepContext& context, double time, double duration) {
    const double start = time;
    Monitor* host = context.monitor;
    for (const double stop : findStops(context.work, time, time + duration)) {
        letGo(context, time);
        if (const Collider* changed = findNewTopology(context.work, time)) {
            wakeAll(context.work.bodies);
            reportNewTopology(*changed, context.settings, context.report);
        }
        wakeBlasted(context.work.bodies, time, stop);
        context.work.contact.prepare(context.work.bodies, context.work.colliders, time, context.settings);
        StretchMonitor stretch(host, (time - start) / duration, (stop - start) / duration);
        context.monitor = host ? &stretch : nullptr;
        const bool done = integrate(context, time, stop - time);
        context.monitor = host;
        if (!done) return false;
        time = stop;
    }
    return true;
}
}  // namespace

namespace {
/// Steps that minimize an energy need one of contact.
void validateResponse(const StepSettings& s) {
    const bool minimizes = s.integrator == Integrator::kImplicit || s.integrator == Integrator::kNewmark;
    if (!minimizes || !s.contact || s.contactResponse == ContactResponse::kOverlap) return;
    const bool thesis = s.contactResponse == ContactResponse::kThesis;
    throw Error(format("contactResponse '%s' does not go with implicit and newmark steps: they minimize an energy, and its force is not the gradient of one%s",
                       thesis ? "thesis" : "nodes", thesis ? "" : " where a vertex changes the face that it is pushed to"),
                "use the explicit integrator, or contactResponse 'overlap'");
}
}  // namespace

void validate(const StepSettings& s) {
    validateResponse(s);
    require(!s.keepSides || !s.contact || s.contactResponse == ContactResponse::kOverlap, "keepSides is part of contactResponse 'overlap' and does nothing with the others",
            "use contactResponse 'overlap', or switch keepSides off");
    require(s.substeps >= 1, "substeps must be 1 or more", "set substeps to 1");
    require(s.courant > 0 && s.courant <= 1, "courant must be above 0 and at most 1", "0.8 is a good value");
    require(s.energyTolerance > 0, "energyTolerance must be above 0", "0.02 is a good value");
    require(s.smallestStep > 0, "smallestStep must be above 0", "1e-12 s is a good value");
    require(s.errorTolerance > 0, "errorTolerance must be above 0", "1e-6 is a good value");
    require(s.newtonIterations >= 1, "newtonIterations must be 1 or more", "50 is a good value");
    require(s.newtonTolerance > 0 && s.newtonTolerance < 1, "newtonTolerance must lie between 0 and 1", "1e-6 is a good value");
    require(s.contactTolerance >= 0 && s.contactTolerance < 1, "contactTolerance must be 0 or more, and below 1", "0.01 is a good value");
    require(s.linearTolerance > 0 && s.linearTolerance < 1, "linearTolerance must lie between 0 and 1", "1e-6 is a good value");
    require(s.linearIterations >= 1, "linearIterations must be 1 or more", "10000 is a good value");
    require(s.cholmodFlops >= 0, "cholmodFlops must not be negative", "0 never factorizes, 2e10 is a good value");
    require(s.stepHalvings >= 0 && s.stepHalvings <= 30, "stepHalvings must lie between 0 and 30", "8 is a good value");
    require(s.separationSpeed >= 0 && std::isfinite(s.separationSpeed), "separationSpeed must be a finite number of 0 or more", "0.1 m/s is a good value");
    require(s.sleepSpeed >= 0 && std::isfinite(s.sleepSpeed), "sleepSpeed must be a finite number of 0 or more", "0.005 m/s is a good value, 0 keeps all awake");
    require(s.sleepTime > 0, "sleepTime must be above 0", "0.5 s is a good value");
    require(s.gravity.allFinite() && s.uniformForce.allFinite(), "gravity and uniformForce must be finite numbers", "gravity is 9.81 m/s2 downwards on Earth");
    require(!s.ground.enabled || (s.ground.normal.allFinite() && s.ground.normal.norm() > 0), "the ground needs a normal that is not zero", "(0, 1, 0) points up");
    require(s.ground.point.allFinite(), "the ground's point must be a finite number", "(0, 0, 0) is the origin");
    require(s.ground.friction >= 0 && std::isfinite(s.ground.friction), "friction must be a finite number of 0 or more", "0.5 is a usual value");
    require(s.ground.stiffnessScale > 0 && std::isfinite(s.ground.stiffnessScale), "stiffnessScale must be a finite number above 0", "1 is the stiffness taken from the material");
    require(s.ground.restitution >= 0 && s.ground.restitution <= 1, "restitution must lie between 0 and 1", "0 does not bounce");
    for (const Blast& blast : s.blasts) validate(blast);
    require(s.blasts.empty() || s.integrator != Integrator::kRkf45, "rkf45 takes no blasts: its steps could pass over a pulse", "use explicit, implicit or newmark");
    require(s.fracture.rounds >= 0, "fracture.rounds must not be negative", "8 is a good value");
    require(s.fracture.mostCuts >= 1 && s.fracture.mostTets >= 1, "fracture.mostCuts and mostTets must be 1 or more", "switch fracture.enabled off to keep all whole");
    require(s.fracture.mostMemory > 0, "fracture.mostMemory must be above 0", "16 GB is a good value where there are 32");
    require(s.fracture.smallestPiece >= 0 && std::isfinite(s.fracture.smallestPiece), "fracture.smallestPiece must not be negative", "0 lets pieces be as small as they come");
    require(s.fracture.smallPieceSize >= 0 && std::isfinite(s.fracture.smallPieceSize), "fracture.smallPieceSize must not be negative", "it is the edge of a cube, in m");
    const bool leave = s.fracture.smallPieces != SmallPieces::kKeep;
    require(!leave || s.fracture.smallPieceSize > 0, "fracture.smallPieces needs a fracture.smallPieceSize above 0", "give the edge of a cube: pieces of less volume leave");
    require(!leave || s.integrator != Integrator::kRkf45, "rkf45 lets no pieces leave: it takes no rigid bodies", "use explicit, implicit or newmark, or smallPieces keep");
    for (const BreakZone& zone : s.fracture.zones) validate(zone);
    require(s.fracture.snapAngle >= 0 && s.fracture.snapAngle < 1, "fracture.snapAngle must lie between 0 and 1 rad", "0.1 is a good value");
    require(s.fracture.snapShare >= 0.01 && s.fracture.snapShare < 0.5, "fracture.snapShare must lie between 0.01 and 0.5", "0.1 is a good value");
    for (const ContactPair& p : s.contactPairs) {
        require(!p.a.empty() && !p.b.empty(), "a pair of contactPairs lacks a name", "name two bodies or materials");
        require(std::isfinite(p.friction) && p.dynamicFriction >= 0 && p.dynamicFriction <= p.friction,
                "friction of contactPairs must be finite, and dynamicFriction from 0 to friction", "0.5 for both is a usual value");
        require(p.restitution <= 1, "restitution of contactPairs must not be above 1", "0 does not bounce, and below 0 each side has its own");
    }
}

void refreshEnergy(WorldState& world, const StepSettings& settings) {
    Workspace workspace;
    prepare(workspace.data(), world, settings);
    updatePresent(workspace.data(), world.time, world.energy);
}

namespace {
/// The layout of the tables follows from the mesh alone again, so that a resume goes on in the same bits.
void compact(Workspace::Data& data, std::size_t body, StepReport& report) {
    const Timer timer;
    rebuildElements(*data.bodies[body].own);
    data.bodies[body].implicit.reset();
    data.group = GroupWork{};
    report.compactSeconds += timer.seconds();
    report.fractureSeconds += timer.seconds();
}
}  // namespace

namespace {
StepReport stepAll(WorldState& world, double duration, const StepSettings& settings, Workspace& workspace, Monitor* monitor) {
    const Timer timer;
    StepReport report;
    Workspace::Data& data = workspace.data();
    prepare(data, world, settings);
    EnergyBooks books = world.energy;
    if (world.stepCount == 0) reportOverlaps(data.contact, data.contact.allowOverlaps(data.bodies, world.time), settings, report);
    allowGlued(data);
    // explicit steps watch the energy, so they cannot take a host's word for it; an implicit one would pay for it with a tenth of its time
    if (world.stepCount == 0 || watchesEnergy(settings.integrator)) updatePresent(data, world.time, books, &report.contactSeconds);
    const double before = books.balance();
    double nextStep = world.nextStep, contactLoss = world.contactLoss, contactWork = world.contactWork;
    StepContext context{data, settings, books, report, nextStep, contactLoss, contactWork, duration, monitor};
    report.failed = !integrateAll(context, world.time, duration);
    if (!report.failed) {
        reportHeld(data.contact, report);
        report.smallestDetF = updatePresent(data, world.time + duration, books, &report.contactSeconds);
        books.numerical += before - books.balance();
        reportUnsolved(books, settings, report);
        if (report.smallestDetF < 0) reportInverted(data.bodies, report);
        world.energy = report.energy = books;
        world.time += duration;
        world.nextStep = nextStep;
        world.contactLoss = contactLoss;
        world.contactWork = contactWork;
        world.stepCount += static_cast<std::uint64_t>(report.steps);
        world.glue = data.glue;
        for (std::size_t b = 0; b < data.bodies.size(); ++b) {
            if (data.bodies[b].own) compact(data, b, report);
            world.bodies[b].body = data.bodies[b].body;
            world.bodies[b].push = nullptr;
        }
        for (std::size_t b = 0; b < data.bodies.size(); ++b)
            world.bodies[b].state = std::make_shared<const BodyState>(std::move(data.bodies[b].state));
        moveParticles(world.particles, duration, settings);
    }
    for (BodyWork& work : data.bodies) work.own.reset();  // what the world has is never changed again
    reportFracture(settings, report);
    report.totalSeconds = timer.seconds();
    return report;
}
}  // namespace

StepReport step(WorldState& world, double duration, const StepSettings& settings, Workspace& workspace, Monitor* monitor) {
    validate(settings);
    require(std::isfinite(duration) && duration > 0, "the time step must be above 0", "it is one over the frames a second");
    if (settings.fracture.smallPieces == SmallPieces::kKeep) return stepAll(world, duration, settings, workspace, monitor);
    // as a step begins and not as it ends, so that what leaves has been seen whole by then: all that is made of frames needs its tets
    WorldState after = world;
    const Departures departures = releaseSmallPieces(after, settings);
    StepReport report = stepAll(after, duration, settings, workspace, monitor);
    if (report.failed) return report;
    report.departures = departures;
    world = std::move(after);
    return report;
}

}  // namespace sunder
