#pragma once

#include <vector>

#include "core/body/rigid.h"
#include "core/contact/contact_pairs.h"
#include "core/sim/body_work.h"

namespace sunder {

/// What an implicit step solves for, out of the places of all vertices: every vertex of a body that bends, the way and the turn of a rigid
/// one, nothing of one that is asleep or led. Places of body b start at offset[b].
class StageUnknowns {
  public:
    using Kind = ContactUnknowns::Kind;

    void begin(const std::vector<BodyWork*>& bodies, const std::vector<std::size_t>& offset, const std::vector<Kind>& kinds);
    std::size_t size() const { return all_.count; }
    Kind kind(std::size_t body) const { return all_.bodies[body].kind; }
    std::size_t first(std::size_t body) const { return static_cast<std::size_t>(all_.bodies[body].first); }
    /// The first unknown of every body that has some, and the end of the last.
    std::vector<std::size_t> parts() const;
    /// With the centres of rigid bodies at x.
    const ContactUnknowns& at(Span<const Vec3> x);
    const RigidFrame& frame(std::size_t body) const { return frames_[body]; }

    /// Forces on the unknowns from forces on places, of the bodies as they were at the last `at`. Torques are over 1 m.
    void reduce(Span<const Vec3> x, Span<const Vec3> force, Span<Vec3> out) const;
    /// out = x moved along `way`, by a share of it for every body.
    void move(Span<const Vec3> x, Span<const Vec3> way, Span<const double> share, Span<Vec3> out) const;
    /// How a force on an unknown counts in a norm of forces, N per unit: 1, or over the radius of gyration for a torque.
    double weight(std::size_t unknown) const { return weight_.empty() ? 1 : weight_[unknown]; }

    /// The four blocks of a rigid body from the diagonal blocks of its vertices.
    std::array<Mat3, 4> reduceDiagonal(std::size_t body, Span<const Vec3> x, const BlockMatrix& diagonal) const;

  private:
    Span<const Vec3> part(Span<const Vec3> all, std::size_t b) const { return all.subspan(offset_[b], offset_[b + 1] - offset_[b]); }

    std::vector<BodyWork*> bodies_;
    std::vector<std::size_t> offset_;
    ContactUnknowns all_;
    std::vector<RigidFrame> frames_;  ///< of rigid bodies
    std::vector<double> weight_;      ///< empty without rigid bodies
};

}  // namespace sunder
