#pragma once

#include "core/sim/stepper.h"

namespace sunder {

/// Pieces of broken bodies that are smaller than the settings say leave their bodies. A piece that something holds (pins, targets, glue) stays, and so does a body that is
/// whole. Mass and momentum stay to round-off, as does, for rigid bodies, angular momentum; what the piece's shape and its inner motion held of energy goes to the book `edits`,
/// and of particles motion and height to `departed`. What cracks of the piece still owe is let off.
///
/// Edits only add, so the tets of the piece keep their numbers in its body: they are marked as gone (Body::goneTets), and their vertices are held in the rest shape. A rigid piece is a
/// body behind all others, which knows which vertices it was (Body::pieceOf), so that frames show it where it has always been; its name is the piece's.
Departures releaseSmallPieces(WorldState& world, const StepSettings& settings);

/// Free fall by dt, without drag; what meets the ground stops there.
void moveParticles(std::vector<Particle>& particles, double dt, const StepSettings& settings);

/// The world as frames show it: its bodies without those that were pieces, whose places, velocities and accelerations their bodies have instead.
WorldState shownWorld(const WorldState& world);

/// Name of the piece of a body that begins with a tet.
std::string pieceName(const Body& body, std::size_t firstTet);

}  // namespace sunder
