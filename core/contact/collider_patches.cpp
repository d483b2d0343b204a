#include "core/contact/collider_patches.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/meshing/surface_topology.h"
#include "core/spatial/triangle.h"
#include "core/spatial/winding_number.h"

namespace sunder {

namespace {
/// Sets of things that are told of each other whether they face the same way. A set is named by its smallest member.
class Agreement {
  public:
    explicit Agreement(std::size_t count) : parent_(count), differs_(count, 0) { std::iota(parent_.begin(), parent_.end(), 0); }

    std::int32_t root(std::int32_t i) {
        std::int32_t top = i;
        std::uint8_t differs = 0;
        for (; parent_[top] != top; top = parent_[top]) differs ^= differs_[top];
        while (parent_[i] != top && i != top) {
            const std::int32_t next = parent_[i];
            const std::uint8_t step = differs_[i];
            parent_[i] = top;
            differs_[i] = differs;
            differs ^= step;
            i = next;
        }
        return top;
    }
    bool differsFromRoot(std::int32_t i) {
        root(i);
        return differs_[i] != 0;
    }
    /// False if they are known to face otherwise.
    bool unite(std::int32_t i, std::int32_t j, bool differ) {
        std::int32_t p = root(i), q = root(j);
        const bool apart = differsFromRoot(i) ^ differsFromRoot(j) ^ differ;
        if (p == q) return !apart;
        if (p > q) std::swap(p, q);
        parent_[q] = p;
        differs_[q] = apart;
        return true;
    }

  private:
    std::vector<std::int32_t> parent_;
    std::vector<std::uint8_t> differs_;  ///< from the parent
};

int cornerOf(const Tri& t, std::int32_t v) { return t[0] == v ? 0 : t[1] == v ? 1 : 2; }
bool runs(const Tri& t, std::int32_t a, std::int32_t b) { return t[(cornerOf(t, a) + 1) % 3] == b; }

/// A set of triangles that edges of two join.
struct Part {
    std::int32_t first;  ///< triangle
    bool open = false, twisted = false;
    std::size_t count = 0, differing = 0;
    double volume = 0, area = 0;
};

class PatchBuilder {
  public:
    PatchBuilder(const ColliderSurface& surface, ColliderReport& report) : x_(surface.positions), report_(report) {
        out_.triangle = findUsableTriangles(surface, report);
        for (const std::int32_t t : out_.triangle) out_.corners.push_back(surface.triangles[t]);
        out_.rim.assign(out_.triangle.size(), 0);
        table_ = buildEdgeTable(out_.corners);
    }
    ColliderPatches build(bool twoSided) {
        findParts();
        turnToAgree();
        measureParts();
        turnInsideOut();
        for (const Part& part : parts_) report_.closedParts += isSolid(part);
        report_.parts = parts_.size();
        joinColumns(twoSided);
        markRims();
        return std::move(out_);
    }

  private:
    Vec3 middle(std::size_t t) const {
        const Tri& c = out_.corners[t];
        return (x_[c[0]] + x_[c[1]] + x_[c[2]]) / 3;
    }
    void tell(ColliderTrouble& trouble, std::size_t t) { trouble.add(out_.triangle[t], middle(t)); }
    void tell(ColliderTrouble& trouble, const SurfaceEdge& e) {
        trouble.add(out_.triangle[table_.usesOf(e)[0] / 3], 0.5 * (x_[e.a] + x_[e.b]));
    }
    bool isSolid(const Part& p) const { return !p.open && !p.twisted && p.volume != 0; }

    /// Calls work(edge, s, t, agree) for the edges of two triangles s < t.
    template <class Work>
    void forEachJoint(Work&& work) {
        for (const SurfaceEdge& e : table_.edges) {
            if (e.useCount != 2) continue;
            const std::int32_t s = table_.usesOf(e)[0] / 3, t = table_.usesOf(e)[1] / 3;
            work(e, s, t, runs(out_.corners[s], e.a, e.b) != runs(out_.corners[t], e.a, e.b));
        }
    }

