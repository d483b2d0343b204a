#include "core/meshing/surface_topology.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/spatial/triangle.h"
#include "core/spatial/winding_number.h"

namespace sunder {

namespace {
struct Side {
    std::int32_t a, b, code;
    bool operator<(const Side& o) const { return a != o.a ? a < o.a : b != o.b ? b < o.b : code < o.code; }
};

bool runsForward(Span<const Tri> triangles, std::int32_t side) {
    const Tri& t = triangles[side / 3];
    return t[side % 3] < t[(side % 3 + 1) % 3];
}

/// Edge number of every side.
std::vector<std::int32_t> edgeOfSides(const EdgeTable& table, std::size_t triangleCount) {
    std::vector<std::int32_t> edge(3 * triangleCount, -1);
    for (std::size_t e = 0; e < table.edges.size(); ++e)
        for (const std::int32_t side : table.usesOf(table.edges[e]))
            edge[side] = static_cast<std::int32_t>(e);
    return edge;
}

/// Flood fill of one shell, first over edges with two faces (which carry orientation), then over the rest.
class ShellWalk {
  public:
    ShellWalk(Span<const Tri> triangles, const EdgeTable& table, Shells& shells)
        : triangles_(triangles),
          table_(table),
          edge_(edgeOfSides(table, triangles.size())),
          shells_(shells) {}

    void fill(std::int32_t seed) {
        const std::int32_t shell = shells_.count++;
        shells_.open.push_back(0);
        shells_.twisted.push_back(0);
        std::vector<std::int32_t> patchSeeds{seed};
        shells_.label[seed] = shell;
        while (!patchSeeds.empty()) {
            const std::int32_t t = patchSeeds.back();
            patchSeeds.pop_back();
            fillPatch(t, shell, patchSeeds);
        }
    }

  private:
    void fillPatch(std::int32_t seed, std::int32_t shell, std::vector<std::int32_t>& patchSeeds) {
        if (inPatch_.empty()) inPatch_.assign(triangles_.size(), 0);
        if (inPatch_[seed]) return;
        std::vector<std::int32_t> patch{seed};
        inPatch_[seed] = 1;
        for (std::size_t i = 0; i < patch.size(); ++i)
            for (int k = 0; k < 3; ++k) visitSide(3 * patch[i] + k, shell, patch, patchSeeds);
        const auto flippedCount = std::count_if(patch.begin(), patch.end(),
                                                [&](std::int32_t t) { return shells_.flipped[t] != 0; });
        if (2 * static_cast<std::size_t>(flippedCount) > patch.size())
            for (const std::int32_t t : patch) shells_.flipped[t] ^= 1;
    }

    void visitSide(std::int32_t side, std::int32_t shell, std::vector<std::int32_t>& patch,
                   std::vector<std::int32_t>& patchSeeds) {
        const SurfaceEdge& edge = table_.edges[edge_[side]];
        if (edge.useCount == 1) shells_.open[shell] = 1;
        for (const std::int32_t other : table_.usesOf(edge)) {
            if (other == side) continue;
            const std::int32_t t = other / 3;
            shells_.label[t] = shell;
            if (edge.useCount > 2) {
                patchSeeds.push_back(t);
                continue;
            }
            const std::uint8_t agrees = runsForward(triangles_, side) != runsForward(triangles_, other);
            const std::uint8_t expected = shells_.flipped[side / 3] ^ (agrees ? 0 : 1);
            if (inPatch_[t]) {
                if (shells_.flipped[t] != expected) shells_.twisted[shell] = 1;
                continue;
            }
            inPatch_[t] = 1;
            shells_.flipped[t] = expected;
            patch.push_back(t);
        }
    }

    Span<const Tri> triangles_;
    const EdgeTable& table_;
    std::vector<std::int32_t> edge_;
    std::vector<std::uint8_t> inPatch_;
    Shells& shells_;
};

struct ShellMeasure {
    double area = 0, volume = 0;  ///< volume about the shell's center
    Vec3 center = Vec3::Zero();
    double largestArea = -1;
    std::int32_t largest = -1;  ///< its largest triangle
};

std::vector<ShellMeasure> measureShells(Span<const Vec3> positions, Span<const Tri> triangles,
                                        const Shells& shells) {
    std::vector<ShellMeasure> measures(shells.count);
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        const Vec3 &a = positions[triangles[i][0]], &b = positions[triangles[i][1]],
                   &c = positions[triangles[i][2]];
        const double area = 0.5 * (b - a).cross(c - a).norm();
        ShellMeasure& m = measures[shells.label[i]];
        m.area += area;
        m.center += area * (a + b + c) / 3;
        if (area > m.largestArea) {
            m.largestArea = area;
            m.largest = static_cast<std::int32_t>(i);
        }
    }
    for (ShellMeasure& m : measures)
        if (m.area > 0) m.center /= m.area;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        ShellMeasure& m = measures[shells.label[i]];
        const Vec3 a = positions[triangles[i][0]] - m.center, b = positions[triangles[i][1]] - m.center,
                   c = positions[triangles[i][2]] - m.center;
        m.volume += (shells.flipped[i] ? -1 : 1) * a.dot(b.cross(c)) / 6;
    }
    return measures;
}
}  // namespace

EdgeTable buildEdgeTable(Span<const Tri> triangles) {
    std::vector<Side> sides;
    sides.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const std::int32_t u = triangles[t][k], v = triangles[t][(k + 1) % 3];
            sides.push_back({std::min(u, v), std::max(u, v), static_cast<std::int32_t>(3 * t + k)});
        }
    std::sort(sides.begin(), sides.end());
    EdgeTable table;
    for (const Side& s : sides) {
        if (table.edges.empty() || table.edges.back().a != s.a || table.edges.back().b != s.b)
            table.edges.push_back({s.a, s.b, static_cast<std::int32_t>(table.uses.size()), 0});
        ++table.edges.back().useCount;
        table.uses.push_back(s.code);
    }
    return table;
}

