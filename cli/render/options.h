#pragma once

#include <array>
#include <optional>
#include <string>

#include "cli/render/color_map.h"
#include "core/math/types.h"

namespace sunder::render {

enum class Shading { kSmooth, kFlat };

/// A pinhole camera. Up is +y in every scene.
struct Camera {
    Vec3 position = Vec3(0, 0, 5);  ///< m
    Vec3 target = Vec3::Zero();     ///< m, in the middle of the picture
    double fieldOfView = 0.6;       ///< of the picture's height, radians
};

struct ValueRange {
    double low = 0, high = 1;
};

/// The key light is a bright disc of the sky; the rest of the light is a dome. Angles are relative to the
/// camera, radians.
struct LightRig {
    double keyAzimuth = -0.95;   ///< from the camera towards its right
    double keyElevation = 0.88;  ///< above the horizon
    double keyRadius = 0.16;     ///< angular radius of the disc: the softness of the shadows
    double keyStrength = 0.90;   ///< of a white surface that faces the key
    double domeStrength = 0.92;  ///< factor on sky, fill and rim
};

/// All that decides how a picture looks. The defaults make a clay model in a light studio.
struct RenderOptions {
    int width = 960, height = 540;  ///< pixels
    int samples = 8;                ///< camera rays a pixel; each is lit by one key and one dome ray
    int edgeSamples = 16;           ///< more of them in pixels that an edge crosses
    bool denoise = true;            ///< share light between neighbouring pixels of one surface

    Shading shading = Shading::kSmooth;
    double creaseAngle = 1.05;  ///< faces that meet at a larger angle keep a hard edge, radians
    bool lit = true;            ///< false: colours as they are, without light, shadow and tone curve
    bool wire = false;          ///< edges of the boundary faces
    double wireWidth = 1.2;     ///< pixels
    Color clay = {0.74, 0.71, 0.67};

    std::string attribute;  ///< drawn as colour; empty: clay
    std::string unit;       ///< of the attribute, for the legend
    ColorMap colorMap = ColorMap::kSequential;
    std::optional<ValueRange> range;  ///< empty: of all frames
    bool legend = true;

    std::optional<Camera> camera;  ///< empty: framed so that all frames fit
    double azimuth = 0.6;          ///< of the framing camera around +y, 0 looks along -z, radians
    double elevation = 0.3;        ///< of the framing camera, radians
    double fieldOfView = 0.5;      ///< of the framing camera, radians
    double margin = 0.08;          ///< kept free on each side by the framing camera, of the picture's height

    bool ground = true;                  ///< a floor that only catches shadows
    std::optional<double> groundHeight;  ///< m; empty: the lowest point of all frames
    Color backgroundTop = {0.800, 0.812, 0.828}, backgroundBottom = {0.915, 0.927, 0.943};
    LightRig light;
};

/// Throws Error for sizes, samples or angles that no picture can have.
void validate(const RenderOptions& options);

}  // namespace sunder::render
