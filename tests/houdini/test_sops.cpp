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
    EXPECT_EQ(bytesOf(cooked.geometry), bytesOf(geometryFromTetMesh(expected.mesh, expected.attributes)));
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
    const TetrahedralizeResult expected = tetrahedralize(cubeSurface(), options);
    EXPECT_EQ(bytesOf(cooked.geometry), bytesOf(geometryFromTetMesh(expected.mesh, expected.attributes)));
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

TEST(HoudiniMaterial, CarriesAPresetAndMultipliesPaint) {
    const Geometry block = paintedBlock(3);
    Network net;
    SOP_Node* node = net.node(kMaterial, {net.geometry(block)});
    net.set(node, "preset", std::string("glass"));
    net.set(node, "fracture_enabled", 1);
    net.set(node, "stiffness", 2);
    net.set(node, "fracturethreshold", 0.5);
    net.set(node, "group", std::string("ant"));
    for (const bool steal : {false, true}) {
        node->standinStealInput = steal;
        const Network::Cooked cooked = net.cook(node);
        ASSERT_FALSE(cooked.failed()) << cooked.all();
        const Attribute* text = cooked.geometry.detail.find("sundermaterial");
        ASSERT_NE(text, nullptr);
        const Material m = materialFromText((*text->as<std::string>())[0], "test");
        Material expected = materialPreset("glass").material;
        expected.fracture.enabled = true;
        EXPECT_EQ(materialToText(m), materialToText(expected));
        const auto& before = *block.points.find("stiffness")->as<float>();
        const auto& after = *cooked.geometry.points.find("stiffness")->as<float>();
        const auto& threshold = *cooked.geometry.points.find("fracturethreshold")->as<float>();
        const Group& ant = *block.points.findGroup("ant");
        for (std::size_t i = 0; i < before.size(); ++i) {
            EXPECT_EQ(after[i], ant.members[i] ? 2 * before[i] : before[i]);
            EXPECT_EQ(threshold[i], ant.members[i] ? 0.5f : 1.0f);
        }
        EXPECT_EQ(cooked.geometry.primitiveCount(), block.primitiveCount());
    }
}

TEST(HoudiniMaterial, TypedValuesReachTheCoreInSiUnits) {
    Network net;
    SOP_Node* node = net.node(kMaterial, {net.geometry(paintedBlock(1))});
    net.set(node, "density", 7800);
    net.set(node, "law", 3);
    net.set(node, "fracture_backCrackAngle", 60);
    const Network::Cooked cooked = net.cook(node);
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    const Material m = materialFromText((*cooked.geometry.detail.find("sundermaterial")->as<std::string>())[0], "test");
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
    EXPECT_TRUE(net.cook(node).says("no point group 'nosuch'"));
    net.set(node, "group", std::string(""));
    net.set(node, "preset", std::string("glas"));
    EXPECT_TRUE(net.cook(node).failed());
}

}  // namespace sunder::test
