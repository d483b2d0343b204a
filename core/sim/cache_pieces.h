#pragma once

#include <Eigen/Geometry>
#include <string>

#include "core/mesh/adjacency.h"
#include "core/sim/cache_frame.h"

namespace sunder {

/// What has come apart by the end of a simulation.
struct CachePieces {
    std::vector<std::string> name;
    IndexLists points;                   ///< of the last frame, of every piece
    std::vector<std::vector<double>> mass;  ///< kg, of every point of every piece
    std::vector<std::vector<Vec3>> rest;    ///< m
    std::vector<double> volume;             ///< m3 at rest
    std::vector<std::int32_t> ofTet;        ///< piece of every tet of the last frame
    std::vector<std::uint8_t> departs;      ///< of every piece: 1 if it has left as a particle by then
};
/// By the `name` of the tets, in the order of their first tets. Throws Error for a frame without `name`, or with pieces without mass.
CachePieces collectPieces(const CacheFrame& last);

/// The rigid motion that is nearest to a piece in a frame: place = centre + turn (rest - pivot).
struct PieceMotion {
    Vec3 pivot = Vec3::Zero(), centre = Vec3::Zero();  ///< of mass, at rest and now, m
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
    Vec3 v = Vec3::Zero(), w = Vec3::Zero();           ///< with the momentum and angular momentum of the piece, m/s and rad/s
    double error = 0, largestError = 0;                ///< m: root of the mean square by mass, and the worst point
    bool free = false;                                 ///< it has come apart from all others
    bool departed = false;                             ///< it has left as a particle
};
/// Of all points of the least distance in the sense of squares times mass (Kabsch 1976).
std::vector<PieceMotion> fitPieces(const CachePieces& pieces, const CacheFrame& frame, const CacheFrame& last);

/// One point a piece, with what Bullet asks for: `name`, `orient`, `pivot`, `v`, `w` (rad/s), `mass`, `density`, `active` (1 once it is free) and `restxform` (the
/// identity: pieces are drawn where they are at rest); and with what leaves the host nothing to guess: `inheritvelocity` (1), `computemass`, `computecom`, `animated`, `deforming` (0), `pscale`, `scale` and
/// `inertialtensorstiffness` (1), `bullet_add_impact`, `bullet_ignore`, `bullet_sleeping`, `dead`, `age` (0), `bullet_want_deactivate` (1) with Bullet's own thresholds of speed below which a
/// piece falls asleep, and a `life` (s) that no shot outlasts. `fiterror` and `fiterrormax`, m, and their largest as details. Where pieces leave as particles the group `departed` has
/// those that have left by now. A host places a piece at P + orient (rest - pivot).
Geometry pieceGeometry(const CachePieces& pieces, const std::vector<PieceMotion>& motions, const CacheFrame& frame);

/// The skins of all pieces at rest: makeSurface of the last frame with every point at its `restP`.
Geometry restPieces(const CacheFrame& last);

/// What restPieces made, piece by piece, in the order of collectPieces: each with its own points and with all attributes and groups.
std::vector<Geometry> splitPieces(const Geometry& rest, const CachePieces& pieces);

}  // namespace sunder
