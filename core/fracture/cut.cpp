#include "core/fracture/cut.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "core/fracture/crack_tip.h"
#include "core/fracture/piece_size.h"
#include "core/mesh/adjacency.h"

namespace sunder {

namespace {
constexpr double kAcross = 0.5;  // cosine; faces between parts that lie flatter than this to the plane are not pulled open
constexpr double kGrazingAngle = 0.35;  // rad, of a plane with a smooth surface that it would peel off

struct Crossing {
    Edge edge;
    double weight;  ///< of the second end
};

void makeUnique(std::vector<std::int32_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// The surface along which a node is to be split, as a height above it that is linear on either side of a crack tip.
class CrackSurface {
  public:
    CrackSurface(const Vec3& origin, const Vec3& normal, const std::optional<CrackTip>& tip, double backCrackAngle) : origin_(origin), ahead_(normal), behind_(normal) {
        if (!tip || backCrackAngle <= 0) return;
        const Vec3 old = tip->normal.dot(normal) < 0 ? Vec3(-tip->normal) : tip->normal;
        const Vec3 forward = tip->forward - tip->forward.dot(normal) * normal;
        if (old.dot(normal) < std::cos(backCrackAngle) || !(forward.norm() > 0)) return;
        // too shallow an angle with the crack that is there: behind the tip, that crack is where it goes
        bent_ = true;
        behind_ = old;
        forward_ = forward.normalized();
    }
    bool bent() const { return bent_; }
    double height(const Vec3& p) const {
        const Vec3 r = p - origin_;
        return r.dot(bent_ && r.dot(forward_) < 0 ? behind_ : ahead_);
    }

  private:
    Vec3 origin_, ahead_, behind_, forward_ = Vec3::Zero();
    bool bent_ = false;
};

class Cutter {
  public:
    Cutter(MeshEditor& editor, std::int32_t node, const CutOptions& options) : e_(editor), node_(node), options_(options) {}

    CutResult run(const Vec3& normal) {
        const NodeSurface around = findNodeSurface(e_.mesh.tets, e_.stars, node_);
        const std::optional<CrackTip> tip = findCrackTip(around, e_.x);
        const std::optional<Vec3> smooth = tip ? std::nullopt : findSmoothNormal(around, e_.x);
        if (smooth && std::abs(smooth->dot(normal)) > std::cos(kGrazingAngle)) {
            result_.grazing = true;
            return result_;
        }
        const CrackSurface surface(at(node_), normal, tip, options_.backCrackAngle);
        measureHeights(surface);
        if (tip && surface.bent())
            for (const std::int32_t v : tip->vertices) height_[v] = 0;
        collectLinkEdges();
        snapToEnds();
        snapForQuality();
        chooseSidesOfParts(surface);
        if (!separates(surface) || !pullsParts(surface, normal)) return result_;
        const std::vector<Crossing> crossings = findCrossings();
        if (options_.smallestPiece > 0 && leavesSmallPiece(surface, crossings)) return result_;
        result_.alongFaces = crossings.empty();
        for (const Crossing& c : crossings) {
            const std::int32_t middle = e_.bisect(c.edge[0], c.edge[1], c.weight);
            height_[middle] = 0;
            result_.touched.push_back(middle);
        }
        open(surface);
        return result_;
    }

  private:
    const Vec3& at(std::int32_t v) const { return e_.x[static_cast<std::size_t>(v)]; }
    const Tet& tet(std::int32_t t) const { return e_.mesh.tets[static_cast<std::size_t>(t)]; }
    const std::vector<std::int32_t>& star() const { return e_.stars.around(node_); }

    void measureHeights(const CrackSurface& surface) {
        const double sine = std::sin(options_.snapAngle);
        for (const std::int32_t t : star())
            for (const std::int32_t v : tet(t)) {
                if (v == node_ || height_.count(v)) continue;
                const double h = surface.height(at(v));
                height_[v] = std::abs(h) <= sine * (at(v) - at(node_)).norm() ? 0 : h;
            }
    }

    void collectLinkEdges() {
        for (const std::int32_t t : star())
            for (const auto& e : kTetEdges) {
                const std::int32_t a = tet(t)[static_cast<std::size_t>(e[0])], b = tet(t)[static_cast<std::size_t>(e[1])];
                if (a != node_ && b != node_) link_.push_back({std::min(a, b), std::max(a, b)});
            }
        std::sort(link_.begin(), link_.end());
        link_.erase(std::unique(link_.begin(), link_.end()), link_.end());
        if (!options_.part.empty()) link_.erase(std::remove_if(link_.begin(), link_.end(), [&](const Edge& e) { return touchesPart(e); }), link_.end());
    }

    std::int32_t partOf(std::int32_t t) const {
        const auto i = static_cast<std::size_t>(t);
        return i < options_.part.size() ? options_.part[i] : -1;
    }

    bool touchesPart(const Edge& e) const {
        const std::vector<std::int32_t> tets = e_.stars.around(e[0], e[1]);
        return std::any_of(tets.begin(), tets.end(), [&](std::int32_t t) { return partOf(t) >= 0; });
    }

    Vec3 centreOf(std::int32_t t) const {
        Vec3 centre = Vec3::Zero();
        for (const std::int32_t v : tet(t)) centre += 0.25 * at(v);
        return centre;
    }

    /// All tets of a part are on the side on which most of it lies, as far as it is around the node.
    void chooseSidesOfParts(const CrackSurface& surface) {
        if (options_.part.empty()) return;
        for (const std::int32_t t : star())
            if (partOf(t) >= 0) partHeight_[partOf(t)] += restVolume(e_.mesh, static_cast<std::size_t>(t)) * surface.height(centreOf(t));
    }

    /// False if the faces between parts that would open lie along what pulls.
    bool pullsParts(const CrackSurface& surface, const Vec3& normal) {
        if (partHeight_.empty()) return true;
        double across = 0, all = 0;
        for (const std::int32_t s : star())
            for (const std::int32_t t : star()) {
                if (s >= t || partOf(s) < 0 || partOf(t) < 0 || sideOf(s, surface) == sideOf(t, surface)) continue;
                const int f = sharedFace(tet(s), tet(t));
                if (f < 0) continue;
                const auto x = [&](int c) -> const Vec3& { return at(tet(s)[static_cast<std::size_t>(kTetFaces[f][c])]); };
                const Vec3 area = (x(1) - x(0)).cross(x(2) - x(0));
                across += std::abs(area.dot(normal));
                all += area.norm();
            }
        result_.heldByParts = across < kAcross * all;
        return !result_.heldByParts;
    }

    /// Of a tet that will be cut: the share of its volume above the crack.
    double shareAbove(std::int32_t t, const std::vector<Crossing>& crossings) const {
        double above = 0, all = 0;
        for (const Piece& piece : piecesOf(t, crossings)) {
            double height = 0;
            for (const std::int32_t v : piece.corners)
                if (v >= 0 && v != node_) height += height_.at(v);
            const double volume = signedVolume(piece.rest[0], piece.rest[1], piece.rest[2], piece.rest[3]);
            all += volume;
            if (height > 0) above += volume;
        }
        return above / all;
    }

    bool leavesSmallPiece(const CrackSurface& surface, const std::vector<Crossing>& crossings) {
        const std::function<int(std::int32_t)> side = [&](std::int32_t t) { return sideOf(t, surface); };
        const std::function<double(std::int32_t)> above = [&](std::int32_t t) { return shareAbove(t, crossings); };
        result_.tooSmall = sunder::leavesSmallPiece(e_.mesh, e_.stars, {node_, height_, side, above}, options_.smallestPiece);
        return result_.tooSmall;
    }

    std::vector<Crossing> findCrossings() const {
        std::vector<Crossing> crossings;
        for (const Edge& e : link_) {
            const double a = height_.at(e[0]), b = height_.at(e[1]);
            if (a * b < 0) crossings.push_back({e, a / (a - b)});
        }
        return crossings;
    }

    void snap(const Crossing& c) { height_[c.edge[c.weight < 0.5 ? 0 : 1]] = 0; }

    /// Cuts that are too near to an end of an edge go through the end; that may bring others near to theirs.
    void snapToEnds() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const Crossing& c : findCrossings()) {
                if (std::min(c.weight, 1 - c.weight) >= options_.snapShare) continue;
                snap(c);
                changed = true;
                break;
            }
        }
    }

