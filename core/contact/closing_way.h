#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/contact/contact_shape.h"

namespace sunder {

/// One body's way, of which it goes a share.
struct BodyWay {
    const ContactShape* shape = nullptr;
    Span<const Vec3> start, end;
    double share = 1;
    std::uint64_t number = 0;  ///< of this body at this start, of all there ever are; 0: it has none, and nothing is remembered of it

    /// Where a vertex is after the part t of that share.
    Vec3 at(std::int32_t vertex, double t) const {
        const auto v = static_cast<std::size_t>(vertex);
        return start[v] + (t * share) * (end[v] - start[v]);
    }
};

/// A skin tet of a body.
struct TetWay {
    const BodyWay* body;
    std::size_t skinTet;
};

/// What part of their present ways two bodies may go: both the same part, or each as far as the other's way leaves it.
struct WayLimit {
    double both = 1, a = 1, b = 1;

    bool holds() const { return both < 1; }
};

/// Two tets may touch and then close by `depth` (m) at most. Tets that a plane parts at the start do so if they reach over that plane by no more
/// than `depth` at the end: neither can have passed the other. Otherwise, what counts:
///
/// Vertices with faces and edges with edges, all on surfaces, that touch on the way. If the plane of the touch (the face's; that of the
/// two edges) has the surface around one feature on one side and that around the other on the other side, its normal is the direction
/// along which closing counts. Otherwise the surfaces have crossed before, as when a tip below a floor slides over the floor's edges:
/// then closing counts along the normals of the surface of which the other has to go the shortest way to be out.
///
/// Tets that overlap at the start: closing along the normal, of their surfaces, with the shortest way out.
///
/// A corner's way counts as far as it leads below another corner of the other tet, seen along that direction; with no direction to go
/// by, all of the relative way does. Sliding and parting never count.
WayLimit limitWay(const TetWay& a, const TetWay& b, double depth);

/// What two tets have at their start, whatever share of their ways they go.
struct PairStart {
    bool apart = false;  ///< they need no look with these shares of their ways or with less
    bool known = false, overlaps = false;
    std::optional<Vec3> out;  ///< direction of a's shortest way out of b
};
/// The same for a pair that may be asked about again with other shares.
WayLimit limitWay(const TetWay& a, const TetWay& b, double depth, PairStart& start);

double smallestHeight(const std::array<Vec3, 4>& tet);

}  // namespace sunder
