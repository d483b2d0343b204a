#pragma once

#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/body/body.h"
#include "core/contact/contact_pairs.h"
#include "core/fem/forces.h"
#include "core/mesh/tet_links.h"
#include "core/sim/loads.h"
#include "core/sim/stepper.h"
#include "core/sim/world_contact.h"
#include "core/solve/linear_solver.h"

namespace sunder {

/// What one body needs for implicit steps, once per topology.
struct ImplicitWork {
    SparsePattern pattern;
    BlockMatrix matrix;
    AssembleScratch assemble;
    std::unique_ptr<LinearSolver> jacobi, incomplete;
    std::unique_ptr<DirectSolver> direct;
};

/// A body while it is being stepped: working copies of its state, and room. Nothing here outlives a step as information.
struct BodyWork {
    std::shared_ptr<const Body> body;
    std::shared_ptr<Body> own;  ///< the same one once it has been broken within this step
    TetStars stars;             ///< empty until something may break
    TetLinks links;             ///< likewise
    std::vector<std::int32_t> renumbered;  ///< by the last edit, see patchTetLinks
    std::vector<std::int32_t> pieceOfVertex;  ///< the lowest vertex of its piece; empty until asked for, see sleep.cpp
    std::vector<double> tension;
    int cuts = 0;               ///< within this step
    std::vector<double> releaseForce;  ///< of every vertex, N: a pin lets it go above; empty if none does, once per topology
    BodyState state;
    std::vector<Vec3> push;  ///< of WorldBody, or empty; it follows edits
    std::unique_ptr<LoadSurface> surface;  ///< where there are blasts
    std::unique_ptr<Loads> loads;
    ForceScratch scratch;
    std::vector<Vec3> force, targetForce, contactForce;
    std::vector<Vec3> blastForce;  ///< of the last visit, or empty; its work is the integrator's to book
    std::vector<Vec3> glueForce;   ///< or empty
    bool touching = false;  ///< contactForce counts
    double contactOmegaSq = 0, contactDamping = 0;  ///< bounds that contact adds to an explicit step, 1/s2 and 1/s
    double glueOmegaSq = 0;                         ///< and glue
    std::unique_ptr<ImplicitWork> implicit;
    std::vector<Vec3> hint;  ///< where the step ended before something broke in it, for the next try to start from; empty: nowhere

    std::size_t vertexCount() const { return state.x.size(); }
};

/// The system of several bodies that implicit steps are taken for together: their own side by side.
struct GroupWork {
    std::vector<std::shared_ptr<const Body>> bodies;
    std::vector<ContactUnknowns::Kind> kinds;
    SparsePattern pattern;
    BlockMatrix matrix;
    std::unique_ptr<LinearSolver> jacobi, incomplete, parts;
};

struct Workspace::Data {
    std::vector<BodyWork> bodies;
    std::vector<std::shared_ptr<const Collider>> colliders;
    GroupWork group;
    WorldContact contact;
    std::vector<GlueBond> glue;
};

/// Rates and present values that an evaluation of all forces gives.
struct Evaluation {
    ForceTotals internal;
    LoadTotals loads;
    double visited = 0;  ///< sum of what `use` of visitForces returned

