#include <gtest/gtest.h>

#include <cstdlib>

#include "core/io/material_text.h"
#include "core/material/presets.h"
#include "core/mesh/tet_mesh.h"
#include "core/meshing/tetrahedralize.h"
#include "tests/houdini/fixtures.h"

namespace sunder::test {

namespace {
constexpr const char *kTetrahedralize = "sunder::tetrahedralize::1.0", *kMaterial = "sunder::material::1.0";
}

TEST(HoudiniTetrahedralize, FillsASurfaceAsTheCoreDoes) {
    Geometry cube = cubeSurface();
    auto& paint = cube.points.add<float>("fracturethreshold", 8);
    for (std::size_t i = 0; i < 8; ++i) paint[i] = static_cast<float>(i + 1);
    Network net;
    SOP_Node* node = net.node(kTetrahedralize, {net.geometry(cube)});
    net.set(node, "method", 2);
    net.set(node, "cellSize", 0.25);
    const Network::Cooked cooked = net.cook(node);
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    TetrahedralizeOptions options;
    options.method = MeshingMethod::kLattice;
    options.cellSize = 0.25;
    const TetrahedralizeResult expected = tetrahedralize(cube, options);
    EXPECT_TRUE(bytesOf(cooked.geometry) == bytesOf(geometryFromResult(expected)));
    const Attribute* quality = cooked.geometry.primitives.find("quality");
    ASSERT_NE(quality, nullptr);
    double worst = 1;
    for (std::size_t t = 0; t < quality->elementCount(); ++t) worst = std::min(worst, quality->number(t));
    EXPECT_EQ(static_cast<float>(expected.quality.smallestQuality), static_cast<float>(worst));
    EXPECT_NE(cooked.info.find("tets"), std::string::npos);
}

TEST(HoudiniTetrahedralize, WhatVerticesHaveIsAtPointsAndSaid) {
    Geometry cube = cubeSurface();
    Network net;
    const auto fill = [&](int output) {
        SOP_Node* node = net.node(kTetrahedralize, {net.geometry(cube)});
        net.set(node, "method", 2);
        net.set(node, "cellSize", 0.25);
        net.set(node, "output", output);
        return net.cook(node);
    };
    EXPECT_EQ(fill(0).info.find("vertices"), std::string::npos);
    auto& uv = cube.vertices.add<float>("uv", cube.vertexCount(), 3, AttributeMeaning::kTextureCoord);
    for (std::size_t v = 0; v < cube.vertexCount(); ++v)  // without a seam
        for (std::size_t c = 0; c < 3; ++c) uv[3 * v + c] = static_cast<float>(cube.positions[static_cast<std::size_t>(cube.vertexPoint[v])][static_cast<Eigen::Index>(c)]);
    const Network::Cooked tets = fill(0), diagnosis = fill(1);
    EXPECT_NE(tets.info.find("attributes of vertices at points"), std::string::npos) << tets.info;
    const Attribute* at = tets.geometry.points.find("uv");
    ASSERT_NE(at, nullptr);
    for (std::size_t i = 0; i < tets.geometry.pointCount(); ++i) {
        const Vec3& p = tets.geometry.positions[i];
        if (p.cwiseAbs().maxCoeff() < 0.5 - 1e-6) continue;  // inside it is that of the nearest place
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(at->number(i, c), p[c], 1e-5) << i;
    }
    EXPECT_EQ(diagnosis.info.find("vertices at points"), std::string::npos);
    ASSERT_NE(diagnosis.geometry.vertices.find("uv"), nullptr);
    EXPECT_EQ(*diagnosis.geometry.vertices.find("uv")->as<float>(), uv);
}

TEST(HoudiniTetrahedralize, FillsWhatTakesSeveralPages) {
    Network net;
    SOP_Node* node = net.node(kTetrahedralize, {net.geometry(cubeSurface())});
    net.set(node, "method", 2);
    net.set(node, "cellSize", 0.09);
    const Network::Cooked cooked = net.cook(node);
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    ASSERT_GT(cooked.geometry.pointCount(), 2 * static_cast<std::size_t>(GA_PAGE_SIZE));
    TetrahedralizeOptions options;
    options.method = MeshingMethod::kLattice;
    options.cellSize = 0.09;
    EXPECT_TRUE(bytesOf(cooked.geometry) == bytesOf(geometryFromResult(tetrahedralize(cubeSurface(), options))));
}

TEST(HoudiniTetrahedralize, ShowsWhatIsWrongWithASurface) {
    Geometry open = cubeSurface();
    Geometry five;
    five.positions = open.positions;
    for (std::size_t p = 0; p < 5; ++p) five.addPrimitive(PrimitiveKind::kPolygon, open.primitivePoints(p));
    Network net;
    SOP_Node* node = net.node(kTetrahedralize, {net.geometry(five)});
    net.set(node, "cellSize", 0.25);
    const Network::Cooked tets = net.cook(node);
    EXPECT_FALSE(tets.failed()) << tets.all();
    EXPECT_TRUE(tets.warned());
    EXPECT_TRUE(tets.says("open")) << tets.all();
    net.set(node, "output", 1);
    const Network::Cooked groups = net.cook(node);
    EXPECT_EQ(groups.geometry.primitiveCount(), 5u);
    EXPECT_NE(groups.geometry.points.findGroup("open_edges"), nullptr);
}

TEST(HoudiniTetrahedralize, WrongInputsAreErrorsWithARemedy) {
    Network net;
    EXPECT_TRUE(net.cook(net.node(kTetrahedralize, {})).says("Not enough sources"));
    const Network::Cooked unwired = net.cook(net.node(kTetrahedralize, {nullptr}));
    EXPECT_TRUE(unwired.failed());
    EXPECT_TRUE(unwired.says("Wire polygons"));
    const Network::Cooked empty = net.cook(net.node(kTetrahedralize, {net.geometry(Geometry())}));
    EXPECT_TRUE(empty.failed());
    EXPECT_TRUE(empty.says("is empty"));
    Geometry points;
    points.positions = {Vec3::Zero(), Vec3::UnitX()};
    const Network::Cooked noFaces = net.cook(net.node(kTetrahedralize, {net.geometry(points)}));
    EXPECT_TRUE(noFaces.failed()) << noFaces.all();
    SOP_Node* node = net.node(kTetrahedralize, {net.geometry(cubeSurface())});
    net.set(node, "cellSize", -1);
    EXPECT_TRUE(net.cook(node).says("'cellSize' is -1 m. Give a value at least 0")) << net.cook(node).all();
    net.set(node, "cellSize", 0);
    net.set(node, "sizingAttribute", std::string("nosuch"));
    EXPECT_TRUE(net.cook(node).failed());
}

TEST(HoudiniTetrahedralize, WithoutTetGenItTakesTheLatticeOrSaysWhatToDo) {
    setenv("SUNDER_TETGEN_HELPER", "none", 1);
    Network net;
    SOP_Node* node = net.node(kTetrahedralize, {net.geometry(cubeSurface())});
    net.set(node, "cellSize", 0.25);
    const Network::Cooked fallback = net.cook(node);
    ASSERT_FALSE(fallback.failed()) << fallback.all();
    EXPECT_GT(fallback.geometry.countOf(PrimitiveKind::kTet), 10u);
    EXPECT_NE(fallback.info.find("lattice"), std::string::npos) << fallback.info;
    net.set(node, "method", 1);
    const Network::Cooked refused = net.cook(node);
    EXPECT_TRUE(refused.failed());
    EXPECT_TRUE(refused.says("Use the lattice method, or install sunder-tetgen")) << refused.all();
    unsetenv("SUNDER_TETGEN_HELPER");
}

TEST(HoudiniTetrahedralize, StopsOnEscape) {
    Network net;
    SOP_Node* node = net.node(kTetrahedralize, {net.geometry(cubeSurface())});
    net.set(node, "method", 2);
    net.set(node, "cellSize", 0.1);
    standin::interruptAfter(-1);
    net.cook(node);
    const long polls = standin::interruptPolls();
    ASSERT_GT(polls, 2);
    for (long at = 0; at < polls; at += 1 + polls / 7) {
        standin::interruptAfter(at);
        const Network::Cooked stopped = net.cook(node);
        EXPECT_TRUE(stopped.failed()) << at;
        EXPECT_TRUE(stopped.says("interrupted")) << at;
        EXPECT_EQ(stopped.geometry.primitiveCount(), 0u) << at;
    }
    standin::interruptAfter(-1);
    EXPECT_FALSE(net.cook(node).failed());
    EXPECT_EQ(standin::openInterrupts(), 0);
}

namespace {
const std::vector<std::string>& materialsOf(const Geometry& g) {
    static const std::vector<std::string> none;
    const Attribute* texts = g.primitives.find("sundermaterial");
    return texts && texts->isString() ? *texts->as<std::string>() : none;
}
std::string glass(bool breaks) {
    Material m = materialPreset("glass").material;
    m.fracture.enabled = breaks;
    return materialToText(m);
}
}  // namespace

TEST(HoudiniMaterial, CarriesAPresetAndMultipliesPaint) {
    Geometry block = paintedBlock(3);
    block.detail.add<std::string>("sundermaterial", 1)[0] = "of an older cache";
    Network net;
    SOP_Node* node = net.node(kMaterial, {net.geometry(block)});
    net.set(node, "preset", std::string("glass"));
    net.set(node, "fracture_enabled", 1);
    net.set(node, "stiffness", 2);
    net.set(node, "friction", 0.5);
    for (const bool steal : {false, true}) {
        node->standinStealInput = steal;
        const Network::Cooked cooked = net.cook(node);
        ASSERT_FALSE(cooked.failed()) << cooked.all();
        EXPECT_TRUE(materialsOf(cooked.geometry) == std::vector<std::string>(block.primitiveCount(), glass(true)));
        EXPECT_EQ(cooked.geometry.detail.find("sundermaterial"), nullptr) << "what is merged behind it would have it";
        const auto& before = *block.points.find("stiffness")->as<float>();
        const auto& after = *cooked.geometry.points.find("stiffness")->as<float>();
        for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], 2 * before[i]);
        EXPECT_EQ(*cooked.geometry.points.find("friction")->as<float>(), std::vector<float>(block.pointCount(), 0.5f));
        EXPECT_EQ(cooked.geometry.points.find("massdensity"), nullptr) << "what is not scaled is not made";
        EXPECT_EQ(cooked.geometry.primitiveCount(), block.primitiveCount());
        EXPECT_NE(cooked.info.find("primitives"), std::string::npos) << cooked.info;
    }
}

