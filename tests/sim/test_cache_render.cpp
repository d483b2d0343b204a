#include "core/sim/cache_render.h"

#include <set>

#include "core/mesh/merge.h"
#include "core/sim/cache_surface.h"
#include "core/sim/guide_geometry.h"
#include "tests/sim/broken_frames.h"
#include "tests/support/polls.h"

namespace sunder {
namespace {
using namespace testing;

/// The skin of the bodies at rest, finer than the tets, with attributes of every class.
Geometry renderMesh() {
    const CacheSurface skin = makeSurface(cachedFrames().front());
    Geometry g;
    g.positions = pointVectors(skin.geometry, "restP");
    const auto edgePoint = [&](std::int32_t a, std::int32_t b) {
        g.positions.push_back(0.5 * (g.positions[static_cast<std::size_t>(a)] + g.positions[static_cast<std::size_t>(b)]));
        return static_cast<std::int32_t>(g.positions.size() - 1);
    };
    std::map<std::array<std::int32_t, 2>, std::int32_t> middles;
    const auto middle = [&](std::int32_t a, std::int32_t b) {
        const std::array<std::int32_t, 2> key = {std::min(a, b), std::max(a, b)};
        const auto place = middles.find(key);
        return place != middles.end() ? place->second : middles[key] = edgePoint(a, b);
    };
    for (std::size_t p = 0; p < skin.geometry.primitiveCount(); ++p) {
        const auto t = skin.geometry.primitivePoints(p);
        const std::int32_t a = t[0], b = t[1], c = t[2], ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        for (const std::array<std::int32_t, 3>& f : {std::array<std::int32_t, 3>{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}})
            g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(f.data(), 3));
    }
    auto& color = g.points.add<float>("Cd", g.pointCount(), 3, AttributeMeaning::kColor);
    for (std::size_t i = 0; i < color.size(); ++i) color[i] = static_cast<float>(i);
    auto& uv = g.vertices.add<float>("uv", g.vertexCount(), 3, AttributeMeaning::kTextureCoord);
    for (std::size_t i = 0; i < uv.size(); ++i) uv[i] = static_cast<float>(i);
    g.primitives.add<std::string>("name", g.primitiveCount()).assign(g.primitiveCount(), "model");
    Group& some = g.primitives.addGroup("some", g.primitiveCount());
    for (std::size_t i = 0; i < some.members.size(); i += 2) some.members[i] = 1;
    return g;
}

/// By how much the sides of the first triangles have grown at most.
double largestStretch(const Geometry& g, std::size_t triangles, const std::vector<Vec3>& rest, const std::vector<Vec3>& now) {
    double largest = 0;
    for (std::size_t p = 0; p < triangles; ++p) {
        const auto t = g.primitivePoints(p);
        for (std::size_t k = 0; k < 3; ++k) {
            const auto a = static_cast<std::size_t>(t[k]), b = static_cast<std::size_t>(t[(k + 1) % 3]);
            largest = std::max(largest, (now[a] - now[b]).norm() / (rest[a] - rest[b]).norm());
        }
    }
    return largest;
}

double largestTetStretch(const CacheFrame& f) {
    double largest = 0;
    for (const Tet& t : f.tets)
        for (const auto& e : kTetEdges) {
            const auto a = static_cast<std::size_t>(t[static_cast<std::size_t>(e[0])]), b = static_cast<std::size_t>(t[static_cast<std::size_t>(e[1])]);
            largest = std::max(largest, (f.geometry.positions[a] - f.geometry.positions[b]).norm() / (f.rest[a] - f.rest[b]).norm());
        }
    return largest;
}

TEST(CacheRender, AtRestNothingMoves) {
    const Geometry render = renderMesh();
    const CacheFrame& first = cachedFrames().front();
    const RenderMap map(render, first);
    EXPECT_EQ(map.splitCount(), 0u);
    const Geometry out = map.deform(render, first);
    ASSERT_EQ(out.pointCount(), render.pointCount());
    for (std::size_t i = 0; i < out.pointCount(); ++i) EXPECT_LT((out.positions[i] - render.positions[i]).norm(), 1e-5);
    EXPECT_EQ(out.primitives.findGroup("inside")->count(), 0u);
    EXPECT_EQ(*out.points.find("Cd")->as<float>(), *render.points.find("Cd")->as<float>());
}

TEST(CacheRender, PolygonsOfABrokenBodyDoNotStretchOverCracks) {
    const Geometry render = renderMesh();
    const CacheFrame& last = cachedFrames().back();
    const RenderMap map(render, last);
    EXPECT_GT(map.splitCount(), 0u);
    const Geometry out = map.deform(render, last);
    out.validate();
    std::vector<Vec3> rest;
    for (std::size_t i = 0; i < out.pointCount(); ++i) rest.push_back(i < render.pointCount() ? render.positions[i] : Vec3::Zero());
    for (std::size_t v = 0; v < render.vertexCount(); ++v) rest[static_cast<std::size_t>(out.vertexPoint[v])] = render.positions[static_cast<std::size_t>(render.vertexPoint[v])];
    // polygons are stretched as the material is, and hardly more where a corner follows a tet that it lies outside of
    const double material = largestTetStretch(last);
    EXPECT_LT(largestStretch(out, render.primitiveCount(), rest, out.positions), 1.5 * material);
    // bound point by point, without regard to cracks, they would be like rubber
    EXPECT_GT(largestStretch(render, render.primitiveCount(), rest, out.positions), 2 * material);
}

TEST(CacheRender, KeepsAttributesAndAddsTheInside) {
    const Geometry render = renderMesh();
    const CacheFrame& last = cachedFrames().back();
    const RenderMap map(render, last);
    const Geometry out = map.deform(render, last);
    const std::size_t own = render.primitiveCount();
    const Group &inside = *out.primitives.findGroup("inside"), &outside = *out.primitives.findGroup("outside");
    std::size_t bits = 0;
    for (const std::uint8_t b : last.insideFaces) bits += static_cast<std::size_t>(__builtin_popcount(b));
    EXPECT_EQ(inside.count(), bits);
    EXPECT_EQ(outside.count(), own);
    for (std::size_t p = 0; p < own; ++p) EXPECT_TRUE(outside.members[p] && !inside.members[p]);
    const auto& uv = *out.vertices.find("uv")->as<float>();
    const auto& given = *render.vertices.find("uv")->as<float>();
    EXPECT_TRUE(std::equal(given.begin(), given.end(), uv.begin()));
    const Attribute& color = *out.points.find("Cd");
    for (std::size_t v = 0; v < render.vertexCount(); ++v)
        EXPECT_EQ(color.number(static_cast<std::size_t>(out.vertexPoint[v])), render.points.find("Cd")->number(static_cast<std::size_t>(render.vertexPoint[v])));
    const auto& names = *out.primitives.find("name")->as<std::string>();
    EXPECT_GT(std::set<std::string>(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(own)).size(), 2u);
    EXPECT_EQ((*out.primitives.find("rendername")->as<std::string>())[0], "model");
    EXPECT_EQ(out.primitives.findGroup("some")->count(), render.primitives.findGroup("some")->count());
    EXPECT_TRUE(out.points.find("v"));
    EXPECT_FALSE(out.points.find("restP"));
}

// hosts look at vertices first, and inside faces have their uv there: one of points goes there, too
TEST(CacheRender, TexturesOfPointsAreKeptAtVertices) {
    Geometry render = renderMesh();
    render.vertices.erase("uv");
    auto& given = render.points.add<double>("uv", render.pointCount(), 2, AttributeMeaning::kTextureCoord);
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = 1 + static_cast<double>(i);
    render.points.add<std::string>("paint", render.pointCount());  // a number of the tets
    for (const CacheFrame* frame : {&cachedFrames().front(), &cachedFrames().back()}) {
        const Geometry out = RenderMap(render, *frame).deform(render, *frame);
        out.validate();
        const Attribute* uv = out.vertices.find("uv");
        ASSERT_TRUE(uv && uv->as<double>() && uv->tupleSize == 2);
        EXPECT_EQ(out.points.find("uv"), nullptr);
        EXPECT_EQ(uv->meaning, AttributeMeaning::kTextureCoord);
        for (std::size_t v = 0; v < render.vertexCount(); ++v)
            for (int c = 0; c < 2; ++c) EXPECT_EQ(uv->number(v, c), 1.0 + 2 * render.vertexPoint[v] + c);
        double largest = 0;
        for (std::size_t v = render.vertexCount(); v < out.vertexCount(); ++v) largest = std::max(largest, std::abs(uv->number(v, 0)));
        EXPECT_EQ(largest > 0.1, frame == &cachedFrames().back()) << "the uv of inside faces is converted";
    }
}

TEST(CacheRender, NormalsTurnWithTheTets) {
    Geometry render = renderMesh();
    const std::vector<float> up(3 * render.vertexCount(), 0.5f);
    render.vertices.add<float>("N", render.vertexCount(), 3, AttributeMeaning::kNormal) = up;
    CacheFrame turned = cachedFrames().front();
    const Mat3 turn = Mat3(Eigen::AngleAxisd(1.1, Vec3(3, 1, 2).normalized()));
    for (std::size_t i = 0; i < turned.rest.size(); ++i) turned.geometry.positions[i] = turn * turned.rest[i];
    const RenderMap map(render, turned);
    const Geometry out = map.deform(render, turned);
    const Vec3 expected = turn * Vec3::Constant(0.5);
    for (std::size_t v = 0; v < render.vertexCount(); v += 17)
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(out.vertices.find("N")->number(v, c), expected[c], 1e-4);
}

TEST(CacheRender, OneMapServesFramesOfOneTopology) {
    const Geometry render = renderMesh();
    const auto& frames = cachedFrames();
    CacheFrame moved = frames.front();
    for (Vec3& p : moved.geometry.positions) p *= 2;
    EXPECT_EQ(RenderMap::identity(render, frames.front()), RenderMap::identity(render, moved));
    EXPECT_NE(RenderMap::identity(render, frames.front()), RenderMap::identity(render, frames.back()));
    const RenderMap map(render, frames.front());
    EXPECT_THROW(map.deform(render, frames.back()), Error);
    EXPECT_THROW(RenderMap(Geometry(), frames.front()), Error);
}

// the corners of two triangles and those of one polygon of six are the same list
TEST(CacheRender, PolygonsOfTheSameCornersInOtherGroupsAreAnotherMesh) {
    const Geometry render = renderMesh();
    Geometry regrouped = render;
    for (AttributeSet* set : {&regrouped.points, &regrouped.vertices, &regrouped.primitives}) *set = {};
    regrouped.vertexPoint.clear();
    regrouped.primitiveKind.clear();
    regrouped.primitiveFirstVertex.assign(1, 0);
    for (std::size_t p = 0; p < render.primitiveCount(); p += 2)
        regrouped.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(render.vertexPoint.data() + render.primitiveFirstVertex[p], 6));
    ASSERT_EQ(regrouped.vertexPoint, render.vertexPoint);
    const CacheFrame& first = cachedFrames().front();
    EXPECT_NE(RenderMap::identity(render, first), RenderMap::identity(regrouped, first));
    EXPECT_THROW(RenderMap(regrouped, first).deform(render, first), Error) << "it has a tet for every second polygon";
}

