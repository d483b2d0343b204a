#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/body/constraints.h"
#include "core/body/weak_surface.h"
#include "core/material/material.h"
#include "core/math/types.h"
#include "core/meshing/tetrahedralize.h"
#include "core/sim/settings.h"

namespace sunder {

/// A geometry file: its tets as they are, or else its polygons, to be filled with tets.
struct FileSource {
    std::string path;  ///< relative to Scene::folder
};

/// How the cells of a box are cut into tets.
enum class CellPattern : std::uint8_t {
    kSix,     ///< six around one diagonal, the same in every cell
    kCentred  ///< twelve around a vertex in the middle: a body-centred lattice, which is alike in all directions
};

/// A box of cubic cells, centred on the origin.
struct BoxShape {
    Vec3 size = Vec3::Ones();  ///< m
    std::array<int, 3> cells = {4, 4, 4};
    CellPattern pattern = CellPattern::kSix;
    double jitter = 0;  ///< share of the shortest edge by which vertices are moved at random, within their face or edge
    std::uint64_t seed = 0;
};

/// A ball of bent cells, six tets each, centred on the origin.
struct SphereShape {
    double radius = 0.5;  ///< m
    int cells = 8;        ///< across the diameter
    double jitter = 0;    ///< as for a box
    std::uint64_t seed = 0;
};

/// A ring around the y axis.
struct TorusShape {
    double ringRadius = 0.5;  ///< m, from the centre to the middle of the tube
    double tubeRadius = 0.2;  ///< m
    int around = 24, across = 4;
};

/// The project's own soft animal: on four feet, nose along +z, standing on y = 0. A closed surface, to be
/// filled with tets.
struct TapirShape {
    double length = 0.6;  ///< m, nose to tail
    int cells = 48;       ///< surface cells along the length, at least 40
};

// Shapes of irregular triangles, which `seed` draws, and layers of prisms over them, three tets each.

/// A part of a spherical shell, standing on y = 0 and open at the top. Its rim points to the centre of the sphere.
struct BowlShape {
    double radius = 0.15;      ///< m, outer, of the sphere
    double depth = 0.12;       ///< m, bottom to outer edge of the rim, below two radii
    double thickness = 0.008;  ///< m, of the wall
    int cells = 20;            ///< across the diameter of the sphere
    int layers = 1;            ///< through the wall
    std::uint64_t seed = 0;
};

/// A round dish, standing on y = 0: a flat base with an upright rim of the same thickness.
struct TrayShape {
    double radius = 0.15;      ///< m, outer
    double height = 0.04;      ///< m, of the rim, base included
    double thickness = 0.008;  ///< m
    int cells = 20;            ///< across the diameter
    int layers = 1;            ///< through base and rim
    std::uint64_t seed = 0;
};

/// A spherical shell, centred on the origin.
struct HollowSphereShape {
    double radius = 0.15;     ///< m, outer
    double thickness = 0.01;  ///< m
    int cells = 16;           ///< across the diameter
    int layers = 1;           ///< through the wall
    std::uint64_t seed = 0;
};

/// A solid cylinder along the y axis, centred on the origin.
struct CylinderShape {
    double radius = 0.1;   ///< m
    double height = 0.4;   ///< m
    int cells = 8;         ///< across the diameter; as long as they are wide
    double jitter = 0.15;  ///< as for a box
    std::uint64_t seed = 0;
};

/// A hollow cylinder along the y axis, open at both ends, centred on the origin.
struct TubeShape {
    double radius = 0.1;       ///< m, outer
    double height = 0.4;       ///< m
    double thickness = 0.008;  ///< m, of the wall
    int cells = 12;            ///< across the diameter
    int layers = 1;            ///< through the wall
    std::uint64_t seed = 0;
};

/// The block of O'Brien 2000, figure 4.12: flat in z, cut at half height from the left side on, with a round hole in the lower half.
struct NotchedBlockShape {
    Vec3 size = Vec3(1, 1, 0.1);  ///< m
    double cut = 0.5;             ///< m, length of the cut; its two sides touch and share no vertex but at its end
    double holeRadius = 0.1;      ///< m
    double holeHeight = 0.25;     ///< m, centre of the hole above the bottom
    int cells = 20;               ///< along x
    int layers = 1;               ///< along z
    std::uint64_t seed = 0;
};

using BodySource = std::variant<FileSource, BoxShape, SphereShape, TorusShape, TapirShape, BowlShape, TrayShape, HollowSphereShape,
                                CylinderShape, TubeShape, NotchedBlockShape>;

/// A rectangle across the y axis, centred on the origin, that faces +y.
struct PlaneShape {
    Vec2 size = Vec2::Constant(10);  ///< m, along x and z
};

/// Geometry files, one a frame, of a surface that changes its shape.
struct FramesSource {
    std::string path;  ///< relative to Scene::folder; the number of the frame stands as ####, %04d or $F4
    std::int64_t first = 1, last = 1;  ///< frames of the scene that have a file
};

/// Where the surface of a collider comes from: of solids the boundary counts.
using ColliderSource = std::variant<FileSource, FramesSource, BoxShape, SphereShape, TorusShape, TapirShape, PlaneShape>;

/// Scale, then rotation about x, y and z in that order, then translation.
struct Transform {
    Vec3 translate = Vec3::Zero();  ///< m
    Vec3 rotate = Vec3::Zero();     ///< rad
    Vec3 scale = Vec3::Ones();

