#pragma once

#include <optional>

#include "core/fracture/crack_tip.h"

namespace sunder {

/// The surface along which a node is to be split: a plane, or, at a crack tip from which the plane would run back beside the crack that is there, that
/// plane ahead of the tip and the crack behind it (O'Brien 2000, 4.3).
///
/// A surface made of the two half planes alone has a step where the old crack is turned about the way ahead, for then they meet the front along two
/// lines. So within 30 degrees of the front, as seen from the node, the normal goes over from one to the other: with w the cosine of the angle to the way
/// ahead it is (1 - s) behind + s ahead, s = 1/2 + w from 0 to 1. Heights are then continuous everywhere but have no kink to speak of, and without a
/// turn the front itself stays at height 0.
class CrackSurface {
  public:
    CrackSurface(const Vec3& origin, const Vec3& normal, const std::optional<CrackTip>& tip, double backCrackAngle);

    bool bent() const { return bent_; }
    /// m, above the surface where the normal points.
    double height(const Vec3& p) const;

  private:
    Vec3 origin_, ahead_, behind_, forward_ = Vec3::Zero();
    bool bent_ = false;
};

}  // namespace sunder
