#pragma once

#include "core/mesh/topology_edit.h"
#include "core/sim/body_work.h"
#include "core/sim/scene.h"

namespace sunder {

/// The bonds of one entry of a scene: every vertex on the surface of the one body that is near the surface of the other, of the two the body with more of
/// them. Throws Error with a remedy if there is none.
std::vector<GlueBond> buildBonds(const SceneGlue& glue, const WorldState& world);

/// Some bond between bodies holds.
bool anyBond(const std::vector<GlueBond>& bonds);

/// The forces of all bonds at the present places, into glueForce of the bodies; returns the energy in them, J.
double addGlueForces(Workspace::Data& data);
double glueEnergy(const Workspace::Data& data);
/// What bonds add to the bounds of explicit steps, once a step.
void boundGlue(Workspace::Data& data);
/// A body that is stuck to one that stirs is awake.
void wakeGlued(Workspace::Data& data);

/// Where bonds hold, contact does not push: whatever overlaps there is allowed.
void allowGlued(Workspace::Data& data);
/// Breaks the bonds that pull too hard. What overlaps where they were is allowed from now on.
void breakBonds(StepContext& context, double time);

/// Bonds after an edit of one body: copies of a vertex share its bond, and a place in a tet that was cut lies in one of its parts.
void followEdit(std::vector<GlueBond>& bonds, std::size_t body, const TopologyEdit& edit, const TetMesh& mesh);

}  // namespace sunder
