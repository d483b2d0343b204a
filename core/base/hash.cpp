#include "core/base/hash.h"

#include <cstring>

namespace sunder {

namespace {
constexpr std::uint64_t kP1 = 0x9E3779B185EBCA87ull, kP2 = 0xC2B2AE3D27D4EB4Full, kP3 = 0x165667B19E3779F9ull,
                        kP4 = 0x85EBCA77C2B2AE63ull, kP5 = 0x27D4EB2F165667C5ull;

std::uint64_t rotateLeft(std::uint64_t x, int r) { return (x << r) | (x >> (64 - r)); }

template <class T>
T read(const unsigned char* p) {
    T value;
    std::memcpy(&value, p, sizeof(T));
    return value;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t input) { return rotateLeft(lane + input * kP2, 31) * kP1; }

std::uint64_t mergeLane(std::uint64_t hash, std::uint64_t lane) { return (hash ^ round(0, lane)) * kP1 + kP4; }
}  // namespace

std::uint64_t hashBytes(const void* data, std::size_t size, std::uint64_t seed) {
    const auto* p = static_cast<const unsigned char*>(data);
    const unsigned char* const end = p + size;
    std::uint64_t hash;
    if (size >= 32) {
        std::uint64_t lanes[4] = {seed + kP1 + kP2, seed + kP2, seed, seed - kP1};
        for (; p + 32 <= end; p += 32)
            for (int i = 0; i < 4; ++i) lanes[i] = round(lanes[i], read<std::uint64_t>(p + 8 * i));
        hash = rotateLeft(lanes[0], 1) + rotateLeft(lanes[1], 7) + rotateLeft(lanes[2], 12) + rotateLeft(lanes[3], 18);
        for (const std::uint64_t lane : lanes) hash = mergeLane(hash, lane);
    } else {
        hash = seed + kP5;
    }
    hash += size;
    for (; p + 8 <= end; p += 8) hash = rotateLeft(hash ^ round(0, read<std::uint64_t>(p)), 27) * kP1 + kP4;
    if (p + 4 <= end) {
        hash = rotateLeft(hash ^ (read<std::uint32_t>(p) * kP1), 23) * kP2 + kP3;
        p += 4;
    }
    for (; p < end; ++p) hash = rotateLeft(hash ^ (*p * kP5), 11) * kP1;
    hash = (hash ^ (hash >> 33)) * kP2;
    hash = (hash ^ (hash >> 29)) * kP3;
    return hash ^ (hash >> 32);
}

std::string hashText(std::uint64_t hash) {
    std::string text(16, '0');
    for (int i = 15; i >= 0; --i, hash >>= 4) text[static_cast<std::size_t>(i)] = "0123456789abcdef"[hash & 15];
    return text;
}

}  // namespace sunder
