#include "core/contact/collider_reach.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "core/base/parallel.h"
#include "core/spatial/triangle_tree.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 512;
constexpr double kShare = 1.0 / 3;       // of the way to the opposite side
constexpr double kSamePlace = 1e-3;      // of the thickness
constexpr double kMostOfSheet = 0.01;    // of the diagonal of the surface's box
constexpr double kLongestMitre = 2;
constexpr double kWellSeen = 0.2, kBarelySeen = 0.1;  // cosines between a column and its triangles

Vec3 areaVector(const Tri& t, Span<const Vec3> x) { return 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]); }
bool hasNoArea(const Tri& t, Span<const Vec3> x) { return isFlat(x[t[0]], x[t[1]], x[t[2]]); }

/// Two triangles that look at each other.
struct Sight {
    std::int32_t from, to;
    double reach;
};

class SightFinder {
  public:
    SightFinder(const ColliderPatches& patches, Span<const Vec3> x, double thickness)
        : patches_(patches), x_(x), thickness_(thickness), tree_(x, patches.corners) {}

    /// Appends what triangle t sees of the other side, so near that the layer must be thinner than asked for.
    void look(std::size_t t, std::vector<Sight>& found) const {
        if (hasNoArea(patches_.corners[t], x_)) return;
        const Tri& c = patches_.corners[t];
        const Vec3 middle = (x_[c[0]] + x_[c[1]] + x_[c[2]]) / 3, normal = areaVector(c, x_).normalized();
        lookAlong(t, middle, -normal, found);
        if (patches_.isTwoSided(t)) lookAlong(t, middle, normal, found);
    }

  private:
    void lookAlong(std::size_t t, const Vec3& from, const Vec3& direction, std::vector<Sight>& found) const {
        const bool twoSided = patches_.isTwoSided(t);
        const double perDistance = twoSided ? 2 * kShare : kShare, far = thickness_ / perDistance;
        for (const TriangleTree::Hit& hit : tree_.crossings(from, from + far * direction)) {
            const auto other = static_cast<std::size_t>(hit.triangle);
            if (other == t || hit.t * far < kSamePlace * thickness_ || patches_.isTwoSided(other) != twoSided) continue;
            // out of a solid one comes through the inside of its wall
            if (!twoSided && areaVector(patches_.corners[other], x_).dot(direction) <= 0) continue;
            found.push_back({static_cast<std::int32_t>(t), hit.triangle, hit.t * far * perDistance});
            return;
        }
    }

    const ColliderPatches& patches_;
    Span<const Vec3> x_;
    double thickness_;
    TriangleTree tree_;
};

/// Makes the layer grow by no more than the way from column to column, away from where it is thin: shortest ways (Dijkstra 1959).
void spreadThinness(const ColliderPatches& patches, Span<const Vec3> x, double thickness, std::vector<double>& reach) {
    using Entry = std::pair<double, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
    for (std::size_t c = 0; c < reach.size(); ++c)
        if (reach[c] < thickness) queue.push({reach[c], static_cast<std::int32_t>(c)});
    while (!queue.empty()) {
        const auto [thin, column] = queue.top();
        queue.pop();
        if (thin > reach[column]) continue;
        for (const std::int32_t corner : patches.columnCorners[column])
            for (const std::int32_t next : patches.columns[corner / 3]) {
                const double most = thin + (x[patches.vertex[next]] - x[patches.vertex[column]]).norm();
                if (!(most < reach[next])) continue;
                reach[next] = most;
                queue.push({most, next});
            }
    }
}

/// What a column sees of one of its triangles.
struct CornerNormal {
    Vec3 normal;
    double angle;
};

double worstSeen(const std::vector<CornerNormal>& corners, const Vec3& n, std::size_t& which) {
    double worst = 2;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const double seen = corners[i].normal.dot(n);
        if (seen >= worst) continue;
        worst = seen;
        which = i;
    }
    return worst;
}

/// The direction whose worst angle with the normals is least: the centre of their smallest ball (Badoiu and Clarkson 2003).
Vec3 mostNormal(const std::vector<CornerNormal>& corners, const Vec3& start) {
    constexpr int kRounds = 200;
    Vec3 centre = start, best = start;
    std::size_t which = 0;
    double bestSeen = worstSeen(corners, best, which);
    for (int round = 1; round <= kRounds; ++round) {
        centre += (corners[which].normal - centre) / (round + 1);
        const Vec3 unit = centre.normalized();
        const double seen = worstSeen(corners, unit, which);
        if (seen <= bestSeen) continue;
        bestSeen = seen;
        best = unit;
    }
    return best;
}

