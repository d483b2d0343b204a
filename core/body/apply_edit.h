#pragma once

#include "core/body/body.h"
#include "core/mesh/topology_edit.h"

namespace sunder {

/// Brings a body up to date after an edit of its mesh: the editor has changed body.mesh and body.insideFaces and has called appendTets, and this
/// changes all the rest. Attributes are interpolated, integers and groups come from the nearer parent, tets copy what their parent has. A vertex
/// between two held ones is held, and so is every copy of one. At the cost of what changed. Tets that would shorten the stable explicit step below Body::shortestStep get more mass,
/// a hundredth of the body's in all at most; `edit` says how much, and what of their velocity vertices keep. The element table is left to the functions below.
void applyEdit(TopologyEdit& edit, const TetStars& stars, Body& body);
/// The same for a state from before the edit, or one whose x and plastic states alone have followed it.
void applyEdit(const TopologyEdit& edit, BodyState& state);

/// Forces on vertices, or none, after an edit that the body has had: they stay what they are in sum, copies share by mass.
void shareForces(const TopologyEdit& edit, const Body& body, std::vector<Vec3>& force);

/// The element table after an edit: patched, or made anew where much has changed.
void updateElements(const TopologyEdit& edit, Body& body);
void rebuildElements(Body& body);

}  // namespace sunder
