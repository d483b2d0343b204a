#pragma once

#include "core/body/body.h"
#include "core/mesh/topology_edit.h"

namespace sunder {

/// Brings a body up to date after an edit of its mesh: the editor has changed body.mesh and body.insideFaces and has called appendTets, and this
/// changes all the rest. Attributes are interpolated, integers and groups come from the nearer parent, tets copy what their parent has. A vertex
/// between two held ones is held, and so is every copy of one. At the cost of what changed, but for the element table, which
/// rebuildElements makes anew.
void applyEdit(const TopologyEdit& edit, const TetStars& stars, Body& body);
/// The same for a state from before the edit, or one whose x alone has followed it.
void applyEdit(const TopologyEdit& edit, BodyState& state);

void rebuildElements(Body& body);

}  // namespace sunder
