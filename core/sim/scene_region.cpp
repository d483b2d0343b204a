#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/scene_build.h"

namespace sunder {

namespace {
using Indices = std::vector<std::int32_t>;

template <class Inside>
Indices indicesWhere(std::size_t count, Inside&& inside) {
    Indices indices;
    for (std::size_t i = 0; i < count; ++i)
        if (inside(i)) indices.push_back(static_cast<std::int32_t>(i));
    return indices;
}

struct Selector {
    Span<const Vec3> x;
    const AttributeSet& attributes;
    const std::string& owner;

    Indices operator()(const GroupRegion& r) const {
        if (const Group* group = attributes.findGroup(r.name))
            return indicesWhere(x.size(), [&](std::size_t i) { return group->members[i] != 0; });
        if (const Attribute* a = attributes.find(r.name))
            return indicesWhere(x.size(), [&](std::size_t i) { return a->number(i) != 0; });
        std::vector<std::string> names;
        for (const Group& group : attributes.groups) names.push_back(group.name);
        for (const Attribute& a : attributes.attributes) names.push_back(a.name);
        const std::string nearest = nearestWord(r.name, names);
        throw Error(
            format("%s: the body has no point group or attribute '%s'", owner.c_str(), r.name.c_str()),
            nearest.empty()
                ? "look at the names with 'sunder info', or choose vertices by box, sphere or nearest"
                : format("did you mean '%s'?", nearest.c_str()));
    }
    Indices operator()(const BoxRegion& r) const {
        return indicesWhere(x.size(), [&](std::size_t i) {
            return (x[i].array() >= r.min.array()).all() && (x[i].array() <= r.max.array()).all();
        });
    }
    Indices operator()(const SphereRegion& r) const {
        return indicesWhere(
            x.size(), [&](std::size_t i) { return (x[i] - r.center).squaredNorm() <= r.radius * r.radius; });
    }
    Indices operator()(const NearestRegion& r) const {
        Indices order(x.size());
        std::iota(order.begin(), order.end(), 0);
        const auto distanceSq = [&](std::int32_t v) {
            return (x[static_cast<std::size_t>(v)] - r.point).squaredNorm();
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int32_t a, std::int32_t b) { return distanceSq(a) < distanceSq(b); });
        order.resize(std::min(order.size(), static_cast<std::size_t>(r.count)));
        return order;
    }
    Indices operator()(const AllRegion&) const {
        return indicesWhere(x.size(), [](std::size_t) { return true; });
    }
};
}  // namespace

Indices selectVertices(const Region& region, Span<const Vec3> positions, const AttributeSet& attributes,
                       const std::string& owner) {
    Indices indices = std::visit(Selector{positions, attributes, owner}, region);
    if (indices.empty()) {
        Vec3 low = Vec3::Constant(1e300), high = -low;
        for (const Vec3& p : positions) {
            low = low.cwiseMin(p);
            high = high.cwiseMax(p);
        }
        throw Error(
            format("%s: no vertex lies there", owner.c_str()),
            format("the body starts between (%g, %g, %g) and (%g, %g, %g) m; move or enlarge the region",
                   low.x(), low.y(), low.z(), high.x(), high.y(), high.z()));
    }
    return indices;
}

}  // namespace sunder
