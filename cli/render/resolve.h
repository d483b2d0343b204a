#pragma once

#include "cli/render/image.h"
#include "cli/render/surfel.h"

namespace sunder::render {

/// What the last stage needs to know of the camera.
struct ResolveOptions {
    bool lit = true, denoise = true;
    Float3 eye = Float3::Zero();  ///< relative to the view's centre
    float pixelAngle = 0;         ///< size of a pixel at distance 1
};

/// Shares the sampled light between neighbouring surfels of one surface, applies the tone curve and averages
/// each pixel.
Image resolve(const SurfelImage& surfels, const ResolveOptions& options);

/// Highlights roll off instead of clipping; below 0.65 nothing changes.
float toneCurve(float linear);

}  // namespace sunder::render
