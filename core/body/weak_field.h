#pragma once

#include <memory>

#include "core/base/span.h"
#include "core/body/weak_surface.h"

namespace sunder {

/// What weak surfaces make of a vertex.
struct WeakNode {
    double scale = 1;               ///< of toughness
    Vec3 lead = Vec3::Zero();       ///< direction of the nearest surface's normal at rest, or of a line's tangent; as long as cracks follow it, 0 to 1
    bool line = false;
};

/// All weak surfaces of a body, ready to be asked. Where several are near, the weakest counts.
class WeakField {
  public:
    explicit WeakField(Span<const WeakSurface> surfaces);
    ~WeakField();

    std::size_t size() const;
    WeakPoint nearest(std::size_t surface, const Vec3& p) const;
    /// Of one surface, for a vertex whose share of the volume is a cube of edge `cell`: what is within half of that counts as on the surface, so that
    /// a mesh of any fineness sees it.
    WeakNode at(std::size_t surface, const Vec3& p, double cell) const;
    /// Of all.
    WeakNode at(const Vec3& p, double cell) const;

  private:
    struct Prepared;
    std::vector<std::unique_ptr<const Prepared>> surfaces_;
};

}  // namespace sunder
