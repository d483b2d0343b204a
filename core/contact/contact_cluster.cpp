#include "core/contact/contact_cluster.h"

#include <algorithm>
#include <numeric>

namespace sunder {

std::size_t ClusterBuilder::Side::find(std::int32_t vertex) const {
    return static_cast<std::size_t>(std::find(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(count), vertex) - vertices.begin());
}

bool ClusterBuilder::Side::hasRoomFor(const Tet& tet) const {
    if (count + 4 <= kMostOfSide) return true;
    const auto isNew = [&](std::int32_t v) { return find(v) == count; };
    return count + static_cast<std::size_t>(std::count_if(tet.begin(), tet.end(), isNew)) <= kMostOfSide;
}

std::size_t ClusterBuilder::place(std::int32_t vertex, Side& side, std::size_t first) {
    const std::size_t k = side.find(vertex), row = first + k;
    if (k < side.count) return row;
    side.vertices[side.count++] = vertex;
    std::fill_n(entries_.begin() + static_cast<std::ptrdiff_t>(row * kMost), kMost, Vec4::Zero());
    return row;
}

void ClusterBuilder::add(const TetContact& c, const OverlapSlopes& slopes) {
    if (!a_.hasRoomFor(c.a) || !b_.hasRoomFor(c.b)) finish();
    std::array<std::size_t, 8> at;
    std::array<double, 8> share;
    for (std::size_t k = 0; k < 4; ++k) {
        at[k] = place(c.a[k], a_, 0);
        at[4 + k] = place(c.b[k], b_, kMostOfSide);
        share[k] = c.shares.a[static_cast<Eigen::Index>(k)];
        share[4 + k] = c.shares.b[static_cast<Eigen::Index>(k)];
    }
    for (std::size_t r = 0; r < 8; ++r) {
        const double soft = r < 4 ? c.softA : c.softB, weight = share[r] / c.shares.volume;
        Vec4* row = entries_.data() + at[r] * kMost;
        for (std::size_t m = 0; m < 8; ++m) {
            const auto slope = slopes[r].col(static_cast<Eigen::Index>(m));
            row[at[m]] += soft * Vec4(slope[0], slope[1], slope[2], weight * share[m]);
        }
    }
}

/// Puts what has been summed up behind the clusters that are done.
void ClusterBuilder::finish() {
    if (a_.count == 0) return;
    ContactCluster& done = out_.emplace_back();
    done.bodyA = bodyA_;
    done.bodyB = bodyB_;
    done.countA = a_.count;
    const std::size_t size = a_.count + b_.count;
    done.vertices.reserve(size);
    done.entries.reserve(size * size);
    std::array<std::size_t, kMost> order;  // rows, vertices ascending on either side
    const auto sortSide = [&](const Side& side, std::size_t first, std::size_t to) {
        std::iota(order.begin() + static_cast<std::ptrdiff_t>(to), order.begin() + static_cast<std::ptrdiff_t>(to + side.count), first);
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(to), order.begin() + static_cast<std::ptrdiff_t>(to + side.count),
                  [&](std::size_t p, std::size_t q) { return side.vertices[p - first] < side.vertices[q - first]; });
        for (std::size_t k = to; k < to + side.count; ++k) done.vertices.push_back(side.vertices[order[k] - first]);
    };
    sortSide(a_, 0, 0);
    sortSide(b_, kMostOfSide, a_.count);
    for (std::size_t r = 0; r < size; ++r)
        for (std::size_t c = 0; c < size; ++c) done.entries.push_back(entries_[order[r] * kMost + order[c]]);
    a_.count = b_.count = 0;
}

}  // namespace sunder
