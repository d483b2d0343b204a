#pragma once

#include <array>
#include <vector>

#include "core/base/span.h"
#include "core/contact/tet_contact.h"

namespace sunder {

/// Some contacts of two bodies, summed up over the vertices that they have in common: what implicit steps want of them. A pile has ten
/// contacts for every pair of bodies, which share most of their vertices.
struct ContactCluster {
    std::int32_t bodyA, bodyB;
    std::size_t countA = 0;
    Span<const std::int32_t> vertices;  ///< of a, ascending, then those of b
    /// Row r, column c stands at r * size() + c: how the volume at vertex r, as it counts there, changes with the place of vertex c, m^2; and,
    /// last, the sum of share r, as it counts there, times share c over the volume, m^3.
    Span<const Vec4> entries;

    std::size_t size() const { return vertices.size(); }
    std::int32_t bodyOf(std::size_t k) const { return k < countA ? bodyA : bodyB; }
    const Vec4* row(std::size_t r) const { return entries.data() + r * size(); }
    /// Two vertices that no contact has in common have nothing to do with each other.
    static bool isNothing(const Vec4& entry) { return (entry.array() == 0).all(); }
    static Vec3 slope(const Vec4& entry) { return entry.head<3>(); }
    static double weight(const Vec4& entry) { return entry[3]; }
};

/// Clusters, and all that they have. What was in it leaves its room to what comes next.
class ClusterList {
  public:
    ClusterList() = default;
    ClusterList(ClusterList&&) = default;
    ClusterList& operator=(ClusterList&&) = default;
    const std::vector<ContactCluster>& all() const { return clusters_; }
    void clear() {
        clusters_.clear();
        vertices_.clear();
        entries_.clear();
    }
    /// Takes a cluster's vertices and entries as those added since the last one.
    void close(std::int32_t bodyA, std::int32_t bodyB, std::size_t countA);
    void addVertex(std::int32_t vertex) { vertices_.push_back(vertex); }
    /// Room for so many, to be written.
    Vec4* addEntries(std::size_t count) {
        entries_.resize(entries_.size() + count);
        return entries_.data() + (entries_.size() - count);
    }
    /// Those of all lists, one after the other, behind the own ones.
    void append(Span<const ClusterList* const> lists);

  private:
    void place(std::size_t from);

    std::vector<ContactCluster> clusters_;
    std::vector<std::int32_t> vertices_;
    std::vector<Vec4> entries_;
};

/// Sums up contacts of two bodies, given one after the other. A new cluster begins where one has as many vertices as it may.
class ClusterBuilder {
  public:
    static constexpr std::size_t kMostOfSide = 12;  ///< vertices

    ClusterBuilder(std::int32_t bodyA, std::int32_t bodyB, ClusterList& out) : bodyA_(bodyA), bodyB_(bodyB), out_(out) {}
    ClusterBuilder(const ClusterBuilder&) = delete;
    ~ClusterBuilder() { finish(); }
    void add(const TetContact& contact, const OverlapSlopes& slopes);

  private:
    static constexpr std::size_t kMost = 2 * kMostOfSide;
    struct Side {
        std::array<std::int32_t, kMostOfSide> vertices;
        std::size_t count = 0;

        /// Where the vertices of a tet stand; kMostOfSide if they do not.
        std::array<std::size_t, 4> find(const Tet& tet) const;
        bool hasRoomFor(const std::array<std::size_t, 4>& found) const;
    };

    std::array<std::size_t, 4> place(const Tet& tet, const std::array<std::size_t, 4>& found, Side& side, std::size_t first);
    void finish();

    const std::int32_t bodyA_, bodyB_;
    ClusterList& out_;
    Side a_, b_;
    // Row r, column c stands at r * kMost + c; b's vertices begin at kMostOfSide. Rows are cleared when they are given to a vertex.
    std::array<Vec4, kMost * kMost> entries_;
};

}  // namespace sunder
