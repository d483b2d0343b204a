#include "core/contact/collider_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/contact/collider_reach.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 512;
constexpr int kMostHalvings = 24;
constexpr double kLeastVolume = 0.1;  // of a tet, against what it has in an even layer

/// Vertices of a prism, on the side of its triangle's normal and on the other.
struct Prism {
    Tri top, bottom;
};

Prism prismOf(const ColliderPatches& patches, std::size_t t) {
    const auto count = static_cast<std::int32_t>(patches.columnCount());
    Prism prism;
    for (int k = 0; k < 3; ++k) {
        const std::int32_t front = patches.columns[t][k], back = front + count;
        prism.top[k] = patches.side[t][k] > 0 ? front : back;
        prism.bottom[k] = patches.side[t][k] > 0 ? back : front;
    }
    return prism;
}

/// Cuts a prism along diagonals that its neighbours have, too. Of the columns of a triangle the first decides for two sides, so
/// there is always a top vertex k where two diagonals meet, and three tets do.
std::array<Tet, 3> cutPrism(const ColliderPatches& patches, std::size_t t) {
    const auto [top, bottom] = prismOf(patches, t);
    const auto fromTop = [&, &at = top](int i) {  // diagonal of side i to i + 1: from the top of i, or from its bottom
        const int j = (i + 1) % 3;
        const bool isFirst = patches.columns[t][i] < patches.columns[t][j];
        const std::int32_t start = patches.columns[t][isFirst ? i : j];
        return isFirst == (at[isFirst ? i : j] == start);
    };
    int k = 0;
    while (!(fromTop(k) && !fromTop((k + 2) % 3))) ++k;
    const int m = (k + 1) % 3, n = (k + 2) % 3;
    const Tet lowest{bottom[k], bottom[m], bottom[n], top[k]};
    if (fromTop(m)) return {lowest, Tet{bottom[m], bottom[n], top[k], top[m]}, Tet{bottom[n], top[k], top[m], top[n]}};
    return {lowest, Tet{bottom[m], top[n], top[k], top[m]}, Tet{bottom[n], top[k], bottom[m], top[n]}};
}

/// Bits of the faces of a triangle's tet that can be touched.
std::uint8_t outerFacesOf(const ColliderPatches& patches, std::size_t t, const Tet& tet) {
    const Prism prism = prismOf(patches, t);
    const auto has = [](const Tri& list, std::int32_t v) { return v == list[0] || v == list[1] || v == list[2]; };
    std::uint8_t bits = 0;
    for (int i = 0; i < 4; ++i) {
        int tops = 0, columns = 0;  // of the face's vertices; columns as bits
        for (int j = 0; j < 4; ++j) {
            if (j == i) continue;
            tops += has(prism.top, tet[j]);
            for (int k = 0; k < 3; ++k)
                if (tet[j] == prism.top[k] || tet[j] == prism.bottom[k]) columns |= 1 << k;
        }
        bool outer = tops == 3 || (tops == 0 && patches.isTwoSided(t));
        for (int k = 0; k < 3; ++k) outer |= (patches.rim[t] >> k & 1) && columns == (1 << k | 1 << (k + 1) % 3);
        if (outer) bits |= static_cast<std::uint8_t>(1 << i);
    }
    return bits;
}

void buildTets(ColliderSlab& slab) {
    for (std::size_t t = 0; t < slab.patches.triangle.size(); ++t)
        for (const Tet& tet : cutPrism(slab.patches, t)) {
            slab.tets.push_back(tet);
            slab.tetTriangle.push_back(slab.patches.triangle[t]);
            slab.outerFaces.push_back(outerFacesOf(slab.patches, t, tet));
        }
}

enum class PrismState : std::uint8_t { kGood, kFolded, kHopeless };

class SlabPlacer {
  public:
    SlabPlacer(ColliderSlab& slab, Span<const Vec3> x) : slab_(slab), patches_(slab.patches), x_(x) {
        validateColliderPositions(x);
        computeDirections(patches_, x, direction_);
        state_.resize(patches_.triangle.size());
        slab_.vertices.resize(2 * patches_.columnCount());
    }

