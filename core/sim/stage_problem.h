#pragma once

#include <memory>
#include <optional>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/parallel.h"
#include "core/contact/contact_potential.h"
#include "core/sim/body_work.h"
#include "core/sim/glue_stage.h"
#include "core/sim/stage_unknowns.h"

namespace sunder {

/// What an implicit or newmark step minimizes over all bodies that it is taken for together:
///   inertia/2 |x - xPredicted|_M^2 + W(x) + loads(x) + contact(x) + dissipation(v(x)) / rate,   v(x) = rate (x - xStart) + vOffset.
/// The places x of all vertices stand side by side, body by body; what is solved for are the unknowns that move them.
class StageProblem {
  public:
    StageProblem(std::vector<BodyWork*> bodies, Workspace::Data& work, const StepSettings& settings, StepReport& report, Monitor* monitor);

    void begin(double time, double dt);

    std::size_t placeCount() const { return offset_.back(); }
    std::size_t unknownCount() const { return unknowns_.size(); }
    std::size_t bodyCount() const { return offset_.size() - 1; }
    bool newmark() const { return newmark_; }
    bool hasContact() const { return contacts_; }
    double inertia() const { return inertia_; }
    double dt() const { return dt_; }
    Span<const Vec3> xStart() const { return xStart_; }
    Span<const Vec3> vStart() const { return vStart_; }
    Span<const Vec3> aStart() const { return aStart_; }
    Span<const Vec3> xPredicted() const { return xPredicted_; }
    Span<const Vec3> velocity() const { return v_; }
    double mass(std::size_t i) const { return mass_[i]; }
    double massOf(std::size_t b) const { return std::accumulate(&mass_[offset_[b]], &mass_[offset_[b]] + (offset_[b + 1] - offset_[b]), 0.0); }
    bool isHeld(std::size_t i) const { return !fixed_.empty() && fixed_[i]; }
    /// Puts held vertices where they have to be.
    void hold(Span<Vec3> x) const;
    /// out = x moved along a way of the unknowns, by a share of it for every body.
    void move(Span<const Vec3> x, Span<const Vec3> way, Span<const double> share, Span<Vec3> out) const { unknowns_.move(x, way, share, out); }
    /// A place to start from: `way` of free flight, and bent by the accelerations of the step before times `bent`, s2.
    void guess(double way, double bent, Span<Vec3> out) const;
    /// The place that an earlier try of the step came to; false if there was none.
    bool hint(Span<Vec3> out) const;
    /// Takes x back to a share of the way from the start, body by body; held vertices stay, rigid bodies keep their shape.
    void holdBack(Span<const double> share, Span<Vec3> x) const;
    /// Multiplies the way of every body.
    void scaleWay(Span<const double> share, Span<Vec3> way) const;
    /// What free flight would be in the unknowns, from x; zero for rigid bodies.
    void wayToPredicted(Span<const Vec3> x, Span<Vec3> way) const;
    /// False if a law that rejects volumes of zero and below would have one at x.
    bool allows(Span<const Vec3> x);
    /// All elastic ones, so that the rotated rest stiffness serves.
    bool allCorotated() const;

