#include "core/meshing/lattice_grid.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"

namespace sunder {

namespace {
// Fractions of a long and of a short edge below which a cut moves its end point; the pair for which Labelle
// and Shewchuk prove dihedral angles between 10.78 and 164.74 degrees (isosurface stuffing, table 1).
constexpr double kAlphaLong = 0.24999;
constexpr double kAlphaShort = 0.41189;
constexpr double kLargestGrid = 4.0e8;

struct CutEdge {
    LatticeGrid::Index inside;
    int direction;
};

/// Edges from a point inside to one outside, by the inner point and direction.
std::vector<CutEdge> collectCutEdges(const LatticeGrid& grid, const std::vector<std::int8_t>& signs) {
    std::vector<CutEdge> edges;
    for (LatticeGrid::Index p = 0; p < grid.pointCount(); ++p) {
        if (signs[p] < 0) continue;
        const LatticeGrid::Site s = grid.site(p);
        for (int d = 0; d < LatticeGrid::kDirections; ++d)
            if (signs[grid.neighbor(s, d)] < 0) edges.push_back({p, d});
    }
    return edges;
}

/// Numbers the ends of cut edges in the order of their points; no cuts yet.
LatticeCuts numberEnds(const LatticeGrid& grid, std::size_t pointCount, const std::vector<CutEdge>& edges) {
    LatticeCuts cuts;
    cuts.active.assign(pointCount, -1);
    for (const CutEdge& e : edges)
        cuts.active[e.inside] = cuts.active[grid.neighbor(grid.site(e.inside), e.direction)] = 0;
    for (std::size_t p = 0; p < pointCount; ++p)
        if (cuts.active[p] == 0) {
            cuts.active[p] = static_cast<std::int32_t>(cuts.activePosition.size());
            cuts.activePosition.push_back(grid.position(static_cast<LatticeGrid::Index>(p)));
        }
    cuts.cutOf.assign(cuts.activePosition.size() * LatticeGrid::kDirections, -1);
    return cuts;
}
}  // namespace

LatticeGrid::LatticeGrid(const Aabb& box, double cell) : cell_(cell) {
    // An odd fraction of a cell keeps lattice planes off the faces of boxes that sit on round numbers.
    constexpr double kMargin[3] = {2.3719, 2.4143, 2.2871};
    double points = 2;
    for (int k = 0; k < 3; ++k) {
        origin_[k] = box.lower[k] - kMargin[k] * cell;
        const double count = std::ceil(box.size()[k] / cell + 2 * kMargin[k]) + 1;
        points *= count;
        if (!(points < kLargestGrid))
            throw Error(format("a lattice with cells of %g m over a surface %g m long has too many points",
                               cell, box.size().maxCoeff()),
                        "choose a larger cell size");
        size_[k] = static_cast<int>(count);
    }
}

LatticeGrid::Site LatticeGrid::site(Index point) const {
    const int c = point / 2;
    return {c % size_[0], c / size_[0] % size_[1], c / size_[0] / size_[1], point % 2};
}

Vec3 LatticeGrid::position(Index point) const {
    const Site s = site(point);
    return origin_ + cell_ * (Vec3(s.i, s.j, s.k) + Vec3::Constant(0.5 * s.center));
}

bool LatticeGrid::onBorder(const Site& s) const {
    const auto edge = [](int i, int n) { return i < 1 || i > n - 2; };
    return edge(s.i, size_[0]) || edge(s.j, size_[1]) || edge(s.k, size_[2]);
}

LatticeGrid::Index LatticeGrid::neighbor(const Site& s, int direction) const {
    Site n = s;
    if (isLong(direction)) {
        int* axis[3] = {&n.i, &n.j, &n.k};
        *axis[direction / 2] += direction % 2 ? -1 : 1;
    } else {
        const int bits = direction - 6, back = 1 - s.center;
        n = {s.i + (bits & 1) - back, s.j + (bits >> 1 & 1) - back, s.k + (bits >> 2 & 1) - back,
             1 - s.center};
    }
    return index(n);
}

int LatticeGrid::directionTo(const Site& a, const Site& b) {
    const int d[3] = {b.i - a.i, b.j - a.j, b.k - a.k};
    if (a.center == b.center) {
        for (int k = 0; k < 3; ++k)
            if (d[k] != 0) return 2 * k + (d[k] < 0);
        SUNDER_ASSERT(false);
    }
    const int back = 1 - a.center;
    return 6 + (d[0] + back) + 2 * (d[1] + back) + 4 * (d[2] + back);
}

std::vector<std::int8_t> sampleSigns(const LatticeGrid& grid, const HalfWinding& solid, Monitor* monitor) {
    std::vector<std::int8_t> signs(static_cast<std::size_t>(grid.pointCount()), -1);
    const std::size_t slab = 2 * static_cast<std::size_t>(grid.size(0)) * grid.size(1);
    for (int k = 1; k + 1 < grid.size(2); ++k) {
        throwIfCancelled(monitor);
        parallelFor(slab, 128, [&](std::size_t first, std::size_t last) {
            for (std::size_t p = k * slab + first; p < k * slab + last; ++p) {
                const auto point = static_cast<LatticeGrid::Index>(p);
                if (!grid.onBorder(grid.site(point)) && solid.inside(grid.position(point))) signs[p] = 1;
            }
        });
    }
    return signs;
}

LatticeCuts findCuts(const LatticeGrid& grid, const HalfWinding& solid, const std::vector<std::int8_t>& signs,
                     Monitor* monitor) {
    const std::vector<CutEdge> edges = collectCutEdges(grid, signs);
    LatticeCuts cuts = numberEnds(grid, signs.size(), edges);
    cuts.cutPosition.resize(edges.size());
    const auto slot = [&](LatticeGrid::Index point, int direction) -> std::int32_t& {
        return cuts.cutOf[cuts.active[point] * LatticeGrid::kDirections + direction];
    };
    const auto place = [&](std::size_t e) {
        const auto [inside, direction] = edges[e];
        const LatticeGrid::Index outside = grid.neighbor(grid.site(inside), direction);
        const Vec3 in = grid.position(inside), out = grid.position(outside);
        cuts.cutPosition[e] = in + solid.crossing(in, out) * (out - in);
        slot(inside, direction) = slot(outside, LatticeGrid::opposite(direction)) =
            static_cast<std::int32_t>(e);
    };
    constexpr std::size_t kBatch = 65536;
    for (std::size_t start = 0; start < edges.size(); start += kBatch) {
        throwIfCancelled(monitor);
        parallelFor(std::min(kBatch, edges.size() - start), 64, [&](std::size_t first, std::size_t last) {
            for (std::size_t e = start + first; e < start + last; ++e) place(e);
        });
    }
    return cuts;
}

void warpPoints(const LatticeGrid& grid, std::vector<std::int8_t>& signs, LatticeCuts& cuts) {
    const double longLimit = kAlphaLong * grid.cell(),
                 shortLimit = kAlphaShort * grid.cell() * std::sqrt(0.75);
    for (std::size_t p = 0; p < signs.size(); ++p) {
        if (cuts.active[p] < 0) continue;
        std::int32_t* own = &cuts.cutOf[cuts.active[p] * LatticeGrid::kDirections];
        Vec3& position = cuts.activePosition[cuts.active[p]];
        std::int32_t nearest = -1;
        double nearestDistance = 0;
        for (int d = 0; d < LatticeGrid::kDirections; ++d) {
            if (own[d] < 0) continue;
            const double distance = (cuts.cutPosition[own[d]] - position).norm();
            const double limit = LatticeGrid::isLong(d) ? longLimit : shortLimit;
            if (distance < limit && (nearest < 0 || distance < nearestDistance)) {
                nearest = own[d];
                nearestDistance = distance;
            }
        }
        if (nearest < 0) continue;
        position = cuts.cutPosition[nearest];
        signs[p] = 0;
        const LatticeGrid::Site s = grid.site(static_cast<LatticeGrid::Index>(p));
        for (int d = 0; d < LatticeGrid::kDirections; ++d) {
            if (own[d] < 0) continue;
            own[d] = -1;
            cuts.cutOf[cuts.active[grid.neighbor(s, d)] * LatticeGrid::kDirections +
                       LatticeGrid::opposite(d)] = -1;
        }
    }
}

}  // namespace sunder
