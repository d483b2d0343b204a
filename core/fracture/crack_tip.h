#pragma once

#include <optional>

#include "core/mesh/topology_edit.h"

namespace sunder {

/// The surface around a node, as cracks see it.
struct NodeSurface {
    std::vector<Tri> faces;          ///< of the boundary around the node, which is their first vertex; outward
    std::vector<std::int32_t> tets;  ///< behind them
};
NodeSurface findNodeSurface(Span<const Tet> tets, const TetStars& stars, std::int32_t node);

/// Two faces of a crack, or of a sharp notch, that end at a node.
struct CrackTip {
    Vec3 normal;   ///< of the crack, either way
    Vec3 forward;  ///< from it into the material, unit length
    std::vector<std::int32_t> vertices;  ///< of its faces around the node, without the node itself, ascending
};
/// Nothing if no two faces around the node look in nearly opposite directions.
std::optional<CrackTip> findCrackTip(const NodeSurface& surface, Span<const Vec3> x);

/// Mean outward normal of a node whose faces all look one way within about 60 degrees, else nothing.
std::optional<Vec3> findSmoothNormal(const NodeSurface& surface, Span<const Vec3> x);

}  // namespace sunder
