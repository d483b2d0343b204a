#pragma once

#include <cstdint>
#include <vector>

#include "cli/render/lighting.h"

namespace sunder::render {

enum class Seen : std::uint8_t { kBackground, kGround, kModel };

/// What one or more camera rays of a pixel saw of one smooth piece of surface. Light is kept as colour when
/// nothing is in the way times the part that arrives: the colours are exact, the parts are sampled and may be
/// shared between pixels.
struct Surfel {
    Seen seen = Seen::kBackground;
    float count = 0;                   ///< camera rays; position, normal and colours are sums over them
    Float3 position = Float3::Zero();  ///< relative to the view's centre, m
    Float3 normal = Float3::Zero();
    Float3 key = Float3::Zero(), ambient = Float3::Zero();
    float keyOpen = 0, keyRays = 0;     ///< key rays that arrived, of so many
    float domeOpen = 0, domeLight = 0;  ///< light of the dome rays that arrived, of so much

    void add(const Surfel& other);
    /// Turns sums into means; the ratios stay sums.
    void finish();
};

/// The surfels of a whole picture; those of pixel p are [first[p], first[p + 1]).
struct SurfelImage {
    int width = 0, height = 0;
    std::vector<std::uint32_t> first;
    std::vector<Surfel> surfels;
};

inline void Surfel::add(const Surfel& other) {
    count += other.count;
    position += other.position;
    normal += other.normal;
    key += other.key;
    ambient += other.ambient;
    keyOpen += other.keyOpen;
    keyRays += other.keyRays;
    domeOpen += other.domeOpen;
    domeLight += other.domeLight;
}

inline void Surfel::finish() {
    position /= count;
    key /= count;
    ambient /= count;
    const float length = normal.norm();
    if (length > 0) normal /= length;
}

}  // namespace sunder::render
