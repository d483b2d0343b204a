#include "core/contact/contact_cluster.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"

namespace sunder {

std::array<std::size_t, 4> ClusterBuilder::Side::find(const Tet& tet) const {
    std::array<std::size_t, 4> places;
    places.fill(kMostOfSide);
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t m = 0; m < 4; ++m)  // no branch: a vertex stands in one place at most
            places[m] = vertices[k] == tet[m] ? k : places[m];
    return places;
}

bool ClusterBuilder::Side::hasRoomFor(const std::array<std::size_t, 4>& found) const {
    return count + static_cast<std::size_t>(std::count(found.begin(), found.end(), kMostOfSide)) <= kMostOfSide;
}

/// Gives the vertices of a tet their places.
std::array<std::size_t, 4> ClusterBuilder::place(const Tet& tet, const std::array<std::size_t, 4>& found, Side& side, std::size_t first) {
    std::array<std::size_t, 4> rows;
    for (std::size_t k = 0; k < 4; ++k) {
        const bool isNew = found[k] == kMostOfSide;
        rows[k] = first + (isNew ? side.count : found[k]);
        if (!isNew) continue;
        side.vertices[side.count++] = tet[k];
        std::fill_n(entries_.begin() + static_cast<std::ptrdiff_t>(rows[k] * kMost), kMost, Vec4::Zero());
    }
    return rows;
}

void ClusterBuilder::add(const TetContact& c, const OverlapSlopes& slopes) {
    std::array<std::size_t, 4> inA = a_.find(c.a), inB = b_.find(c.b);
    if (!a_.hasRoomFor(inA) || !b_.hasRoomFor(inB)) {
        finish();
        inA.fill(kMostOfSide);
        inB.fill(kMostOfSide);
    }
    const std::array<std::size_t, 4> rowsA = place(c.a, inA, a_, 0), rowsB = place(c.b, inB, b_, kMostOfSide);
    std::array<std::size_t, 8> at;
    std::array<double, 8> share;
    for (std::size_t k = 0; k < 4; ++k) {
        at[k] = rowsA[k];
        at[4 + k] = rowsB[k];
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
    Vec4* to = out_.addEntries(size * size);
    for (std::size_t r = 0; r < size; ++r)
        for (std::size_t c = 0; c < size; ++c) *to++ = entries_[order[r] * kMost + order[c]];
    out_.close(bodyA_, bodyB_, a_.count);
    a_.count = b_.count = 0;
}

void ClusterList::close(std::int32_t bodyA, std::int32_t bodyB, std::size_t countA) {
    const std::size_t before = clusters_.empty() ? 0 : static_cast<std::size_t>(clusters_.back().vertices.end() - clusters_.front().vertices.begin());
    clusters_.push_back({bodyA, bodyB, countA, Span<const std::int32_t>(vertices_).subspan(before, vertices_.size() - before), {}});
    place(clusters_.size() - 1);
}

void ClusterList::append(Span<const ClusterList* const> lists) {
    struct Place {
        std::size_t cluster, vertex, entry;
    };
    const std::size_t before = clusters_.size();
    std::vector<Place> places{{before, vertices_.size(), entries_.size()}};
    for (const ClusterList* list : lists)
        places.push_back({places.back().cluster + list->clusters_.size(), places.back().vertex + list->vertices_.size(), places.back().entry + list->entries_.size()});
    clusters_.resize(places.back().cluster);
    vertices_.resize(places.back().vertex);
    entries_.resize(places.back().entry);
    parallelFor(lists.size(), 1, [&](std::size_t k, std::size_t) {
        const auto copy = [](const auto& from, auto& to, std::size_t at) { std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(at)); };
        copy(lists[k]->clusters_, clusters_, places[k].cluster);
        copy(lists[k]->vertices_, vertices_, places[k].vertex);
        copy(lists[k]->entries_, entries_, places[k].entry);
    });
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
