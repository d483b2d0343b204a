#include "core/meshing/tet_improve.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/mesh/adjacency.h"

namespace sunder {

namespace {
constexpr int kRounds = 8;
constexpr std::size_t kLargestRing = 8;  ///< tets around an edge that is worth removing

/// Measure of a tet that grows with its smallest dihedral angle: minus the cosine of it, below -1 if the tet
/// is not positive. No inverse functions: this is called millions of times.
double angleMeasure(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 u = b - a, v = c - a, w = d - a;
    if (!(u.dot(v.cross(w)) > 0)) return -2;
    Vec3 normal[4] = {(c - b).cross(d - b), w.cross(v), u.cross(w), v.cross(u)};
    for (Vec3& n : normal) n /= std::sqrt(n.squaredNorm());
    double largest = -1;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j) largest = std::max(largest, -normal[i].dot(normal[j]));
    return -largest;
}

/// Works on a mesh whose tets may die; neighbours are found through lists of tets around each vertex.
class Improver {
  public:
    Improver(TetMesh& mesh, double angle)
        : mesh_(mesh), goal_(-std::cos(angle)), dead_(mesh.tetCount(), 0), around_(mesh.vertexCount()) {
        inner_.assign(mesh.vertexCount(), 1);
        const auto neighbors = buildTetNeighbors(mesh.tets, mesh.vertexCount());
        for (const BoundaryFace& f : collectBoundaryFaces(mesh.tets, neighbors))
            for (const std::int32_t v : f.vertices) inner_[v] = 0;
        for (std::size_t t = 0; t < mesh.tetCount(); ++t)
            for (const std::int32_t v : mesh.tets[t]) around_[v].push_back(static_cast<std::int32_t>(t));
    }

    /// One pass over the bad tets in their order.
    std::size_t round(Monitor* monitor) {
        constexpr std::size_t kBetween = 128;  // tets from one look at the monitor to the next: each tries 27 places for each of its corners
        std::size_t changes = 0, seen = 0;
        for (const std::int32_t t : badTets()) {
            if (seen++ % kBetween == 0) throwIfCancelled(monitor);
            if (dead_[t] || measureOf(mesh_.tets[t]) >= goal_) continue;
            changes += smoothTet(t);
            if (measureOf(mesh_.tets[t]) < goal_) changes += flipTet(t);
        }
        return changes;
    }

    void finish() {
        std::size_t kept = 0;
        for (std::size_t t = 0; t < mesh_.tetCount(); ++t)
            if (!dead_[t]) mesh_.tets[kept++] = mesh_.tets[t];
        mesh_.tets.resize(kept);
    }

  private:
    const Vec3& at(std::int32_t v) const { return mesh_.rest[v]; }
    double measureOf(const Tet& t) const { return angleMeasure(at(t[0]), at(t[1]), at(t[2]), at(t[3])); }

    std::vector<std::int32_t> badTets() const {
        std::vector<std::uint8_t> bad(mesh_.tetCount(), 0);
        parallelFor(bad.size(), 1024, [&](std::size_t first, std::size_t last) {
            for (std::size_t t = first; t < last; ++t) bad[t] = !dead_[t] && measureOf(mesh_.tets[t]) < goal_;
        });
        std::vector<std::int32_t> list;
        for (std::size_t t = 0; t < bad.size(); ++t)
            if (bad[t]) list.push_back(static_cast<std::int32_t>(t));
        return list;
    }

    /// The worst around a vertex; anything at or below `enough` may stand for it, so that hopeless moves cost
    /// little.
    double starMeasure(std::int32_t v, double enough) const {
        double worst = 1;
        for (const std::int32_t t : around_[v]) {
            worst = std::min(worst, measureOf(mesh_.tets[t]));
            if (worst <= enough) break;
        }
        return worst;
    }

    std::size_t smoothTet(std::int32_t t) {
        const Tet corners = mesh_.tets[t];
        std::size_t moves = 0;
        for (const std::int32_t v : corners)
            if (inner_[v]) moves += smoothVertex(v);
        return moves;
    }

    /// Compass search: steps along the axes and diagonals, halved when none helps.
    bool smoothVertex(std::int32_t v) {
        double shortest = std::numeric_limits<double>::infinity();
        for (const std::int32_t t : around_[v])
            for (const std::int32_t w : mesh_.tets[t])
                if (w != v) shortest = std::min(shortest, (at(w) - at(v)).norm());
        double best = starMeasure(v, -3);
        const double start = best;
        for (double step = 0.3 * shortest; step > 0.01 * shortest;) {
            const Vec3 from = at(v);
            Vec3 to = from;
            for (int d = 0; d < 27; ++d) {
                mesh_.rest[v] = from + step * Vec3(d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1);
                const double measure = starMeasure(v, best);
                if (measure > best) {
                    best = measure;
                    to = mesh_.rest[v];
                }
            }
            mesh_.rest[v] = to;
            if (to == from) step *= 0.5;
        }
        return best > start;
    }