TEST(GuideGeometry, GuidesComeApartByTheirMarks) {
    Geometry a, b;
    a.positions = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()};
    const std::vector<std::int32_t> curve = {0, 1}, triangle = {0, 1, 2};
    a.addPrimitive(PrimitiveKind::kCurve, curve);
    b.positions = a.positions;
    b.addPrimitive(PrimitiveKind::kPolygon, triangle);
    b.addPrimitive(PrimitiveKind::kPolygon, triangle);
    SceneGuide line, plane;
    line.name = "line";
    line.strength = 0.5;
    plane.name = "plane";
    plane.width = 0.25;
    markGuide(a, line);
    markGuide(b, plane);
    appendGeometry(a, b);
    a.validate();
    const std::vector<DrawnGuide> guides = drawnGuides(a);
    ASSERT_EQ(guides.size(), 2u);
    EXPECT_EQ(guides[0].guide.name, "line");
    EXPECT_EQ(guides[0].guide.strength, 0.5);
    EXPECT_EQ(guides[0].geometry.countOf(PrimitiveKind::kCurve), 1u);
    EXPECT_EQ(guides[1].guide.width, 0.25);
    EXPECT_EQ(guides[1].geometry.countOf(PrimitiveKind::kPolygon), 2u);
    plane.strength = 0;
    EXPECT_THROW(markGuide(b, plane), Error);
    Geometry nothing;
    EXPECT_THROW(markGuide(nothing, line), Error);
}

