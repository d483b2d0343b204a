#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/math/types.h"

namespace sunder {

// Where a body is weak: surfaces and lines in its rest shape. Guides are drawn, patterns follow from a few numbers and a seed.

/// An infinite plane.
struct PlaneGuide {
    Vec3 point = Vec3::Zero();    ///< m
    Vec3 normal = Vec3::UnitY();  ///< of any length but zero
};

/// The surface of a ball.
struct SphereGuide {
    Vec3 center = Vec3::Zero();  ///< m
    double radius = 0.1;         ///< m
};

/// A drawn line through points, or the surface that it leaves behind when it is swept along a direction.
struct CurveGuide {
    std::vector<Vec3> points;  ///< m
    bool closed = false;       ///< the last point is joined to the first
    Vec3 sweep = Vec3::Zero(); ///< m, to both sides; zero: a line
};

/// Triangles and lines of a model.
struct MeshGuide {
    std::vector<Vec3> points;  ///< m
    std::vector<Tri> triangles;
    std::vector<std::array<std::int32_t, 2>> segments;
};

/// Splinters along an axis: columns whose cross sections are cells of points drawn at random in a grid, each cut into lengths at a slant.
struct GrainPattern {
    Vec3 axis = Vec3::UnitY();  ///< of any length but zero
    double size = 0.05;         ///< m, across a splinter
    double length = 0;          ///< m, along it; 0: without end
    double jitter = 0.8;        ///< 0: square planks cut across, 1: as irregular as the grid allows
};

/// Bricks in running bond: along x, in courses along y, in leaves along z. Every other course is shifted by half a brick.
struct BrickPattern {
    Vec3 size = Vec3(0.24, 0.07, 0.115);  ///< m, from joint to joint; 0 along z: one leaf
    double mortar = 0.01;                 ///< m, thickness of the joints, all of which is weak
};

/// Rays and rings around a point, as of an impact.
struct RadialPattern {
    Vec3 center = Vec3::Zero();  ///< m
    Vec3 axis = Vec3::UnitZ();   ///< across the rings, of any length but zero
    int rays = 12;
    double ring = 0.1;           ///< m, radius of the first ring; 0: no rings
    double growth = 1.3;         ///< of the distance from ring to ring
    double radius = 0;           ///< m, where the pattern ends; 0: nowhere
    double jitter = 0.5;         ///< share of their distance by which rays and rings are moved at random
};

/// Cells of points drawn at random, one in every cube of a grid.
struct VoronoiPattern {
    double size = 0.1;    ///< m, of a cell
    double jitter = 1;    ///< 0: cubes, 1: as irregular as the grid allows
};

using WeakShape = std::variant<MeshGuide, PlaneGuide, SphereGuide, CurveGuide, GrainPattern, BrickPattern, RadialPattern, VoronoiPattern>;

/// A weak surface or line, and what it does: at its place toughness is multiplied by `strength`, and cracks turn into its plane.
struct WeakSurface {
    std::string name;
    WeakShape shape = PlaneGuide{};
    Mat3 turn = Mat3::Identity();  ///< of patterns: from their axes to those of the body ...
    Vec3 shift = Vec3::Zero();     ///< ... and where their origin lies, m
    double strength = 0.2;         ///< above 0, at most 1
    double width = 0;              ///< m, beyond the cells that it goes through, over which that fades
    double follow = 1;             ///< 0: cracks keep the plane of the stress, 1: they run along the surface
    std::uint64_t seed = 0;        ///< of patterns
};

/// Throws Error with a remedy for sizes, normals and shares that make no sense.
void validate(const WeakSurface& surface);

/// What is nearest to a point, as the shape sees it.
struct WeakPoint {
    double distance = 1e300;     ///< m
    Vec3 direction = Vec3::Zero();  ///< unit normal of the surface, or tangent of a line
    bool line = false;
    std::uint64_t cell = 0;      ///< of patterns: in which of their cells the point lies
};

}  // namespace sunder
