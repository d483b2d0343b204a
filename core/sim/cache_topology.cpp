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