TEST(HoudiniMaterial, PaintOfSeveralPagesIsWrittenPageByPage) {
    const Geometry block = paintedBlock(11);
    ASSERT_GT(block.pointCount(), static_cast<std::size_t>(GA_PAGE_SIZE));
    Network net;
    SOP_Node* node = net.node(kMaterial, {net.geometry(block)});
    net.set(node, "stiffness", 2);
    const Network::Cooked cooked = net.cook(node);
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    const auto& before = *block.points.find("stiffness")->as<float>();
    const auto& after = *cooked.geometry.points.find("stiffness")->as<float>();
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], 2 * before[i]);
}

// a second node over a part: of primitives, or of points and the primitives that have no others
TEST(HoudiniMaterial, AGroupGetsItsOwn) {
    Geometry block = paintedBlock(3);
    Group& right = block.primitives.addGroup("right", block.primitiveCount());
    for (std::size_t p = 0; p < block.primitiveCount(); ++p) right.members[p] = p % 3 == 0;
    const Group low = [&] {
        Group& g = block.points.addGroup("low", block.pointCount());
        for (std::size_t i = 0; i < block.pointCount(); ++i) g.members[i] = i < block.pointCount() / 2;
        return g;
    }();
    for (const bool byPoints : {false, true}) {
        Network net;
        SOP_Node* whole = net.node(kMaterial, {net.geometry(block)});
        net.set(whole, "density", 555);
        SOP_Node* part = net.node(kMaterial, {whole});
        net.set(part, "preset", std::string("glass"));
        net.set(part, "fracturethreshold", 0.5);
        net.set(part, "group", std::string(byPoints ? "low" : "right"));
        const Network::Cooked cooked = net.cook(part);
        ASSERT_FALSE(cooked.failed()) << cooked.all();
        const std::vector<std::string> before = materialsOf(net.cook(whole).geometry), texts = materialsOf(cooked.geometry);
        std::vector<std::uint8_t> points = byPoints ? low.members : std::vector<std::uint8_t>(block.pointCount(), 0);
        std::size_t count = 0;
        for (std::size_t p = 0; p < block.primitiveCount(); ++p) {
            const Span<const std::int32_t> corners = block.primitivePoints(p);
            const auto isLow = [&](std::int32_t i) { return low.members[static_cast<std::size_t>(i)] != 0; };
            const bool isIn = byPoints ? std::all_of(corners.begin(), corners.end(), isLow) : right.members[p] != 0;
            if (isIn && !byPoints)
                for (const std::int32_t i : corners) points[static_cast<std::size_t>(i)] = 1;
            EXPECT_TRUE(texts[p] == (isIn ? glass(false) : before[p])) << p << byPoints;
            count += isIn;
        }
        EXPECT_GT(count, 0u);
        EXPECT_LT(count, block.primitiveCount());
        const auto& threshold = *cooked.geometry.points.find("fracturethreshold")->as<float>();
        for (std::size_t i = 0; i < threshold.size(); ++i) ASSERT_EQ(threshold[i], points[i] ? 0.5f : 1.0f) << i;
    }
}

