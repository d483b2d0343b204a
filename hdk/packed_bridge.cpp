#include "hdk/packed_bridge.h"

#include "core/base/assert.h"
#include "hdk/attribute_bridge.h"
#include "hdk/compat.h"
#include "hdk/geometry_bridge.h"

namespace sunder::hdk {

namespace {
UT_Vector3 toHost(const Vec3& v) { return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())}; }

/// Houdini's vectors are rows: they are multiplied from the left.
UT_Matrix3D rowMatrix(const Eigen::Quaterniond& turn) {
    const Mat3 columns = turn.toRotationMatrix();
    UT_Matrix3D rows(1.0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) rows(i, j) = columns(j, i);
    return rows;
}
}  // namespace

GU_ConstDetailHandle sharedDetail(const Geometry& geometry) {
    auto* detail = new GU_Detail;
    GU_DetailHandle handle;
    handle.allocateAndSet(detail);
    writeDetail(*detail, geometry);
    return GU_ConstDetailHandle(handle);
}

void writePacked(GU_Detail& detail, const Geometry& points, const std::vector<GU_ConstDetailHandle>& parts, const std::vector<PackedPlace>& places) {
    SUNDER_ASSERT(parts.size() == points.pointCount() && places.size() == parts.size());
    detail.clearAndDestroy();
    std::vector<GA_Offset> offsets;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        GU_PrimPacked& packed = compat::packInto(detail, parts[i]);
        packed.setPivot(toHost(places[i].pivot));
        packed.setLocalTransform(rowMatrix(places[i].turn));
        offsets.push_back(packed.getPointOffset(0));
        detail.setPos3(offsets.back(), toHost(points.positions[i]));
    }
    writeAttributes(detail, GA_ATTRIB_POINT, points.points, offsets);
    writeAttributes(detail, GA_ATTRIB_DETAIL, points.detail, {GA_Offset(0)});
    detail.bumpDataIdsForAddOrRemove(true, true, true);
}

}  // namespace sunder::hdk
