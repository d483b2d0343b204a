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
    std::array<std::size_t, kMost> order;  // rows, vertices ascending on either side
    const auto sortSide = [&](const Side& side, std::size_t first, std::size_t to) {
        std::iota(order.begin() + static_cast<std::ptrdiff_t>(to), order.begin() + static_cast<std::ptrdiff_t>(to + side.count), first);
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(to), order.begin() + static_cast<std::ptrdiff_t>(to + side.count),
                  [&](std::size_t p, std::size_t q) { return side.vertices[p - first] < side.vertices[q - first]; });
        for (std::size_t k = to; k < to + side.count; ++k) out_.addVertex(side.vertices[order[k] - first]);
    };
    sortSide(a_, 0, 0);
    sortSide(b_, kMostOfSide, a_.count);
    const std::size_t size = a_.count + b_.count;
    for (std::size_t r = 0; r < size; ++r)
        for (std::size_t c = 0; c < size; ++c) out_.addEntry(entries_[order[r] * kMost + order[c]]);
    out_.close(bodyA_, bodyB_, a_.count);
    a_.count = b_.count = 0;
}

void ClusterList::close(std::int32_t bodyA, std::int32_t bodyB, std::size_t countA) {
    const std::size_t before = clusters_.empty() ? 0 : static_cast<std::size_t>(clusters_.back().vertices.end() - clusters_.front().vertices.begin());
    clusters_.push_back({bodyA, bodyB, countA, Span<const std::int32_t>(vertices_).subspan(before, vertices_.size() - before), {}});
    place(clusters_.size() - 1);
}

void ClusterList::append(const ClusterList& more) {
    const std::size_t before = clusters_.size();
    clusters_.insert(clusters_.end(), more.clusters_.begin(), more.clusters_.end());
    vertices_.insert(vertices_.end(), more.vertices_.begin(), more.vertices_.end());
    entries_.insert(entries_.end(), more.entries_.begin(), more.entries_.end());
    place(before);
}

/// Finds where the vertices and entries of the clusters from one on stand, or of all if the lists have moved.
void ClusterList::place(std::size_t from) {
    if (from > 0 && (clusters_.front().vertices.data() != vertices_.data() || clusters_.front().entries.data() != entries_.data())) from = 0;
    const std::int32_t* vertex = from > 0 ? clusters_[from - 1].vertices.end() : vertices_.data();
    const Vec4* entry = from > 0 ? clusters_[from - 1].entries.end() : entries_.data();
    for (std::size_t k = from; k < clusters_.size(); ++k) {
        const std::size_t size = clusters_[k].size();
        clusters_[k].vertices = {vertex, size};
        clusters_[k].entries = {entry, size * size};
        vertex += size;
        entry += size * size;
    }
}

}  // namespace sunder
