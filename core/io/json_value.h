#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "core/io/read_limits.h"
#include "core/io/source.h"

namespace sunder::json {

enum class Kind : std::uint8_t {
    kNull,
    kBool,
    kNumber,
    kNumbers /* an array of nothing else */,
    kString,
    kArray,
    kMap
};
enum class NumberType : std::uint8_t {
    kText /* decimal digits, separated by commas and spaces */,
    kBits /* one bit each, in words of 32 */,
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kUint8,
    kUint16,
    kReal16,
    kReal32,
    kReal64
};

/// A node of a parsed JSON tree, of the text or of Houdini's binary form. It points into the bytes of the
/// file wherever it can: numbers stay as they were written until somebody says which type he wants, so none
/// is rounded twice.
struct Value {
    Kind kind = Kind::kNull;
    NumberType type = NumberType::kText;
    bool truth = false;
    bool isSwapped = false;    ///< numbers of the other endianness
    std::uint64_t offset = 0;  ///< in the file
    const void* data =
        nullptr;  ///< numbers, characters, or the items of an array or map (key, value, key, value ...)
    std::size_t size = 0;  ///< how many numbers, characters or items

    bool isString() const { return kind == Kind::kString; }
    bool isNumeric() const { return kind == Kind::kNumber || kind == Kind::kNumbers; }
    std::string_view text() const { return {static_cast<const char*>(data), size}; }
    Span<const Value> items() const {
        const bool has = kind == Kind::kArray || kind == Kind::kMap;
        return has ? Span<const Value>(static_cast<const Value*>(data), size) : Span<const Value>();
    }
};

/// A parsed file. The bytes of `source` must outlive it.
struct Document {
    Source source;
    Value root;
    std::unique_ptr<std::pmr::monotonic_buffer_resource> arena;
};

/// Parses the text or the binary form, whichever it is. Throws Error on anything malformed.
Document parse(const Source& source, const ReadLimits& limits);
bool isBinary(Span<const std::uint8_t> bytes);

/// Value of a key in a map or in an array of alternating keys and values; null if there is none.
const Value* find(const Value& pairs, std::string_view key);
/// The same under the first of two names that exists.
const Value* find(const Value& pairs, std::string_view key, std::string_view alias);

/// How many numbers (or booleans) there are in a value and in all that it contains.
std::size_t countNumbers(const Value& value);
/// All numbers of a value and of what it contains, in order. Throws Error where there is something else or a
/// number that the type cannot hold. T is float, double, int32, int64 or uint8.
template <class T>
void appendNumbers(const Source& source, const Value& value, std::vector<T>& out);
/// One whole number or boolean.
std::int64_t integer(const Source& source, const Value& value);

}  // namespace sunder::json
