#pragma once

#include "core/contact/overlap.h"

namespace sunder {

/// The kernels of overlap.h as piles want them: the triangles of the faces are listed once for all of them, numbers go four at a time,
/// and faces that are not there cost nothing. Every function gives bit for bit what its namesake there does.

/// The triangles of all faces in the order of forEachFan, and by face.
struct OverlapFans {
    struct Triangle {
        std::uint8_t f, v, w, face;
    };
    static constexpr int kFaces = 8, kCapacity = 3 * OverlapPolyhedron::kCapacity;
    int count = 0;
    std::array<Triangle, kCapacity> triangles;
    std::array<std::uint8_t, kCapacity> byFace;      ///< numbers of the triangles of face 0, then of face 1 ...
    std::array<std::uint8_t, kFaces + 1> firstOf{};  ///< of a face, in there

    /// `p` comes from clipTets.
    explicit OverlapFans(const OverlapPolyhedron& p);
};

/// Cuts `p`, a whole tet, by the four faces of another: column k of `heights` has the values of a linear function at the tet's corners, as
/// cutPolyhedron wants it, and its cut is named 4 + k. Faces with most corners outside come first. Leaves the four functions' values at the vertices in psi.
void cutByHeights(OverlapPolyhedron& p, const Mat4& heights);

OverlapShares computeShares(const OverlapPolyhedron& p, const OverlapFans& fans, const OverlapTet& a);
/// `shares` are those of the overlap, which is not empty.
void computeSlopes(const OverlapPolyhedron& p, const OverlapFans& fans, const OverlapTet& a, const OverlapTet& b,
                   const OverlapShares& shares, OverlapSlopes& slopes);
/// See contact_set.h.
PairVectors computeFacings(const OverlapPolyhedron& p, const OverlapFans& fans, const OverlapTet& a);

}  // namespace sunder
