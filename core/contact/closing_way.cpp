#include "core/contact/closing_way.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/contact/continuous.h"
#include "core/contact/feature_spans.h"
#include "core/contact/overlap.h"
#include "core/math/wide.h"

namespace sunder {

namespace {
constexpr double kAim = 0.9;        // of the depth: a body that is held back shall not be in question again for a hair
constexpr double kFolded = 0.1;     // sine of the angle by which a surface may reach over the plane of a touch
constexpr double kParallel = 1e-6;  // sine of the angle below which edges span no plane
constexpr double kMinor = 0.25;     // a way of that part of the other's, or less, is not what has to be held back
constexpr unsigned kAllCorners = 15;

using Lanes = Wide<double, 4>;

double lowestOf(const Lanes& w) { return std::min(std::min(w[0], w[1]), std::min(w[2], w[3])); }
double highestOf(const Lanes& w) { return std::max(std::max(w[0], w[1]), std::max(w[2], w[3])); }

/// Four points side by side.
struct PointLanes {
    Lanes x, y, z;

    PointLanes() = default;
    explicit PointLanes(const std::array<Vec3, 4>& p) {
        for (int k = 0; k < 4; ++k) set(k, p[static_cast<std::size_t>(k)]);
    }
    void set(int lane, const Vec3& p) {
        x.set(lane, p.x());
        y.set(lane, p.y());
        z.set(lane, p.z());
    }
    Lanes along(const Vec3& n) const { return Lanes(n.x()) * x + Lanes(n.y()) * y + Lanes(n.z()) * z; }
};

struct MovingTet {
    const BodyWay& body;
    std::size_t number;  ///< among the skin tets
    const ElementCorners& tet;
    SkinFeatures features;
    std::array<Vec3, 4> start, way;

    explicit MovingTet(const TetWay& t)
        : body(*t.body), number(t.skinTet), tet(body.shape->corners[t.skinTet]), features(body.shape->features[t.skinTet]) {
        for (std::size_t k = 0; k < 4; ++k) {
            const auto v = static_cast<std::size_t>(tet[k]);
            start[k] = body.start[v];
            way[k] = body.share * (body.end[v] - body.start[v]);
        }
    }
    Vec3 at(int k, double t) const { return start[static_cast<std::size_t>(k)] + t * way[static_cast<std::size_t>(k)]; }
    std::array<Vec3, 4> corners(double t) const { return {at(0, t), at(1, t), at(2, t), at(3, t)}; }
    Vec3 centre(double t) const { return 0.25 * (at(0, t) + at(1, t) + at(2, t) + at(3, t)); }
    Vec3 faceArea(int f, double t) const {
        const auto& k = kTetFaces[f];
        return (at(k[1], t) - at(k[0], t)).cross(at(k[2], t) - at(k[0], t));
    }
    Vec3 faceNormal(int f, double t) const { return faceArea(f, t).normalized(); }
};

bool has(std::uint8_t mask, int bit) { return (mask >> bit & 1) != 0; }

Vec3 triangleNormal(const BodyWay& body, std::int32_t triangle, double t) {
    const Tri c = body.shape->triangle(triangle);
    const Vec3 origin = body.at(c[0], t);
    return (body.at(c[1], t) - origin).cross(body.at(c[2], t) - origin);
}

/// On which sides of a plane something lies, as sines.
struct Sides {
    double lowest = HUGE_VAL, highest = -HUGE_VAL;

    void add(double height, double distance) {
        const double sine = distance > 0 ? height / distance : 0;
        lowest = std::min(lowest, sine);
        highest = std::max(highest, sine);
    }
    bool above() const { return lowest >= -kFolded; }
    bool below() const { return highest <= kFolded; }
};

/// The surface around a vertex.
Sides sidesOfStar(const BodyWay& body, std::int32_t vertex, const Vec3& n, double t) {
    Sides sides;
    const Vec3 x = body.at(vertex, t);
    for (const std::int32_t k : body.shape->trianglesAround[static_cast<std::size_t>(vertex)])
        for (const std::int32_t q : body.shape->triangle(k))
            if (q != vertex) {
                const Vec3 d = body.at(q, t) - x;
                sides.add(n.dot(d), d.norm());
            }
    return sides;
}

struct MovingEdge {
    const MovingTet& m;
    int k;

