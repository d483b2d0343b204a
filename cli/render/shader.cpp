#include "cli/render/shader.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace sunder::render {

namespace {
constexpr std::size_t kPaletteSteps = 1024;
const Float3 kWireColor(0.03f, 0.03f, 0.035f);
constexpr float kWireStrength = 0.85f;
constexpr float kRoughness = 0.30f;  ///< width of the microfacets' distribution

Float3 linear(const Color& srgb) { return linearFromSrgb(srgb).cast<float>(); }

float fifthPower(float x) { return x * x * x * x * x; }
float fresnel(float cosine) { return 0.04f + 0.96f * fifthPower(1 - std::clamp(cosine, 0.0f, 1.0f)); }

/// Microfacet reflection (the distribution of Trowbridge and Reitz) of a light of strength 1, with pi taken
/// out as in Lighting.
float gloss(const Float3& normal, const Float3& toEye, const Float3& toLight) {
    const float cosine = normal.dot(toLight);
    if (cosine <= 0) return 0;
    const Float3 half = (toEye + toLight).normalized();
    const float nh = normal.dot(half), lh = toLight.dot(half), a = kRoughness * kRoughness;
    const float spread = nh * nh * (a - 1) + 1;
    return a / (spread * spread) * fresnel(lh) * cosine / (4 * std::max(0.1f, lh * lh));
}

/// Distance from a place to the line through a and b, pixels.
float lineDistance(float x, float y, const Float3& a, const Float3& b) {
    const float ex = b.x() - a.x(), ey = b.y() - a.y();
    const float length = std::sqrt(ex * ex + ey * ey);
    return length > 0 ? std::abs((x - a.x()) * ey - (y - a.y()) * ex) / length : 1e9f;
}
}  // namespace

Shader::Shader(const Surface& surface, const View& view, const RenderOptions& options, const Tracer& tracer)
    : surface_(surface), tracer_(tracer), options_(options), range_(view.range), clay_(linear(options.clay)) {
    if (options.wire) projectPoints(Projection(view.camera, options.width, options.height));
    if (!surface.values.empty()) buildPalette();
}

void Shader::projectPoints(const Projection& projection) {
    projected_.reserve(surface_.positions.size());
    for (const Vec3& p : surface_.positions) projected_.push_back(projection.project(p).cast<float>());
}

void Shader::buildPalette() {
    const bool categories = options_.colorMap == ColorMap::kCategories;
    const std::size_t count = categories ? kCategoryCount : kPaletteSteps + 1;
    for (std::size_t i = 0; i < count; ++i)
        palette_.push_back(linear(categories
                                      ? categoryColor(static_cast<long long>(i))
                                      : colorAt(options_.colorMap, static_cast<double>(i) / kPaletteSteps)));
}