Vec3 directionOf(const std::vector<CornerNormal>& corners) {
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (const CornerNormal& c : corners) {
        sum += c.angle * c.normal;
        total += c.angle;
    }
    if (!(total > 0)) return Vec3::Zero();
    Vec3 n = sum.norm() > 1e-9 * total ? Vec3(sum.normalized()) : corners[0].normal;
    std::size_t which = 0;
    const double worst = worstSeen(corners, n, which);
    if (worst < kWellSeen) {  // mixed, so that a deforming surface's columns do not jump
        const double share = std::min(1.0, (kWellSeen - worst) / (kWellSeen - kBarelySeen));
        n = ((1 - share) * n + share * mostNormal(corners, n)).normalized();
    }
    const double mean = n.dot(sum) / total;
    return n * (mean * kLongestMitre > 1 ? 1 / mean : kLongestMitre);
}
}  // namespace

std::vector<double> chooseThickness(const ColliderPatches& patches, Span<const Vec3> x) {
    std::vector<double> lengths;
    Aabb box;
    for (const Tri& t : patches.corners) {
        if (hasNoArea(t, x)) continue;
        for (int k = 0; k < 3; ++k) {
            lengths.push_back((x[t[(k + 1) % 3]] - x[t[k]]).norm());
            box.extend(x[t[k]]);
        }
    }
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    const double solid = 0.5 * *middle, sheet = std::min(solid, kMostOfSheet * box.diagonal());
    std::vector<double> thickness;
    for (const std::uint8_t twoSided : patches.twoSided) thickness.push_back(twoSided ? sheet : solid);
    return thickness;
}

std::vector<double> computeReach(const ColliderPatches& patches, Span<const Vec3> x, Span<const double> wanted, ColliderReport& report) {
    const double most = *std::max_element(wanted.begin(), wanted.end());
    const SightFinder finder(patches, x, most);
    const std::size_t count = patches.corners.size();
    std::vector<std::vector<Sight>> found((count + kGrain - 1) / kGrain);
    parallelFor(count, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) finder.look(t, found[first / kGrain]);
    });
    std::vector<double> reach(wanted.begin(), wanted.end());
    for (const std::vector<Sight>& list : found)
        for (const Sight& sight : list)
            for (const std::int32_t t : {sight.from, sight.to})
                for (const std::int32_t c : patches.columns[t]) reach[c] = std::min(reach[c], sight.reach);
    spreadThinness(patches, x, most, reach);
    for (std::size_t t = 0; t < count; ++t) {
        const Tri& v = patches.corners[t];
        bool less = false;
        for (const std::int32_t c : patches.columns[t]) less |= reach[c] < wanted[c];
        if (less) report.thinned.add(patches.triangle[t], (x[v[0]] + x[v[1]] + x[v[2]]) / 3);
    }
    return reach;
}

void computeDoubleAreas(const ColliderPatches& patches, Span<const Vec3> x, std::vector<Vec3>& doubleArea) {
    doubleArea.resize(patches.corners.size());
    parallelFor(doubleArea.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) {
            const Tri& c = patches.corners[t];
            doubleArea[t] = hasNoArea(c, x) ? Vec3(Vec3::Zero()) : Vec3((x[c[1]] - x[c[0]]).cross(x[c[2]] - x[c[0]]));
        }
    });
}

void computeDirections(const ColliderPatches& patches, Span<const Vec3> x, Span<const Vec3> doubleArea, std::vector<Vec3>& direction) {
    direction.resize(patches.columnCount());
    parallelFor(patches.columnCount(), kGrain, [&](std::size_t first, std::size_t last) {
        std::vector<CornerNormal> corners;
        for (std::size_t c = first; c < last; ++c) {
            corners.clear();
            for (const std::int32_t corner : patches.columnCorners[c]) {
                const int t = corner / 3, k = corner % 3;
                const double size = doubleArea[t].norm();
                if (size == 0) continue;
                const Vec3 &at = x[patches.corners[t][k]], u = x[patches.corners[t][(k + 1) % 3]] - at, v = x[patches.corners[t][(k + 2) % 3]] - at;
                corners.push_back({patches.side[t][k] / size * doubleArea[t], std::atan2(size, u.dot(v))});
            }
            direction[c] = directionOf(corners);
        }
    });
}

}  // namespace sunder
