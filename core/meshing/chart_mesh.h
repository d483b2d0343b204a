#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/math/types.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

/// A surface drawn in the plane without changing angles, so that triangles that are good there are good on the surface.
struct Chart {
    std::function<Vec3(const Vec2&)> lift;     ///< plane to surface
    std::function<Vec2(const Vec3&)> flatten;  ///< the place whose lift is nearest to a point near the surface
};
/// The plane y = 0, as (x, z) with z turned round so that counter-clockwise triangles face up.
Chart flatChart();

/// What is to be triangulated: points and edges that stay, and points that may move.
struct ChartPoints {
    std::vector<Vec2> fixed, free;
    std::vector<std::array<std::int32_t, 2>> edges;  ///< between fixed points

    /// A closed polygon of `count` points on a circle around the origin; `phase` turns it, rad.
    void addFixedRing(double radius, int count, double phase);
    /// `count` free points near that circle, moved at random by up to a quarter of their distance.
    void addFreeRing(double radius, int count, std::uint64_t seed);
};

/// Triangles without a regular direction: Delaunay, the free points drawn towards the middle of their neighbours on the surface. Free points
/// that come too near to an edge are left out. Vertices are the fixed points, in their order, then the free ones that are left.
struct ChartMesh {
    std::vector<Vec2> points;
    std::vector<Tri> triangles;
};
ChartMesh fillChart(const ChartPoints& points, const Chart& chart);

/// Drops the triangles around holes: those whose middle `keep` rejects.
void dropTriangles(ChartMesh& mesh, const std::function<bool(const Vec2&)>& keep);

/// Layers of prisms over the triangles, three tets each: `place(vertex, share)` puts vertex `vertex` of the triangles at the share of the
/// thickness, from 0 for the first side to 1 for the other. Vertex v of layer k has the number k * vertexCount + v. The triangles face the
/// other side. Diagonals follow the numbers of the vertices and change sides from layer to layer.
TetMesh extrudeTriangles(const std::vector<Tri>& triangles, std::size_t vertexCount, int layers,
                         const std::function<Vec3(std::size_t, double)>& place);

}  // namespace sunder