// behind a Merge node: paint that only one solid has must not switch off the others
TEST(HoudiniMaterial, NewPaintIsOneWhereNothingIsPainted) {
    Network net;
    Geometry bare = paintedBlock(1);
    for (AttributeSet* set : {&bare.points, &bare.vertices, &bare.primitives, &bare.detail}) *set = {};
    SOP_Node* node = net.node(kMaterial, {net.geometry(bare)});
    net.set(node, "stiffness", 3);
    const Network::Cooked cooked = net.cook(node);
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    GU_Detail more;  // a point that is appended has what the attribute says of new ones, as merged points have
    more.replaceWith(*cooked.detail.gdp());
    const GA_Offset added = more.appendPointOffset();
    EXPECT_EQ(GA_ROHandleF(more.findAttribute(GA_ATTRIB_POINT, "stiffness")).get(added), 1.0f);
}

TEST(HoudiniMaterial, TypedValuesReachTheCoreInSiUnits) {
    Network net;
    SOP_Node* node = net.node(kMaterial, {net.geometry(paintedBlock(1))});
    net.set(node, "density", 7800);
    net.set(node, "law", 3);
    net.set(node, "fracture_backCrackAngle", 60);
    const Network::Cooked cooked = net.cook(node);
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    ASSERT_FALSE(materialsOf(cooked.geometry).empty());
    const Material m = materialFromText(materialsOf(cooked.geometry)[0], "test");
    EXPECT_EQ(m.density, 7800);
    EXPECT_EQ(m.law, ElasticLawId::kNeoHookean);
    EXPECT_NEAR(m.fracture.backCrackAngle, M_PI / 3, 1e-15);
    EXPECT_EQ(m.youngs, Material().youngs);
    EXPECT_EQ(m.fracture.residual, Material().fracture.residual);
}

