#include "core/mesh/merge.h"

namespace sunder {

namespace {
void resize(Attribute& a, std::size_t elements) {
    std::visit([&](auto& values) { values.resize(elements * static_cast<std::size_t>(a.tupleSize)); }, a.values);
}

void appendAttribute(AttributeSet& to, const Attribute& from, std::size_t before, std::size_t total) {
    Attribute* place = to.find(from.name);
    if (!place) {
        to.attributes.push_back({from.name, from.tupleSize, from.meaning, from.values});
        place = &to.attributes.back();
        std::visit([](auto& values) { values.clear(); }, place->values);
        resize(*place, total);
    }
    if (place->tupleSize != from.tupleSize || place->values.index() != from.values.index()) return;
    std::visit(
        [&](const auto& values) {
            auto& target = std::get<std::decay_t<decltype(values)>>(place->values);
            std::copy(values.begin(), values.end(), target.begin() + static_cast<std::ptrdiff_t>(before * static_cast<std::size_t>(from.tupleSize)));
        },
        from.values);
}

void appendSet(AttributeSet& to, const AttributeSet& from, std::size_t before, std::size_t added) {
    const std::size_t total = before + added;
    for (Attribute& a : to.attributes) resize(a, total);
    for (Group& g : to.groups) g.members.resize(total, 0);
    for (const Attribute& a : from.attributes) appendAttribute(to, a, before, total);
    for (const Group& g : from.groups) {
        Group* place = to.findGroup(g.name);
        if (!place) place = &to.addGroup(g.name, total);
        std::copy(g.members.begin(), g.members.end(), place->members.begin() + static_cast<std::ptrdiff_t>(before));
    }
}
}  // namespace

void appendGeometry(Geometry& to, const Geometry& from) {
    appendSet(to.points, from.points, to.pointCount(), from.pointCount());
    appendSet(to.vertices, from.vertices, to.vertexCount(), from.vertexCount());
    appendSet(to.primitives, from.primitives, to.primitiveCount(), from.primitiveCount());
    const auto first = static_cast<std::int32_t>(to.pointCount());
    to.positions.insert(to.positions.end(), from.positions.begin(), from.positions.end());
    std::vector<std::int32_t> points;
    for (std::size_t p = 0; p < from.primitiveCount(); ++p) {
        points.clear();
        for (const std::int32_t i : from.primitivePoints(p)) points.push_back(first + i);
        to.addPrimitive(from.primitiveKind[p], points);
    }
}

}  // namespace sunder