    std::int32_t vertex(int end) const { return m.tet[static_cast<std::size_t>(kTetEdges[k][end])]; }
    Vec3 start(int end) const { return m.start[static_cast<std::size_t>(kTetEdges[k][end])]; }
    Vec3 at(int end, double t) const { return m.at(kTetEdges[k][end], t); }
    Vec3 along(double t) const { return (at(1, t) - at(0, t)).normalized(); }
    unsigned corners() const { return 1u << kTetEdges[k][0] | 1u << kTetEdges[k][1]; }

    /// Calls work(triangle, its corner across) for the triangles at the edge.
    template <class Work>
    void forEachWing(Work&& work) const {
        const std::int32_t p = vertex(0), q = vertex(1);
        for (const std::int32_t triangle : m.body.shape->trianglesAround[static_cast<std::size_t>(p)]) {
            const Tri c = m.body.shape->triangle(triangle);
            if (std::find(c.begin(), c.end(), q) == c.end()) continue;
            for (const std::int32_t v : c)
                if (v != p && v != q) work(triangle, v);
        }
    }
    Sides sides(const Vec3& n, double t) const {
        Sides sides;
        const Vec3 x = at(0, t), e = along(t);
        forEachWing([&](std::int32_t, std::int32_t v) {
            const Vec3 d = m.body.at(v, t) - x;
            sides.add(n.dot(d), d.cross(e).norm());
        });
        return sides;
    }
};

/// Numbers in the order in which they came first.
class FirstComes {
  public:
    std::vector<std::int32_t> items;

    /// For numbers below `limit`.
    void clear(std::size_t limit) {
        items.clear();
        if (seen_.size() < limit) seen_.resize(limit, 0);
        if (++now_ != 0) return;
        std::fill(seen_.begin(), seen_.end(), 0);
        now_ = 1;
    }
    bool add(std::int32_t item) {
        const bool isNew = std::exchange(seen_[static_cast<std::size_t>(item)], now_) != now_;
        if (isNew) items.push_back(item);
        return isNew;
    }

  private:
    std::vector<std::uint32_t> seen_;  ///< when a number came last
    std::uint32_t now_ = 0;
};

/// Room for the lists of a patch.
struct PatchRoom {
    FirstComes vertices, triangles;
};

/// The corners of a tet and the surface around them: a tet alone may look as if it could leave sideways where the surface goes on.
class Patch {
  public:
    std::vector<Vec3> normals;

    void set(const MovingTet& m, double t, PatchRoom& room) {
        const ContactShape& shape = *m.body.shape;
        room.vertices.clear(shape.trianglesAround.size());
        room.triangles.clear(4 * shape.corners.size());
        for (const std::int32_t v : m.tet) room.vertices.add(v);
        for (const std::int32_t v : m.tet)
            for (const std::int32_t k : shape.trianglesAround[static_cast<std::size_t>(v)])
                if (room.triangles.add(k))
                    for (const std::int32_t q : shape.triangle(k)) room.vertices.add(q);
        setPoints(m.body, t, room.vertices.items);
        normals.clear();
        Vec3 sum = Vec3::Zero();
        for (const std::int32_t k : room.triangles.items) {
            const Vec3 area = triangleNormal(m.body, k, t);
            sum += area;
            addNormal(area);
        }
        addNormal(sum);  // at edges and tips, the way out leads along no triangle's normal
    }
    double lowest(const Vec3& n) const {
        Lanes least = points_.front().along(n);
        for (const PointLanes& p : points_) least = min(least, p.along(n));
        return lowestOf(least);
    }
    double highest(const Vec3& n) const {
        Lanes most = points_.front().along(n);
        for (const PointLanes& p : points_) most = max(most, p.along(n));
        return highestOf(most);
    }

  private:
    /// The last lanes repeat the last vertex.
    void setPoints(const BodyWay& body, double t, const std::vector<std::int32_t>& vertices) {
        points_.resize((vertices.size() + 3) / 4);
        for (std::size_t k = 0; k < 4 * points_.size(); ++k)
            points_[k / 4].set(static_cast<int>(k % 4), body.at(vertices[std::min(k, vertices.size() - 1)], t));
    }
    void addNormal(const Vec3& along) {
        const double length = along.norm();
        if (length > 0) normals.push_back(along / length);
    }

    std::vector<PointLanes> points_;
};

/// Where tets are at the start depends on nothing else, and each is in many pairs: the patches that were asked for last are kept.
class KeptPatches {
  public:
    const Patch& of(const MovingTet& m, double t, PatchRoom& room) {
        const bool mayKeep = t == 0 && m.body.number != 0;
        Slot& slot = slots_[mayKeep ? (31 * m.body.number + m.number) % kSlots : kSlots];
        if (mayKeep && slot.body == m.body.number && slot.tet == m.number) return slot.patch;
        slot.body = mayKeep ? m.body.number : 0;
        slot.tet = m.number;
        slot.patch.set(m, t, room);
        return slot.patch;
    }

