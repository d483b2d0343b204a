#include "hdk/packed_bridge.h"

#include <memory>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "hdk/attribute_bridge.h"
#include "hdk/compat.h"
#include "hdk/geometry_bridge.h"
#include "hdk/primitive_bridge.h"

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

constexpr int kDeepest = 16;  // levels of packing: beyond, somebody has packed a loop

/// What the packed primitives of a detail show; null if there are none.
std::unique_ptr<GU_Detail> unpackLevel(const GU_Detail& detail, Monitor* monitor) {
    std::unique_ptr<GU_Detail> shown;
    for (const GA_Offset o : detail.getPrimitiveRange()) {
        const GEO_Primitive& primitive = *detail.getGEOPrimitive(o);
        if (!compat::isPacked(primitive)) continue;
        throwIfCancelled(monitor);
        if (!shown) shown = std::make_unique<GU_Detail>();
        if (!compat::unpackInto(*shown, primitive))
            throw Error(format("packed primitive %lld cannot be unpacked", static_cast<long long>(static_cast<exint>(detail.primitiveIndex(o)))),
                        "see that the file that it shows is there, or delete it");
    }
    return shown;
}

void append(Geometry& to, const Geometry& more) {
    const auto first = static_cast<std::int32_t>(to.pointCount());
    to.positions.insert(to.positions.end(), more.positions.begin(), more.positions.end());
    std::vector<std::int32_t> points;
    for (std::size_t p = 0; p < more.primitiveCount(); ++p) {
        points.clear();
        for (const std::int32_t i : more.primitivePoints(p)) points.push_back(first + i);
        to.addPrimitive(more.primitiveKind[p], points);
    }
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
        compat::placePacked(packed, toHost(places[i].pivot), rowMatrix(places[i].turn));
        offsets.push_back(packed.getPointOffset(0));
        detail.setPos3(offsets.back(), toHost(points.positions[i]));
    }
    writeAttributes(detail, GA_ATTRIB_POINT, points.points, offsets);
    writeAttributes(detail, GA_ATTRIB_DETAIL, points.detail, {GA_Offset(0)});
    detail.bumpDataIdsForAddOrRemove(true, true, true);
}

Geometry unpackedFromDetail(const GU_Detail& detail, Monitor* monitor) {
    std::size_t others = 0;
    Geometry all = looseFromDetail(detail, others);
    std::unique_ptr<GU_Detail> shown = unpackLevel(detail, monitor);
    for (int level = 1; shown; ++level) {
        if (level > kDeepest) throw Error(format("primitives are packed more than %d levels deep", kDeepest), "unpack them by the node Unpack");
        append(all, looseFromDetail(*shown, others));
        shown = unpackLevel(*shown, monitor);
    }
    warnLeftOut(monitor, others);
    return all;
}

}  // namespace sunder::hdk
