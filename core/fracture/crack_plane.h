#pragma once

#include "core/fracture/separation.h"

namespace sunder {

/// The forces around a node, from which the plane follows along which it breaks.
struct NodeTension {
    Mat3 tensor;                ///< separation tensor, N
    Span<const Vec3> areas;     ///< vol grad phi of each tet around, in the present shape, m^2
    Mat3 F;                     ///< mean deformation gradient of the tets around
    double toughness = 0;       ///< N, or Pa if perArea
    bool perArea = false;
};

/// The plane along which a node is nearest to breaking. Without a weak surface near, that is across the eigenvector of the largest eigenvalue. A weak surface
/// that cracks follow with weight w is a second plane, turned from the first by w to the surface's; it has the surface's toughness, against what pulls across
/// it, n . T n. The first plane then has a share w of its full toughness back: a joint opens along itself, and is as tough as the rest across it.
Separation choosePlane(const NodeTension& tension, const WeakNode& weak);

/// A node that breaks whatever the stress: along a weak surface, else across what pulls, else in a direction drawn by `key`.
Separation forceOpen(const NodeTension& tension, const WeakNode& weak, std::uint64_t key);

}  // namespace sunder
