#pragma once

#include <array>
#include <cstdint>

#include "core/contact/overlap.h"

namespace sunder::testing {

using Corners4 = std::array<Vec3, 4>;

/// Corners in a box of size 1 around `centre`, positively oriented.
Corners4 randomCorners(std::uint64_t seed, std::uint64_t id, const Vec3& centre = Vec3::Zero());

/// Pairs that break clippers: small whole coordinates (coplanar and coincident faces, shared corners and
/// edges), one tet built on a face, edge or corner of the other, slivers and needles, one inside the other,
/// one mirrored, one flat, identical ones.
struct TetPair {
    Corners4 a, b;
};
constexpr int kAdversarialKinds = 10;
TetPair adversarialPair(std::uint64_t seed, std::uint64_t id);

struct Overlapped {
    OverlapTet a, b;
    OverlapPolyhedron p;
    OverlapShares shares;
};
Overlapped overlapOf(const Corners4& a, const Corners4& b);

}  // namespace sunder::testing