    std::vector<std::int32_t> tetsOnEdge(std::int32_t a, std::int32_t b) const {
        std::vector<std::int32_t> ring;
        for (const std::int32_t t : around_[a])
            if (std::find(mesh_.tets[t].begin(), mesh_.tets[t].end(), b) != mesh_.tets[t].end())
                ring.push_back(t);
        return ring;
    }

    std::int32_t across(std::int32_t t, int face) const {
        const Tet& tet = mesh_.tets[t];
        const std::int32_t a = tet[kTetFaces[face][0]], b = tet[kTetFaces[face][1]],
                           c = tet[kTetFaces[face][2]];
        for (const std::int32_t n : around_[a]) {
            const Tet& o = mesh_.tets[n];
            if (n != t && std::find(o.begin(), o.end(), b) != o.end() &&
                std::find(o.begin(), o.end(), c) != o.end())
                return n;
        }
        return -1;
    }

    bool flipTet(std::int32_t t) {
        for (const auto& edge : kTetEdges)
            if (removeEdge(mesh_.tets[t][edge[0]], mesh_.tets[t][edge[1]])) return true;
        for (int f = 0; f < 4; ++f)
            if (removeFace(t, f)) return true;
        return false;
    }

    /// The vertices around a b, counter-clockwise seen from b; empty if the edge lies on the boundary or has
    /// too many tets.
    std::vector<std::int32_t> linkOf(std::int32_t a, std::int32_t b,
                                     const std::vector<std::int32_t>& ring) const {
        std::vector<std::array<std::int32_t, 2>> sides;
        for (const std::int32_t t : ring) {
            std::array<std::int32_t, 2> side{-1, -1};
            for (const std::int32_t v : mesh_.tets[t])
                if (v != a && v != b) side[side[0] < 0 ? 0 : 1] = v;
            if (signedVolume(at(a), at(b), at(side[0]), at(side[1])) < 0) std::swap(side[0], side[1]);
            sides.push_back(side);
        }
        std::vector<std::int32_t> link{sides[0][0]};
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const auto next =
                std::find_if(sides.begin(), sides.end(), [&](const auto& s) { return s[0] == link.back(); });
            if (next == sides.end()) return {};
            link.push_back((*next)[1]);
        }
        if (link.back() != link.front()) return {};
        link.pop_back();
        return link;
    }

    /// The tets around a b give way to pairs of tets, one to a and one to b, over the best triangulation of
    /// their link: Klincsek's dynamic programme, where best(i, j) cuts the polygon i .. j along i j.
    bool removeEdge(std::int32_t a, std::int32_t b) {
        const std::vector<std::int32_t> ring = tetsOnEdge(a, b);
        if (ring.size() < 3 || ring.size() > kLargestRing) return false;
        const std::vector<std::int32_t> link = linkOf(a, b, ring);
        const int n = static_cast<int>(link.size());
        if (n != static_cast<int>(ring.size())) return false;
        std::array<std::array<double, kLargestRing>, kLargestRing> best;
        std::array<std::array<int, kLargestRing>, kLargestRing> apex;
        for (int i = 0; i + 1 < n; ++i) best[i][i + 1] = 1;
        for (int span = 2; span < n; ++span)
            for (int i = 0; i + span < n; ++i) {
                const int j = i + span;
                best[i][j] = -3;
                for (int k = i + 1; k < j; ++k) {
                    const double pair = std::min(measureOf({link[i], link[k], link[j], b}),
                                                 measureOf({link[i], link[j], link[k], a}));
                    const double worst = std::min({pair, best[i][k], best[k][j]});
                    if (worst > best[i][j]) {
                        best[i][j] = worst;
                        apex[i][j] = k;
                    }
                }
            }
        std::vector<Tet> created;
        std::vector<std::array<int, 2>> open{{0, n - 1}};
        while (!open.empty()) {
            const auto [i, j] = open.back();
            open.pop_back();
            if (j - i < 2) continue;
            const int k = apex[i][j];
            created.push_back({link[i], link[k], link[j], b});
            created.push_back({link[i], link[j], link[k], a});
            open.push_back({i, k});
            open.push_back({k, j});
        }
        return replace(ring, created);
    }

