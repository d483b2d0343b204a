#pragma once

#include <type_traits>

#include "core/base/text.h"
#include "core/sim/snapshot_bytes.h"

namespace sunder {

// One description of every struct serves both directions: `io` is a ByteWriter with const values or a
// ByteReader with plain ones.
template <class Io>
constexpr bool isReader = std::is_same_v<Io, ByteReader>;

inline void requireSound(bool condition, const char* what) {
    if (!condition) throw Error(format("the snapshot is damaged: %s", what));
}

// An array of structs that have their own `transfer`; `smallest` is the least that one takes.
template <class Io, class List, class Function>
void transferList(Io& io, List& list, std::size_t smallest, Function&& each) {
    if constexpr (isReader<Io>)
        list.resize(io.count(smallest));
    else
        io(std::uint64_t{list.size()});
    for (auto& item : list) each(io, item);
}

template <class Io, class Bool>
void transferBool(Io& io, Bool& value) {
    if constexpr (isReader<Io>) {
        const auto byte = io.template get<std::uint8_t>();
        requireSound(byte <= 1, "a flag is neither 0 nor 1");
        value = byte == 1;
    } else {
        io(std::uint8_t{value});
    }
}

}  // namespace sunder
