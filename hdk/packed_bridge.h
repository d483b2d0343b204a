#pragma once

#include <GU/GU_DetailHandle.h>

#include <Eigen/Geometry>
#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/geometry.h"

namespace sunder::hdk {

/// A geometry as a detail that several packed primitives, and several frames, may share.
GU_ConstDetailHandle sharedDetail(const Geometry& geometry);

/// Where a packed primitive stands: a place x of its geometry is at turn (x - pivot) + P.
struct PackedPlace {
    Vec3 pivot = Vec3::Zero();
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
};

/// Makes `detail` hold one packed primitive a part and nothing else: primitive i is at point i of `points`, whose positions and attributes it takes on.
void writePacked(GU_Detail& detail, const Geometry& points, const std::vector<GU_ConstDetailHandle>& parts, const std::vector<PackedPlace>& places);

/// Positions and primitives of a detail with all that is packed, at any depth, unpacked: what is loose comes first, then what packed primitives show, in the order of their indices and level by
/// level. What is then no polygon, curve or tet is left out, and Monitor::warn hears of it. Throws Error for what cannot be unpacked.
Geometry unpackedFromDetail(const GU_Detail& detail, Monitor* monitor = nullptr);

}  // namespace sunder::hdk
