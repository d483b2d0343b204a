#include <memory>

#include "cli/frame_conversion.h"
#include "core/sim/cache_topology.h"

namespace sunder::cli {

namespace {
constexpr const char* kCacheHelp =
    R"(With --constant-topology all frames get the points and tets of the last one: split along every crack that ever
opens, and closed until it does. Frames may then be blended, retimed or baked. Positions, velocities and other attributes
are those of the simulation; `name` and `insidefaces` are those of the last frame, `openfaces` are those
of them that are open by now. Colliders are left out.

examples:
  sunder cache out/slab --constant-topology --out out/slab_constant
  sunder surface out/slab_constant --out out/slab_skin)";

struct CacheCommand {
    ConversionOptions conversion;
    bool constantTopology = false;
};

void makeCache(const CacheCommand& command) {
    if (!command.constantTopology)
        throw UsageError("there is nothing to make of the frames", "add --constant-topology");
    FrameConversion frames(command.conversion);
    const CacheFrame last = frames.readLast();
    frames.run([&](const CacheFrame& frame) { return onLastTopology(frame, last); });
}
}  // namespace

void addCache(CLI::App& app, Invocation& invocation) {
    auto command = std::make_shared<CacheCommand>();
    CLI::App* sub = app.add_subcommand("cache", "Bring all frames of a simulation to one topology");
    addConversionOptions(*sub, command->conversion);
    sub->add_flag("--constant-topology", command->constantTopology, "the topology of the last frame in all frames");
    sub->footer(kCacheHelp);
    sub->callback([command, &invocation] { invocation.run = [command] { makeCache(*command); }; });
}

}  // namespace sunder::cli
