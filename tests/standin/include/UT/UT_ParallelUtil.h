#pragma once
// Provenance: UTparallelFor over UT_BlockedRange and GA_SplittableRange as called in OpenVDB's openvdb_houdini (Apache-2.0). Own code: plain threads,
// which run a foreign task among the blocks, as a host that steals tasks may.
#include <SYS/SYS_Types.h>

#include <functional>
#include <vector>

template <typename T>
class UT_BlockedRange {
  public:
    UT_BlockedRange(T first, T last, std::size_t grain = 1) : first_(first), last_(last), grain_(grain) {}
    T begin() const { return first_; }
    T end() const { return last_; }
    std::vector<UT_BlockedRange> standinPieces() const {
        const T step = static_cast<T>(grain_ < 64 ? 64 : grain_);
        std::vector<UT_BlockedRange> pieces;
        for (T i = first_; i < last_; i += step) pieces.emplace_back(i, i + step < last_ ? i + step : last_);
        return pieces;
    }

  private:
    T first_, last_;
    std::size_t grain_;
};

namespace standin {
void runParallel(std::size_t count, const std::function<void(std::size_t)>& task);
}

template <typename Range, typename Body>
void UTparallelFor(const Range& range, const Body& body) {
    const auto pieces = range.standinPieces();
    standin::runParallel(pieces.size(), [&](std::size_t i) { body(pieces[i]); });
}
template <typename Range, typename Body>
void UTparallelForLightItems(const Range& range, const Body& body) {
    UTparallelFor(range, body);
}
