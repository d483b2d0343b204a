#include "core/meshing/planar_delaunay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/assert.h"
#include "core/spatial/predicates.h"

/// Points are inserted one by one into the triangle that holds them, and edges are flipped until all are Delaunay (Lawson 1977). Whether a
/// flip leaves two proper triangles is decided exactly, so rounding in the test of the circle cannot break the triangulation.
namespace sunder {

namespace {
constexpr double kCircleRounding = 1e-13;

/// True if d lies inside the circle through a, b, c (counter-clockwise), by more than rounding.
bool insideCircle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
    const Vec2 p = a - d, q = b - d, r = c - d;
    const auto cross = [](const Vec2& u, const Vec2& v) { return u.x() * v.y() - u.y() * v.x(); };
    const auto bound = [](const Vec2& u, const Vec2& v) { return std::abs(u.x() * v.y()) + std::abs(u.y() * v.x()); };
    const double det = p.squaredNorm() * cross(q, r) + q.squaredNorm() * cross(r, p) + r.squaredNorm() * cross(p, q);
    const double scale = p.squaredNorm() * bound(q, r) + q.squaredNorm() * bound(r, p) + r.squaredNorm() * bound(p, q);
    return det > kCircleRounding * scale;
}

class Triangulator {
  public:
    explicit Triangulator(Span<const Vec2> points) : points_(points.begin(), points.end()), count_(points.size()) {
        Vec2 low = points_[0], high = low;
        for (const Vec2& p : points_) {
            low = low.cwiseMin(p);
            high = high.cwiseMax(p);
        }
        // a triangle around everything, far enough that no circle over an edge of the input reaches its corners
        const Vec2 centre = 0.5 * (low + high);
        const double far = 64 * (high - low).norm();
        for (const double angle : {0.3, 0.3 + 2 * M_PI / 3, 0.3 + 4 * M_PI / 3}) points_.push_back(centre + far * Vec2(std::cos(angle), std::sin(angle)));
        const auto n = static_cast<std::int32_t>(count_);
        faces_.push_back({{n, n + 1, n + 2}, {-1, -1, -1}});
    }

    std::vector<Tri> build() {
        for (std::size_t i = 0; i < count_; ++i) insert(static_cast<std::int32_t>(i));
        std::vector<Tri> triangles;
        for (const Face& f : faces_)
            if (std::all_of(f.corner.begin(), f.corner.end(), [&](std::int32_t v) { return static_cast<std::size_t>(v) < count_; }))
                triangles.push_back(f.corner);
        return triangles;
    }

  private:
    /// across[i] is the face behind the edge opposite corner[i].
    struct Face {
        Tri corner;
        std::array<std::int32_t, 3> across;
    };

    const Vec2& at(std::int32_t v) const { return points_[static_cast<std::size_t>(v)]; }
    Face& face(std::int32_t f) { return faces_[static_cast<std::size_t>(f)]; }
    int orientation(std::int32_t a, std::int32_t b, std::int32_t c) const { return orient2d(at(a), at(b), at(c)); }

    /// The face that holds p, from the last one along a straight way.
    std::int32_t locate(std::int32_t p) {
        std::int32_t f = last_;
        for (std::size_t turn = 0;; ++turn) {
            const Face& here = face(f);
            std::int32_t next = -1;
            for (std::size_t k = 0; k < 3 && next < 0; ++k) {
                const std::size_t i = (k + turn) % 3;  // another edge first every time, so that the way never runs in a ring
                if (orientation(here.corner[(i + 1) % 3], here.corner[(i + 2) % 3], p) < 0) next = here.across[i];
            }
            if (next < 0) return f;
            f = next;
        }
    }

    void relink(std::int32_t f, std::int32_t from, std::int32_t to) {
        if (f < 0) return;
        for (std::int32_t& n : face(f).across)
            if (n == from) n = to;
    }

    void insert(std::int32_t p) {
        const std::int32_t f = locate(p), g = static_cast<std::int32_t>(faces_.size()), h = g + 1;
        const Face old = face(f);
        const auto [a, b, c] = old.corner;
        SUNDER_ASSERT(at(p) != at(a) && at(p) != at(b) && at(p) != at(c));
        face(f) = {{p, b, c}, {old.across[0], g, h}};
        faces_.push_back({{p, c, a}, {old.across[1], h, f}});
        faces_.push_back({{p, a, b}, {old.across[2], f, g}});
        relink(old.across[1], f, g);
        relink(old.across[2], f, h);
        for (const std::int32_t made : {f, g, h}) legalize(made);
        last_ = f;
    }

    /// Flips the edge opposite the first corner, the point just inserted, where the circle asks for it, and what that uncovers.
    void legalize(std::int32_t f) {
        const Face here = face(f);
        const std::int32_t g = here.across[0];
        if (g < 0) return;
        const Face there = face(g);
        const auto [p, a, b] = here.corner;
        std::size_t k = 0;
        while (there.across[k] != f) ++k;
        const std::int32_t d = there.corner[k];
        const bool flat = orientation(p, a, b) == 0;
        if (!flat && !insideCircle(at(p), at(a), at(b), at(d))) return;
        if (orientation(p, a, d) <= 0 || orientation(p, d, b) <= 0) return;
        // `there` is (d, b, a) from its corner k on
        const std::int32_t behindA = there.across[(k + 1) % 3], behindB = there.across[(k + 2) % 3];
        face(f) = {{p, a, d}, {behindA, g, here.across[2]}};
        face(g) = {{p, d, b}, {behindB, here.across[1], f}};
        relink(behindA, g, f);
        relink(here.across[1], f, g);
        legalize(f);
        legalize(g);
    }

    std::vector<Vec2> points_;
    std::size_t count_;
    std::vector<Face> faces_;
    std::int32_t last_ = 0;
};
}  // namespace

std::vector<Tri> triangulatePlane(Span<const Vec2> points) {
    if (points.size() < 3) return {};
    return Triangulator(points).build();
}

}  // namespace sunder