    void findParts() {
        const std::size_t count = out_.triangle.size();
        Agreement sets(count);
        std::vector<std::int32_t> twisted;
        forEachJoint([&](const SurfaceEdge&, std::int32_t s, std::int32_t t, bool agree) {
            if (!sets.unite(s, t, !agree)) twisted.push_back(s);
        });
        part_.assign(count, -1);
        differs_.assign(count, 0);
        for (std::size_t t = 0; t < count; ++t) {
            const auto i = static_cast<std::int32_t>(t);
            const std::int32_t root = sets.root(i);
            if (root == i) {
                part_[t] = static_cast<std::int32_t>(parts_.size());
                parts_.push_back({i});
            }
            Part& part = parts_[part_[t] = part_[root]];
            differs_[t] = sets.differsFromRoot(i);
            part.count += 1;
            part.differing += differs_[t];
        }
        for (const std::int32_t t : twisted) parts_[part_[t]].twisted = true;
        for (const SurfaceEdge& e : table_.edges) {
            if (e.useCount == 2) continue;
            tell(e.useCount == 1 ? report_.openEdge : report_.crowdedEdge, e);
            for (const std::int32_t use : table_.usesOf(e)) parts_[part_[use / 3]].open = true;
        }
        for (const Part& part : parts_)
            if (part.twisted) tell(report_.twisted, part.first);
    }

    /// The fewer turn.
    void turnToAgree() {
        for (std::size_t t = 0; t < part_.size(); ++t) {
            const Part& part = parts_[part_[t]];
            if (part.twisted || (differs_[t] != 0) == (2 * part.differing > part.count)) continue;
            std::swap(out_.corners[t][1], out_.corners[t][2]);
            tell(report_.turned, t);
        }
    }

    void measureParts() {
        for (std::size_t t = 0; t < part_.size(); ++t) {
            Part& part = parts_[part_[t]];
            const Tri& c = out_.corners[t];
            const Vec3 &origin = x_[out_.corners[part.first][0]], a = x_[c[0]] - origin, n = (x_[c[1]] - x_[c[0]]).cross(x_[c[2]] - x_[c[0]]);
            part.volume += a.dot(n) / 6;
            part.area += 0.5 * n.norm();
        }
        constexpr double kNothing = 1e-9;  // of the volume that such an area can hold: rounding
        for (Part& part : parts_) {
            if (part.open || part.twisted || std::abs(part.volume) > kNothing * std::pow(part.area, 1.5)) continue;
            part.volume = 0;
            tell(report_.noVolume, part.first);
        }
    }

    /// Closed parts of negative volume are the walls of cavities if they lie in an odd number of closed parts, and else inside out.
    void turnInsideOut() {
        std::vector<std::uint8_t> negative(parts_.size(), 0);
        bool any = false;
        for (std::size_t p = 0; p < parts_.size(); ++p) any |= negative[p] = isSolid(parts_[p]) && parts_[p].volume < 0;
        if (!any) return;
        std::vector<Tri> outward;
        for (std::size_t t = 0; t < part_.size(); ++t) {
            if (!isSolid(parts_[part_[t]])) continue;
            outward.push_back(out_.corners[t]);
            if (negative[part_[t]]) std::swap(outward.back()[1], outward.back()[2]);
        }
        const WindingNumber winding(x_, outward);
        std::vector<double> around(parts_.size(), 0.0);  // winding number of the others at the part's first triangle
        for (std::size_t p = 0; p < parts_.size(); ++p)
            if (negative[p]) around[p] = winding.at(middle(parts_[p].first));
        for (std::size_t t = 0; t < part_.size(); ++t) {
            const std::int32_t p = part_[t];
            const Tri& c = out_.corners[t];
            if (negative[p]) around[p] -= windingOfTriangle(middle(parts_[p].first), x_[c[0]], x_[c[2]], x_[c[1]]);
        }
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            negative[p] = negative[p] && std::lround(around[p]) % 2 == 0;
            if (negative[p]) tell(report_.insideOut, parts_[p].first);
        }
        for (std::size_t t = 0; t < part_.size(); ++t)
            if (negative[part_[t]]) std::swap(out_.corners[t][1], out_.corners[t][2]);
    }