    /// The value at x, or infinity where a law does not allow x; minus its gradient by the unknowns unless that span is empty. Where that will be asked
    /// for next, `gradientNext` spares half of the way to it.
    double value(Span<const Vec3> x, Span<Vec3> minusGradient, bool gradientNext = false);
    /// What each body has of the value last found: what bends and moves it, and contact as its vertices see it.
    Span<const double> valueOfBodies() const { return valueOfBodies_; }
    /// The first of a body's unknowns, and how many they are.
    std::pair<std::size_t, std::size_t> unknownsOf(std::size_t b) const {
        return {unknowns_.first(b), !isSolved(b) ? 0 : bends(b) ? offset_[b + 1] - offset_[b] : 2};
    }
    /// True if a body goes where forces lead it.
    bool isFree(std::size_t b) const { return !isLed(b); }
    /// From now on only the bodies marked are solved for, all others stay; all are marked if none is given. Nothing else asks for that.
    void solveFor(Span<const std::uint8_t> bodies);
    /// inertia |way|_M^2 of a body's part of a way of the unknowns, J.
    double inertiaOf(std::size_t b, Span<const Vec3> way) const;
    /// How much of the way from one place to another each body may go so that nothing passes through anything.
    void safeShares(Span<const Vec3> from, Span<const Vec3> to, Span<double> share);
    /// Pairs of bodies that touch at the place last asked for.
    std::vector<std::pair<std::size_t, std::size_t>> touching() const;
    void updateVelocity(Span<const Vec3> x);
    /// From now on friction of the bodies marked goes with the normal forces at x; all are marked if none is given.
    void updateContacts(Span<const Vec3> x, Span<const std::uint8_t> bodies = {});
    /// The sizes of the normal forces that friction between bodies goes with, of the bodies marked.
    void updateNormalForces(Span<const Vec3> x, Span<const std::uint8_t> bodies);
    void takeFrictionBySpeed(bool bySpeed);
    /// What has come into others on the way to x, or is out again, is known from now on; no value at x changes by it.
    void updateSides(Span<const Vec3> x);
    /// inertia M + K(x) + rate C + loads + contact.
    void assemble(Span<const Vec3> x);
    /// The same with the rotated rest stiffness, and minus the gradient at x besides.
    void assembleWithForces(Span<const Vec3> x, Span<Vec3> minusGradient);
    /// Returns the residual, share of the right-hand side; negative if it failed.
    double solveLinear(Span<const Vec3> right, Span<Vec3> solution, double tolerance);

    /// Length of forces on free unknowns, N.
    double freeNorm(Span<const Vec3> f) const;
    /// 1/2 inertia |x - xPredicted|_M^2, J: what forces change of free flight.
    double inertialEnergy(Span<const Vec3> x) const {
        return sumBodies([&](std::size_t b) { return inertiaValue(b, part(x, b), {}); });
    }
    /// What rounding of the positions makes of the forces: no residual can be told from zero below it.
    double roundOff(Span<const Vec3> x) const;
    double roundOffEnergy() const;
    double constantForceNorm() const;

    /// What the step solved at x lost and put in, by kind.
    EnergyBooks flows(Span<const Vec3> x);
    /// What the step to x lost because it is not solved, J: the forces that are left, times way.
    double unsolvedLoss(Span<const Vec3> x);
    /// The same of a linear solve that was the whole step.
    double unsolvedLoss(Span<const Vec3> right, Span<const Vec3> solution);
    /// Energy stored at the start and at the end x of the step, gravity apart.
    struct Stored {
        double inPlay = 0, gravity = 0;
    };
    Stored storedAtStart();
    Stored storedAt(Span<const Vec3> x);
    /// Writes x, its velocities, accelerations and what flowed into the bodies' states.
    void commit(Span<const Vec3> x);

    bool fail(const std::string& message);
    /// Forgets which side things came from; false if nothing was held.
    bool letGoOfHeld();
    const std::string& name() const { return bodies_.front()->body->name; }
    double time() const { return time_; }