    /// Of all tets around the edges that would be cut, those whose parts are poor give up their shortest cut, until none is left.
    void snapForQuality() {
        for (;;) {
            const std::vector<Crossing> crossings = findCrossings();
            const Crossing* worst = nullptr;
            for (const std::int32_t t : tetsAround(crossings))
                if (const Crossing* c = poorCut(t, crossings))
                    if (!worst || std::min(c->weight, 1 - c->weight) < std::min(worst->weight, 1 - worst->weight)) worst = c;
            if (!worst) return;
            snap(*worst);
            ++result_.snappedForQuality;
        }
    }

    std::vector<std::int32_t> tetsAround(const std::vector<Crossing>& crossings) const {
        std::vector<std::int32_t> tets;
        for (const Crossing& c : crossings)
            for (const std::int32_t t : e_.stars.around(c.edge[0], c.edge[1])) tets.push_back(t);
        makeUnique(tets);
        return tets;
    }

    struct Piece {
        Tet corners;  ///< of vertices, or -1 - number of a crossing
        Vec3 rest[4];
    };

    /// The parts of a tet after all cuts, in the order in which they will be made.
    std::vector<Piece> piecesOf(std::int32_t t, const std::vector<Crossing>& crossings) const {
        Piece whole{tet(t), {}};
        for (std::size_t c = 0; c < 4; ++c) whole.rest[c] = e_.mesh.rest[static_cast<std::size_t>(whole.corners[c])];
        std::vector<Piece> pieces{whole};
        for (std::size_t k = 0; k < crossings.size(); ++k) {
            const std::size_t count = pieces.size();
            for (std::size_t i = 0; i < count; ++i) {
                const int a = cornerOf(pieces[i].corners, crossings[k].edge[0]), b = cornerOf(pieces[i].corners, crossings[k].edge[1]);
                if (a < 0 || b < 0) continue;
                const Vec3 middle = (1 - crossings[k].weight) * pieces[i].rest[a] + crossings[k].weight * pieces[i].rest[b];
                Piece far = pieces[i];
                for (auto [piece, corner] : {std::pair(&pieces[i], b), std::pair(&far, a)}) {
                    piece->corners[static_cast<std::size_t>(corner)] = -1 - static_cast<std::int32_t>(k);
                    piece->rest[corner] = middle;
                }
                pieces.push_back(far);
            }
        }
        return pieces;
    }