    /// Halves `reach` where tets would be inverted.
    ColliderPlacement place(std::vector<double>& reach) {
        const std::vector<double> before = reach;
        placeVertices(reach);
        for (int round = 0; round < kMostHalvings && !judge(); ++round) {
            halve(reach);
            placeVertices(reach);
        }
        judge();
        ColliderPlacement placement;
        for (std::size_t t = 0; t < state_.size(); ++t) {
            const Tri &c = patches_.columns[t], &v = patches_.corners[t];
            const Vec3 middle = (x_[v[0]] + x_[v[1]] + x_[v[2]]) / 3;
            bool less = false;
            for (const std::int32_t column : c) less |= reach[column] < before[column];
            if (less) placement.shortened.add(patches_.triangle[t], middle);
            if (state_[t] != PrismState::kGood) placement.givenUp.add(patches_.triangle[t], middle);
        }
        return placement;
    }

  private:
    void placeVertices(const std::vector<double>& reach) {
        const std::size_t count = patches_.columnCount();
        parallelFor(count, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t c = first; c < last; ++c) {
                const Vec3 &at = x_[patches_.vertex[c]], depth = reach[c] * direction_[c];
                slab_.vertices[c] = patches_.twoSided[c] ? Vec3(at + 0.5 * depth) : at;
                slab_.vertices[count + c] = patches_.twoSided[c] ? Vec3(at - 0.5 * depth) : Vec3(at - depth);
            }
        });
    }

    /// To first order in the thickness, six times a tet's volume is twice the triangle's area times the height of its own column above
    /// the triangle: if that is positive, a thin enough layer is right.
    PrismState stateOf(std::size_t t) const {
        const Tri& v = patches_.corners[t];
        const Vec3 &a = x_[v[0]], &b = x_[v[1]], &c = x_[v[2]];
        if (isFlat(a, b, c)) return PrismState::kGood;
        const Vec3 doubleArea = (b - a).cross(c - a);
        PrismState state = PrismState::kGood;
        for (std::size_t k = 3 * t; k < 3 * t + 3; ++k) {
            const Vec3 &p = corner(k, 0), &q = corner(k, 1), &r = corner(k, 2), &s = corner(k, 3);
            const double even = doubleArea.dot(s - p);
            if (!(even > 0)) return PrismState::kHopeless;
            if (!((q - p).cross(r - p).dot(s - p) > kLeastVolume * even)) state = PrismState::kFolded;
        }
        return state;
    }
    const Vec3& corner(std::size_t tet, int k) const { return slab_.vertices[slab_.tets[tet][k]]; }

    /// True if there is nothing to improve.
    bool judge() {
        parallelFor(state_.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t t = first; t < last; ++t) state_[t] = stateOf(t);
        });
        return std::find(state_.begin(), state_.end(), PrismState::kFolded) == state_.end();
    }

    void halve(std::vector<double>& reach) const {
        std::vector<std::uint8_t> folded(reach.size(), 0);
        for (std::size_t t = 0; t < state_.size(); ++t)
            if (state_[t] == PrismState::kFolded)
                for (const std::int32_t c : patches_.columns[t]) folded[c] = 1;
        for (std::size_t c = 0; c < reach.size(); ++c)
            if (folded[c]) reach[c] *= 0.5;
    }

    ColliderSlab& slab_;
    const ColliderPatches& patches_;
    Span<const Vec3> x_;
    std::vector<Vec3> direction_;
    std::vector<PrismState> state_;
};
}  // namespace

ColliderSlab buildColliderSlab(const ColliderSurface& surface) {
    ColliderSlab slab;
    slab.surfaceVertexCount = surface.positions.size();
    slab.patches = buildColliderPatches(surface, slab.report);
    slab.thickness = surface.thickness > 0 ? surface.thickness : chooseThickness(slab.patches, surface.positions);
    slab.reach = computeReach(slab.patches, surface.positions, slab.thickness, slab.report);
    buildTets(slab);
    const ColliderPlacement placement = SlabPlacer(slab, surface.positions).place(slab.reach);
    slab.report.shortened = placement.shortened;
    slab.report.givenUp = placement.givenUp;
    slab.report.thickness = slab.thickness;
    slab.report.thinnest = *std::min_element(slab.reach.begin(), slab.reach.end());
    return slab;
}

ColliderPlacement updateColliderSlab(ColliderSlab& slab, Span<const Vec3> positions) {
    if (positions.size() != slab.surfaceVertexCount)
        throw Error(format("the collider was built with %zu vertices and now has %zu", slab.surfaceVertexCount, positions.size()),
                    "Build it anew where the topology changes.");
    std::vector<double> reach = slab.reach;
    return SlabPlacer(slab, positions).place(reach);
}

}  // namespace sunder
