#pragma once

#include <cstdint>
#include <vector>

#include "core/base/span.h"
#include "core/contact/box_lanes.h"

namespace sunder {

struct ContactTreeSettings {
    double decay = 2;          ///< rebuild when a query costs this many times what it did after the build
    double editedShare = 0.5;  ///< rebuild when more than this share of the items came or went since
};

/// Bounding hierarchy of one body's elements for contact: up to eight boxes a node, in single precision
/// around an origin of its own, rounded outward. It follows motion (update), edits (insert, remove) and says
/// when it has become so bad that a rebuild pays (decayed). Boxes must be finite and not empty; an item is a
/// number that the caller chooses, and numbers may have gaps. The same tree for any thread count.
class ContactTree {
  public:
    static constexpr int kWidth = BoxLanes::kLanes;
    static constexpr double kLargestCoordinate = 1e18;  ///< m; larger boxes are an Error

    struct alignas(32) Node {
        BoxLanes boxes;
        std::int32_t child[kWidth] = {-1, -1, -1, -1, -1, -1, -1, -1};  ///< nodes, in a leaf items
        std::int32_t parent = -1;
        std::int32_t count = 0;  ///< lanes in use, the first ones
        bool leaf = true;
        int laneOf(std::int32_t c) const;
    };

    ContactTree() = default;
    explicit ContactTree(const ContactTreeSettings& settings) : settings_(settings) {}

    /// A tree of all `boxes`, or of those that `items` names. Throws Error for a box that is not finite.
    void build(Span<const Aabb> boxes);
    void build(Span<const Aabb> boxes, Span<const std::int32_t> items);
    /// New boxes for all items, in a pass over the tree; the shape of the tree stays.
    void refit(Span<const Aabb> boxes);
    /// New boxes for some items: cost depends on their number.
    void update(Span<const std::int32_t> items, Span<const Aabb> boxes);
    void insert(std::int32_t item, const Aabb& box);
    void remove(std::int32_t item);

    std::size_t size() const { return itemCount_; }
    bool contains(std::int32_t item) const;
    /// Holds all items.
    Aabb bounds() const;
    /// Expected number of boxes that a random query meets, up to a factor; 0 for an empty tree.
    double quality() const;
    double qualityAfterBuild() const { return builtQuality_; }
    bool decayed() const;

    const std::vector<Node>& nodes() const { return nodes_; }  ///< node 0 is the root; some may be out of use
    const Vec3& origin() const { return origin_; }
    /// Box of an item as the tree holds it, around origin().
    FloatBox itemBox(std::int32_t item) const;
    FloatBox localBox(const Aabb& box) const { return floatBox(box, origin_); }
    /// From this tree's origin to the other's.
    FrameShift shiftTo(const ContactTree& other) const;

  private:
    struct alignas(16) Key {
        float center[3];
        std::int32_t item;
    };
    struct Range {
        std::int32_t first, count;
    };

    static std::int32_t nodesFor(std::int32_t items);
    void buildNode(std::int32_t node, Range range, Span<const Aabb> boxes);
    int splitRange(Range range, std::int32_t unit, Range* parts);
    static int longestAxis(Span<const Key> keys);
    void cutRange(Range range, std::int32_t left);
    double refitBelow(std::int32_t node, Span<const Aabb> boxes, int depth);
    void fitLeaf(Node& node, Span<const Aabb> boxes) const;
    void setLane(std::int32_t node, int lane, const FloatBox& box);
    void climb(std::int32_t node);
    std::int32_t chooseLeaf(const FloatBox& box) const;
    void splitLeaf(std::int32_t leaf, std::int32_t item, const FloatBox& box);
    void append(std::int32_t node, std::int32_t child, const FloatBox& box);
    void removeLane(std::int32_t node, int lane);
    std::int32_t newNode(bool leaf);
    double rootMeasure() const { return nodes_[0].boxes.hull().measure(); }

    ContactTreeSettings settings_;
    Vec3 origin_ = Vec3::Zero();
    std::vector<Node> nodes_;
    std::vector<std::int32_t> itemNode_;  ///< leaf of every item, -1 if it is not in the tree
    std::vector<std::int32_t> freeNodes_;
    std::vector<Key> keys_, sortedKeys_;  ///< scratch of the build
    std::vector<std::uint64_t> sortKeys_;
    std::size_t itemCount_ = 0, builtCount_ = 0, edits_ = 0;
    double cost_ = 0;  ///< sum of the measures of all boxes in the tree
    double builtQuality_ = 0;
};

}  // namespace sunder
