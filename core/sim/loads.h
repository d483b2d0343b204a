#pragma once

#include <vector>

#include "core/body/body.h"
#include "core/fem/sparse_system.h"
#include "core/sim/load_surface.h"
#include "core/sim/settings.h"

namespace sunder {

/// Sums over the external forces of a body.
struct LoadTotals {
    double gravity = 0, contact = 0, target = 0;                 ///< potentials, J
    double dragPower = 0, frictionPower = 0, targetPower = 0;    ///< lost, W
    double paintedPower = 0, motionPower = 0;                    ///< put in by painted and pushing forces and blasts, by moving soft targets, W

    friend LoadTotals operator+(LoadTotals a, const LoadTotals& b);
    double potential() const { return gravity + contact + target; }
};

/// What an implicit step minimizes: where it starts and how velocity follows from position, v = rate * (x - xStart) + offset.
struct LoadStage {
    double time = 0, dt = 0;  ///< start and length, s
    double rate = 0;          ///< 1/s
    bool secondOrder = false; ///< newmark: the books take means over the step
};

/// Positions and velocities at the two ends of an implicit step.
struct LoadEnds {
    Span<const Vec3> xStart, vStart, x, v;
};

/// What friction has to know of an explicit step, whose v is a prediction from the acceleration at its start. The force found here
/// takes the velocity from the middle of this step to the middle of the next; friction is what backward Euler would find for each
/// vertex alone on that way, so it stops a slide and never turns it around, however heavy the body above.
/// Without a step (dt = 0), and where a vertex is held, it follows from v.
struct SlidingStep {
    double dt = 0;                   ///< s
    Span<const Vec3> acceleration;   ///< at the start of the step
    Span<const std::uint8_t> held;   ///< of HeldVertices, may be empty
};

/// The external forces on one body: gravity, uniform and painted force, that of a host, blasts, mass damping, ground, soft targets.
/// Ground: a vertex at depth d that moves with the normal speed s is pushed out with max(0, k d - c s), never pulled in, and Coulomb
/// friction goes with that force. The direction of friction is smoothed below the speed `slipSpeed`, so that it has a derivative.
class Loads {
  public:
    /// `surface` is what blasts act on, and has to outlive the loads; without blasts there may be none.
    Loads(const Body& body, const StepSettings& settings, const LoadSurface* surface = nullptr);

    /// The body has been edited at these vertices. The bounds may stay larger than they are. No soft targets, which would need all of it.
    void follow(Span<const std::int32_t> vertices);
    /// Soft targets that let go at `time` or before pull no more from now on.
    void begin(double time) { begin_ = time; }
    /// What pins and targets have let go of, see BodyState::released; it has to outlive the loads.
    void setReleased(const std::vector<std::uint8_t>& released) { released_ = &released; }
    /// WorldBody::push, which has to outlive the loads.
    void setPush(const std::vector<Vec3>& push) { push_ = &push; }
    /// The forces at (x, v, time) come in two parts. First the soft targets, added to `force`; then all others, added vertex by
    /// vertex to the sum of all forces there, which friction has to know. Both return the sums.
    bool hasTargets() const { return !body_.constraints.soft.empty(); }
    LoadTotals addTargets(Span<const Vec3> x, Span<const Vec3> v, double time, Span<Vec3> force) const;
    bool hasBlasts() const { return !waves_.empty(); }
    double shortestPulse(Span<const Vec3> x, double from, double to) const { return sunder::shortestPulse(waves_, x, from, to); }
    /// Blasts, too, act before all others: by their mean over dt around `time`, so that none is stepped over. `force` becomes theirs, or empty.
    void computeBlasts(Span<const Vec3> x, double time, double dt, std::vector<Vec3>& force) const;
    void addVertexForces(std::size_t i, const Vec3& x, const Vec3& v, const SlidingStep& sliding, Vec3& force, LoadTotals& totals) const;
    /// Potentials alone. A target that lets go just then still counts.
    LoadTotals potentials(Span<const Vec3> x, double time) const;
    /// A vertex is in the ground.
    bool isGrounded(std::size_t i, const Vec3& x) const { return settings_.ground.enabled && touch(i, x).depth > 0; }
    /// Energy in the springs of the soft targets that let go just at `time`, J.
    double releasedEnergy(Span<const Vec3> x, double time) const;

