#pragma once

#include <cstdint>

namespace sunder {

/// Counter-based random numbers: a pure function of (seed, id, draw), so they do not depend on threads or on order.
/// Two rounds of the splitmix64 finalizer over a mix of the three words.
inline std::uint64_t randomBits(std::uint64_t seed, std::uint64_t id, std::uint64_t draw = 0) {
    const auto mix = [](std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    };
    return mix(mix(mix(seed + 0x9e3779b97f4a7c15ull) + id + 0x9e3779b97f4a7c15ull) + draw + 0x9e3779b97f4a7c15ull);
}

/// Uniform in [0, 1).
inline double randomUnit(std::uint64_t seed, std::uint64_t id, std::uint64_t draw = 0) {
    return static_cast<double>(randomBits(seed, id, draw) >> 11) * 0x1.0p-53;
}

/// Uniform in [low, high).
inline double randomRange(double low, double high, std::uint64_t seed, std::uint64_t id, std::uint64_t draw = 0) {
    return low + (high - low) * randomUnit(seed, id, draw);
}

}  // namespace sunder
