#include <algorithm>

#include "core/base/parallel.h"
#include "core/meshing/diagnosis.h"
#include "core/spatial/triangle_tree.h"

namespace sunder {

namespace {
using Corners = std::array<Vec3, 3>;

struct Sharing {
    int count = 0;
    std::array<int, 3> inS{}, inT{};  ///< local numbers of the shared corners
};

Sharing sharedCorners(const Tri& s, const Tri& t) {
    Sharing shared;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (s[i] == t[j] && shared.count < 3) {
                shared.inS[shared.count] = i;
                shared.inT[shared.count++] = j;
            }
    return shared;
}

Corners startingAt(const Corners& c, int k) { return {c[k], c[(k + 1) % 3], c[(k + 2) % 3]}; }

bool intersect(const Corners& s, const Corners& t, const Sharing& shared) {
    switch (shared.count) {
        case 0:
            return trianglesMeet(s, t);
        case 1:
            return trianglesMeetBeyondCorner(startingAt(s, shared.inS[0]), startingAt(t, shared.inT[0]));
        case 2: {
            const int sApex = 3 - shared.inS[0] - shared.inS[1], tApex = 3 - shared.inT[0] - shared.inT[1];
            return trianglesFold(s[shared.inS[0]], s[shared.inS[1]], s[sApex], t[tApex]);
        }
        default:
            return false;  // duplicates have a finding of their own
    }
}

bool isSound(const Corners& c) {
    return c[0].allFinite() && c[1].allFinite() && c[2].allFinite() && !isCollinear(c[0], c[1], c[2]);
}

/// Triangles in a tree, with those left out that have no area or no finite corners.
class Candidates {
  public:
    Candidates(Span<const Vec3> positions, Span<const Tri> triangles, Span<const std::int32_t> corner)
        : positions_(positions),
          triangles_(triangles),
          corner_(corner),
          boxes_(triangleBoxes(positions, triangles)) {
        Aabb all;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            sound_.push_back(isSound(corners(i)));
            if (sound_[i]) all.extend(boxes_[i]);
        }
        // NaN would spoil the medians of the tree, so the unsound sit in the middle of the others and are
        // skipped.
        const Vec3 middle = all.empty() ? Vec3(0, 0, 0) : Vec3(all.center());
        for (std::size_t i = 0; i < boxes_.size(); ++i)
            if (!sound_[i]) boxes_[i] = {middle, middle};
        bvh_ = Bvh(boxes_);
    }

    /// Pairs of triangle i with later ones.
    void search(std::size_t i, std::vector<Edge>& out) const {
        if (!sound_[i]) return;
        bvh_.query(boxes_[i], [&](std::int32_t j) {
            if (static_cast<std::size_t>(j) <= i || !sound_[j]) return;
            if (intersect(corners(i), corners(j), sharedCorners(named(i), named(j))))
                out.push_back({static_cast<std::int32_t>(i), j});
        });
    }

  private:
    Corners corners(std::size_t i) const {
        return {positions_[triangles_[i][0]], positions_[triangles_[i][1]], positions_[triangles_[i][2]]};
    }
    Tri named(std::size_t i) const {
        return {corner_[triangles_[i][0]], corner_[triangles_[i][1]], corner_[triangles_[i][2]]};
    }

    Span<const Vec3> positions_;
    Span<const Tri> triangles_;
    Span<const std::int32_t> corner_;
    std::vector<Aabb> boxes_;
    std::vector<std::uint8_t> sound_;
    Bvh bvh_;
};
}  // namespace

std::vector<Edge> findSelfIntersections(Span<const Vec3> positions, Span<const Tri> triangles,
                                        Span<const std::int32_t> corner, Monitor* monitor) {
    const Candidates candidates(positions, triangles, corner);
    constexpr std::size_t kGrain = 256, kBatch = 32768;
    std::vector<std::vector<Edge>> found((triangles.size() + kGrain - 1) / kGrain);
    for (std::size_t start = 0; start < triangles.size(); start += kBatch) {
        throwIfCancelled(monitor);
        parallelFor(std::min(kBatch, triangles.size() - start), kGrain,
                    [&](std::size_t first, std::size_t last) {
                        for (std::size_t i = start + first; i < start + last; ++i)
                            candidates.search(i, found[(start + first) / kGrain]);
                    });
    }
    std::vector<Edge> pairs;
    for (const auto& list : found) pairs.insert(pairs.end(), list.begin(), list.end());
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

}  // namespace sunder
