#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sunder {

/// 64-bit hash of bytes (the XXH64 function), for manifests and for comparing states; not against malice.
std::uint64_t hashBytes(const void* data, std::size_t size, std::uint64_t seed = 0);

template <class T>
std::uint64_t hashVector(const std::vector<T>& v, std::uint64_t seed = 0) {
    return hashBytes(v.data(), v.size() * sizeof(T), seed);
}

/// Sixteen lower-case hexadecimal digits.
std::string hashText(std::uint64_t hash);

}  // namespace sunder
