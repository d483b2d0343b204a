#include "cli/render/renderer.h"

#include <algorithm>

#include "cli/render/legend.h"
#include "cli/render/pixel_tracer.h"
#include "cli/render/resolve.h"
#include "core/base/parallel.h"

namespace sunder::render {

namespace {
constexpr int kBlock = 16;  ///< pixels a side; a multiple of the sampling's blocks

struct BlockResult {
    std::vector<Surfel> surfels;
    std::vector<std::uint32_t> counts;
};

struct BlockGrid {
    int width, height, columns, rows;

    explicit BlockGrid(const RenderOptions& o)
        : width(o.width),
          height(o.height),
          columns((o.width + kBlock - 1) / kBlock),
          rows((o.height + kBlock - 1) / kBlock) {}
    PixelRect rect(std::size_t block) const {
        const int x = static_cast<int>(block) % columns * kBlock,
                  y = static_cast<int>(block) / columns * kBlock;
        return {x, y, std::min(width, x + kBlock), std::min(height, y + kBlock)};
    }
    std::size_t count() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
};

template <class Visit>
void visitPixels(const BlockGrid& grid, std::size_t block, Visit visit) {
    const PixelRect r = grid.rect(block);
    std::size_t inBlock = 0;
    for (int y = r.y0; y < r.y1; ++y)
        for (int x = r.x0; x < r.x1; ++x)
            visit(static_cast<std::size_t>(y) * static_cast<std::size_t>(grid.width) +
                      static_cast<std::size_t>(x),
                  inBlock++);
}

SurfelImage join(const BlockGrid& grid, std::vector<BlockResult>& blocks) {
    SurfelImage image;
    image.width = grid.width;
    image.height = grid.height;
    image.first.assign(static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height) + 1, 0);
    for (std::size_t b = 0; b < blocks.size(); ++b)
        visitPixels(grid, b, [&](std::size_t p, std::size_t i) { image.first[p + 1] = blocks[b].counts[i]; });
    for (std::size_t p = 1; p < image.first.size(); ++p) image.first[p] += image.first[p - 1];
    image.surfels.resize(image.first.back());
    parallelBlocks(blocks.size(), [&](std::size_t b) {
        std::size_t next = 0;
        visitPixels(grid, b, [&](std::size_t p, std::size_t i) {
            for (std::uint32_t k = 0; k < blocks[b].counts[i]; ++k)
                image.surfels[image.first[p] + k] = blocks[b].surfels[next++];
        });
        blocks[b] = {};
    });
    return image;
}

SurfelImage tracePicture(const PixelTracer& tracer, const RenderOptions& options, Monitor* monitor) {
    const BlockGrid grid(options);
    std::vector<BlockResult> blocks(grid.count());
    parallelBlocks(blocks.size(), [&](std::size_t b) {
        throwIfCancelled(monitor);
        blocks[b].surfels = tracer.traceBlock(grid.rect(b), blocks[b].counts);
    });
    return join(grid, blocks);
}

bool hasNan(const Surface& surface) {
    return std::any_of(surface.values.begin(), surface.values.end(), [](float v) { return v != v; });
}
}  // namespace

RenderScene buildScene(const Geometry& geometry, const RenderOptions& options) {
    validate(options);
    RenderScene scene;
    scene.surface = buildSurface(geometry, options);
    ViewFit fit(options);
    fit.add(scene.surface);
    scene.view = fit.view();
    return scene;
}

Image renderPicture(const RenderScene& scene, const RenderOptions& options, Monitor* monitor) {
    validate(options);
    const PixelTracer tracer(scene.surface, scene.view, options);
    const SurfelImage surfels = tracePicture(tracer, options, monitor);
    ResolveOptions last;
    last.lit = options.lit;
    last.denoise = options.denoise;
    last.eye = (tracer.projection().position - scene.view.center).cast<float>();
    last.pixelAngle = static_cast<float>(2 * tracer.projection().tanY / options.height);
    Image image = resolve(surfels, last);
    if (!options.attribute.empty() && options.legend)
        drawLegend(image, options, scene.view.range, hasNan(scene.surface));
    if (!scene.caption.empty()) drawCaption(image, options, scene.caption);
    return image;
}

}  // namespace sunder::render
