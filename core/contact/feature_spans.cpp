#include "core/contact/feature_spans.h"

#include "core/math/wide.h"

namespace sunder {

namespace {
using Lanes = Wide4d;

template <int A, int B, int C, int D>
Lanes shuffled(Lanes x) {
    return Lanes(__builtin_shufflevector(x.v, x.v, A, B, C, D));
}
}  // namespace

FeatureSpans::FeatureSpans(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end) {
    for (int time = 0; time < kTimes; ++time)
        for (int c = 0; c < kAxes; ++c) {
            const std::array<Vec3, 4>& at = time == 0 ? start : end;
            const Lanes x(Lanes::Vector{at[0][c], at[1][c], at[2][c], at[3][c]});
            const auto store = [&](auto& spans, std::size_t first, Lanes lowest, Lanes highest) {
                lowest.store(spans.lowest[time][c].data() + first);
                highest.store(spans.highest[time][c].data() + first);
            };
            store(corners_, 0, x, x);
            const Lanes next = shuffled<1, 2, 3, 0>(x), across = shuffled<2, 3, 0, 1>(x), before = shuffled<3, 0, 1, 2>(x);  // face k has all corners but k
            store(faces_, 0, min(min(next, across), before), max(max(next, across), before));
            const Lanes p = shuffled<0, 0, 0, 1>(x), q = shuffled<1, 2, 3, 2>(x), r = shuffled<1, 2, 2, 2>(x), s = shuffled<3, 3, 3, 3>(x);
            store(edges_, 0, min(p, q), max(p, q));
            store(edges_, 4, min(r, s), max(r, s));
        }
}

/// Of the four spans from `first` on those that no axis parts from the k-th of the others.
template <std::size_t N, std::size_t M>
unsigned FeatureSpans::near(const Spans<N>& spans, std::size_t first, const Spans<M>& others, std::size_t k) {
    const auto parted = [&](int c) {
        const auto own = [&](const std::array<double, N>& list) { return Lanes::load(list.data() + first); };
        const auto above = [&](int time) { return own(spans.lowest[time][c]) > Lanes(others.highest[time][c][k]); };
        const auto below = [&](int time) { return own(spans.highest[time][c]) < Lanes(others.lowest[time][c][k]); };
        return (above(0) & above(1)) | (below(0) & below(1));
    };
    return ~(parted(0) | parted(1) | parted(2)).bits() & 15u;
}

unsigned FeatureSpans::facesNear(const FeatureSpans& other, int corner) const { return near(faces_, 0, other.corners_, static_cast<std::size_t>(corner)); }

unsigned FeatureSpans::edgesNear(const FeatureSpans& other, int edge) const {
    const auto k = static_cast<std::size_t>(edge);
    return near(edges_, 0, other.edges_, k) | (near(edges_, 4, other.edges_, k) & 3u) << 4;
}

}  // namespace sunder
