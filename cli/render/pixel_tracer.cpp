#include "cli/render/pixel_tracer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sunder::render {

/// Eight camera rays on their way and the light rays that they cause.
struct PixelTracer::Packet {
    RTCRayHit8 camera;
    RTCRay8 key, dome;
    float x[kLanes], y[kLanes];  ///< place in the picture, pixels
    float domeLight[kLanes];
    alignas(32) int cameraActive[kLanes] = {}, keyActive[kLanes] = {}, domeActive[kLanes] = {};
};

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Float3 directionOf(const RTCRay8& rays, int lane) {
    return {rays.dir_x[lane], rays.dir_y[lane], rays.dir_z[lane]};
}

/// Rays of one surface: same kind, about the same normal, in one another's plane.
bool isSamePiece(const Surfel& group, const Surfel& s, float tolerance) {
    if (group.seen != s.seen || group.seen != Seen::kModel) return group.seen == s.seen;
    const Float3 normal = group.normal / group.normal.norm();
    return normal.dot(s.normal) > 0.85f &&
           std::abs(normal.dot(s.position - group.position / group.count)) < tolerance;
}

}  // namespace

PixelTracer::PixelTracer(const Surface& surface, const View& view, const RenderOptions& options)
    : options_(options),
      projection_(view.camera, options.width, options.height),
      lighting_(options, projection_),
      tracer_(surface, view.center),
      shader_(surface, view, options, tracer_),
      eye_((projection_.position - view.center).cast<float>()),
      ground_(static_cast<float>(view.groundHeight - view.center.y())),
      radius_(static_cast<float>(view.radius)),
      offset_(2e-5f * radius_) {
    const Float3 up = Float3::UnitY();
    groundKey_ = luminance(lighting_.keyColor()) * std::max(0.0f, lighting_.keyDirection().y());
    groundDome_ = luminance(lighting_.domeIrradiance(up));
    // mixed as bytes are, so that a tint that both ends share stays one tint: movies keep few bits of it
    for (int y = 0; y <= options.height; ++y) {
        const double t = static_cast<double>(y) / options.height, smooth = t * t * (3 - 2 * t);
        const Color mixed =
            options.backgroundTop + smooth * (options.backgroundBottom - options.backgroundTop);
        wall_.push_back(linearFromSrgb(mixed).cast<float>());
    }
    options_.ground = options.ground && options.lit && eye_.y() > ground_;
}

Float3 PixelTracer::backdrop(float y) const {
    const auto row = std::min(static_cast<std::size_t>(std::max(0.0f, y)), wall_.size() - 2);
    return wall_[row] + (y - static_cast<float>(row)) * (wall_[row + 1] - wall_[row]);
}

void PixelTracer::aim(const CameraRay* rays, int count, Packet& packet) const {
    for (int i = 0; i < count; ++i) {
        const CameraRay& r = rays[i];
        const Sample2 s = sampleAt(r.x, r.y, r.index, r.count, Purpose::kPixel, r.round);
        packet.x[i] = static_cast<float>(r.x) + s.u;
        packet.y[i] = static_cast<float>(r.y) + s.v;
        const Vec3 d = projection_.direction(packet.x[i], packet.y[i]).normalized();
        setRay(packet.camera.ray, i, eye_, d.cast<float>());
        packet.camera.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
        packet.cameraActive[i] = -1;
    }
}

void PixelTracer::tracePacket(const CameraRay* rays, int count, Surfel* out) const {
    Packet packet;
    aim(rays, count, packet);
    tracer_.intersect(packet.cameraActive, packet.camera);
    for (int i = 0; i < count; ++i) shadeLane(rays[i], i, packet, out[i]);
    if (options_.lit) gatherLight(packet, count, out);
}

void PixelTracer::shadeLane(const CameraRay& ray, int lane, Packet& packet, Surfel& out) const {
    const RTCRayHit8& camera = packet.camera;
    const Float3 direction = directionOf(camera.ray, lane);
    const bool isHit = camera.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
    const float toGround =
        options_.ground && direction.y() < 0 ? (ground_ - eye_.y()) / direction.y() : kInfinity;
    out = Surfel();
    // what lies flat on the floor is in front of it
    if (toGround < (isHit ? camera.ray.tfar[lane] - 5 * offset_ : kInfinity)) {
        const Float3 place = eye_ + toGround * direction;
        shadeGround(place, packet, lane, out);
        addLightRays(ray, place, lane, packet, out);
    } else if (isHit) {
        const Hit hit{camera.hit.primID[lane], camera.hit.u[lane], camera.hit.v[lane],
                      packet.x[lane],          packet.y[lane],     direction};
        const Point point = shader_.pointAt(hit);
        out = shader_.shade(hit, point, lighting_);
        if (options_.lit) addLightRays(ray, point.outside + offset_ * point.faceNormal, lane, packet, out);
    } else {
        out.count = 1;
        out.ambient = backdrop(packet.y[lane]);
    }
}

