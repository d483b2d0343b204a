#pragma once

#include "core/contact/contact_forces.h"

namespace sunder {

/// A vertex of a body's surface inside a tet of another one, or of another part of its own.
struct NodeContact {
    std::int32_t body, vertex;
    std::int32_t other;    ///< body
    Tet tet;               ///< of the other, around the vertex
    Vec4 weights;          ///< of the vertex in it
    Tri face;              ///< of the other's surface, the way out
    Vec3 faceWeights;      ///< of its point nearest to the vertex
    double depth;          ///< m, to that point
    Vec3 up;               ///< to that point, a unit vector
    Vec2 friction;         ///< at rest and sliding
    Vec2 ratio;            ///< shares of the critical damping, of its own body and of the other
};

/// Finds the surface's vertices inside tets among `pairs`, by body, vertex and other body, and sums them up as VertexContacts: volume and facing
/// are the area of the vertex times the largest depth and its direction. The way out is the nearest point of the triangles around the tet's
/// corners, of those that the vertex's own surface looks at: out of a thin sheet where it came in.
void findNodeContacts(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, std::vector<NodeContact>& nodes,
                      std::vector<VertexContacts>& vertices);

/// Contact forces of O'Brien and Hodgins (1999), section 3.3: a vertex at depth d is pushed out with
///   F = max(0, k d + c s),  k = A / 2 (soft_a^2 k_n / A_n + soft_b^2 mean of k_m / A_m),
/// s its speed of closing, A the smaller one of the areas of the vertex and of its way out, a mean over the face's corners. So each
/// of two even surfaces carries half of what the overlap's potential does; where only one of them has vertices in the other, bodies sink
/// twice as deep. The reaction acts at the point of the way out, on the same line: this is minus the gradient of 1/2 k d^2 for
/// as long as the vertex stays in the skin and the way out does not jump. What jumps gain or lose is booked as with computeThesisForces.
/// Friction acts where the vertex is, on both bodies, with the spring that ContactMemory has of the vertex; vertices of colliders
/// have no memory and only drag. Edges that cross without a vertex inside are not seen.
ContactTotals computeNodeForces(const std::vector<NodeContact>& nodes, Span<ContactBodyState> bodies, const ContactStep& step);

}  // namespace sunder
