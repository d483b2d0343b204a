#pragma once

#include <cstddef>

#include "core/body/body.h"

namespace sunder {

/// Bytes of all arrays of a body, or of its state, for hosts that show what a cache holds. Shapes of guides are left out: they are small, and shared.
std::size_t memoryOf(const Body& body);
std::size_t memoryOf(const BodyState& state);

/// What of several owners each is to count, so that together they count it once.
template <class T>
std::size_t shareOf(const std::shared_ptr<T>& shared, std::size_t bytes) {
    return bytes / static_cast<std::size_t>(shared.use_count() > 1 ? shared.use_count() : 1);
}

}  // namespace sunder
