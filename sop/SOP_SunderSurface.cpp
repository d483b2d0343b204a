#include <memory>

#include "core/base/text.h"
#include "core/sim/cache_render.h"
#include "hdk/verb.h"
#include "sop/nodes.h"

namespace sunder::sop {

namespace {
class Surface : public hdk::Verb {
    const char* operation() const override { return "Deforming the render mesh"; }

    void cookVerb(hdk::HostMonitor& monitor) override {
        const Geometry render = input(0, "the surface that is to be rendered, at rest", monitor);
        const CacheFrame frame = makeCacheFrame(input(1, "the current frame of a Sunder solver", monitor), &monitor);
        const RenderMap& map = bound(render, frame, monitor);
        const Geometry out = map.deform(render, frame, &monitor);
        write(out);
        if (2 * map.outsideCount() > render.pointCount())
            warn(format("%zu of %zu points lie outside of the tets at rest. Give input 1 the surface as it was when it was filled", map.outsideCount(), render.pointCount()));
        setInfo(format("%zu polygons, %zu of cracks, %zu points split", out.primitiveCount(), out.primitiveCount() - render.primitiveCount(), map.splitCount()));
    }

    /// Binding is dear and holds until the next crack.
    const RenderMap& bound(const Geometry& render, const CacheFrame& frame, hdk::HostMonitor& monitor) {
        const std::uint64_t identity = RenderMap::identity(render, frame);
        if (!map_ || identity != identity_) {
            map_ = nullptr;
            map_ = std::make_unique<RenderMap>(render, frame, &monitor);
            identity_ = identity;
        }
        return *map_;
    }

    std::unique_ptr<RenderMap> map_;
    std::uint64_t identity_ = 0;
};

const char* kSurfaceInputs[] = {"Render Mesh at Rest", "Current Frame", nullptr};
}  // namespace

void addSurface(OP_OperatorTable& table) {
    hdk::registerSop(table, {"sunder::surface::1.0", "Sunder Surface", "SOP_sunder-surface", 2, 2, kSurfaceInputs, SOP_NodeVerb::COOK_GENERIC,
                             hdk::DialogWriter("surface").script(), []() -> SOP_NodeCache* { return new Surface; }});
}

}  // namespace sunder::sop
