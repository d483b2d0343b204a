#pragma once

#include "core/sim/body_work.h"

namespace sunder {

/// Pins and targets let go, for good, of the vertices that pull harder at them than they hold (HardTarget::releaseForce, releaseStress and
/// SoftTarget::releaseForce). What a pin has to hold are all forces on its vertex but those of contact in implicit steps; what is in a spring that lets go leaves
/// the world with it, as at a releaseTime. A rigid body is let go as a whole, by the sum of its forces.
void letGoOfWhatPulls(StepContext& context, double time);

/// Some pin or target of a body lets go above a force.
bool anyReleases(const Body& body);

/// Of every vertex of a body the force above which its pins let it go, N; empty if none does.
std::vector<double> computeReleaseForces(const Body& body);

}  // namespace sunder