/// The shadow rays of a smooth-shaded triangle start where the tangent planes of its corners would put the
/// surface; from the flat triangle they would meet its neighbours and draw the facets at the edge of the
/// shadow (Hanika, 2021).
Point Shader::pointAt(const Hit& hit) const {
    const Tri& t = surface_.triangles[hit.triangle];
    const float weight[3] = {1 - hit.u - hit.v, hit.u, hit.v};
    Float3 corner[3];
    for (std::size_t k = 0; k < 3; ++k) corner[k] = tracer_.position(static_cast<std::uint32_t>(t[k]));
    Point p;
    p.position = weight[0] * corner[0] + weight[1] * corner[1] + weight[2] * corner[2];
    p.faceNormal = (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalized();
    const float side = p.faceNormal.dot(hit.direction) > 0 ? -1.0f : 1.0f;
    p.faceNormal *= side;
    p.normal.setZero();
    p.outside = p.position;
    for (std::size_t k = 0; k < 3; ++k) {
        const Float3 n = side * surface_.normals[3 * hit.triangle + k];
        p.normal += weight[k] * n;
        p.outside -= weight[k] * std::min(0.0f, (p.position - corner[k]).dot(n)) * n;
    }
    const float length = p.normal.norm();
    p.normal = length > 1e-3f ? Float3(p.normal / length) : p.faceNormal;
    return p;
}

Float3 Shader::attributeColor(const Hit& hit) const {
    const float* v = &surface_.values[3 * static_cast<std::size_t>(hit.triangle)];
    const double value = (1 - hit.u - hit.v) * v[0] + hit.u * v[1] + hit.v * v[2];
    if (std::isnan(value)) return linear(kWarningColor);
    if (options_.colorMap == ColorMap::kCategories) {
        const float nearest = hit.u > 0.5f ? v[1] : hit.v > 0.5f ? v[2] : v[0];
        const double wrapped = std::fmod(std::floor(nearest + 0.5), static_cast<double>(kCategoryCount));
        return palette_[static_cast<std::size_t>(wrapped < 0 ? wrapped + kCategoryCount : wrapped)];
    }
    const double t = std::clamp((value - range_.low) / (range_.high - range_.low), 0.0, 1.0) * kPaletteSteps;
    const auto i = std::min(static_cast<std::size_t>(t), kPaletteSteps - 1);
    return palette_[i] + static_cast<float>(t - static_cast<double>(i)) * (palette_[i + 1] - palette_[i]);
}

/// How much of a sample the wire covers. Triangles of few pixels fade it out instead of turning black.
float Shader::wireCoverage(const Hit& hit) const {
    const Tri& t = surface_.triangles[hit.triangle];
    const unsigned edges = surface_.edges[hit.triangle];
    const auto width = static_cast<float>(options_.wireWidth);
    float nearest = 1e9f, thinnest = 1e9f;
    for (std::size_t k = 0; k < 3; ++k) {
        const Float3& a = projected_[static_cast<std::size_t>(t[k])];
        const Float3& b = projected_[static_cast<std::size_t>(t[(k + 1) % 3])];
        const Float3& c = projected_[static_cast<std::size_t>(t[(k + 2) % 3])];
        if (a.z() <= 0) return 0;
        if (edges >> k & 1u) nearest = std::min(nearest, lineDistance(hit.x, hit.y, a, b));
        thinnest = std::min(thinnest, lineDistance(c.x(), c.y(), a, b));
    }
    const float fade = std::min(1.0f, thinnest / (5 * width));
    return fade * std::clamp(width / 2 + 0.5f - nearest, 0.0f, 1.0f);
}

Float3 Shader::baseColor(const Hit& hit) const {
    const Float3 color = surface_.values.empty() ? clay_ : attributeColor(hit);
    if (!options_.wire) return color;
    const float wire = kWireStrength * wireCoverage(hit);
    return color + wire * (kWireColor - color);
}

Surfel Shader::shade(const Hit& hit, const Point& point, const Lighting& lighting) const {
    Surfel s;
    s.seen = Seen::kModel;
    s.count = 1;
    s.position = point.position;
    s.normal = point.normal;
    const Float3 base = baseColor(hit);
    if (!options_.lit) {
        s.ambient = base;
        return s;
    }
    const Float3 toEye = -hit.direction;
    const float facing = std::max(0.0f, point.normal.dot(toEye));
    // a shine over data would change the colours that the legend explains
    const float shine = surface_.values.empty() ? 1.0f : 0.4f;
    const float cosine = std::max(0.0f, point.normal.dot(lighting.keyDirection()));
    s.key = lighting.keyColor().cwiseProduct(
        (base * cosine).array().matrix() +
        Float3::Constant(shine * gloss(point.normal, toEye, lighting.keyDirection())));
    const Float3 mirrored = 2 * facing * point.normal - toEye;
    s.ambient = base.cwiseProduct(lighting.domeIrradiance(point.normal)) +
                0.35f * shine * fresnel(facing) * lighting.blurredDome(mirrored);
    return s;
}

}  // namespace sunder::render
