#pragma once

#include <memory>
#include <vector>

#include "core/body/body.h"

namespace sunder {

/// Tells of most nodes that do not break that they do not, at a fraction of what SeparationFinder takes: the same equations four tets at a time, what a tet
/// does to a corner kept in single precision, and an allowance for all that is rounded, so that the bound is never below the ratio that SeparationFinder finds.
/// It decides alone who is looked at more closely, so no result depends on its bits.
///
/// The allowance. What a tet with the largest principal stress s (either sign) does to a corner of area vector a is found to about 1e-6 of s |a| in single precision, |f+| and |f-|
/// are no larger than that, sums of n such are rounded by n 2^-24 of their sizes, and m(a) = a a^T / |a| changes by no more than 3 |da|. So with S = 2 sum s |a| the tensor is wrong by less
/// than delta = 4e-7 (n + 8) S, and so is its eigenvalue (Weyl). Its vector is off by an angle of sine 2 delta / gap (Davis and Kahan), and the area A(n) = 1/2 sum |a . n| by no
/// more than 1/2 sum |a| times what that moves n by. F is not the same in both either: inverses of rest edges D differ by eps q^2, q = |D|^3 / det D, which the stress feels by
/// at most 100 (lambda + 2 mu) |F|^2 as long as F is moderate; that goes into S. Nodes with a tet of which it is not (det F outside of 1/2 to 2, |F|^2 above 20) are never dismissed, nor
/// are those of materials that are weaker along an axis, of toughness of kind `energy`, of several kinds, and those that a weak surface leads.
class SeparationBound {
  public:
    /// For nodes of `nodes` at this shape. What it refers to has to stay.
    SeparationBound(const Body& body, Span<const Vec3> x, Span<const PlasticState> plastic, const TetStars& stars, Span<const std::int32_t> nodes);

    /// False for bodies of which it knows nothing.
    static bool knows(const Body& body);
    /// Never below Separation::ratio of the node (without a residual), but where that is negative or the node is due to break; infinite where nothing is known. What is
    /// above `enough` is as near as it can be told.
    double ratioOf(std::int32_t node, double enough = 0) const;

  private:
    /// What tets do to a corner, summed up over those of one chunk of the element table or over all. In this order: 1/2 (m(f+) - m(f-)) as xx, yy, zz, xy, yz, xz; f+; f-; vol grad phi in the present
    /// shape; the size |f+| + |f-| and what rounding of F makes of the stress.
    struct Pull {
        float numbers[16];

        Vec3 vectorAt(int first) const { return {numbers[first], numbers[first + 1], numbers[first + 2]}; }
        Mat3 tensor() const;
        Vec3 pulling() const { return vectorAt(6); }
        Vec3 pushing() const { return vectorAt(9); }
        double size() const { return numbers[15]; }
    };
    struct PackAreas {
        float of[4][4][4];  ///< [lane][corner, ascending by vertex][x, y, z, unused]: vol grad phi in the present shape
    };
    /// What the nodes of a material stand, if that is known from it alone.
    struct Row {
        double toughness = 0;  ///< N or Pa
        bool breaks = false, known = false, perArea = false;
    };
    static std::vector<Row> rowsOf(const Body& body);
    struct PullWriter;
    void computePulls(Span<const Vec3> x, Span<const PlasticState> plastic, Span<const std::int32_t> nodes);
    const float* areaOf(std::int32_t tet, std::int32_t node) const;
    Row rowAround(std::int32_t node) const;
    Pull sumAround(std::int32_t node) const;
    double areaAcross(std::int32_t node, const Vec3& normal, double turn) const;

    const Body& body_;
    const TetStars& stars_;
    std::vector<Row> rows_;  ///< of Body::materials
    std::unique_ptr<Pull[]> slots_;       ///< of all chunks; those of other vertices than the nodes are not all there
    std::unique_ptr<PackAreas[]> areas_;  ///< of all packs, likewise; null if nobody asks for areas
};

}  // namespace sunder