    bool finite() const;
};

/// Calls use(vertex, force) with the sum of all forces on every vertex of a body at (x, v, time), in parallel, and sums up what it
/// returns, a double. `use` may change x and v of its vertex.
template <class Use>
Evaluation visitForces(BodyWork& work, Span<const Vec3> x, Span<const Vec3> v, double time, const SlidingStep& sliding,
                       const PlasticStep& plastic, Use use) {
    struct Sums {
        LoadTotals loads;
        double visited = 0;
        Sums operator+(const Sums& b) const { return {loads + b.loads, visited + b.visited}; }
    };
    Evaluation e;
    const ElementTable& elements = work.body->elements;
    e.internal = computePartialForces(elements, x, v, work.scratch, plastic);
    const bool targets = work.loads->hasTargets();
    if (targets) {
        work.targetForce.assign(work.vertexCount(), Vec3::Zero());
        e.loads = work.loads->addTargets(x, v, time, work.targetForce);
    }
    work.loads->computeBlasts(x, time, sliding.dt, work.blastForce);
    const Sums sums = parallelReduce(work.vertexCount(), 1024, Sums{}, [&](std::size_t first, std::size_t last) {
        Sums block;
        for (std::size_t i = first; i < last; ++i) {
            Vec3 f = gatherForce(elements, work.scratch, i);
            if (targets) f += work.targetForce[i];
            if (work.touching) f += work.contactForce[i];
            if (!work.blastForce.empty()) f += work.blastForce[i];
            if (!work.glueForce.empty()) f += work.glueForce[i];
            work.loads->addVertexForces(i, x[i], v[i], sliding, f, block.loads);
            block.visited += use(i, f);
        }
        return block;
    });
    e.loads = e.loads + sums.loads;
    e.visited = sums.visited;
    return e;
}

/// All forces on a body at (x, v, time), into `force`; plastic tets may have flowed for flowTime.
Evaluation evaluateForces(BodyWork& work, Span<const Vec3> x, Span<const Vec3> v, double time, const SlidingStep& sliding,
                          Span<Vec3> force, double flowTime = 0);

/// The loads of a body; its surface, too, where blasts need it and it is not there.
void makeLoads(BodyWork& work, const StepSettings& settings);

/// False for a body that has not been stepped yet.
bool hasAcceleration(const BodyWork& work);
/// The first accelerations of a body, from which explicit and newmark steps of about dt go on. What rests on a slope is held by
/// friction from the start.
void startAcceleration(BodyWork& work, double time, double dt);

double kineticEnergy(const Body& body, Span<const Vec3> v);
/// What ways little above the rounding of positions put into a body's springs, J: a watch on the energy that saw less would stop what is at
/// rest, or is just being touched by something led.
double roundOffEnergy(const BodyWork& work);
/// Kinetic energy of the vertices listed.
double kineticEnergy(const Body& body, Span<const Vec3> v, Span<const std::int32_t> vertices);
/// Speed of the fastest wave in the body's materials, m/s: a displacement of a share of the body's size and a speed of the same
/// share of this one carry about the same energy.
double waveSpeed(const Body& body);
/// True if some tet's law rejects volumes of zero and below.
bool needsPositiveDet(const Body& body);

/// The stable step of an explicit method from bounds of frequency and damping in the present shape, s: 2 / omega * (sqrt(1 + r^2) - r) with
/// r = damping / omega. (Where viscous forces saw the velocity of half a step before instead of one predicted for the end of the
/// step, r would be half of that, at the price of first order.)
double stableStep(const BodyWork& work);

/// Loads the world's states into the workspace; keeps what still fits the same bodies.
void prepare(Workspace::Data& data, const WorldState& world, const StepSettings& settings);
/// Writes the present part of the books: what is stored in motion, shape and height. Returns the smallest det F. Adds what contact takes of the time, s.
double updatePresent(Workspace::Data& data, double time, EnergyBooks& books, double* contactSeconds = nullptr);

/// The integrators. Each advances every body of `work` from `time` by `duration`, adds to the books, and fills the report;
/// false if it failed, with the reason in the report.
struct StepContext {
    Workspace::Data& work;
    const StepSettings& settings;
    EnergyBooks& books;
    StepReport& report;
    double& nextStep;
    double& contactLoss;
    double& contactWork;
    double duration;  ///< of the whole step, of which an integrator may be given a part
    Monitor* monitor;
};
bool stepExplicit(StepContext& context, double time, double duration);
bool stepRkf45(StepContext& context, double time, double duration);
bool stepImplicit(StepContext& context, double time, double duration);  // implicit and newmark

}  // namespace sunder