Shells findShells(Span<const Tri> triangles, const EdgeTable& table) {
    Shells shells;
    shells.label.assign(triangles.size(), -1);
    shells.flipped.assign(triangles.size(), 0);
    ShellWalk walk(triangles, table, shells);
    for (std::size_t t = 0; t < triangles.size(); ++t)
        if (shells.label[t] < 0) walk.fill(static_cast<std::int32_t>(t));
    return shells;
}

std::vector<std::vector<std::int32_t>> findOpenLoops(Span<const Tri> triangles, const EdgeTable& table) {
    // Against the faces' own direction, so that a loop runs as its missing lid would.
    std::multimap<std::int32_t, std::int32_t> next;
    for (const SurfaceEdge& edge : table.edges)
        if (edge.useCount == 1) {
            const bool forward = runsForward(triangles, table.uses[edge.firstUse]);
            next.emplace(forward ? edge.b : edge.a, forward ? edge.a : edge.b);
        }
    std::vector<std::vector<std::int32_t>> loops;
    while (!next.empty()) {
        std::vector<std::int32_t> loop{next.begin()->first};
        for (auto it = next.begin(); it != next.end(); it = next.find(loop.back())) {
            const std::int32_t to = it->second;
            next.erase(it);
            if (to == loop.front()) break;
            loop.push_back(to);
        }
        loops.push_back(std::move(loop));
    }
    return loops;
}

std::vector<std::int32_t> findPinchedVertices(Span<const Tri> triangles, std::size_t vertexCount) {
    // Triangles around v are joined where they share a second vertex; one fan leaves one root.
    std::vector<std::vector<std::int32_t>> around(vertexCount);
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (const std::int32_t v : triangles[t]) around[v].push_back(static_cast<std::int32_t>(t));
    std::vector<std::int32_t> pinched;
    for (std::size_t v = 0; v < vertexCount; ++v) {
        std::vector<std::int32_t> root(around[v].size());
        std::iota(root.begin(), root.end(), 0);
        const auto find = [&](std::int32_t i) {
            while (root[i] != i) i = root[i] = root[root[i]];
            return i;
        };
        std::map<std::int32_t, std::int32_t> owner;
        for (std::size_t i = 0; i < around[v].size(); ++i)
            for (const std::int32_t w : triangles[around[v][i]])
                if (w != static_cast<std::int32_t>(v)) {
                    const auto [it, isNew] = owner.try_emplace(w, static_cast<std::int32_t>(i));
                    if (!isNew) root[find(static_cast<std::int32_t>(i))] = find(it->second);
                }
        std::size_t fans = 0;
        for (std::size_t i = 0; i < root.size(); ++i) fans += root[i] == static_cast<std::int32_t>(i);
        if (fans > 1) pinched.push_back(static_cast<std::int32_t>(v));
    }
    return pinched;
}

std::vector<std::uint8_t> findInsideOutShells(Span<const Vec3> positions, Span<const Tri> triangles,
                                              const Shells& shells) {
    std::vector<Tri> oriented(triangles.begin(), triangles.end());
    for (std::size_t i = 0; i < oriented.size(); ++i)
        if (shells.flipped[i]) std::swap(oriented[i][1], oriented[i][2]);
    const WindingNumber winding(positions, oriented);
    const auto measures = measureShells(positions, triangles, shells);
    // A sheet encloses nothing to speak of; turning it on the sign of a rounding error would be worse than
    // leaving it.
    constexpr double kClear = 1e-3;
    // What the other shells say at the middle of a shell's largest face: all less its own. On that face
    // itself the solid angle is anything between -1/2 and 1/2, but the same in both sums.
    std::vector<Vec3> probe(shells.count);
    std::vector<double> others(shells.count);
    for (std::int32_t s = 0; s < shells.count; ++s) {
        const Tri& t = oriented[measures[s].largest];
        probe[s] = (positions[t[0]] + positions[t[1]] + positions[t[2]]) / 3;
        others[s] = winding.at(probe[s]);
    }
    for (std::size_t i = 0; i < oriented.size(); ++i) {
        const std::int32_t s = shells.label[i];
        others[s] -= windingOfTriangle(probe[s], positions[oriented[i][0]], positions[oriented[i][1]],
                                       positions[oriented[i][2]]);
    }
    std::vector<std::uint8_t> insideOut(shells.count, 0);
    for (std::int32_t s = 0; s < shells.count; ++s) {
        const bool clear = std::abs(measures[s].volume) > kClear * std::pow(measures[s].area, 1.5);
        insideOut[s] = clear && (others[s] <= -0.5 || (measures[s].volume < 0 && others[s] < 0.5));
    }
    return insideOut;
}

std::vector<std::int32_t> findCoincidentPoints(Span<const Vec3> positions) {
    std::vector<std::int32_t> order(positions.size()), first(positions.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int32_t i) {
        return std::array<double, 3>{positions[i][0], positions[i][1], positions[i][2]};
    };
    std::iota(first.begin(), first.end(), 0);
    order.erase(
        std::remove_if(order.begin(), order.end(), [&](std::int32_t i) { return !positions[i].allFinite(); }),
        order.end());
    std::sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
        const auto a = key(i), b = key(j);
        return a != b ? a < b : i < j;
    });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (key(order[i]) == key(order[i - 1])) first[order[i]] = first[order[i - 1]];
    return first;
}

}  // namespace sunder
