#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/span.h"

namespace sunder {

/// The bytes of a file and its name, so that a reader can say where something is wrong.
struct Source {
    std::string name;
    Span<const std::uint8_t> bytes;
    bool isText = false;

    const char* begin() const { return reinterpret_cast<const char*>(bytes.data()); }
    const char* end() const { return begin() + bytes.size(); }
    std::size_t offsetOf(const void* place) const {
        return static_cast<std::size_t>(static_cast<const char*>(place) - begin());
    }
    /// "line 12" of a text, "byte 345" of a binary file.
    std::string place(std::size_t offset) const;
    /// Throws Error with the file's name and the place.
    [[noreturn]] void fail(std::size_t offset, const std::string& what, const std::string& remedy = {}) const;
};

}  // namespace sunder
