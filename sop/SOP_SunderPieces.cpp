#include "core/base/text.h"
#include "core/sim/cache_debris.h"
#include "core/sim/cache_pieces.h"
#include "hdk/verb.h"
#include "sop/nodes.h"

namespace sunder::sop {

namespace {
enum PiecesOutput { kTransforms, kRest, kDebris, kPacked };

class Pieces : public hdk::Verb {
    const char* operation() const override { return "Making pieces of a frame"; }

    void cookVerb(hdk::HostMonitor& monitor) override {
        const auto output = choice("output");
        const CacheFrame frame = makeCacheFrame(input(0, "the current frame of a Sunder solver", monitor), &monitor);
        if (output == kDebris) return writeDebris(frame, monitor);
        const CacheFrame last = hasInput(1) ? makeCacheFrame(input(1, "the last frame of the same simulation", monitor), &monitor) : frame;
        if (output == kRest) return writeRest(last);
        throwIfCancelled(&monitor);
        const CachePieces pieces = collectPieces(last);
        throwIfCancelled(&monitor);
        const std::vector<PieceMotion> motions = fitPieces(pieces, frame, last);
        throwIfCancelled(&monitor);
        const Geometry points = handOff(pieces, motions, frame);
        if (output == kTransforms) return writeTransforms(points);
        preparePacked(pieces, last);
        writePackedPieces(points, motions);
    }

    void writeRest(const CacheFrame& last) {
        const Geometry rest = restPieces(last);
        write(rest);
        setInfo(format("%zu polygons at rest", rest.primitiveCount()));
    }

    Geometry handOff(const CachePieces& pieces, const std::vector<PieceMotion>& motions, const CacheFrame& frame) const {
        Geometry points = pieceGeometry(pieces, motions, frame);
        for (const char* name : {"bounce", "friction"}) points.points.add<float>(name, points.pointCount()).assign(points.pointCount(), static_cast<float>(number(name)));
        return points;
    }

    void writeTransforms(const Geometry& points) {
        write(points);
        setInfo(format("%zu pieces", points.pointCount()));
    }

    /// Pieces at rest are those of the last frame: as long as that is the same, so are they, and all frames share them.
    void preparePacked(const CachePieces& pieces, const CacheFrame& last) {
        const std::uint64_t now = inputIdentity(hasInput(1) ? 1 : 0);
        if (now == packedOf_ && !packed_.empty()) return;
        packed_.clear();
        for (const Geometry& piece : splitPieces(restPieces(last), pieces)) packed_.push_back(hdk::sharedDetail(piece));
        packedOf_ = now;
    }

    void writePackedPieces(const Geometry& points, const std::vector<PieceMotion>& motions) {
        std::vector<hdk::PackedPlace> places;
        for (const PieceMotion& m : motions) places.push_back({m.pivot, m.turn});
        writePacked(points, packed_, places);
        setInfo(format("%zu packed pieces", points.pointCount()));
    }

    void writeDebris(const CacheFrame& frame, hdk::HostMonitor& monitor) {
        DebrisOptions options;
        options.density = number("density");
        options.speed = number("speed");
        options.seed = static_cast<std::uint64_t>(choice("seed"));
        CrackHistory cracks;
        cracks.add(makeCacheFrame(input(2, "the frame before the current one, by a Time Shift", monitor), &monitor));
        cracks.add(frame);
        const Geometry points = DebrisSource(options).emit(cracks);
        write(points);
        setInfo(format("%zu points of debris", points.pointCount()));
    }

    std::vector<GU_ConstDetailHandle> packed_;
    std::uint64_t packedOf_ = 0;  ///< identity of what they were made of
};

const char* kPiecesInputs[] = {"Current Frame", "Final Frame", "Previous Frame", nullptr};
}  // namespace

void addPieces(OP_OperatorTable& table) {
    const DebrisOptions debris;
    hdk::DialogWriter dialog("pieces");
    dialog.own("ordinal", "output", "Output", "0",
               "one point a piece with what the Bullet solver wants, the skins of all pieces at rest with their names, points where cracks open, or a packed primitive a piece, for the Bullet solver",
               {"transforms", "Points with Transforms", "rest", "Pieces at Rest", "debris", "Debris Points", "packed", "Packed Pieces"});
    dialog.own("float", "bounce", "Bounce", "0.5", "of the pieces, for the Bullet solver");
    dialog.own("float", "friction", "Friction", "0.5", "of the pieces, for the Bullet solver");
    dialog.own("float", "density", "Debris Density", format("%g", debris.density), "points a square metre of new crack, both sides counted (1/m2)");
    dialog.own("float", "speed", "Debris Speed", format("%g", debris.speed), "largest random speed off the face (m/s)");
    dialog.own("integer", "seed", "Debris Seed", "0", "of the random numbers");
    hdk::registerSop(table, {"sunder::pieces::1.0", "Sunder Pieces", "SOP_sunder-pieces", 1, 3, kPiecesInputs, SOP_NodeVerb::COOK_GENERIC, dialog.script(),
                             []() -> SOP_NodeCache* { return new Pieces; }});
}

}  // namespace sunder::sop