  private:
    template <class T>
    Span<T> part(Span<T> all, std::size_t b) const {
        return all.empty() ? all : all.subspan(offset_[b], offset_[b + 1] - offset_[b]);
    }
    /// The sum of each(b) over the bodies, which go in parallel.
    template <class Each>
    double sumBodies(Each each) const {
        return parallelReduce(bodies_.size(), 1, 0.0, [&](std::size_t b, std::size_t) { return each(b); });
    }
    void forget();
    void gatherStart();
    void holdVertices();
    void lookAhead();
    void beginContact();
    const ContactSet& contactsAt(Span<const Vec3> x, bool withClusters = false);
    /// What plastic flow starts from in this step. What sleeps does not flow.
    PlasticStep flowOf(std::size_t b) const { return {bodies_[b]->state.plastic, bodies_[b]->state.sleep.asleep ? 0 : dt_}; }
    bool bends(std::size_t b) const { return kinds_[b] == StageUnknowns::Kind::kVertices; }
    bool isRigid(std::size_t b) const { return kinds_[b] == StageUnknowns::Kind::kRigid; }
    /// Goes where it has to.
    bool isLed(std::size_t b) const { return kinds_[b] == StageUnknowns::Kind::kNone; }
    bool isSolved(std::size_t b) const { return unknowns_.kind(b) != StageUnknowns::Kind::kNone; }
    /// All in one body that bends: its own matrix serves.
    bool alone() const { return bodyCount() == 1 && bends(0); }
    void chooseKinds();
    void predictRigid(std::size_t b);
    void endRigid(std::size_t b, Span<const Vec3> x, RigidField& velocity, RigidField& acceleration) const;
    double placeValue(Span<const Vec3> x, Span<Vec3> minusGradient, bool gradientNext = false);
    void evaluateBodies(Span<const Vec3> x, bool withGradient);
    double inertiaValue(std::size_t b, Span<const Vec3> x, Span<Vec3> minusGradient) const;
    double bodyValue(std::size_t b, Span<const Vec3> x, Span<Vec3> minusGradient);
    void addInertiaAndLoads(std::size_t b, Span<const Vec3> x);
    void joinMatrices(Span<const Vec3> x);
    void finishMatrix(Span<const Vec3> x);
    double heldWorkAtEnd(Span<const Vec3> x);
    double heldWork(std::size_t b, Span<const Vec3> x);
    double contactWork(Span<const Vec3> x);
    bool findUnsolved(Span<const Vec3> x);
    Stored stored(Span<const Vec3> x, Span<const Vec3> v, double time) const;
    std::size_t mostUnknowns() const;
    std::vector<std::uint8_t> wantedForces(Span<const std::uint8_t> bodies) const;
    LinearSolver& chooseSolver(double tolerance);
    bool solveByOldFactor(Span<const Vec3> right, Span<Vec3> solution, double tolerance, LinearReport& linear);
    BlockMatrix& matrix();

    std::vector<BodyWork*> bodies_;
    std::vector<std::size_t> offset_;
    std::vector<std::uint8_t> viscous_;
    Workspace::Data& work_;
    GroupWork& group_;
    const StepSettings& settings_;
    StepReport& report_;
    Monitor* monitor_;
    bool newmark_, contacts_ = false;  ///< contact is looked for
    bool coupled_ = false;             ///< and the matrix now in place has some
    bool heldAtStart_ = false;         ///< something is held by the face that it came in by

    double time_ = 0, dt_ = 0, inertia_ = 0, rate_ = 0;
    bool factorServes_ = false;  ///< the direct solver's factor is of this step and still a good preconditioner
    std::vector<HeldVertices> held_;
    std::vector<std::uint8_t> fixed_;         ///< of places; empty if none
    std::vector<std::uint8_t> fixedUnknown_;
    std::vector<StageUnknowns::Kind> kinds_;  ///< of bodies and colliders
    StageUnknowns unknowns_;                  ///< of those that have not settled
    std::vector<Vec3> ledEnd_;                ///< where colliders end, behind all bodies
    std::vector<FreeTurn> freeTurn_;          ///< of rigid bodies
    std::vector<Vec3> xStart_, vStart_, aStart_, xPredicted_, xViscous_, v_, scratch_, placeGradient_, product_;
    std::vector<double> mass_;
    /// All but contact at the place last asked for.
    struct Known {
        std::vector<Vec3> x, minusGradient;
        double value = 0;
        bool hasGradient = false;
    };
    std::vector<Known> known_;
    std::vector<double> valueOfBodies_;
    ContactPotential contact_;
    double contactAtStart_ = 0;                ///< energy in contact springs, J
    std::optional<Stored> storedAtStart_;      ///< once it was asked for
    std::vector<ContactMemory> contactAfter_;  ///< the step
    GlueStage glue_;
};

}  // namespace sunder
