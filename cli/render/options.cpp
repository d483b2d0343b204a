#include "cli/render/options.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder::render {

namespace {
void requireWithin(const char* name, double value, double low, double high) {
    if (!(value >= low && value <= high))
        throw Error(format("render option %s is %g", name, value), format("choose %g to %g", low, high));
}

void validateCamera(const Camera& camera) {
    requireWithin("camera.fieldOfView", camera.fieldOfView, 0.01, 3);
    if (!camera.position.allFinite() || !camera.target.allFinite())
        throw Error("the camera's position or target is not finite", "give numbers in metres");
    if ((camera.position - camera.target).norm() < 1e-12)
        throw Error("the camera's position is its target", "move one of the two");
}
}  // namespace

void validate(const RenderOptions& options) {
    requireWithin("width", options.width, 16, 16384);
    requireWithin("height", options.height, 16, 16384);
    requireWithin("samples", options.samples, 1, 1024);
    requireWithin("edgeSamples", options.edgeSamples, 0, 1024);
    requireWithin("creaseAngle", options.creaseAngle, 0, M_PI);
    requireWithin("wireWidth", options.wireWidth, 0.1, 100);
    requireWithin("fieldOfView", options.fieldOfView, 0.01, 3);
    requireWithin("elevation", options.elevation, -1.57, 1.57);
    requireWithin("azimuth", options.azimuth, -100, 100);
    requireWithin("margin", options.margin, 0, 0.4);
    requireWithin("light.keyRadius", options.light.keyRadius, 0, 1.5);
    if (options.camera) validateCamera(*options.camera);
    if (options.range && !(options.range->low < options.range->high))
        throw Error(format("the range of colours is %g to %g", options.range->low, options.range->high),
                    "give a low value below the high one");
    if (options.groundHeight && !std::isfinite(*options.groundHeight))
        throw Error("the ground's height is not finite", "give a number in metres");
}

}  // namespace sunder::render
