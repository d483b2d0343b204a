#include "cli/render/view.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace sunder::render {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Camera unitCamera(const RenderOptions& o) {
    Camera camera;
    camera.position = Vec3(std::sin(o.azimuth) * std::cos(o.elevation), std::sin(o.elevation),
                           std::cos(o.azimuth) * std::cos(o.elevation));
    camera.fieldOfView = o.fieldOfView;
    return camera;
}

bool drawsLegend(const RenderOptions& o) { return !o.attribute.empty() && o.legend; }

/// A value that never changes still needs a range to be drawn in.
ValueRange widened(ValueRange r) {
    if (r.low < r.high) return r;
    const double half = r.low != 0 ? 0.5 * std::abs(r.low) : 0.5;
    return {r.low - half, r.low + half};
}
}  // namespace

double legendWidth(const RenderOptions& options) {
    return drawsLegend(options) ? 120.0 * options.height / 540 : 0;
}

Projection::Projection(const Camera& camera, int w, int h) : position(camera.position), width(w), height(h) {
    forward = (camera.target - camera.position).normalized();
    // straight down or up, the picture's top is -z
    const Vec3 vertical = std::abs(forward.y()) < 0.99999 ? Vec3::UnitY() : Vec3(0, 0, -1);
    right = forward.cross(vertical).normalized();
    up = right.cross(forward);
    tanY = std::tan(camera.fieldOfView / 2);
    tanX = tanY * w / h;
}

Vec3 Projection::direction(double x, double y) const {
    return forward + (2 * x / width - 1) * tanX * right + (1 - 2 * y / height) * tanY * up;
}

Vec3 Projection::project(const Vec3& point) const {
    const Vec3 d = point - position;
    const double depth = d.dot(forward);
    return {(d.dot(right) / (depth * tanX) + 1) * width / 2, (1 - d.dot(up) / (depth * tanY)) * height / 2,
            depth};
}

ViewFit::ViewFit(const RenderOptions& options)
    : options_(options), frame_(unitCamera(options), options.width, options.height), nearest_(kInfinity) {
    const double border = 2 * options.margin;  // in halves of the height
    const double freeX = 1 - border * options.height / options.width, freeY = 1 - border;
    const double legend = 2 * legendWidth(options) / options.width;
    slopes_ = {(freeX - legend) * frame_.tanX, freeX * frame_.tanX, freeY * frame_.tanY, freeY * frame_.tanY};
    reach_.fill(-kInfinity);
    low_.setConstant(kInfinity);
    high_.setConstant(-kInfinity);
    values_ = {kInfinity, -kInfinity};
}

bool ViewFit::isNeeded() const {
    return !options_.camera || (options_.ground && !options_.groundHeight) ||
           (!options_.attribute.empty() && !options_.range);
}

void ViewFit::add(const Surface& surface) {
    for (const Tri& t : surface.triangles)
        for (const std::int32_t i : t) {
            const Vec3& p = surface.positions[static_cast<std::size_t>(i)];
            const double x = p.dot(frame_.right), y = p.dot(frame_.up), z = p.dot(frame_.forward);
            const double side[4] = {x, -x, y, -y};
            for (std::size_t k = 0; k < 4; ++k) reach_[k] = std::max(reach_[k], side[k] - slopes_[k] * z);
            nearest_ = std::min(nearest_, z);
            low_ = low_.cwiseMin(p);
            high_ = high_.cwiseMax(p);
        }
    for (const float v : surface.values)
        if (std::isfinite(v)) values_ = {std::min<double>(values_.low, v), std::max<double>(values_.high, v)};
}

/// With eye e in camera axes, a point p is left of the right side if p.x - s p.z <= e.x - s e.z. The largest
/// left hand sides of opposite sides bound e.z together; the camera stands as near as both pairs allow, in
/// the middle of what is then free.
Camera ViewFit::framingCamera() const {
    const double z = std::min(-(reach_[0] + reach_[1]) / (slopes_[0] + slopes_[1]),
                              -(reach_[2] + reach_[3]) / (slopes_[2] + slopes_[3]));
    const double size = std::max((high_ - low_).norm(), 1e-6);
    const double eyeZ = std::min(z, nearest_ - 0.05 * size);
    const double eyeX = ((reach_[0] + slopes_[0] * eyeZ) - (reach_[1] + slopes_[1] * eyeZ)) / 2;
    const double eyeY = ((reach_[2] + slopes_[2] * eyeZ) - (reach_[3] + slopes_[3] * eyeZ)) / 2;
    Camera camera;
    camera.position = eyeX * frame_.right + eyeY * frame_.up + eyeZ * frame_.forward;
    camera.target = camera.position + std::max(size, nearest_ - eyeZ) * frame_.forward;
    camera.fieldOfView = options_.fieldOfView;
    return camera;
}

ValueRange ViewFit::colorRange() const {
    if (options_.range) return *options_.range;
    if (values_.low > values_.high) return {};
    if (options_.colorMap != ColorMap::kDiverging || values_.low >= 0 || values_.high <= 0)
        return widened(values_);
    const double largest = std::max(-values_.low, values_.high);
    return {-largest, largest};
}

View ViewFit::view() const {
    const bool seen = low_.x() <= high_.x();
    View view;
    if (seen) view.center = (low_ + high_) / 2;
    if (seen) view.radius = std::max((high_ - low_).norm() / 2, 1e-9);
    view.camera = options_.camera ? *options_.camera : framingCamera();
    view.groundHeight = options_.groundHeight ? *options_.groundHeight : seen ? low_.y() : 0;
    view.range = colorRange();
    return view;
}

}  // namespace sunder::render