/// The floor has the wall's colour where nothing shades it, so that it has no edge.
void PixelTracer::shadeGround(const Float3& place, Packet& packet, int lane, Surfel& out) const {
    const Float3 wall = backdrop(packet.y[lane]);
    out.seen = Seen::kGround;
    out.count = 1;
    out.position = place;
    out.normal = Float3::UnitY();
    out.key = wall * (groundKey_ / (groundKey_ + groundDome_));
    out.ambient = wall - out.key;
}

void PixelTracer::addLightRays(const CameraRay& r, const Float3& from, int lane, Packet& packet,
                               Surfel& out) const {
    const Float3 normal = out.normal;
    if (normal.dot(lighting_.keyDirection()) > 0) {
        const Sample2 s = sampleAt(r.x, r.y, r.index, r.count, Purpose::kKey, r.round);
        setRay(packet.key, lane, from, lighting_.sampleKey(s));
        packet.keyActive[lane] = -1;
        out.keyRays = 1;
    }
    const Sample2 s = sampleAt(r.x, r.y, r.index, r.count, Purpose::kDome, r.round);
    const Float3 direction = sampleCosine(normal, s);
    setRay(packet.dome, lane, from, direction);
    packet.domeLight[lane] = luminance(domeThrough(from, direction));
    packet.domeActive[lane] = -1;
    out.domeLight = luminance(lighting_.dome(direction));
}

/// Light along a dome ray that meets no model. Near the floor the model's own shadow darkens what comes back
/// from it; tracing that shadow would double the price, so it grows with the distance.
Float3 PixelTracer::domeThrough(const Float3& from, const Float3& direction) const {
    const Float3 light = lighting_.dome(direction);
    if (!options_.ground || direction.y() >= 0) return light;
    const float distance = std::max(0.0f, (ground_ - from.y()) / direction.y());
    return light * (distance / (distance + 0.3f * radius_));
}

void PixelTracer::gatherLight(Packet& packet, int count, Surfel* out) const {
    tracer_.occluded(packet.keyActive, packet.key);
    tracer_.occluded(packet.domeActive, packet.dome);
    for (int i = 0; i < count; ++i) {
        if (packet.keyActive[i] && packet.key.tfar[i] > 0) out[i].keyOpen = 1;
        if (packet.domeActive[i] && packet.dome.tfar[i] > 0) out[i].domeOpen = packet.domeLight[i];
    }
}

std::vector<Surfel> PixelTracer::trace(const std::vector<CameraRay>& rays) const {
    std::vector<Surfel> out(rays.size());
    for (std::size_t i = 0; i < rays.size(); i += kLanes)
        tracePacket(&rays[i], static_cast<int>(std::min<std::size_t>(kLanes, rays.size() - i)), &out[i]);
    return out;
}

std::vector<CameraRay> PixelTracer::baseRays(const PixelRect& r) const {
    const auto samples = static_cast<std::uint32_t>(options_.samples);
    std::vector<CameraRay> rays;
    for (int y = r.y0; y < r.y1; ++y)
        for (int x = r.x0; x < r.x1; ++x)
            for (std::uint32_t i = 0; i < samples; ++i)
                rays.push_back({static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), i, samples, 0});
    return rays;
}

void PixelTracer::addToGroups(Span<const Surfel> rays, std::vector<Surfel>& groups) const {
    const auto pixelAngle = static_cast<float>(2 * projection_.tanY / options_.height);
    for (const Surfel& s : rays) {
        const float tolerance = 4 * pixelAngle * (s.position - eye_).norm();
        std::size_t g = 0;
        while (g < groups.size() && !isSamePiece(groups[g], s, tolerance)) ++g;
        if (g == groups.size())
            groups.push_back(s);
        else
            groups[g].add(s);
    }
}

std::vector<Surfel> PixelTracer::traceBlock(const PixelRect& rect, std::vector<std::uint32_t>& counts) const {
    const auto samples = static_cast<std::size_t>(options_.samples);
    const auto extra = static_cast<std::size_t>(std::max(0, options_.edgeSamples - options_.samples));
    const std::vector<CameraRay> rays = baseRays(rect);
    const std::vector<Surfel> base = trace(rays);
    const auto ofPixel = [&](std::size_t p) {
        return Span<const Surfel>(base).subspan(p * samples, samples);
    };
    std::vector<Surfel> groups, done;
    counts.clear();
    for (std::size_t p = 0; p * samples < base.size(); ++p) {
        groups.clear();
        addToGroups(ofPixel(p), groups);
        if (groups.size() > 1 && extra > 0) addToGroups(trace(edgeRays(rays[p * samples])), groups);
        counts.push_back(static_cast<std::uint32_t>(groups.size()));
        done.insert(done.end(), groups.begin(), groups.end());
    }
    for (Surfel& g : done) g.finish();
    return done;
}

std::vector<CameraRay> PixelTracer::edgeRays(const CameraRay& first) const {
    const auto extra = static_cast<std::uint32_t>(options_.edgeSamples - options_.samples);
    std::vector<CameraRay> rays;
    for (std::uint32_t i = 0; i < extra; ++i) rays.push_back({first.x, first.y, i, extra, 1});
    return rays;
}

}  // namespace sunder::render
