#pragma once

#include <string>
#include <vector>

#include "core/base/span.h"
#include "core/body/constraints.h"
#include "core/math/types.h"

namespace sunder {

/// A surface from outside that bodies collide with, at one time. Closed parts are solid and push out of their inside; of open parts
/// both sides collide.
struct ColliderSurface {
    std::vector<Vec3> positions;  ///< m
    std::vector<Tri> triangles;   ///< counter-clockwise seen from outside; turned where they disagree
    double thickness = 0;         ///< m, of the layer that stands for the surface; 0: chosen, see buildColliderSlab. Less where less fits
    bool twoSided = false;        ///< both sides of closed parts collide, too: a room, or a hull that bodies may be inside of
};

/// How often something was found, and where first.
struct ColliderTrouble {
    std::size_t count = 0;
    std::int32_t triangle = -1;      ///< as the surface numbers them
    Vec3 position = Vec3::Zero();    ///< middle of the triangle or of the edge

    void add(std::size_t at, const Vec3& where);
};

/// What was odd about a surface, and what was made of it.
struct ColliderReport {
    ColliderTrouble repeated;     ///< triangles that use a vertex twice: left out
    ColliderTrouble duplicate;    ///< triangles over the vertices of an earlier one, either way round: left out
    ColliderTrouble flat;         ///< triangles without area: collide with nothing, but join their neighbours
    ColliderTrouble openEdge;     ///< edges of one triangle: their part has two sides
    ColliderTrouble crowdedEdge;  ///< edges of three triangles or more: their parts end there and have two sides
    ColliderTrouble turned;       ///< triangles turned to agree with most of their part
    ColliderTrouble insideOut;    ///< closed parts turned
    ColliderTrouble twisted;      ///< parts that no turning makes agree, as a Moebius strip: two sides
    ColliderTrouble noVolume;     ///< closed parts without volume: two sides
    ColliderTrouble thinned;      ///< triangles with less than the thickness, as the opposite side is near
    ColliderTrouble shortened;    ///< triangles with less than the thickness, as their layer would fold
    ColliderTrouble givenUp;      ///< triangles whose layer tapers to nothing at a corner, as nothing is behind all that meet there
    std::size_t parts = 0, closedParts = 0;
    double thickness = 0;         ///< m, given or the most that was chosen
    double thinnest = 0;          ///< m, least there is anywhere

    /// One sentence for each trouble; empty if there is none. Open edges alone are none.
    std::string summary() const;
};

/// Throws Error that names the first vertex that is not a number or is farther than kLargestPosition.
void validateColliderPositions(Span<const Vec3> positions);
/// Numbers of the triangles to work with, ascending. Throws Error on bad indices, positions or thickness, and if nothing has an area.
std::vector<std::int32_t> findUsableTriangles(const ColliderSurface& surface, ColliderReport& report);
/// True if the corners lie on a line, to rounding.
bool isFlat(const Vec3& a, const Vec3& b, const Vec3& c);

/// True if a slab built for one serves the other by an update: as many vertices, and the same triangles.
bool topologyMatches(const ColliderSurface& a, const ColliderSurface& b);

struct ColliderMove {
    double largest = 0;         ///< m
    double share = 0;           ///< of the diagonal of the surface's box before; above 1 vertices have probably changed places
    std::int32_t vertex = -1;   ///< that moved most
};
ColliderMove measureMove(Span<const Vec3> before, Span<const Vec3> after);

/// Places and velocities of points that rest at `rest` and follow a motion. For a rigid collider these are the slab's vertices.
void moveRigidly(Span<const Vec3> rest, const Motion& motion, double time, Span<Vec3> x, Span<Vec3> v);

/// A frame of a deforming collider. What turns gets thinner on the way, by the cosine of half the angle, so frames should not turn
/// anything by more than a right angle.
struct ColliderFrame {
    Span<const Vec3> start, end;  ///< vertices of the slab, updated for both
    double duration = 0;          ///< s
};
/// Places and velocities at a fraction of the frame: on straight ways, at an even speed.
void moveBetween(const ColliderFrame& frame, double fraction, Span<Vec3> x, Span<Vec3> v);

}  // namespace sunder
