#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/span.h"
#include "core/contact/box_lanes.h"
#include "core/math/wide.h"
#include "core/spatial/aabb.h"

namespace sunder {

/// Vertices of an element, numbered in its body: a tet has four, a triangle, edge or vertex ends with -1.
using ElementCorners = std::array<std::int32_t, 4>;
inline constexpr ElementCorners kNoElement = {-1, -1, -1, -1};

/// m, m/s; what lies beyond has nothing to do with contact any more.
inline constexpr double kLargestPosition = 1e15;

/// Where a body is. Arrays go by the body's vertices.
struct BodyMotion {
    Span<const Vec3> start;     ///< m
    Span<const Vec3> end;       ///< m; where the step ends, for continuous detection. Empty: as start
    Span<const Vec3> velocity;  ///< m/s; a hint how to grow boxes. Empty: at rest
    bool still = false;  ///< nothing has moved since the last update, so the body is not even looked at
};

struct GrowthSettings {
    double interval = 0.01;   ///< s that boxes shall hold for at the vertices' velocities
    double padding = 0.04;    ///< on every side, of the body's mean element: leaves room for other velocities
    double mostPadding = 1e300;  ///< m; large elements that small ones rest on meet too many of them otherwise
    double mostGrowth = 0.5;  ///< by velocity, of the mean element: larger boxes meet too many others
};

struct ElementChange {
    std::int32_t element;                 ///< at most the number of elements: that adds one
    ElementCorners corners = kNoElement;  ///< kNoElement removes it
    std::int32_t piece = 0;
};

/// The boxes of one body's elements, grown to hold for a while (O'Brien 2000, equations 5.1 and 5.2). The box
/// of a vertex holds p + t v for 0 <= t <= interval, and padding; the box of an element those of its corners.
/// So the pass that looks for boxes that have been left goes over vertices, which are fewer and lie in a row.
class GrownBoxes {
  public:
    void reset(Span<const ElementCorners> elements, Span<const std::int32_t> pieces, double thickness);
    void change(Span<const ElementChange> changes);
    void setThickness(double thickness);

    /// Finds the vertices outside of their boxes and returns their number. badVertex() is then the first one
    /// whose position or velocity cannot be used, or -1.
    std::size_t findStale(const BodyMotion& motion);
    std::int32_t badVertex() const { return badVertex_; }
    /// Grows the boxes of stale vertices anew; dirty() are then the elements whose box or corners changed.
    void regrow(const BodyMotion& motion, const GrowthSettings& settings);
    /// Nothing is dirty any more.
    void settle();

    std::size_t size() const { return corners_.size(); }
    std::size_t vertexCount() const { return useCount_.size(); }  ///< that elements name, at least
    std::size_t staleVertices() const { return staleCount_; }
    bool hasChanges() const { return !changed_.empty(); }
    bool isAlive(std::int32_t e) const { return corners_[e][0] >= 0; }
    bool isDirty(std::int32_t e) const { return dirtyFlag_[e] != 0; }
    const std::vector<std::int32_t>& dirty() const { return dirty_; }  ///< ascending
    const std::vector<Aabb>& boxes() const { return boxes_; }          ///< empty for removed elements
    Span<const std::int32_t> pieces() const { return pieces_; }
    /// Corners with the last one repeated in place of -1.
    const std::vector<ElementCorners>& corners() const { return corners_; }
    /// Exactly where the element is from start to end, and thickness.
    TightBox tightBox(std::int32_t e, const BodyMotion& motion) const {
        TightBox box{Wide4d(std::numeric_limits<double>::infinity()), Wide4d(-std::numeric_limits<double>::infinity())};
        const auto extend = [&](const Vec3& p) {
            const Wide4d lanes(Wide4d::Vector{p[0], p[1], p[2], 0});
            box.lower = min(box.lower, lanes);
            box.upper = max(box.upper, lanes);
        };
        for (const std::int32_t v : corners_[e]) extend(motion.start[v]);
        if (!motion.end.empty())
            for (const std::int32_t v : corners_[e]) extend(motion.end[v]);
        return {box.lower - Wide4d(thickness_), box.upper + Wide4d(thickness_)};
    }

  private:
    void place(std::int32_t e, const ElementCorners& corners);
    void use(std::int32_t e, int sign);
    void markChanged(std::int32_t e);
    void measure(const BodyMotion& motion);
    void growVertex(std::int32_t v, const BodyMotion& motion, const GrowthSettings& settings);
    bool isStale(std::int32_t e) const;
    void collectDirty();

    double thickness_ = 0;
    double size_ = -1;  ///< mean diagonal of an element, m; -1 until known
    std::vector<ElementCorners> corners_;
    std::vector<std::int32_t> pieces_;
    std::vector<Aabb> boxes_;
    std::vector<std::uint8_t> dirtyFlag_;
    std::vector<std::int32_t> dirty_, changed_;
    std::vector<std::int32_t> useCount_;  ///< elements at every vertex
    std::vector<Aabb> vertexBoxes_;  ///< endless for vertices of no element, empty for those not yet grown
    std::vector<std::uint8_t> staleFlag_;
    std::vector<std::size_t> blockStale_;
    std::vector<std::int32_t> blockBad_;
    std::size_t staleCount_ = 0;
    std::int32_t badVertex_ = -1;
};

/// True if the elements have a vertex in common.
inline bool sharesVertex(const ElementCorners& a, const ElementCorners& b) {
    using Four = Wide<std::int32_t, 4>;
    const Four x = Four::load(a.data()), y = Four::load(b.data());
    const Four y1(Four::Vector(__builtin_shufflevector(y.v, y.v, 1, 2, 3, 0)));
    const Four y2(Four::Vector(__builtin_shufflevector(y.v, y.v, 2, 3, 0, 1)));
    const Four y3(Four::Vector(__builtin_shufflevector(y.v, y.v, 3, 0, 1, 2)));
    const auto same = (x == y) | (x == y1) | (x == y2) | (x == y3);
#ifdef __AVX__
    return !_mm_testz_si128((__m128i)same.m, (__m128i)same.m);
#else
    return same.any();
#endif
}

}  // namespace sunder