TEST(HoudiniMaterial, WrongInputsAreErrorsWithARemedy) {
    Network net;
    EXPECT_TRUE(net.cook(net.node(kMaterial, {nullptr})).failed());
    EXPECT_TRUE(net.cook(net.node(kMaterial, {net.geometry(Geometry())})).failed());
    Geometry block = paintedBlock(1);
    block.points.add<std::string>("stiffness", block.pointCount());
    SOP_Node* node = net.node(kMaterial, {net.geometry(block)});
    net.set(node, "stiffness", 2);
    EXPECT_TRUE(net.cook(node).says("is not a number. Make it a float"));
    node = net.node(kMaterial, {net.geometry(paintedBlock(1))});
    net.set(node, "poisson", 0.5);
    EXPECT_TRUE(net.cook(node).says("0.5 is incompressible")) << net.cook(node).all();
    net.set(node, "poisson", 0.3);
    net.set(node, "group", std::string("nosuch"));
    EXPECT_TRUE(net.cook(node).says("no group 'nosuch' of primitives or points. Name one"));
    Geometry one = paintedBlock(1), loose;
    one.points.addGroup("corner", one.pointCount()).members[0] = 1;
    SOP_Node* corner = net.node(kMaterial, {net.geometry(one)});
    net.set(corner, "group", std::string("corner"));
    EXPECT_TRUE(net.cook(corner).says("no primitive has all of its points in the group 'corner'. Name a group"));
    loose.positions.emplace_back(0, 0, 0);
    EXPECT_TRUE(net.cook(net.node(kMaterial, {net.geometry(loose)})).says("has points alone. Wire"));
    net.set(node, "group", std::string(""));
    net.set(node, "preset", std::string("glas"));
    EXPECT_TRUE(net.cook(node).failed());
}

}  // namespace sunder::test
