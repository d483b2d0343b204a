#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/span.h"

namespace sunder::json {

/// Writes a tree node by node, as text or in Houdini's binary form. The caller closes what it opens.
class Writer {
  public:
    virtual ~Writer() = default;
    virtual void beginArray() = 0;
    virtual void endArray() = 0;
    virtual void beginMap() = 0;
    virtual void endMap() = 0;
    /// A string, also as a key.
    virtual void string(std::string_view text) = 0;
    virtual void integer(std::int64_t value) = 0;
    virtual void boolean(bool value) = 0;
    /// An array of numbers of one type.
    virtual void numbers(Span<const float> values) = 0;
    virtual void numbers(Span<const double> values) = 0;
    virtual void numbers(Span<const std::int32_t> values) = 0;
    virtual void numbers(Span<const std::int64_t> values) = 0;
    virtual void numbers(Span<const std::uint8_t> values) = 0;
    virtual void flags(Span<const std::uint8_t> zerosAndOnes) = 0;
    virtual std::vector<std::uint8_t> take() = 0;

    void pair(std::string_view key, std::string_view text) {
        string(key);
        string(text);
    }
    void pair(std::string_view key, std::int64_t value) {
        string(key);
        integer(value);
    }
};

std::unique_ptr<Writer> makeTextWriter();
std::unique_ptr<Writer> makeBinaryWriter();

}  // namespace sunder::json
