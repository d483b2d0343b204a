#pragma once

#include <vector>

#include "core/body/body.h"
#include "core/fem/sparse_system.h"
#include "core/sim/settings.h"

namespace sunder {

/// Sums over the external forces of a body.
struct LoadTotals {
    double gravity = 0, contact = 0, target = 0;                 ///< potentials, J
    double dragPower = 0, frictionPower = 0, targetPower = 0;    ///< lost, W
    double paintedPower = 0, motionPower = 0;                    ///< put in by painted forces, by moving soft targets, W

    friend LoadTotals operator+(LoadTotals a, const LoadTotals& b);
    double potential() const { return gravity + contact + target; }
};

/// The external forces on one body: gravity, uniform and painted force, mass damping, ground, soft targets.
/// Ground: penetration d of a vertex has the potential k d^2 / 2, a damper while it is in, and Coulomb friction whose direction
/// is smoothed below the speed `slipSpeed`, so that it has a derivative.
class Loads {
  public:
    Loads(const Body& body, const StepSettings& settings);

    /// Adds the forces at (x, v, time) and returns the sums. `dt` limits friction so that it cannot turn a sliding vertex
    /// around within a step; 0 for no such limit.
    LoadTotals addForces(Span<const Vec3> x, Span<const Vec3> v, double time, double dt, Span<Vec3> force) const;
    /// Potentials alone.
    LoadTotals potentials(Span<const Vec3> x, double time) const;

    /// What an implicit step minimizes besides inertia and elasticity, where v = rate * (x - xStart) + vOffset: the potentials plus
    /// dissipation / rate. Adds minus its gradient to `force` unless that is empty. Contact damping and friction act where
    /// updateNormalForces last found contact, with the normal force of then.
    double objective(Span<const Vec3> x, Span<const Vec3> v, double time, double rate, Span<Vec3> force) const;
    /// Adds the second derivative of that to the diagonal blocks, without what could make it indefinite.
    void addToMatrix(Span<const Vec3> x, Span<const Vec3> v, double rate, BlockMatrix& matrix) const;
    void addTargetsToMatrix(double time, double rate, BlockMatrix& matrix) const;
    void updateNormalForces(Span<const Vec3> x);

    /// Largest stiffness over mass that the loads add to an explicit step's bound, 1/s2, and damping over mass, 1/s.
    double largestOmegaSq() const { return largestOmegaSq_; }
    double largestDamping() const { return largestDamping_; }

  private:
    struct Contact {
        double depth;  ///< positive inside the ground
        double stiffness, damping;
    };
    bool touches(std::size_t i, const Vec3& x, Contact& contact) const;
    template <class Visit>
    void visitTargets(double time, Visit visit) const;

    const Body& body_;
    const StepSettings& settings_;
    Vec3 acceleration_, normal_;
    double slipSpeed_ = 0, contactRatio_ = 0;
    double largestOmegaSq_ = 0, largestDamping_ = 0;
    std::vector<double> normalForce_;
};

/// Vertices that hard targets hold during a step that ends at `time`; their positions then.
struct HeldVertices {
    std::vector<std::uint8_t> fixed;   ///< one byte a vertex, empty if none is held
    std::vector<std::int32_t> vertices;
    std::vector<Vec3> position;
};
HeldVertices heldVertices(const Body& body, double startTime, double endTime);

}  // namespace sunder
