#include "core/fracture/piece_size.h"

#include <algorithm>
#include <set>

namespace sunder {

namespace {
/// A tet, or the part of it on one side of the crack: 0 for all of a tet that is not around the node.
using Part = std::pair<std::int32_t, int>;

class PieceGrower {
  public:
    PieceGrower(const TetMesh& mesh, const TetStars& stars, const PlannedCut& cut) : mesh_(mesh), stars_(stars), cut_(cut) {
        for (const std::int32_t t : stars.around(cut.node)) side_[t] = cut.sideOf(t);
    }

    bool anySmall(double smallest) {
        for (const auto& [tet, side] : side_)
            for (const int part : {-1, 1})
                if ((side == 0 || side == part) && !enough_.count({tet, part}) && !grow({tet, part}, smallest)) return true;
        return false;
    }

  private:
    /// False if all that holds together with `start` is smaller than `smallest`.
    bool grow(const Part& start, double smallest) {
        std::set<Part> seen{start};
        std::vector<Part> queue{start};
        double volume = 0;
        bool large = false;
        for (std::size_t k = 0; k < queue.size() && !large; ++k) {
            volume += volumeOf(queue[k]);
            large = volume >= smallest;
            visitNeighbours(queue[k], [&](const Part& next) {
                large = large || enough_.count(next) > 0;
                if (seen.insert(next).second) queue.push_back(next);
            });
        }
        if (large) enough_.insert(seen.begin(), seen.end());
        return large;
    }

    double volumeOf(const Part& part) const {
        const double whole = restVolume(mesh_, static_cast<std::size_t>(part.first));
        const auto place = side_.find(part.first);
        if (place == side_.end() || place->second != 0) return whole;
        const double above = cut_.above(part.first);
        return whole * (part.second > 0 ? above : 1 - above);
    }

    /// Some corner of a face, the node apart, lies on a side. Faces that lie in the crack belong to neither.
    bool reaches(const Tri& face, int side) const {
        return std::any_of(face.begin(), face.end(), [&](std::int32_t v) {
            const auto place = cut_.height.find(v);
            return place != cut_.height.end() && place->second * side > 0;
        });
    }

    template <class Visit>
    void visitNeighbours(const Part& part, Visit visit) const {
        const Tet& corners = mesh_.tets[static_cast<std::size_t>(part.first)];
        for (const auto& f : kTetFaces) {
            const Tri face{corners[static_cast<std::size_t>(f[0])], corners[static_cast<std::size_t>(f[1])], corners[static_cast<std::size_t>(f[2])]};
            const std::int32_t other = behind(part.first, face);
            if (other >= 0) visitAcross(part, face, other, visit);
        }
    }

    template <class Visit>
    void visitAcross(const Part& part, const Tri& face, std::int32_t other, Visit visit) const {
        const auto own = side_.find(part.first), theirs = side_.find(other);
        const bool cutHere = own != side_.end() && own->second == 0;
        if (cutHere && !reaches(face, part.second)) return;
        if (theirs == side_.end()) return visit(Part{other, 0});
        if (theirs->second != 0) {
            if (part.second == 0 || part.second == theirs->second) visit(Part{other, theirs->second});
            return;
        }
        for (const int side : {-1, 1})
            if ((part.second == 0 || part.second == side) && reaches(face, side)) visit(Part{other, side});
    }

    std::int32_t behind(std::int32_t tet, const Tri& face) const {
        for (const std::int32_t t : stars_.around(face[0])) {
            const Tet& c = mesh_.tets[static_cast<std::size_t>(t)];
            if (t != tet && cornerOf(c, face[1]) >= 0 && cornerOf(c, face[2]) >= 0) return t;
        }
        return -1;
    }

    const TetMesh& mesh_;
    const TetStars& stars_;
    const PlannedCut& cut_;
    std::map<std::int32_t, int> side_;
    std::set<Part> enough_;  ///< of pieces that are large
};
}  // namespace

bool leavesSmallPiece(const TetMesh& mesh, const TetStars& stars, const PlannedCut& cut, double smallest) {
    return PieceGrower(mesh, stars, cut).anySmall(smallest);
}

}  // namespace sunder