    void joinColumns(bool twoSided) {
        Agreement corners(3 * part_.size());
        forEachJoint([&](const SurfaceEdge& e, std::int32_t s, std::int32_t t, bool agree) {
            for (const std::int32_t v : {e.a, e.b}) corners.unite(3 * s + cornerOf(out_.corners[s], v), 3 * t + cornerOf(out_.corners[t], v), !agree);
        });
        std::vector<std::int32_t> roots;
        for (std::size_t i = 0; i < 3 * part_.size(); ++i)
            if (corners.root(static_cast<std::int32_t>(i)) == static_cast<std::int32_t>(i)) roots.push_back(static_cast<std::int32_t>(i));
        const auto vertexAt = [&](std::int32_t corner) { return out_.corners[corner / 3][corner % 3]; };
        std::stable_sort(roots.begin(), roots.end(), [&](std::int32_t i, std::int32_t j) { return vertexAt(i) < vertexAt(j); });
        std::vector<std::int32_t> number(3 * part_.size());
        for (const std::int32_t root : roots) {
            number[root] = static_cast<std::int32_t>(out_.vertex.size());
            out_.vertex.push_back(vertexAt(root));
            out_.twoSided.push_back(twoSided || !isSolid(parts_[part_[root / 3]]));
        }
        out_.columns.resize(part_.size());
        out_.side.resize(part_.size());
        for (std::size_t t = 0; t < part_.size(); ++t)
            for (int k = 0; k < 3; ++k) {
                const std::int32_t corner = 3 * static_cast<std::int32_t>(t) + k;
                out_.columns[t][k] = number[corners.root(corner)];
                out_.side[t][k] = corners.differsFromRoot(corner) ? -1 : 1;
            }
        listCorners();
    }

    void listCorners() {
        IndexLists& lists = out_.columnCorners;
        lists.first.assign(out_.columnCount() + 1, 0);
        for (const Tri& t : out_.columns)
            for (const std::int32_t c : t) ++lists.first[c + 1];
        std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
        lists.items.resize(3 * out_.columns.size());
        std::vector<std::int32_t> next(lists.first.begin(), lists.first.end() - 1);
        for (std::size_t t = 0; t < out_.columns.size(); ++t)
            for (int k = 0; k < 3; ++k) lists.items[next[out_.columns[t][k]]++] = 3 * static_cast<std::int32_t>(t) + k;
    }

    /// Triangles that have both columns of an edge in common have joined layers there, also if more than two meet at the edge.
    bool joined(const SurfaceEdge& e, std::int32_t s, std::int32_t t) const {
        const Tri &p = out_.corners[s], &q = out_.corners[t];
        const int pa = cornerOf(p, e.a), pb = cornerOf(p, e.b), qa = cornerOf(q, e.a), qb = cornerOf(q, e.b);
        return out_.columns[s][pa] == out_.columns[t][qa] && out_.columns[s][pb] == out_.columns[t][qb] &&
               (out_.side[s][pa] == out_.side[s][pb]) == (out_.side[t][qa] == out_.side[t][qb]);
    }

    void markRims() {
        for (const SurfaceEdge& e : table_.edges)
            for (const std::int32_t use : table_.usesOf(e)) {
                bool goesOn = false;
                for (const std::int32_t other : table_.usesOf(e)) goesOn |= other != use && joined(e, use / 3, other / 3);
                const Tri& c = out_.corners[use / 3];
                if (!goesOn) out_.rim[use / 3] |= static_cast<std::uint8_t>(1 << cornerOf(c, runs(c, e.a, e.b) ? e.a : e.b));
            }
    }

    const std::vector<Vec3>& x_;
    ColliderReport& report_;
    ColliderPatches out_;
    EdgeTable table_;
    std::vector<Part> parts_;
    std::vector<std::int32_t> part_;      ///< of every triangle
    std::vector<std::uint8_t> differs_;   ///< every triangle from its part's first
};
}  // namespace

ColliderPatches buildColliderPatches(const ColliderSurface& surface, ColliderReport& report) {
    return PatchBuilder(surface, report).build(surface.twoSided);
}

}  // namespace sunder
