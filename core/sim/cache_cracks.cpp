#include "core/sim/cache_cracks.h"

#include <algorithm>

#include "core/base/error.h"

namespace sunder {

namespace {
/// For every later point the earlier points that it lies between.
std::vector<std::vector<std::int32_t>> supportsOf(const Ancestry& ancestry, std::size_t earlierPoints) {
    std::vector<std::vector<std::int32_t>> all, out;
    for (std::size_t i = 0; i < earlierPoints; ++i) all.push_back({static_cast<std::int32_t>(i)});
    for (const ElementParents& p : ancestry.added) {
        std::vector<std::int32_t> support = all[static_cast<std::size_t>(p.first)];
        const std::vector<std::int32_t>& second = all[static_cast<std::size_t>(p.second)];
        support.insert(support.end(), second.begin(), second.end());
        all.push_back(std::move(support));
    }
    for (const std::int32_t i : ancestry.point) out.push_back(all[static_cast<std::size_t>(i)]);
    return out;
}

/// True if a face lies in the plane of that face of the tet it was cut from: cuts keep the order of corners, so it is enough that it keeps away
/// from the corner opposite.
bool liesInOldFace(const Tet& tet, int face, std::int32_t opposite, const std::vector<std::vector<std::int32_t>>& supports) {
    return std::none_of(std::begin(kTetFaces[face]), std::end(kTetFaces[face]), [&](int corner) {
        const std::vector<std::int32_t>& support = supports[static_cast<std::size_t>(tet[static_cast<std::size_t>(corner)])];
        return std::find(support.begin(), support.end(), opposite) != support.end();
    });
}
}  // namespace

std::vector<std::uint8_t> facesOpenBefore(const CacheFrame& earlier, const CacheFrame& later, const Ancestry& ancestry) {
    const auto supports = supportsOf(ancestry, earlier.pointId.size());
    std::vector<std::uint8_t> open(later.tets.size(), 0);
    for (std::size_t t = 0; t < later.tets.size(); ++t)
        for (int f = 0; f < 4; ++f) {
            const auto from = static_cast<std::size_t>(ancestry.tet[t]);
            if (later.isInside(t, f) && earlier.isOpen(from, f) && liesInOldFace(later.tets[t], f, earlier.tets[from][static_cast<std::size_t>(f)], supports))
                open[t] |= static_cast<std::uint8_t>(1u << f);
        }
    return open;
}

void CrackHistory::add(CacheFrame frame) {
    std::vector<std::array<double, 4>> opened(frame.tets.size(), {frame.time, frame.time, frame.time, frame.time});
    if (frameCount_ > 0) {
        if (!(frame.time > frame_.time)) throw Error("the time of a frame is not after that of the frame before", "give frames of one simulation, in their order");
        const Ancestry ancestry = findAncestry(frame_, frame);
        const std::vector<std::uint8_t> before = facesOpenBefore(frame_, frame, ancestry);
        for (std::size_t t = 0; t < frame.tets.size(); ++t)
            for (std::size_t f = 0; f < 4; ++f)
                if (before[t] >> f & 1) opened[t][f] = opened_[static_cast<std::size_t>(ancestry.tet[t])][f];
        interval_ = frame.time - frame_.time;
    }
    ++frameCount_;
    frame_ = std::move(frame);
    opened_ = std::move(opened);
}

std::vector<Vec3> openingVelocities(const CacheFrame& frame) {
    const std::vector<Vec3> v = pointVectors(frame.geometry, "v");
    std::vector<std::size_t> original(v.size());
    std::vector<Vec3> sum(v.size(), Vec3::Zero());
    std::vector<double> count(v.size(), 0);
    for (std::size_t i = 0; i < v.size(); ++i) {
        const auto parent = static_cast<std::size_t>(frame.copyOf(i));
        original[i] = parent < i ? original[parent] : i;
        sum[original[i]] += v[i];
        count[original[i]] += 1;
    }
    std::vector<Vec3> out(v.size(), Vec3::Zero());
    for (std::size_t i = 0; i < v.size(); ++i)
        if (const double others = count[original[i]] - 1; others > 0) out[i] = (sum[original[i]] - v[i]) / others - v[i];
    return out;
}

}  // namespace sunder