  private:
    static constexpr std::size_t kSlots = 256;
    struct Slot {
        std::uint64_t body = 0;
        std::size_t tet = 0;
        Patch patch;
    };
    std::vector<Slot> slots_{kSlots + 1};  ///< the last for those that are not kept
};

struct Patches {
    const Patch &a, &b;

    /// How far a would have to go along n to be out of b.
    double wayOut(const Vec3& n) const { return b.highest(n) - a.lowest(n); }
};

/// Valid until the thread asks again.
Patches patchesOf(const MovingTet& a, const MovingTet& b, double t) {
    static thread_local PatchRoom room;
    static thread_local KeptPatches ofA, ofB;  // a pair has one of each
    return {ofA.of(a, t, room), ofB.of(b, t, room)};
}

/// All directions lead from b to a.
class PairCheck {
  public:
    PairCheck(const TetWay& a, const TetWay& b, double depth) : a_(a), b_(b), depth_(depth), same_(a.body == b.body) {}

    WayLimit run(PairStart& start) {
        if (start.apart || stayApart(start.apart)) return limit_;
        lookAtStart(start);
        if (start.overlaps) limitCrossed(0, start.out);
        const FeatureSpans spansA(a_.corners(0), a_.corners(1)), spansB(b_.corners(0), b_.corners(1));
        meetVertices(a_, spansA, b_, spansB, false);
        meetVertices(b_, spansB, a_, spansA, true);
        meetEdges(spansA, spansB);
        if (crossed_ < 1) limitCrossed(crossed_, shortestWayOut(crossed_));
        return limit_;
    }

  private:
    /// A fixed plane lies between the tets at the start, and they reach over it by no more than the depth at the end, and so all the way. If
    /// they would not even where only one of them went, they do not with any less of their ways either, as the reach of each is convex in
    /// its share: then they are apart `forGood`.
    bool stayApart(bool& forGood) const {
        const std::array<Vec3, 4> aEnd = a_.corners(1), bEnd = b_.corners(1);
        return partedByFaces(b_, a_.start, bEnd, aEnd, forGood) || partedByFaces(a_, b_.start, aEnd, bEnd, forGood) || partedByCentres(aEnd, bEnd);
    }

    /// By a plane along one of the faces of `m`: one lane a face.
    bool partedByFaces(const MovingTet& m, const std::array<Vec3, 4>& other, const std::array<Vec3, 4>& end, const std::array<Vec3, 4>& otherEnd,
                       bool& forGood) const {
        PointLanes n;
        for (int f = 0; f < 4; ++f) n.set(f, m.faceArea(f, 0));
        const Lanes high = highestAlong(n, m.start), low = lowestAlong(n, other);
        const auto parted = high <= low;
        if (!parted.any()) return false;
        const Lanes room = Lanes(depth_) * sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
        const Lanes highEnd = highestAlong(n, end), lowEnd = lowestAlong(n, otherEnd);
        forGood = (parted & (max(high, highEnd) - min(low, lowEnd) <= room)).any();
        return forGood || (parted & (highEnd - lowEnd <= room)).any();
    }

    bool partedByCentres(const std::array<Vec3, 4>& aEnd, const std::array<Vec3, 4>& bEnd) const {
        const Vec3 n = a_.centre(0) - b_.centre(0);
        if (!(highestOf(PointLanes(b_.start).along(n)) <= lowestOf(PointLanes(a_.start).along(n)))) return false;
        return highestOf(PointLanes(bEnd).along(n)) - lowestOf(PointLanes(aEnd).along(n)) <= depth_ * n.norm();
    }

    static Lanes lowestAlong(const PointLanes& n, const std::array<Vec3, 4>& x) {
        return min(min(n.along(x[0]), n.along(x[1])), min(n.along(x[2]), n.along(x[3])));
    }
    static Lanes highestAlong(const PointLanes& n, const std::array<Vec3, 4>& x) {
        return max(max(n.along(x[0]), n.along(x[1])), max(n.along(x[2]), n.along(x[3])));
    }

    void lookAtStart(PairStart& start) const {
        if (start.known) return;
        start.known = true;
        start.overlaps = overlapAtStart();
        if (start.overlaps) start.out = shortestWayOut(0);
    }