    /// An implicit step begins at xStart; there is no contact until updateContacts finds some. Blasts push throughout as they do on the faces
    /// at xStart: by their mean over the step, newmark by that around its end, so that no step is too long for their impulse.
    void beginStage(const LoadStage& stage, Span<const Vec3> xStart);
    /// What the step minimizes besides inertia and elasticity: the potentials at its end plus dissipation / rate. Adds minus its
    /// gradient to `force` unless that is empty. Contact damping and friction act where updateContacts last found contact, with the
    /// normal force of then.
    double objective(Span<const Vec3> x, Span<const Vec3> v, Span<Vec3> force) const;
    /// Adds the second derivative of that to the diagonal blocks, without what could make it indefinite.
    void addToMatrix(Span<const Vec3> x, Span<const Vec3> v, BlockMatrix& matrix) const;
    void updateContacts(Span<const Vec3> x, Span<const Vec3> v);
    /// Which stiffness addToMatrix takes for friction: its derivative, or force over speed. Along a slide friction grows no more, so
    /// the derivative is zero there and a step by it goes far past the place where the slide ends; a step by force over speed, whose
    /// potential lies above friction's own wherever the slide goes, never does, but closes in on that place slowly.
    void takeFrictionBySpeed(bool bySpeed) { frictionBySpeed_ = bySpeed; }
    /// What the forces of the solved step lost and put in, each as a mean power over the step.
    LoadTotals stagePowers(const LoadEnds& ends) const;

    /// Largest stiffness over mass that the loads add to an explicit step's bound, 1/s2, and damping over mass, 1/s.
    double largestOmegaSq() const { return largestOmegaSq_; }
    double largestDamping() const { return largestDamping_; }
    /// Root of the sum of squares of gravity, uniform, painted and pushing force and blasts on every vertex, N.
    double constantForceNorm() const;

  private:
    struct Touch {
        double depth;  ///< positive inside the ground
        double stiffness, damping;
    };
    Touch touch(std::size_t i, const Vec3& x) const;
    /// Forces that neither place nor speed changes: painted ones, and those of the host.
    bool isPushed() const { return !body_.force.empty() || (push_ && !push_->empty()); }
    Vec3 pushAt(std::size_t i) const;
    /// Force of Coulomb friction against the sliding part of v.
    Vec3 friction(const Vec3& v, double normalForce) const;
    LoadTotals addGround(std::size_t i, const Vec3& x, const Vec3& v, const SlidingStep& sliding, Vec3& force) const;
    double addStepFriction(std::size_t i, const Vec3& start, double normalForce, double dt, Vec3& force) const;
    double groundObjective(std::size_t i, const Vec3& x, const Vec3& v, Vec3& force) const;
    Mat3 frictionSlope(const Vec3& v) const;
    Mat3 groundStiffness(std::size_t i, const Vec3& x, const Vec3& v) const;
    Vec3 groundLoss(std::size_t i, const LoadEnds& ends) const;
    void addTargetPowers(const LoadEnds& ends, LoadTotals& sum) const;
    Vec3 targetSpeed(const Motion& motion, const Vec3& anchor) const;
    void beginBlasts(Span<const Vec3> xStart);
    template <class Visit>
    void visitTargets(Visit visit) const;
    void boundTargets();
    void boundGround(std::size_t i);
    void measure(const Vec3& rest);

    const Body& body_;
    const StepSettings& settings_;
    Vec3 acceleration_, normal_;
    Vec3 low_ = Vec3::Constant(1e300), high_ = -low_;  ///< of the body at rest
    double slipSpeed_ = 0, contactRatio_ = 0;
    double largestOmegaSq_ = 0, largestDamping_ = 0;
    double begin_ = -1e300;
    const std::vector<std::uint8_t>* released_ = nullptr;
    const std::vector<Vec3>* push_ = nullptr;
    LoadStage stage_;
    bool frictionBySpeed_ = false;
    std::vector<double> normalForce_;  ///< of updateContacts, N; negative where there is no contact
    const LoadSurface* surface_;
    std::vector<BlastWave> waves_;
    std::vector<Vec3> blastForce_;  ///< of the implicit step, N, or empty
    std::vector<Vec3> blastMean_;   ///< what its books take: newmark's mean of both ends
};

/// Vertices that hard targets hold during a step, those apart that they have let go of, and those of pieces that are asleep; their positions and speeds at its end.
struct HeldVertices {
    std::vector<std::uint8_t> fixed;   ///< one byte a vertex, empty if none is held
    std::vector<std::int32_t> vertices;
    std::vector<Vec3> position, velocity;
};
HeldVertices heldVertices(const Body& body, const BodyState& state, double startTime, double endTime);

}  // namespace sunder
