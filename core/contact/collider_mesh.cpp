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
constexpr int kMostHalvings = 40;
constexpr double kLeastVolume = 0.1;  // of a tet, against what it has in an even layer
constexpr double kUnseen = 0.01;      // cosine between a column and a triangle

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

class SlabPlacer {
  public:
    SlabPlacer(ColliderSlab& slab, Span<const Vec3> x) : slab_(slab), patches_(slab.patches), x_(x) {
        validateColliderPositions(x);
        computeDoubleAreas(patches_, x, doubleArea_);
        computeDirections(patches_, x, doubleArea_, direction_);
        folded_.assign(patches_.triangle.size(), 0);
        slab_.vertices.resize(2 * patches_.columnCount());
    }

    /// Halves `reach` where tets would be inverted.
    ColliderPlacement place(std::vector<double>& reach) {
        ColliderPlacement placement;
        taper(placement);
        const std::vector<double> before = reach;
        placeVertices(reach);
        for (int round = 0; round < kMostHalvings && findFolds(); ++round) {
            halve(reach);
            placeVertices(reach);
        }
        for (std::size_t t = 0; t < folded_.size(); ++t) {
            bool less = false;
            for (const std::int32_t c : patches_.columns[t]) less |= reach[c] < before[c];
            if (less) tell(placement.shortened, t);
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

    void tell(ColliderTrouble& trouble, std::size_t t) const {
        const Tri& v = patches_.corners[t];
        trouble.add(patches_.triangle[t], (x_[v[0]] + x_[v[1]] + x_[v[2]]) / 3);
    }

    /// Where no direction is behind all triangles around a vertex, fronts and backs coincide: one of a prism's tets is flat there and
    /// the others are right.
    void taper(ColliderPlacement& placement) {
        std::vector<std::uint8_t> unseen(direction_.size(), 0);
        for (std::size_t t = 0; t < folded_.size(); ++t) {
            const double most = kUnseen * doubleArea_[t].norm();
            for (int k = 0; k < 3; ++k) {
                const std::int32_t c = patches_.columns[t][k];
                if (patches_.side[t][k] * doubleArea_[t].dot(direction_[c]) < most) unseen[c] = 1;
            }
        }
        for (std::size_t c = 0; c < unseen.size(); ++c)
            if (unseen[c]) direction_[c].setZero();
        for (std::size_t t = 0; t < folded_.size(); ++t) {
            const Tri& c = patches_.columns[t];
            if (doubleArea_[t] != Vec3::Zero() && (unseen[c[0]] || unseen[c[1]] || unseen[c[2]])) tell(placement.givenUp, t);
        }
    }

    /// To first order in the thickness, six times a tet's volume is twice the triangle's area times the height of its own column above
    /// the triangle. That is positive, so a thin enough layer is right.
    bool isFolded(std::size_t t) const {
        const Vec3& area = doubleArea_[t];
        if (area == Vec3::Zero()) return false;
        for (std::size_t k = 3 * t; k < 3 * t + 3; ++k) {
            const Vec3 &p = corner(k, 0), &q = corner(k, 1), &r = corner(k, 2), &s = corner(k, 3);
            if (s != p && !((q - p).cross(r - p).dot(s - p) > kLeastVolume * area.dot(s - p))) return true;
        }
        return false;
    }
    const Vec3& corner(std::size_t tet, int k) const { return slab_.vertices[slab_.tets[tet][k]]; }

    bool findFolds() {
        parallelFor(folded_.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t t = first; t < last; ++t) folded_[t] = isFolded(t);
        });
        return std::find(folded_.begin(), folded_.end(), 1) != folded_.end();
    }

    /// Of a folded prism's columns the longest are halved, those within a factor of two.
    void halve(std::vector<double>& reach) const {
        std::vector<std::uint8_t> tooLong(reach.size(), 0);
        for (std::size_t t = 0; t < folded_.size(); ++t) {
            const Tri& c = patches_.columns[t];
            if (folded_[t])
                for (const std::int32_t column : c) tooLong[column] |= reach[column] > 0.5 * std::max({reach[c[0]], reach[c[1]], reach[c[2]]});
        }
        for (std::size_t c = 0; c < reach.size(); ++c)
            if (tooLong[c]) reach[c] *= 0.5;
    }

    ColliderSlab& slab_;
    const ColliderPatches& patches_;
    Span<const Vec3> x_;
    std::vector<Vec3> doubleArea_;      ///< by triangle
    std::vector<Vec3> direction_;       ///< by column
    std::vector<std::uint8_t> folded_;  ///< by triangle
};
}  // namespace

ColliderSlab buildColliderSlab(const ColliderSurface& surface) {
    ColliderSlab slab;
    slab.surfaceVertexCount = surface.positions.size();
    slab.patches = buildColliderPatches(surface, slab.report);
    const std::vector<double> wanted = surface.thickness > 0 ? std::vector<double>(slab.columnCount(), surface.thickness)
                                                             : chooseThickness(slab.patches, surface.positions);
    slab.thickness = *std::max_element(wanted.begin(), wanted.end());
    slab.reach = computeReach(slab.patches, surface.positions, wanted, slab.report);
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
