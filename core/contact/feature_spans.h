#pragma once

#include <array>

#include "core/math/types.h"

namespace sunder {

/// Where the corners, edges and faces of a tet are at the start and at the end of a way, along x, y and z. Corners go straight, so two features that the same
/// axis parts in the same order at both times do not touch in between. That dismisses most pairs of features, four at a time; numbers as in kTetEdges and kTetFaces.
class FeatureSpans {
  public:
    FeatureSpans(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end);

    /// Bit f: face f may touch corner k of the other tet.
    unsigned facesNear(const FeatureSpans& other, int corner) const;
    /// Bit e: edge e may touch that edge of the other tet.
    unsigned edgesNear(const FeatureSpans& other, int edge) const;

  private:
    static constexpr int kTimes = 2, kAxes = 3;
    /// Of up to N features.
    template <std::size_t N>
    struct Spans {
        std::array<double, N> lowest[kTimes][kAxes], highest[kTimes][kAxes];
    };
    template <std::size_t N, std::size_t M>
    static unsigned near(const Spans<N>& spans, std::size_t first, const Spans<M>& others, std::size_t k);

    Spans<4> corners_, faces_;
    Spans<8> edges_;  ///< the last two are nothing
};

}  // namespace sunder
