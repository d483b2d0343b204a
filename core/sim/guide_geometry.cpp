#include "core/sim/guide_geometry.h"

#include <cmath>
#include <tuple>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/body/weak_surface.h"

namespace sunder {

namespace {
void requireDrawn(const Geometry& g) {
    if (g.primitiveCount() == 0) throw Error("there are no curves or polygons to make a guide of", "draw a curve, or give it a surface that cuts through the solid");
}

const Attribute* numbersOf(const Geometry& g, const char* name) {
    const Attribute* a = g.primitives.find(name);
    return a && !a->isString() ? a : nullptr;
}

SceneGuide guideAt(const Geometry& g, std::size_t primitive) {
    SceneGuide guide;
    guide.name = "guide";
    if (const Attribute* a = g.primitives.find("guide"); a && a->isString() && !(*a->as<std::string>())[primitive].empty()) guide.name = (*a->as<std::string>())[primitive];
    const auto read = [&](const char* name, double& value) {
        if (const Attribute* a = numbersOf(g, name)) value = a->number(primitive);
    };
    read("strength", guide.strength);
    read("width", guide.width);
    read("follow", guide.follow);
    return guide;
}

void addPrimitive(Geometry& to, const Geometry& from, std::size_t primitive) {
    std::vector<std::int32_t> corners;
    for (const std::int32_t i : from.primitivePoints(primitive)) {
        corners.push_back(static_cast<std::int32_t>(to.positions.size()));
        to.positions.push_back(from.positions[static_cast<std::size_t>(i)]);
    }
    to.addPrimitive(from.primitiveKind[primitive], corners);
}
}  // namespace

void validateGuide(const SceneGuide& guide) {
    WeakSurface surface;
    surface.name = guide.name;
    surface.strength = guide.strength;
    surface.width = guide.width;
    surface.follow = guide.follow;
    std::visit(
        [&](const auto& shape) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(shape)>, FileSource>) surface.shape = shape;
        },
        guide.shape);
    validate(surface);
}

std::vector<Vec3> firstCurve(const Geometry& drawn) {
    for (std::size_t p = 0; p < drawn.primitiveCount(); ++p) {
        if (drawn.primitiveKind[p] != PrimitiveKind::kCurve) continue;
        std::vector<Vec3> points;
        for (const std::int32_t i : drawn.primitivePoints(p)) points.push_back(drawn.positions[static_cast<std::size_t>(i)]);
        return points;
    }
    throw Error("there is no open curve", "draw one, or choose another shape");
}

void markGuide(Geometry& drawn, const SceneGuide& guide) {
    requireDrawn(drawn);
    validateGuide(guide);
    for (Vec3& p : drawn.positions) p = guide.transform.apply(p);
    const std::size_t n = drawn.primitiveCount();
    drawn.primitives.add<std::string>("guide", n).assign(n, guide.name.empty() ? "guide" : guide.name);
    drawn.primitives.add<double>("strength", n).assign(n, guide.strength);
    drawn.primitives.add<double>("width", n).assign(n, guide.width);
    drawn.primitives.add<double>("follow", n).assign(n, guide.follow);
}

std::vector<DrawnGuide> drawnGuides(const Geometry& marked) {
    std::vector<DrawnGuide> guides;
    for (std::size_t p = 0; p < marked.primitiveCount(); ++p) {
        const SceneGuide guide = guideAt(marked, p);
        const auto key = [](const SceneGuide& g) { return std::tie(g.name, g.strength, g.width, g.follow); };
        std::size_t k = 0;
        while (k < guides.size() && key(guides[k].guide) != key(guide)) ++k;
        if (k == guides.size()) guides.push_back({guide, {}});
        addPrimitive(guides[k].geometry, marked, p);
    }
    return guides;
}

}  // namespace sunder
