#pragma once

#include "cli/render/image.h"
#include "cli/render/view.h"
#include "core/base/monitor.h"

namespace sunder::render {

/// One picture to be made: what is seen, from where, and a line of text at the bottom left.
struct RenderScene {
    Surface surface;
    View view;
    std::string caption;
};

/// The scene of a single geometry, framed by itself.
RenderScene buildScene(const Geometry& geometry, const RenderOptions& options);
/// The same bytes for any thread count. Throws Cancelled within a part of a second of being asked.
Image renderPicture(const RenderScene& scene, const RenderOptions& options, Monitor* monitor = nullptr);

}  // namespace sunder::render
