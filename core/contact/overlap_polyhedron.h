#pragma once

#include <array>
#include <cstdint>

#include "core/math/types.h"

namespace sunder {

/// Row i belongs to corner (or face) i of a tet.
using Mat43 = Eigen::Matrix<double, 4, 3>;
using Mat4 = Eigen::Matrix<double, 4, 4>;

/// A tet as the overlap kernels want it. Prepare it once for all pairs that it is in.
struct OverlapTet {
    Vec3 origin;   ///< corner 0
    Mat43 edge;    ///< corner i minus corner 0; row 0 is zero
    Mat43 normal;  ///< row i: det times the gradient of barycentric function i, so it points into the tet
    double size;   ///< longest edge at corner 0
    double det;    ///< six times the volume; 0 if the tet is inverted or too flat to tell, then it overlaps
                   ///< nothing
    Vec3 corner(int i) const { return origin + edge.row(i).transpose(); }
    Vec3 gradient(int i) const { return normal.row(i).transpose() / det; }
    double volume() const { return det / 6; }
};
OverlapTet makeOverlapTet(const std::array<Vec3, 4>& corners);

/// The part of a tet that is left after cuts by planes: a convex polyhedron of which three edges leave every
/// vertex. Vertices are held by barycentric coordinates of the tet that was cut, which are exact where they
/// are 0 or 1, do not depend on where the tet is, and are as good in a sliver as elsewhere.
///
/// Half-edge h = 4 v + k, k = 0..2 leaves vertex v; its other direction is twin[h] and face[h] lies on its
/// left, seen from outside; k runs counter-clockwise. Faces are named by where they come from: k < 4 is face
/// k of the tet, 4 + k is cut k. The arrays are not cleared: a polyhedron lives on the stack.
struct OverlapPolyhedron {
    static constexpr int kCapacity = 64;  ///< 12 are needed by two tets, 16 by a tet and a box; the rest is
                                          ///< for sign patterns that only rounding can bring
    int count = 0;                        ///< vertices; 0 means empty
    std::array<Vec4, kCapacity> phi;
    std::array<Vec4, kCapacity> psi;  ///< the same of the other tet; only clipTets fills it
    std::array<std::uint8_t, 4 * kCapacity> twin;
    std::array<std::uint8_t, 4 * kCapacity> face;

    bool empty() const { return count == 0; }
    int target(int halfEdge) const { return twin[halfEdge] >> 2; }
};

/// Makes `p` the whole tet.
void resetToTet(OverlapPolyhedron& p);

/// Keeps the part of `p` where a linear function is positive, given by its values at the corners of the tet.
/// Every vertex gets one sign, zero counting as outside, and all that follows is combinatorial: signs that
/// rounding made inconsistent still give a closed surface. The cut face is named `name`.
void cutPolyhedron(OverlapPolyhedron& p, const Vec4& values, int name);

/// Weights w of the vertices such that the integral over the polyhedron of any linear f is `det` * sum of
/// w_v f(v). None is negative. Returns their sum times det: the volume.
double integrationWeights(const OverlapPolyhedron& p, double det,
                          std::array<double, OverlapPolyhedron::kCapacity>& weights);

/// Calls work(first, v, w, face) for the triangles of all faces, cut into fans.
template <class Work>
void forEachFan(const OverlapPolyhedron& p, Work&& work) {
    constexpr int kFaces = 16;
    std::array<std::int8_t, kFaces> first;
    first.fill(-1);
    for (int v = 0; v < p.count; ++v) {
        for (int k = 0; k < 3; ++k) {
            std::int8_t& f = first[p.face[4 * v + k]];
            if (f < 0) f = static_cast<std::int8_t>(v);
        }
    }
    // An edge and the face's first vertex make a triangle; no walk around the face is needed.
    for (int v = 0; v < p.count; ++v) {
        for (int k = 0; k < 3; ++k) {
            const int h = 4 * v + k, f = first[p.face[h]], w = p.target(h);
            if (f != v && f != w) work(f, v, w, static_cast<int>(p.face[h]));
        }
    }
}

}  // namespace sunder