TEST(MergeGeometry, WhatOnlyOneHasIsZeroOnTheOther) {
    Geometry a, b;
    a.positions = {Vec3::Zero(), Vec3::UnitX()};
    b.positions = {Vec3::UnitY()};
    a.points.add<float>("both", 2) = {1, 2};
    b.points.add<float>("both", 1) = {3};
    b.points.add<std::string>("late", 1) = {"x"};
    a.points.add<float>("clash", 2, 1);
    b.points.add<float>("clash", 1, 3);
    b.points.addGroup("g", 1).members = {1};
    appendGeometry(a, b);
    a.validate();
    EXPECT_EQ(*a.points.find("both")->as<float>(), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(*a.points.find("late")->as<std::string>(), (std::vector<std::string>{"", "", "x"}));
    EXPECT_EQ(a.points.find("clash")->tupleSize, 1);
    EXPECT_EQ(a.points.findGroup("g")->members, (std::vector<std::uint8_t>{0, 0, 1}));
}

using testing::Polls;

// hosts stop within a second on millions of points: every walk over them asks now and then
TEST(RenderMap, AsksTheMonitorWithinEveryWalkOverPoints) {
    Geometry few = renderMesh();
    few.points.add<float>("N", few.pointCount(), 3, AttributeMeaning::kNormal).assign(3 * few.pointCount(), 0.5f);
    Geometry many = few;
    while (many.pointCount() < 300000) appendGeometry(many, Geometry(many));
    const CacheFrame& frame = cachedFrames().back();
    const auto polls = [&](const Geometry& render) {
        Polls binding, deforming;
        const RenderMap map(render, frame, &binding);
        map.deform(render, frame, &deforming);
        return std::pair(binding.count, deforming.count);
    };
    const auto [bindingFew, deformingFew] = polls(few);
    const auto [bindingMany, deformingMany] = polls(many);
    const int walks = static_cast<int>(many.pointCount() / 131072), walksOfPrimitives = static_cast<int>(many.primitiveCount() / 131072);
    EXPECT_GE(deformingMany, deformingFew + 3 * walks + walksOfPrimitives);  // places, velocities, normals; names
    EXPECT_GE(bindingMany, bindingFew + walks + walks / 2 + 3 * walksOfPrimitives + walksOfPrimitives / 2);  // weights, places; middles, splits twice as often, places of middles
}
}  // namespace
}  // namespace sunder
