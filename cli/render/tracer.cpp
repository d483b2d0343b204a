#include "cli/render/tracer.h"

#include <tbb/task_arena.h>

#include <limits>

#include "core/base/error.h"

namespace sunder::render {

namespace {
/// The surface's points, and room for the four floats that Embree reads at the last one.
std::vector<float> relativePositions(const Surface& surface, const Vec3& center) {
    std::vector<float> out;
    out.reserve(3 * surface.positions.size() + 4);
    for (const Vec3& p : surface.positions)
        for (int c = 0; c < 3; ++c) out.push_back(static_cast<float>(p[c] - center[c]));
    out.resize(out.size() + 4, 0.0f);
    return out;
}

RTCGeometry buildTriangles(RTCDevice device, const Surface& surface, const std::vector<float>& positions) {
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, positions.data(), 0,
                               3 * sizeof(float), surface.positions.size());
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, surface.triangles.data(),
                               0, sizeof(Tri), surface.triangleCount());
    rtcCommitGeometry(geometry);
    return geometry;
}
}  // namespace

Tracer::Tracer(const Surface& surface, const Vec3& center) : positions_(relativePositions(surface, center)) {
    device_ = rtcNewDevice("isa=avx2");
    if (!device_) throw Error("Embree found no device to trace rays with", "the processor needs AVX2");
    scene_ = rtcNewScene(device_);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = buildTriangles(device_, surface, positions_);
    rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
    // one build thread: the tree, and with it the winner among equally near triangles, must not depend on the
    // thread count. Embree's own setting for this would limit the whole process.
    tbb::task_arena alone(1);
    alone.execute([&] { rtcCommitScene(scene_); });
}

Tracer::~Tracer() {
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
}

void Tracer::intersect(const int* active, RTCRayHit8& rays) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect8(active, scene_, &context, &rays);
}

void Tracer::occluded(const int* active, RTCRay8& rays) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded8(active, scene_, &context, &rays);
}

void setRay(RTCRay8& rays, int lane, const Float3& origin, const Float3& direction) {
    rays.org_x[lane] = origin.x();
    rays.org_y[lane] = origin.y();
    rays.org_z[lane] = origin.z();
    rays.dir_x[lane] = direction.x();
    rays.dir_y[lane] = direction.y();
    rays.dir_z[lane] = direction.z();
    rays.tnear[lane] = 0;
    rays.tfar[lane] = std::numeric_limits<float>::infinity();
    rays.time[lane] = 0;
    rays.mask[lane] = ~0u;
    rays.id[lane] = 0;
    rays.flags[lane] = 0;
}

}  // namespace sunder::render
