#pragma once

#include <limits>

#include "cli/render/surface.h"

namespace sunder::render {

/// What stays the same over a sequence.
struct View {
    Camera camera;
    double groundHeight = 0;     ///< m
    ValueRange range;            ///< of the colour map
    Vec3 center = Vec3::Zero();  ///< of all frames' bounds, m
    double radius = 1;           ///< of the sphere around the bounds, m
};

/// The camera's axes and where it sends a ray; pixels from the top left.
struct Projection {
    Vec3 right, up, forward, position;
    double tanX, tanY;  ///< half the picture's width and height at distance 1
    int width, height;

    Projection(const Camera& camera, int width, int height);
    /// Direction through a place of the picture, not normalised; its part along `forward` is 1.
    Vec3 direction(double x, double y) const;
    /// (x, y) in pixels and the distance along `forward`, which is negative behind the camera.
    Vec3 project(const Vec3& point) const;
};

/// Looks at all frames and then fixes camera, ground and range, so that nothing jumps in the sequence.
class ViewFit {
  public:
    explicit ViewFit(const RenderOptions& options);
    void add(const Surface& surface);
    /// False if all is given by the options and no frame has to be looked at.
    bool isNeeded() const;
    View view() const;

  private:
    Camera framingCamera() const;
    ValueRange colorRange() const;

    RenderOptions options_;
    Projection frame_;              ///< axes of the framing camera
    std::array<double, 4> slopes_;  ///< of the picture's free part: right, left, top, bottom
    std::array<double, 4> reach_;   ///< largest of side - slope * forward over all points
    double nearest_;                ///< smallest `forward` of all points
    Vec3 low_, high_;
    ValueRange values_;
};

/// Width that the legend takes at the right of the picture, pixels.
double legendWidth(const RenderOptions& options);

}  // namespace sunder::render
