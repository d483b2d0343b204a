#include "core/sim/cache_topology.h"

#include "core/sim/cache_cracks.h"
#include "core/sim/cache_departed.h"

namespace sunder {

namespace {
std::vector<Vec3> positionsOn(const Geometry& frame, const Ancestry& ancestry) {
    std::vector<Vec3> all = frame.positions, out;
    for (const ElementParents& p : ancestry.added) {
        const Vec3 a = all[static_cast<std::size_t>(p.first)], b = all[static_cast<std::size_t>(p.second)];
        all.push_back(p.first == p.second ? a : Vec3((1 - p.weight) * a + p.weight * b));
    }
    for (const std::int32_t i : ancestry.point) out.push_back(all[static_cast<std::size_t>(i)]);
    return out;
}

/// Corners of the last frame's tets as what they are of the corners of the tets that they were cut from.
class CornerAncestry {
  public:
    CornerAncestry(const CacheFrame& frame, const CacheFrame& last, const Ancestry& ancestry) : frame_(frame), ancestry_(ancestry) {
        for (std::size_t t = 0; t < last.tets.size(); ++t)
            for (const std::int32_t v : last.tets[t]) {
                const auto from = static_cast<std::size_t>(ancestry.tet[t]);
                for (int k = 0; k < 4; ++k) parents_.push_back(static_cast<std::int32_t>(4 * from) + k);
                weights_.resize(parents_.size(), 0);
                spread(frame.tets[from], ancestry.point[static_cast<std::size_t>(v)], 1, &weights_[weights_.size() - 4]);
            }
    }
    AttributeSet values() const { return interpolateAttributes(frame_.geometry.vertices, parents_, weights_, 4); }

  private:
    /// Cuts lie on edges of the tet or of what it was cut into, so all leads to its corners.
    void spread(const Tet& corners, std::int32_t point, double share, double* weights) const {
        const auto first = static_cast<std::int32_t>(frame_.pointId.size());
        if (point < first) {
            for (std::size_t k = 0; k < 4; ++k)
                if (corners[k] == point) weights[k] += share;
            return;
        }
        const ElementParents& p = ancestry_.added[static_cast<std::size_t>(point - first)];
        if (p.first == p.second) return spread(corners, p.first, share, weights);
        spread(corners, p.first, (1 - p.weight) * share, weights);
        spread(corners, p.second, p.weight * share, weights);
    }

    const CacheFrame& frame_;
    const Ancestry& ancestry_;
    std::vector<std::int32_t> parents_;
    std::vector<double> weights_;
};

void takeOver(AttributeSet& to, const AttributeSet& from, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (const Attribute* a = from.find(name)) {
            to.erase(name);
            to.attributes.push_back(*a);
        }
}
/// Frames before the first particle have the group as well, so that it is there for all.
void keepGroup(AttributeSet& to, const AttributeSet& from, std::size_t count) {
    if (from.findGroup(kDepartedGroup) && !to.findGroup(kDepartedGroup)) to.addGroup(kDepartedGroup, count);
}
}  // namespace

Geometry onLastTopology(const CacheFrame& frame, const CacheFrame& last, Monitor* monitor) {
    const Ancestry ancestry = findAncestry(frame, last, monitor);
    Geometry out = last.geometry;
    out.positions = positionsOn(frame.geometry, ancestry);
    throwIfCancelled(monitor);
    AttributeSet points = frame.geometry.points;
    appendAttributes(points, ancestry.added);
    out.points = gatherAttributes(points, ancestry.point);
    const AttributeSet& corners = frame.geometry.vertices;
    out.vertices = corners.attributes.empty() && corners.groups.empty() ? AttributeSet() : CornerAncestry(frame, last, ancestry).values();
    out.primitives = gatherAttributes(frame.geometry.primitives, ancestry.tet);
    out.detail = frame.geometry.detail;
    takeOver(out.points, last.geometry.points, {"id", "parent", "parentweight", "restP", "mass"});
    takeOver(out.primitives, last.geometry.primitives, {"id", "parent", "name", "insidefaces"});
    throwIfCancelled(monitor);
    keepGroup(out.points, last.geometry.points, out.pointCount());
    keepGroup(out.primitives, last.geometry.primitives, out.primitiveCount());
    const std::vector<std::uint8_t> open = facesOpenBefore(frame, last, ancestry);
    out.primitives.add<std::int32_t>("openfaces", open.size()).assign(open.begin(), open.end());
    return out;
}

}  // namespace sunder
