#pragma once

#include <functional>
#include <vector>

#include "core/base/row_lists.h"
#include "core/body/body.h"
#include "core/contact/contact_law.h"
#include "core/contact/grown_boxes.h"
#include "core/mesh/tet_links.h"

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

    friend bool operator==(const SkinFeatures& a, const SkinFeatures& b) {
        return a.vertices == b.vertices && a.edges == b.edges && a.faces == b.faces && a.ownVertices == b.ownVertices && a.ownEdges == b.ownEdges;
    }
};

/// What contact needs of a body. Elements are its tets by their numbers, so that an edit, which only adds, leaves all others where they are.
struct ContactShape {
    std::vector<ElementCorners> corners;    ///< of every tet with a vertex on the surface; kNoElement for all others
    std::vector<SkinFeatures> features;     ///< of every tet
    std::vector<std::uint8_t> outerFaces;   ///< of every tet of a collider: bits of the faces that something can come in by; empty: by all of the surface
    RowLists trianglesAround;               ///< every vertex: faces of the surface, as 4 * tet + face, ascending
    std::vector<std::int32_t> pieces;       ///< of every tet, see TetLinks
    std::vector<double> volume;             ///< of every vertex: its quarter of its tets, m^3
    std::vector<double> area;               ///< of the surface around every vertex that a plane can lie on, m^2; inside, of its share of the volume
    std::vector<double> stiffness;          ///< of every vertex's contact spring, N/m: its half, the other body has the other half
    std::vector<double> reach;              ///< of these springs, m
    std::vector<double> criticalDamping;    ///< of these springs, each with the mass of its vertex, N s/m
    double dampingRatio = 1;                ///< share of that on the body's own side
    double modulus = 0;                     ///< Pa, mean over the body; infinite if it keeps its shape: then only what touches it yields
    std::vector<double> frictionScale;      ///< painted, of every vertex; empty: 1
    ContactSurface surface;
    std::vector<ContactPartner> partners;   ///< ascending by body, none before this one
    bool inPieces = false;                  ///< more than one

    ContactSpring spring(std::size_t vertex) const { return {stiffness[vertex], reach[vertex]}; }
    /// Something can come in by this triangle.
    bool isOuter(std::int32_t code) const {
        const auto t = static_cast<std::size_t>(code / 4);
        return (((outerFaces.empty() ? features[t].faces : outerFaces[t]) >> (code % 4)) & 1) != 0;
    }
    /// Vertices of a triangle of the surface, outward.
    Tri triangle(std::int32_t code) const {
        const ElementCorners& tet = corners[static_cast<std::size_t>(code / 4)];
        const auto& face = kTetFaces[code % 4];
        return {tet[static_cast<std::size_t>(face[0])], tet[static_cast<std::size_t>(face[1])], tet[static_cast<std::size_t>(face[2])]};
    }
};

/// What the surface of a shape follows from.
struct SkinSource {
    Span<const Tet> tets;
    Span<const std::array<std::int32_t, 4>> neighbors;                      ///< see buildTetNeighbors
    std::function<Span<const std::int32_t>(std::int32_t vertex)> around;    ///< its tets, ascending
    Span<const std::uint8_t> gone = {};                                     ///< of every tet: 1 if it is no element; empty: all may be

    bool isGone(std::int32_t tet) const { return !gone.empty() && gone[static_cast<std::size_t>(tet)] != 0; }
};
/// The triangles around a vertex, from its tets.
void markTriangles(const SkinSource& skin, std::int32_t vertex, ContactShape& shape);
/// Corners and features of a tet, from the triangles around its vertices. With `all` a tet without a vertex on the surface is an element, too.
void markFeatures(const SkinSource& skin, std::int32_t tet, bool all, ContactShape& shape);

/// The reach of a contact spring, of the height of the column of material that gives it its stiffness.
inline constexpr double kContactReach = 0.125;

ContactShape buildContactShape(const Body& body, const TetLinks& links);
ContactShape buildContactShape(const Body& body);

/// An edit of a body that is already applied to all else here. `renumbered`: see patchTetLinks.
struct ShapeEdit {
    const TopologyEdit& edit;
    const Body& body;
    const TetStars& stars;
    const TetLinks& links;
    Span<const std::int32_t> renumbered;
};
/// Brings a shape up to date at the cost of what the edit changed, to the bits of one built anew but for `modulus` (updateModulus) and the numbers of
/// pieces. Returns what a BroadPhase has to know.
std::vector<ElementChange> patchContactShape(const ShapeEdit& edit, ContactShape& shape);
void updateModulus(const Body& body, ContactShape& shape);

/// A vertex's third of its triangles (see trianglesAround), as seen along the normal of the one of them that shows most of it: at an edge of a box, one
/// side counts. Off the surface, what its share of the volume makes.
double contactArea(Span<const Tet> tets, Span<const std::int32_t> triangles, Span<const Vec3> x, double volume);

}  // namespace sunder
