#include "core/contact/safe_way.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/contact/continuous.h"
#include "core/contact/overlap.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 64;
constexpr double kDepth = 0.2;  // of the smaller of two tets' heights

struct MovingTet {
    std::array<Vec3, 4> start, end;

    MovingTet(const Tet& tet, Span<const Vec3> from, Span<const Vec3> to) {
        for (std::size_t k = 0; k < 4; ++k) {
            start[k] = from[static_cast<std::size_t>(tet[k])];
            end[k] = to[static_cast<std::size_t>(tet[k])];
        }
    }
    double smallestHeight() const {
        const double six = 6 * std::abs(signedVolume(start[0], start[1], start[2], start[3]));
        double largest = 0;
        for (const auto& f : kTetFaces)
            largest = std::max(largest, (start[f[1]] - start[f[0]]).cross(start[f[2]] - start[f[0]]).norm());
        return largest > 0 ? six / largest : 0;
    }
};

/// Largest way of a point of one tet against the other.
double relativeWay(const MovingTet& a, const MovingTet& b) {
    double largest = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) largest = std::max(largest, ((a.end[i] - a.start[i]) - (b.end[j] - b.start[j])).norm());
    return largest;
}

/// The first touch of two tets that are apart, or 1.
double firstTouch(const MovingTet& a, const MovingTet& b) {
    double first = 1;
    const auto consider = [&](const std::optional<double>& t) {
        if (t) first = std::min(first, *t);
    };
    const auto vertices = [&](const MovingTet& v, const MovingTet& f) {
        for (int i = 0; i < 4; ++i)
            for (const auto& face : kTetFaces)
                consider(vertexFaceTouch({v.start[i], f.start[face[0]], f.start[face[1]], f.start[face[2]]},
                                         {v.end[i], f.end[face[0]], f.end[face[1]], f.end[face[2]]}, {}));
    };
    vertices(a, b);
    vertices(b, a);
    for (const auto& e : kTetEdges)
        for (const auto& g : kTetEdges)
            consider(edgeEdgeTouch({a.start[e[0]], a.start[e[1]], b.start[g[0]], b.start[g[1]]},
                                   {a.end[e[0]], a.end[e[1]], b.end[g[0]], b.end[g[1]]}, {}));
    return first;
}

double safeShareOf(const MovingTet& a, const MovingTet& b) {
    const double way = relativeWay(a, b), depth = kDepth * std::min(a.smallestHeight(), b.smallestHeight());
    if (way <= depth) return 1;
    const OverlapTet ta = makeOverlapTet(a.start), tb = makeOverlapTet(b.start);
    const double touch = separated(ta, tb) ? firstTouch(a, b) : 0;
    return std::min(1.0, touch + depth / way);
}
}  // namespace

double safeShare(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> start,
                 Span<const Span<const Vec3>> end) {
    double share = 1;
    for (const BodyPairRange& range : pairs.ranges) {
        const auto A = static_cast<std::size_t>(range.bodyA), B = static_cast<std::size_t>(range.bodyB);
        const Span<const ElementPair> list = pairs.of(range);
        std::vector<double> least((list.size() + kGrain - 1) / kGrain, 1.0);
        parallelFor(list.size(), kGrain, [&](std::size_t first, std::size_t last) {
            double& smallest = least[first / kGrain];
            for (std::size_t k = first; k < last; ++k) {
                const MovingTet a(shapes[A]->corners[static_cast<std::size_t>(list[k].i)], start[A], end[A]);
                const MovingTet b(shapes[B]->corners[static_cast<std::size_t>(list[k].j)], start[B], end[B]);
                smallest = std::min(smallest, safeShareOf(a, b));
            }
        });
        for (const double s : least) share = std::min(share, s);
    }
    return share;
}

}  // namespace sunder
