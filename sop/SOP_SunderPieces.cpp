#include "core/base/text.h"
#include "core/sim/cache_debris.h"
#include "core/sim/cache_pieces.h"
#include "hdk/verb.h"
#include "sop/nodes.h"

namespace sunder::sop {

namespace {
enum PiecesOutput { kTransforms, kRest, kDebris };

class Pieces : public hdk::Verb {
    const char* operation() const override { return "Making pieces of a frame"; }

    void cookVerb(hdk::HostMonitor& monitor) override {
        const auto output = choice("output");
        const CacheFrame frame = makeCacheFrame(input(0, "the current frame of a Sunder solver", monitor));
        if (output == kDebris) return writeDebris(frame, monitor);
        const CacheFrame last = hasInput(1) ? makeCacheFrame(input(1, "the last frame of the same simulation", monitor)) : frame;
        if (output == kRest) return writeRest(last);
        writeTransforms(frame, last);
    }

    void writeRest(const CacheFrame& last) {
        const Geometry rest = restPieces(last);
        write(rest);
        setInfo(format("%zu polygons at rest", rest.primitiveCount()));
    }

    void writeTransforms(const CacheFrame& frame, const CacheFrame& last) {
        const double bounce = number("bounce"), friction = number("friction");
        const CachePieces pieces = collectPieces(last);
        Geometry points = pieceGeometry(pieces, fitPieces(pieces, frame, last), frame);
        points.points.add<float>("bounce", points.pointCount()).assign(points.pointCount(), static_cast<float>(bounce));
        points.points.add<float>("friction", points.pointCount()).assign(points.pointCount(), static_cast<float>(friction));
        write(points);
        setInfo(format("%zu pieces", points.pointCount()));
    }

    void writeDebris(const CacheFrame& frame, hdk::HostMonitor& monitor) {
        DebrisOptions options;
        options.density = number("density");
        options.speed = number("speed");
        options.seed = static_cast<std::uint64_t>(choice("seed"));
        CrackHistory cracks;
        cracks.add(makeCacheFrame(input(2, "the frame before the current one, by a Time Shift", monitor)));
        cracks.add(frame);
        const Geometry points = DebrisSource(options).emit(cracks);
        write(points);
        setInfo(format("%zu points of debris", points.pointCount()));
    }
};

const char* kPiecesInputs[] = {"Current Frame", "Final Frame", "Previous Frame", nullptr};
}  // namespace

void addPieces(OP_OperatorTable& table) {
    const DebrisOptions debris;
    hdk::DialogWriter dialog("pieces");
    dialog.own("ordinal", "output", "Output", "0",
               "one point a piece with what the Bullet solver wants, the skins of all pieces at rest with their names, or points where cracks open",
               {"transforms", "Points with Transforms", "rest", "Pieces at Rest", "debris", "Debris Points"});
    dialog.own("float", "bounce", "Bounce", "0.5", "of the pieces, for the Bullet solver");
    dialog.own("float", "friction", "Friction", "0.5", "of the pieces, for the Bullet solver");
    dialog.own("float", "density", "Debris Density", format("%g", debris.density), "points a square metre of new crack, both sides counted (1/m2)");
    dialog.own("float", "speed", "Debris Speed", format("%g", debris.speed), "largest random speed off the face (m/s)");
    dialog.own("integer", "seed", "Debris Seed", "0", "of the random numbers");
    hdk::registerSop(table, {"sunder::pieces::1.0", "Sunder Pieces", "SOP_sunder-pieces", 1, 3, kPiecesInputs, SOP_NodeVerb::COOK_GENERIC, dialog.script(),
                             []() -> SOP_NodeCache* { return new Pieces; }});
}

}  // namespace sunder::sop