    Vec3 apply(const Vec3& p) const;
};

// Which vertices of a body; positions are those at the start, after the body's transform.
struct GroupRegion {
    std::string name;  ///< a point group, or an attribute that is not zero
};
struct BoxRegion {
    Vec3 min = Vec3::Zero(), max = Vec3::Zero();  ///< m
};
struct SphereRegion {
    Vec3 center = Vec3::Zero();  ///< m
    double radius = 0;           ///< m
};
struct NearestRegion {
    Vec3 point = Vec3::Zero();  ///< m
    int count = 1;
};
struct AllRegion {};
using Region = std::variant<GroupRegion, BoxRegion, SphereRegion, NearestRegion, AllRegion>;

/// Vertices that follow a motion exactly; without keys they are nailed where they start.
struct ScenePin {
    std::string name;
    Region where = AllRegion{};
    Motion motion;
    double releaseTime = 1e300;    ///< s
    double releaseForce = 1e300;   ///< N a vertex, see HardTarget
    double releaseStress = 1e300;  ///< Pa
};

/// Vertices that a spring and a damper each draw towards a motion.
struct SceneTarget {
    std::string name;
    Region where = AllRegion{};
    Motion motion;
    double strength = 100;  ///< N/m a vertex
    double damping = 0;     ///< N s/m a vertex
    double releaseTime = 1e300;
    double releaseForce = 1e300;  ///< N a vertex
};

/// A weak surface of a body: the fields of WeakSurface, its shape before it is placed.
struct SceneGuide {
    std::string name;
    std::variant<FileSource, PlaneGuide, SphereGuide, CurveGuide, GrainPattern, BrickPattern, RadialPattern, VoronoiPattern> shape = PlaneGuide{};
    Transform transform;
    double strength = 0.2;
    double width = 0;   ///< m
    double follow = 1;
    bool parts = false;  ///< of patterns: nothing breaks inside their cells
};

/// Vertices that break at a time, whatever the stress.
struct SceneBreak {
    std::string name;
    Region where = AllRegion{};
    double time = 0;  ///< s, above 0
};

/// What holds two bodies together where they are near each other at the start.
struct SceneGlue {
    std::string name;
    std::string a, b;           ///< bodies
    double distance = 0.01;     ///< m, of a vertex of one from the surface of the other
    double strength = 1e6;      ///< Pa
    double stiffnessScale = 1;  ///< multiplies the stiffness that follows from the softer of the two
};

/// How a body meets others; groups by name.
struct SceneContact {
    ContactSurface surface;                          ///< `group` and `mask` follow from the names below
    std::vector<std::string> groups = {"default"};
    std::vector<std::string> collidesWith = {"all"};  ///< groups; none of them: nothing
};

/// How a collider meets bodies. It does not yield, so of `surface` friction alone counts.
struct SceneColliderContact : SceneContact {};

struct SceneBody {
    std::string name;
    BodySource source = BoxShape{};
    bool rigid = false;  ///< keeps its shape: moves as one. Its material gives it its mass and contact its stiffness
    double hollow = 0;  ///< m, thickness of the wall that a surface gets; 0: it is filled. Not for sources with tets of their own
    TetrahedralizeOptions meshing;  ///< for surfaces; sources with tets of their own do not need it
    Transform transform;
    Material material;
    bool materialFromGeometry = true;  ///< tets whose geometry names a material, `sundermaterial`, have that one (material_rows.h)
    SceneContact contact;
    Vec3 velocity = Vec3::Zero();  ///< m/s
    Vec3 spin = Vec3::Zero();      ///< rad/s, about the centre of mass
    double velocityNoise =
        0;  ///< m/s, largest random speed added to each component of every vertex's velocity
    Vec3 force = Vec3::Zero();  ///< N on the whole body, shared among its vertices by volume
    std::vector<ScenePin> pins;
    std::vector<SceneTarget> targets;
    std::vector<SceneGuide> guides;
    std::vector<SceneBreak> breaks;
};

/// A surface that bodies collide with and that goes where it is led.
struct SceneCollider {
    std::string name;
    ColliderSource source = PlaneShape{};
    Transform transform;
    Motion motion;         ///< of what the transform has placed
    double thickness = 0;  ///< m, of the layer that stands for the surface; 0: chosen from its triangles
    bool twoSided = false; ///< both sides of closed parts collide: a room
    bool visible = true;   ///< in the frames
    SceneColliderContact contact;
};

/// What is to be simulated, as data. Frame `startFrame` is the state at time zero; frame f is at (f -
/// startFrame) / fps.
struct Scene {
    std::string name;
    std::string folder = ".";  ///< where relative paths start; not part of the scene's identity
    double fps = 24;
    std::int64_t startFrame = 1;
    std::int64_t endFrame = 48;
    std::uint64_t seed = 0;
    StepSettings settings;
    std::vector<SceneBody> bodies;
    std::vector<SceneCollider> colliders;
    std::vector<SceneGlue> glue;

    double timeOf(std::int64_t frame) const { return static_cast<double>(frame - startFrame) / fps; }
};

/// What no single value shows: no bodies, bodies or colliders of the same name, frames backwards, keys out of order, contact with what is
/// not there.
/// Throws Error with a remedy; ranges of single values are checked by the reader and by what uses them.
void validate(const Scene& scene);

/// The file of one frame: the only run of #, %04d or $F4 in `pattern` becomes the number, with zeros in front up to that many digits.
/// Throws Error if there is none, or more than one.
std::string frameFile(const std::string& pattern, std::int64_t frame);

/// Names of the contact groups of bodies, then of colliders, in the order of their first use; "default" comes first. Bit i stands for the i-th.
std::vector<std::string> contactGroups(const Scene& scene);

}  // namespace sunder