    bool isPoor(const Piece& piece, double quality) const {
        return tetQuality(piece.rest[0], piece.rest[1], piece.rest[2], piece.rest[3]) < quality || tetAltitude(piece.rest[0], piece.rest[1], piece.rest[2], piece.rest[3]) < options_.smallestAltitude;
    }

    /// The shortest of the cuts of a tet if some part of it would be poor, else null.
    const Crossing* poorCut(std::int32_t t, const std::vector<Crossing>& crossings) const {
        const std::vector<Piece> pieces = piecesOf(t, crossings);
        if (pieces.size() == 1) return nullptr;
        const auto rest = [&](std::size_t c) -> const Vec3& { return e_.mesh.rest[static_cast<std::size_t>(tet(t)[c])]; };
        const double quality = std::min(options_.smallestQuality, options_.qualityShare * tetQuality(rest(0), rest(1), rest(2), rest(3)));
        if (std::none_of(pieces.begin(), pieces.end(), [&](const Piece& p) { return isPoor(p, quality); })) return nullptr;
        const Crossing* shortest = nullptr;
        for (const Crossing& c : crossings)
            if (cornerOf(tet(t), c.edge[0]) >= 0 && cornerOf(tet(t), c.edge[1]) >= 0)
                if (!shortest || std::min(c.weight, 1 - c.weight) < std::min(shortest->weight, 1 - shortest->weight)) shortest = &c;
        return shortest;
    }

