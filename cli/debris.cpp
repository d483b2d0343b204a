#include <memory>

#include "cli/frame_conversion.h"
#include "core/sim/cache_debris.h"

namespace sunder::cli {

namespace {
constexpr const char* kDebrisHelp =
    R"(Every frame gets points on the faces that cracks have opened since the frame before, to start dust and debris from: `v`, `N`, `area`
(m2 of crack that each stands for), `age` (s, within the frame's interval), the piece's `name`, and an `id` of its own. The same seed
gives the same points.

examples:
  sunder debris out/slab --out out/slab_debris
  sunder debris out/slab --out out/slab_dust --density 50000 --speed 0.5 --seed 7)";

struct DebrisCommand {
    ConversionOptions conversion;
    DebrisOptions debris;
};

void makeDebris(const DebrisCommand& command) {
    DebrisSource source(command.debris);
    FrameConversion frames(command.conversion);
    CrackHistory cracks;
    frames.run([&](CacheFrame frame) {
        cracks.add(std::move(frame));
        return source.emit(cracks);
    });
}
}  // namespace

void addDebris(CLI::App& app, Invocation& invocation) {
    auto command = std::make_shared<DebrisCommand>();
    CLI::App* sub = app.add_subcommand("debris", "Make points to start debris and dust from where cracks open");
    addConversionOptions(*sub, command->conversion);
    sub->add_option("--density", command->debris.density, "points a m2 of new crack, both sides counted")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    sub->add_option("--speed", command->debris.speed, "largest random speed off the face, m/s")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    sub->add_option("--seed", command->debris.seed, "of the random numbers")->capture_default_str()->type_name("N");
    sub->footer(kDebrisHelp);
    sub->callback([command, &invocation] { invocation.run = [command] { makeDebris(*command); }; });
}

}  // namespace sunder::cli
