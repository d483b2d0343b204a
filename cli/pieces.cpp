#include <iostream>
#include <memory>

#include "cli/frame_conversion.h"
#include "core/base/text.h"
#include "core/sim/cache_pieces.h"

namespace sunder::cli {

namespace {
constexpr const char* kPiecesHelp =
    R"(rest.bgeo.sc holds the skin of every piece of the last frame at rest, and each frame one point a piece: the rigid motion nearest
to it. A piece stands at P + orient (rest - pivot). Points have `name`, `orient`, `pivot`, `v` (m/s), `w` (rad/s), `mass`, `density`,
`active` (1 once the piece has come apart from all others) and `inheritvelocity`, as Houdini's Bullet solver wants them, and how far points
of the piece are off: `fiterror` (root of the mean square by mass, m) and `fiterrormax`.

examples:
  sunder pieces out/slab --out out/slab_pieces)";

void makePieces(const ConversionOptions& options) {
    FrameConversion frames(options);
    const CacheFrame last = frames.readLast();
    const CachePieces pieces = collectPieces(last);
    frames.write("rest.bgeo.sc", restPieces(last));
    double error = 0, largest = 0;
    frames.run([&](const CacheFrame& frame) {
        const std::vector<PieceMotion> motions = fitPieces(pieces, frame, last);
        for (const PieceMotion& m : motions) {
            error = std::max(error, m.error);
            largest = std::max(largest, m.largestError);
        }
        return pieceGeometry(pieces, motions, frame);
    });
    std::cout << format("%zu pieces; their points are off by %.3g m at most, a piece by %.3g m (rms)\n", pieces.name.size(), largest, error);
}
}  // namespace

void addPieces(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ConversionOptions>();
    CLI::App* sub = app.add_subcommand("pieces", "Make rest pieces and a transform each of the frames of a simulation");
    addConversionOptions(*sub, *options);
    sub->footer(kPiecesHelp);
    sub->callback([options, &invocation] { invocation.run = [options] { makePieces(*options); }; });
}

}  // namespace sunder::cli
