#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace sunder {

/// Leaves what a vector makes room for as it is: for lists of which every entry is written anyway, by several threads.
template <class T>
struct RawAllocator : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = RawAllocator<U>;
    };
    RawAllocator() = default;
    template <class U>
    RawAllocator(const RawAllocator<U>&) {}

    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
};

/// Its resize leaves new entries of plain types unwritten.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace sunder
