#pragma once

#include <vector>

#include "core/body/body.h"
#include "core/contact/contact_law.h"
#include "core/contact/grown_boxes.h"
#include "core/mesh/adjacency.h"

namespace sunder {

/// A body that meets another one, or itself, in a way of their own.
struct ContactPartner {
    std::int32_t body;
    Vec2 friction;         ///< at rest and sliding
    double dampingRatio;   ///< of both sides; negative: each its own
};

/// What of a tet lies on its body's surface: bits as its corners, kTetEdges and kTetFaces. Each vertex and each edge of the surface is
/// owned by the first tet that has it.
struct SkinFeatures {
    std::uint8_t vertices = 0, edges = 0, faces = 0;
    std::uint8_t ownVertices = 0, ownEdges = 0;
};

/// What contact needs of a body between two edits of its topology.
struct ContactShape {
    std::vector<std::int32_t> tets;         ///< those with a vertex on the surface, ascending
    std::vector<ElementCorners> corners;    ///< of these tets
    std::vector<SkinFeatures> features;     ///< of these tets
    std::vector<Tri> triangles;             ///< of the surface, outward
    IndexLists trianglesAround;             ///< every vertex
    std::vector<std::int32_t> pieces;       ///< of these tets, counted from 0 in order of their first tet
    std::vector<double> area;               ///< of the surface around every vertex that a plane can lie on, m^2; inside, of its share of the volume
    std::vector<double> stiffness;          ///< of every vertex's contact spring, N/m: its half, the other body has the other half
    std::vector<double> reach;              ///< of these springs, m
    std::vector<double> criticalDamping;    ///< of these springs, each with the mass of its vertex, N s/m
    double dampingRatio = 1;                ///< share of that on the body's own side
    double modulus = 0;                     ///< Pa, mean over the body; infinite if it keeps its shape: then only what touches it yields
    std::vector<double> frictionScale;      ///< painted, of every vertex; empty: 1
    ContactSurface surface;
    std::vector<ContactPartner> partners;   ///< ascending by body, none before this one
    std::size_t pieceCount = 0;

    ContactSpring spring(std::size_t vertex) const { return {stiffness[vertex], reach[vertex]}; }
};

/// Which faces, edges and vertices of a shape's tets are on its surface, whose triangles and their tets are given.
void markFeatures(std::vector<Tri> triangles, Span<const std::int32_t> tetOf, std::size_t vertexCount, ContactShape& shape);
/// The reach of a contact spring, of the height of the column of material that gives it its stiffness.
inline constexpr double kContactReach = 0.125;

ContactShape buildContactShape(const Body& body);

/// Every vertex's third of its triangles, as seen along the normal of the one of them that shows most of it: at an edge of a box, one
/// side counts. Off the surface, what its share of the volume makes.
std::vector<double> computeContactAreas(Span<const Tri> surface, Span<const Vec3> x, Span<const double> volume);

}  // namespace sunder
