#pragma once

#include <string>
#include <vector>

#include "core/contact/broad_phase.h"

namespace sunder::broad_test {

/// Bodies that can be moved and edited, and what the broad phase should find for them by looking at all
/// pairs.
struct SceneBody {
    ContactBody settings;
    std::vector<ElementCorners> elements;
    std::vector<std::int32_t> pieces;
    std::vector<Vec3> x, xEnd, v;
    bool still = false, swept = false;
};

struct BroadScene {
    std::vector<SceneBody> bodies;
    std::vector<BodyMotion> motion() const;
    void addTo(BroadPhase& broad) const;
};

/// Kinds of places and shapes that a body's vertices can have.
enum class Layout { kScattered, kMesh, kFlat, kCoincident, kPoints, kTets, kLayoutCount };

SceneBody makeBody(Layout layout, int size, std::uint64_t seed);
/// 1 to 6 bodies of all kinds; scale, place, masks, pieces and thickness follow from the seed.
BroadScene makeScene(std::uint64_t seed);
/// Moves the bodies on by a step of a random walk whose velocities change now and then.
void moveScene(BroadScene& scene, std::uint64_t seed, int step);
/// Removes, adds and replaces a few elements of every body, here and in `broad`.
void editScene(BroadScene& scene, BroadPhase& broad, std::uint64_t seed, int step);

/// All pairs by definition, in canonical order.
PairList bruteForcePairs(const BroadScene& scene);
/// Empty if both lists have the same pairs, otherwise where they differ first.
std::string difference(const PairList& found, const PairList& expected);
/// Empty if every pair of `part` is in `whole`.
std::string missing(const PairList& part, const PairList& whole);

}  // namespace sunder::broad_test
