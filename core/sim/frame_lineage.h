#pragma once

#include <string>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/sim/world.h"

namespace sunder {

/// How much of a frame belongs to one thing that is no body.
struct FrameShare {
    std::size_t points = 0, primitives = 0;
};

/// Says who is who in a frame of the bodies and then of `others`. Points and primitives get an `id` that no other of the frame has, that stays with
/// them in all frames and is never given to another: number * sources + source, where `source` counts bodies, then others. They get
/// the ids that they were made from: points two `parent` and a `parentweight` (of the second), tets one `parent`; what was there from the start has
/// itself. Points have `restP` (m) and `mass` (kg), tets `insidefaces`: bit i for the face opposite corner i, set where a crack opened it.
/// So every element of a later frame can be found in an earlier one.
void addLineage(Geometry& geometry, const WorldState& world, const std::vector<FrameShare>& others);

/// The name of the piece that each tet of a body belongs to; pieces hold together by faces. The piece with the first tet has the body's name,
/// others have the number of their first tet behind it. As numbers only ever grow and pieces never merge, a tet that is the first of its piece
/// stays the first of its piece: a name means the piece of one tet for ever.
std::vector<std::string> pieceNames(const Body& body);

}  // namespace sunder