    bool overlapAtStart() const {
        const OverlapTet a = makeOverlapTet(a_.start), b = makeOverlapTet(b_.start);
        OverlapPolyhedron p;
        return !separated(a, b) && clipTets(a, b, p);
    }

    /// Between bodies every feature comes up with the tet that owns it. In one body it may be that tet whose pair is left out because
    /// the two share a vertex.
    std::uint8_t verticesOf(const MovingTet& m) const { return same_ ? m.features.vertices : m.features.ownVertices; }
    std::uint8_t edgesOf(const MovingTet& m) const { return same_ ? m.features.edges : m.features.ownEdges; }

    void meetVertices(const MovingTet& v, const FeatureSpans& spansV, const MovingTet& f, const FeatureSpans& spansF, bool faceIsA) {
        for (int i = 0; i < 4; ++i) {
            if (!has(verticesOf(v), i)) continue;
            const unsigned near = f.features.faces & spansF.facesNear(spansV, i);
            for (int k = 0; k < 4; ++k)
                if (near >> k & 1) meetVertex(v, i, f, k, faceIsA);
        }
    }

    void meetVertex(const MovingTet& v, int i, const MovingTet& f, int k, bool faceIsA) {
        const auto& c = kTetFaces[k];
        const auto t = vertexFaceTouch({v.at(i, 0), f.at(c[0], 0), f.at(c[1], 0), f.at(c[2], 0)},
                                       {v.at(i, 1), f.at(c[0], 1), f.at(c[1], 1), f.at(c[2], 1)});
        if (!t || *t >= 1) return;
        const Vec3 n = f.faceNormal(k, *t);
        const Sides star = sidesOfStar(v.body, v.tet[static_cast<std::size_t>(i)], n, *t);
        if (!(n.squaredNorm() > 0.5) || !(star.above() || star.below())) {
            crossed_ = std::min(crossed_, *t);
            return;
        }
        // below: the vertex comes out of the other body, on its far side
        const bool above = star.above() && star.below() ? n.dot(v.centre(*t) - f.centre(*t)) > 0 : star.above();
        const Vec3 d = above == faceIsA ? Vec3(-n) : n;
        const unsigned vertex = 1u << i, face = kAllCorners & ~(1u << k);
        limit(*t, d, faceIsA ? face : vertex, faceIsA ? vertex : face);
    }

    void meetEdges(const FeatureSpans& spansA, const FeatureSpans& spansB) {
        for (int i = 0; i < 6; ++i) {
            if (!has(edgesOf(a_), i)) continue;
            const unsigned near = edgesOf(b_) & spansB.edgesNear(spansA, i);
            for (int j = 0; j < 6; ++j)
                if (near >> j & 1) meetEdge({a_, i}, {b_, j});
        }
    }

    void meetEdge(const MovingEdge& e, const MovingEdge& g) {
        const auto t = edgeEdgeTouch({e.at(0, 0), e.at(1, 0), g.at(0, 0), g.at(1, 0)}, {e.at(0, 1), e.at(1, 1), g.at(0, 1), g.at(1, 1)});
        if (!t || *t >= 1) return;
        const Vec3 cross = e.along(*t).cross(g.along(*t));
        if (!(cross.norm() > kParallel)) {
            crossed_ = std::min(crossed_, *t);
            return;
        }
        const Vec3 n = cross.normalized();
        const Sides se = e.sides(n, *t), sg = g.sides(n, *t);
        const bool up = se.above() && sg.below(), down = se.below() && sg.above();
        if (!up && !down) {
            limitCrossedEdges(e, g, *t);
            return;
        }
        const bool towardsA = up && down ? n.dot(a_.centre(*t) - b_.centre(*t)) > 0 : up;
        limit(*t, towardsA ? n : Vec3(-n), e.corners(), g.corners());
    }

