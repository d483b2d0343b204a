#pragma once

#include "cli/render/surfel.h"
#include "cli/render/tracer.h"

namespace sunder::render {

/// A place where a camera ray met the model.
struct Hit {
    std::uint32_t triangle;
    float u, v;        ///< weights of the second and third corner
    float x, y;        ///< in the picture, pixels
    Float3 direction;  ///< of the camera ray, unit
};

/// The surface there, turned towards the camera.
struct Point {
    Float3 position;
    Float3 outside;  ///< `position` moved onto the curved surface that the normals describe, where shadow
                     ///< rays start
    Float3 normal, faceNormal;
};

/// Looks of the model: shape, colour, wire, gloss.
class Shader {
  public:
    Shader(const Surface& surface, const View& view, const RenderOptions& options, const Tracer& tracer);

    Point pointAt(const Hit& hit) const;
    /// Fills position, normal and the two colours of a surfel.
    Surfel shade(const Hit& hit, const Point& point, const Lighting& lighting) const;

  private:
    Float3 baseColor(const Hit& hit) const;
    Float3 attributeColor(const Hit& hit) const;
    float wireCoverage(const Hit& hit) const;
    void projectPoints(const Projection& projection);
    void buildPalette();

    const Surface& surface_;
    const Tracer& tracer_;
    RenderOptions options_;
    ValueRange range_;
    Float3 clay_;                    ///< linear
    std::vector<Float3> palette_;    ///< linear
    std::vector<Float3> projected_;  ///< points in pixels and their distance; only for the wire
};

}  // namespace sunder::render
