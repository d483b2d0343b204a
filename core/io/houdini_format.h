#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/monitor.h"
#include "core/io/json_value.h"
#include "core/mesh/geometry.h"

namespace sunder::houdini {

/// Houdini's polygons are clockwise seen from outside and its tets have det < 0. One rule turns both, and
/// turns them back: the first vertex stays, the others are reversed (for a tet that swaps two of them). Open
/// curves have no side and stay.
inline bool isTurned(PrimitiveKind kind) { return kind != PrimitiveKind::kCurve; }

/// Houdini's word for a meaning, empty for none.
std::string_view meaningName(AttributeMeaning meaning);
/// False if the word is not known here.
bool meaningFromName(std::string_view name, AttributeMeaning& meaning);

/// What every part of the reader needs.
struct ReadContext {
    const Source& source;
    Budget& budget;
    Monitor* monitor = nullptr;

    [[noreturn]] void fail(const json::Value& value, const std::string& what,
                           const std::string& remedy = {}) const {
        source.fail(value.offset, what, remedy);
    }
    void warn(const std::string& text) const {
        if (monitor) monitor->warn("'" + source.name + "': " + text);
    }
    /// The value of a key that must be there.
    const json::Value& need(const json::Value& pairs, std::string_view key) const;
    const json::Value& need(const json::Value& pairs, std::string_view key, std::string_view alias) const;
    /// A string that must be one.
    std::string_view text(const json::Value& value) const;
    /// A number of things, in [0, 2^31).
    std::size_t count(const json::Value& value) const;
    /// All numbers of a value, booked in the budget first.
    template <class T>
    std::vector<T> numbers(const json::Value& value) const {
        const std::size_t size = json::countNumbers(value);
        budget.take(size, sizeof(T), "numbers");
        std::vector<T> out;
        out.reserve(size);
        json::appendNumbers(source, value, out);
        return out;
    }
};

/// Primitives of a file in core's orientation, with the places in the file where the attributes of each are.
struct PrimitiveTable {
    std::vector<PrimitiveKind> kind;
    std::vector<std::int32_t> firstVertex{0};
    std::vector<std::int32_t> fileVertex;     ///< of every vertex
    std::vector<std::int32_t> filePrimitive;  ///< of every primitive
    std::size_t fileCount = 0;                ///< primitives of the file, those left out too
};
PrimitiveTable readPrimitives(const ReadContext& context, const json::Value& primitives,
                              std::size_t vertexCount);

/// Values of `count` elements of `tupleSize` numbers in the storage that `type` (Houdini's word) asks for.
Attribute::Values readValues(const ReadContext& context, const json::Value& values, std::string_view type,
                             std::size_t count, std::size_t tupleSize);
std::vector<std::int32_t> readIndices(const ReadContext& context, const json::Value& values,
                                      std::size_t count);

}  // namespace sunder::houdini
