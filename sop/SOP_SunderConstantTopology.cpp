#include "core/base/text.h"
#include "core/sim/cache_topology.h"
#include "hdk/verb.h"
#include "sop/nodes.h"

namespace sunder::sop {

namespace {
class ConstantTopology : public hdk::Verb {
    const char* operation() const override { return "Bringing a frame to the last topology"; }

    void cookVerb(hdk::HostMonitor& monitor) override {
        const CacheFrame frame = makeCacheFrame(input(0, "the current frame of a Sunder solver", monitor), &monitor);
        const CacheFrame last = makeCacheFrame(input(1, "the last frame of the same simulation, by a Time Shift", monitor), &monitor);
        const Geometry out = onLastTopology(frame, last, &monitor);
        write(out);
        setInfo(format("%zu tets of %zu, %zu points of %zu", out.primitiveCount(), frame.tets.size(), out.pointCount(), frame.pointId.size()));
    }
};

const char* kConstantTopologyInputs[] = {"Current Frame", "Final Frame", nullptr};
}  // namespace

void addConstantTopology(OP_OperatorTable& table) {
    hdk::registerSop(table, {"sunder::constanttopology::1.0", "Sunder Constant Topology", "SOP_sunder-constanttopology", 2, 2, kConstantTopologyInputs, SOP_NodeVerb::COOK_GENERIC,
                             hdk::DialogWriter("constanttopology").script(), []() -> SOP_NodeCache* { return new ConstantTopology; }});
}

}  // namespace sunder::sop
