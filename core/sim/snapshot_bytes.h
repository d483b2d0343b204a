#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "core/base/span.h"
#include "core/math/types.h"

namespace sunder {

/// Appends plain values. The machines that we build for are little-endian, so the bytes are the memory's.
class ByteWriter {
  public:
    template <class T>
    void operator()(const T& value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        append(&value, sizeof(T));
    }
    void operator()(const std::string& text) {
        (*this)(std::uint64_t{text.size()});
        append(text.data(), text.size());
    }
    void operator()(const Vec3& v) { append(v.data(), sizeof(double) * 3); }
    /// An array of plain elements, its count first.
    template <class T>
    void array(const std::vector<T>& values) {
        (*this)(std::uint64_t{values.size()});
        append(values.data(), values.size() * sizeof(T));
    }
    std::vector<std::uint8_t> take() { return std::move(bytes_); }

  private:
    void append(const void* data, std::size_t size) {
        const auto* p = static_cast<const std::uint8_t*>(data);
        bytes_.insert(bytes_.end(), p, p + size);
    }
    std::vector<std::uint8_t> bytes_;
};

/// Reads what ByteWriter wrote. Every count is checked against the bytes that are left before anything is
/// allocated.
class ByteReader {
  public:
    explicit ByteReader(Span<const std::uint8_t> bytes) : bytes_(bytes) {}
    template <class T>
    void operator()(T& value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        std::memcpy(&value, need(1, sizeof(T)), sizeof(T));
    }
    template <class T>
    T get() {
        T value{};
        (*this)(value);
        return value;
    }
    void operator()(std::string& text) {
        const std::uint64_t size = get<std::uint64_t>();
        text.assign(reinterpret_cast<const char*>(need(size, 1)), static_cast<std::size_t>(size));
    }
    void operator()(Vec3& v) { std::memcpy(v.data(), need(3, sizeof(double)), 3 * sizeof(double)); }
    template <class T>
    void array(std::vector<T>& values) {
        const std::uint64_t count = get<std::uint64_t>();
        const std::uint8_t* from = need(count, sizeof(T));
        values.resize(static_cast<std::size_t>(count));
        if (count > 0) std::memcpy(static_cast<void*>(values.data()), from, values.size() * sizeof(T));
    }
    /// A count of things of which each takes at least `smallest` bytes.
    std::size_t count(std::size_t smallest) {
        const std::uint64_t n = get<std::uint64_t>();
        if (n > left() / smallest) throw Error("the snapshot is cut short");
        return static_cast<std::size_t>(n);
    }
    std::size_t left() const { return bytes_.size() - at_; }

  private:
    const std::uint8_t* need(std::uint64_t n, std::size_t size) {
        if (n > left() / size) throw Error("the snapshot is cut short");
        const std::uint8_t* p = bytes_.data() + at_;
        at_ += static_cast<std::size_t>(n) * size;
        return p;
    }
    Span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

}  // namespace sunder