    /// Two tets across a face become three around the edge between their tips.
    bool removeFace(std::int32_t t, int face) {
        const std::int32_t n = across(t, face);
        if (n < 0) return false;
        const Tet tet = mesh_.tets[t];
        const std::int32_t tip = tet[face];
        std::int32_t otherTip = -1;
        for (const std::int32_t v : mesh_.tets[n])
            if (std::find(tet.begin(), tet.end(), v) == tet.end()) otherTip = v;
        if (otherTip < 0 || !tetsOnEdge(tip, otherTip).empty()) return false;
        std::vector<Tet> created;
        for (int k = 0; k < 3; ++k)
            created.push_back(
                oriented({tip, otherTip, tet[kTetFaces[face][k]], tet[kTetFaces[face][(k + 1) % 3]]}));
        return replace({t, n}, created);
    }

    Tet oriented(Tet t) const {
        if (signedVolume(at(t[0]), at(t[1]), at(t[2]), at(t[3])) < 0) std::swap(t[2], t[3]);
        return t;
    }
    double volumeOf(const Tet& t) const { return signedVolume(at(t[0]), at(t[1]), at(t[2]), at(t[3])); }

    /// Exchanges tets if the worst angle rises and both fill the same space.
    bool replace(const std::vector<std::int32_t>& old, const std::vector<Tet>& created) {
        double before = 1, after = 1, oldVolume = 0, newVolume = 0;
        for (const std::int32_t t : old) {
            before = std::min(before, measureOf(mesh_.tets[t]));
            oldVolume += volumeOf(mesh_.tets[t]);
        }
        for (const Tet& t : created) {
            after = std::min(after, measureOf(t));
            newVolume += volumeOf(t);
        }
        // Tets that would overlap or poke out fill more than the old ones did.
        if (!(after > before) || std::abs(newVolume - oldVolume) > 1e-10 * oldVolume) return false;
        for (const std::int32_t t : old) retire(t);
        for (const Tet& t : created) adopt(t);
        return true;
    }

    void retire(std::int32_t t) {
        dead_[t] = 1;
        for (const std::int32_t v : mesh_.tets[t])
            around_[v].erase(std::find(around_[v].begin(), around_[v].end(), t));
    }
    void adopt(const Tet& tet) {
        for (const std::int32_t v : tet) around_[v].push_back(static_cast<std::int32_t>(mesh_.tetCount()));
        mesh_.tets.push_back(tet);
        dead_.push_back(0);
    }

    TetMesh& mesh_;
    double goal_;
    std::vector<std::uint8_t> dead_, inner_;
    std::vector<std::vector<std::int32_t>> around_;
};
}  // namespace

MeshQuality measureQuality(const TetMesh& mesh, Monitor* monitor) {
    MeshQuality q;
    if (mesh.tets.empty()) return q;
    q.smallestDihedral = M_PI;
    q.smallestQuality = 1;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        if (t % 65536 == 0) throwIfCancelled(monitor);
        const Tet& v = mesh.tets[t];
        const Vec3 &a = mesh.rest[v[0]], &b = mesh.rest[v[1]], &c = mesh.rest[v[2]], &d = mesh.rest[v[3]];
        const DihedralRange range = dihedralRange(a, b, c, d);
        const double quality = tetQuality(a, b, c, d);
        q.smallestDihedral = std::min(q.smallestDihedral, range.smallest);
        q.largestDihedral = std::max(q.largestDihedral, range.largest);
        q.smallestQuality = std::min(q.smallestQuality, quality);
        q.meanQuality += quality / static_cast<double>(mesh.tetCount());
        q.volume += restVolume(mesh, t);
        q.slivers += range.smallest < kSliverAngle;
    }
    return q;
}

void addQuality(const TetMesh& mesh, AttributeSet& tets) {
    auto& quality = tets.add<float>("quality", mesh.tetCount());
    std::vector<std::uint8_t> isSliver;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        const Tet& v = mesh.tets[t];
        const Vec3 &a = mesh.rest[v[0]], &b = mesh.rest[v[1]], &c = mesh.rest[v[2]], &d = mesh.rest[v[3]];
        quality[t] = static_cast<float>(tetQuality(a, b, c, d));
        isSliver.push_back(dihedralRange(a, b, c, d).smallest < kSliverAngle);
    }
    if (std::count(isSliver.begin(), isSliver.end(), 1) > 0) tets.addGroup("slivers", mesh.tetCount()).members = std::move(isSliver);
}

std::size_t improveTets(TetMesh& mesh, double angle, Monitor* monitor) {
    Improver improver(mesh, angle);
    std::size_t total = 0;
    for (int i = 0; i < kRounds; ++i) {
        throwIfCancelled(monitor);
        const std::size_t changes = improver.round(monitor);
        total += changes;
        if (changes == 0) break;
    }
    improver.finish();
    if (total > 0) ++mesh.topologyVersion;
    return total;
}

}  // namespace sunder
