#pragma once

#include <GU/GU_DetailHandle.h>

#include <Eigen/Geometry>
#include <vector>

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

}  // namespace sunder::hdk