    /// +1 or -1; of a tet that lies in the surface, or that is not to be cut, by its centre; 0: it is to be cut.
    int sideOf(std::int32_t t, const CrackSurface& surface) const {
        if (partOf(t) >= 0) return partHeight_.at(partOf(t)) < 0 ? -1 : 1;
        double low = 0, high = 0;
        for (const std::int32_t v : tet(t)) {
            if (v == node_) continue;
            low = std::min(low, height_.at(v));
            high = std::max(high, height_.at(v));
        }
        if (high > 0 && low == 0) return 1;
        if (low < 0 && high == 0) return -1;
        if (high > 0 && isToBeCut(t)) return 0;
        return surface.height(centreOf(t)) < 0 ? -1 : 1;
    }

    /// A tet on both sides is, unless all its edges that cross are of parts, too.
    bool isToBeCut(std::int32_t t) const {
        return options_.part.empty() || std::any_of(link_.begin(), link_.end(), [&](const Edge& e) {
                   return cornerOf(tet(t), e[0]) >= 0 && cornerOf(tet(t), e[1]) >= 0 && height_.at(e[0]) * height_.at(e[1]) < 0;
               });
    }

    bool separates(const CrackSurface& surface) const {
        bool above = false, below = false;
        for (const std::int32_t t : star()) {
            const int side = sideOf(t, surface);
            above |= side >= 0;
            below |= side <= 0;
        }
        return above && below;
    }

    void open(const CrackSurface& surface) {
        std::map<std::int32_t, int> side;
        std::vector<std::int32_t> vertices;
        for (const std::int32_t t : star()) {
            side[t] = sideOf(t, surface);
            for (const std::int32_t v : tet(t)) result_.touched.push_back(v);
        }
        for (const auto& [s, sideS] : side)
            for (const auto& [t, sideT] : side) {
                if (sideS <= sideT) continue;
                const int f = sharedFace(tet(s), tet(t)), g = sharedFace(tet(t), tet(s));
                if (f < 0) continue;
                opened_.push_back({std::min(s, t), std::max(s, t)});
                OpenedFace face{s, f, t, g, {}};
                for (std::size_t k = 0; k < 3; ++k) {
                    const std::int32_t v = tet(s)[static_cast<std::size_t>(kTetFaces[f][k])];
                    face.lowerCorners[k] = cornerOf(tet(t), v);
                    vertices.push_back(v);
                }
                faces_.push_back(face);
            }
        std::sort(opened_.begin(), opened_.end());
        makeUnique(vertices);
        splitVertices(vertices, side);
        noteOpened();
    }

    /// Tets around a vertex by groups that hold together through faces which are not opened; the first has the upper side, or else the first tet.
    std::vector<std::vector<std::int32_t>> groupsAround(std::int32_t vertex, const std::map<std::int32_t, int>& side) const {
        const std::vector<std::int32_t>& tets = e_.stars.around(vertex);
        std::vector<std::size_t> group(tets.size());
        std::iota(group.begin(), group.end(), std::size_t{0});
        const auto root = [&](std::size_t i) {
            while (group[i] != i) i = group[i] = group[group[i]];
            return i;
        };
        for (std::size_t i = 0; i < tets.size(); ++i)
            for (std::size_t j = i + 1; j < tets.size(); ++j)
                if (sharedFace(tet(tets[i]), tet(tets[j])) >= 0 && !std::binary_search(opened_.begin(), opened_.end(), Edge{tets[i], tets[j]}))
                    group[std::max(root(i), root(j))] = std::min(root(i), root(j));
        std::map<std::size_t, std::vector<std::int32_t>> byRoot;
        for (std::size_t i = 0; i < tets.size(); ++i) byRoot[root(i)].push_back(tets[i]);
        std::vector<std::vector<std::int32_t>> groups;
        for (auto& [first, list] : byRoot) groups.push_back(std::move(list));
        const auto isUpper = [&](const std::vector<std::int32_t>& list) {
            return std::any_of(list.begin(), list.end(), [&](std::int32_t t) {
                const auto place = side.find(t);
                return place != side.end() && place->second > 0;
            });
        };
        std::stable_partition(groups.begin(), groups.end(), isUpper);
        return groups;
    }

