#pragma once

#include <embree3/rtcore.h>

#include "cli/render/lighting.h"

namespace sunder::render {

constexpr int kLanes = 8;

/// Finds triangles along rays, eight rays at a time. Coordinates are relative to the view's centre, in single
/// precision.
class Tracer {
  public:
    Tracer(const Surface& surface, const Vec3& center);
    ~Tracer();
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    void intersect(const int* active, RTCRayHit8& rays) const;
    /// Sets tfar to -infinity where something is in the way.
    void occluded(const int* active, RTCRay8& rays) const;
    Float3 position(std::uint32_t point) const { return Eigen::Map<const Float3>(&positions_[3 * point]); }

  private:
    RTCDevice device_ = nullptr;
    RTCScene scene_ = nullptr;
    std::vector<float> positions_;
};

/// Puts a ray in a lane.
void setRay(RTCRay8& rays, int lane, const Float3& origin, const Float3& direction);

}  // namespace sunder::render
