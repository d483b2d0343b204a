#include <memory>

#include "cli/frame_conversion.h"
#include "core/sim/cache_surface.h"

namespace sunder::cli {

namespace {
constexpr const char* kSurfaceHelp =
    R"(Triangles of the skin of all bodies, with all attributes of their points and tets and the piece's `name`. Groups `inside`
and `outside` tell faces that cracks opened from those of the model; inside faces have a `uv` in metres, projected along
the nearest axis at rest. Curves in the group `crackedges` are the edges of cracks. Faces and curves have `age` (s since the first
frame that has them open, -1 if never opened) and `openingspeed` (m/s). Colliders are left out.

examples:
  sunder surface out/slab --out out/slab_skin
  sunder render out/slab_skin --color age)";

void makeSurfaces(const ConversionOptions& options) {
    FrameConversion frames(options);
    CrackHistory cracks;
    frames.run([&](CacheFrame frame) {
        cracks.add(std::move(frame));
        CacheSurface surface = makeSurface(cracks.frame());
        addCracks(surface, cracks);
        return std::move(surface.geometry);
    });
}
}  // namespace

void addSurface(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ConversionOptions>();
    CLI::App* sub = app.add_subcommand("surface", "Make polygons of the frames of a simulation, inside faces apart");
    addConversionOptions(*sub, *options);
    sub->footer(kSurfaceHelp);
    sub->callback([options, &invocation] { invocation.run = [options] { makeSurfaces(*options); }; });
}

}  // namespace sunder::cli