    void splitVertices(const std::vector<std::int32_t>& vertices, const std::map<std::int32_t, int>& side) {
        // all groups are found before any number changes
        std::vector<std::vector<std::vector<std::int32_t>>> groups;
        for (const std::int32_t v : vertices) groups.push_back(groupsAround(v, side));
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            if (groups[k].size() == 1) result_.tips.push_back(vertices[k]);
            for (std::size_t g = 1; g < groups[k].size(); ++g) {
                const std::int32_t copy = e_.splitOff(vertices[k], groups[k][g]);
                result_.copies.push_back(copy);
                result_.touched.push_back(copy);
            }
        }
    }

    /// Faces that no longer have the same vertices on both sides are open.
    void noteOpened() {
        for (const OpenedFace& face : faces_) {
            const auto& [s, f, t, g, lowerCorners] = face;
            if (sharedFace(tet(s), tet(t)) >= 0) continue;
            e_.insideFaces[static_cast<std::size_t>(s)] |= static_cast<std::uint8_t>(1u << f);
            e_.insideFaces[static_cast<std::size_t>(t)] |= static_cast<std::uint8_t>(1u << g);
            const auto rest = [&](int c) -> const Vec3& { return e_.mesh.rest[static_cast<std::size_t>(tet(s)[static_cast<std::size_t>(kTetFaces[f][c])])]; };
            const double area = 0.5 * (rest(1) - rest(0)).cross(rest(2) - rest(0)).norm();
            result_.area += area;
            notePairs(face, area);
        }
        result_.opened = !result_.copies.empty();
        if (!result_.opened) result_.tips.clear();
        makeUnique(result_.touched);
    }

    struct OpenedFace {
        std::int32_t upper;
        int upperFace;
        std::int32_t lower;
        int lowerFace;
        std::array<int, 3> lowerCorners;  ///< where the corners of the upper face are in the lower tet
    };

    /// The area of a face falls to those of its corners that have been split, in equal parts.
    void notePairs(const OpenedFace& face, double area) {
        std::vector<OpenedPair> pairs;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t a = tet(face.upper)[static_cast<std::size_t>(kTetFaces[face.upperFace][k])], b = tet(face.lower)[static_cast<std::size_t>(face.lowerCorners[k])];
            if (a != b) pairs.push_back({a, b, face.upper, 0});
        }
        for (OpenedPair& pair : pairs) {
            pair.area = area / static_cast<double>(pairs.size());
            e_.edit.opened.push_back(pair);
        }
    }

    MeshEditor& e_;
    std::int32_t node_;
    const CutOptions& options_;
    CutResult result_;
    std::map<std::int32_t, double> height_;  ///< of the vertices around the node above the surface
    std::vector<Edge> link_;                 ///< edges of their tets that are opposite to the node and may be cut
    std::map<std::int32_t, double> partHeight_;  ///< of the parts around the node, times volume
    std::vector<Edge> opened_;               ///< pairs of tets between which it opens
    std::vector<OpenedFace> faces_;
};
}  // namespace

CutResult cutAt(MeshEditor& editor, std::int32_t node, const Vec3& normal, const CutOptions& options) {
    return Cutter(editor, node, options).run(normal);
}

}  // namespace sunder
