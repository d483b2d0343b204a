#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "core/base/assert.h"
#include "core/base/raw_vector.h"

namespace sunder {

/// A view of contiguous elements that somebody else owns (std::span of C++20, the part that we use).
template <class T>
class Span {
  public:
    using Value = std::remove_const_t<T>;

    Span() = default;
    Span(T* data, std::size_t size) : data_(data), size_(size) {}
    Span(std::vector<Value>& v) : data_(v.data()), size_(v.size()) {}
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    Span(const std::vector<Value>& v) : data_(v.data()), size_(v.size()) {}
    Span(RawVector<Value>& v) : data_(v.data()), size_(v.size()) {}
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    Span(const RawVector<Value>& v) : data_(v.data()), size_(v.size()) {}
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    Span(Span<std::remove_const_t<U>> other) : data_(other.data()), size_(other.size()) {}

    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() const { return data_; }
    T* end() const { return data_ + size_; }
    T& operator[](std::size_t i) const {
        SUNDER_ASSERT(i < size_);
        return data_[i];
    }
    Span subspan(std::size_t first, std::size_t count) const {
        SUNDER_ASSERT(first + count <= size_);
        return {data_ + first, count};
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace sunder