    /// At a concave edge both of its triangles count: the other edge may slide from one to the next.
    void limitCrossedEdges(const MovingEdge& e, const MovingEdge& g, double t) {
        const Patches patches = patchesOf(a_, b_, t);
        double least = HUGE_VAL;
        bool byA = false;
        Vec3 best = Vec3::Zero();
        const auto consider = [&](const MovingEdge& edge, bool ofA) {
            edge.forEachWing([&](std::int32_t triangle, std::int32_t) {
                const Vec3 n = triangleNormal(edge.m.body, triangle, t).normalized();
                const double way = patches.wayOut(ofA ? Vec3(-n) : n);
                if (!(way < least)) return;
                least = way;
                byA = ofA;
                best = n;
            });
        };
        consider(g, false);
        consider(e, true);
        const MovingEdge& leading = byA ? e : g;
        const Vec3 x = leading.at(0, t);
        leading.forEachWing([&](std::int32_t triangle, std::int32_t apex) {
            if (best.dot(leading.m.body.at(apex, t) - x) < 0) return;
            const Vec3 n = triangleNormal(leading.m.body, triangle, t).normalized();
            limit(t, byA ? Vec3(-n) : n, e.corners(), g.corners());
        });
        limit(t, byA ? Vec3(-best) : best, e.corners(), g.corners());
    }

    void limitCrossed(double t, const std::optional<Vec3>& out) {
        if (out)
            limit(t, *out, kAllCorners, kAllCorners);
        else
            limitAnyWay(t);
    }

    std::optional<Vec3> shortestWayOut(double t) const {
        const Patches patches = patchesOf(a_, b_, t);
        std::optional<Vec3> best;
        double least = HUGE_VAL;
        const auto consider = [&](const Vec3& n) {
            const double way = patches.wayOut(n);
            if (!(way < least)) return;
            least = way;
            best = n;
        };
        for (const Vec3& n : patches.b.normals) consider(n);
        for (const Vec3& n : patches.a.normals) consider(-n);
        return best;
    }

    /// From time t on, no corner of a goes below one of b by more than it is by then, or not at all, and the depth.
    void limit(double t, const Vec3& d, unsigned cornersA, unsigned cornersB) {
        for (int i = 0; i < 4; ++i) {
            if (!(cornersA >> i & 1)) continue;
            const double xa = d.dot(a_.at(i, 0)), wayA = -d.dot(a_.way[static_cast<std::size_t>(i)]);
            for (int j = 0; j < 4; ++j) {
                if (!(cornersB >> j & 1)) continue;
                const double below = d.dot(b_.at(j, 0)) - xa, wayB = d.dot(b_.way[static_cast<std::size_t>(j)]);
                const double base = std::max(0.0, below + t * (wayA + wayB));
                if (below + wayA + wayB > base + depth_) hold(base + kAim * depth_ - below, wayA, wayB);
            }
        }
    }

    void limitAnyWay(double t) {
        for (const Vec3& u : a_.way)
            for (const Vec3& w : b_.way) {
                const double way = (u - w).norm();
                if ((1 - t) * way > depth_) hold(t * way + kAim * depth_, u.norm(), w.norm());
            }
    }

    /// The two ways may sum up to `room`. A way that is a small part of the other's stays as it is.
    void hold(double room, double wayA, double wayB) {
        const double both = std::max(0.0, room / (wayA + wayB));
        limit_.both = std::min(limit_.both, both);
        const bool onlyA = !same_ && wayB <= kMinor * wayA, onlyB = !same_ && wayA <= kMinor * wayB;
        if (!onlyB) limit_.a = std::min(limit_.a, onlyA ? shareBeside(room, both, wayA, wayB) : both);
        if (!onlyA) limit_.b = std::min(limit_.b, onlyB ? shareBeside(room, both, wayB, wayA) : both);
    }

    /// With all of the other's way gone; where that leaves little, the other will be held back as well.
    static double shareBeside(double room, double both, double way, double others) {
        const double beside = (room - others) / way;
        return beside < 0.5 * both ? both : std::min(1.0, beside);
    }

    MovingTet a_, b_;
    double depth_;
    bool same_;
    double crossed_ = 1;  ///< when features of surfaces that had crossed before touch first
    WayLimit limit_;
};
}  // namespace

double smallestHeight(const std::array<Vec3, 4>& tet) {
    const double six = 6 * std::abs(signedVolume(tet[0], tet[1], tet[2], tet[3]));
    double largestSq = 0;
    for (const auto& f : kTetFaces) largestSq = std::max(largestSq, (tet[f[1]] - tet[f[0]]).cross(tet[f[2]] - tet[f[0]]).squaredNorm());
    return largestSq > 0 ? six / std::sqrt(largestSq) : 0;
}

WayLimit limitWay(const TetWay& a, const TetWay& b, double depth) {
    PairStart start;
    return limitWay(a, b, depth, start);
}

WayLimit limitWay(const TetWay& a, const TetWay& b, double depth, PairStart& start) { return PairCheck(a, b, depth).run(start); }

}  // namespace sunder
