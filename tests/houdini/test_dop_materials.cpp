// Solids of several materials as one object: nodes that give each its own, a merge behind them, and the frames of a scene that reads the same file.
#include <gtest/gtest.h>
#include <standin/dop.h>

#include <algorithm>
#include <set>

#include "core/io/material_text.h"
#include "core/io/scene_json.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/material_rows.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;
using Values = std::vector<std::pair<const char*, double>>;
constexpr int kFrames = 6;

std::string shown(const DopNetwork& net, int frame) { return bytesOf(readDetail(net.geometry(frame, 0))); }

/// A bar of tets that is drawn apart, at a height, with what the node makes of it.
Geometry solid(double height, const Values& values, bool breaks) {
    Geometry bar = geometryFromTetMesh(testing::makeBox(4, 1, 1, Vec3(0.8, 0.2, 0.2)), {});
    auto& v = bar.points.add<float>("v", bar.pointCount(), 3, AttributeMeaning::kVector);
    for (std::size_t i = 0; i < bar.pointCount(); ++i) {
        v[3 * i] = static_cast<float>(bar.positions[i].x() > 0.41 ? 3 : bar.positions[i].x() < 0.39 ? -3 : 0);
        bar.positions[i].y() += height;
    }
    Network net;
    SOP_Node* node = net.node("sunder::material::1.0", {net.geometry(bar)});
    for (const auto& [name, value] : values) net.set(node, name, value);
    net.set(node, "fracture_enabled", breaks ? 1 : 0);
    const Network::Cooked cooked = net.cook(node);
    EXPECT_FALSE(cooked.failed()) << cooked.all();
    return cooked.geometry;
}
/// Of different laws: one breaks, one flows, one does neither and is softer by paint.
Geometry solids() {
    return testing::merged({solid(0, {{"youngs", 2e6}, {"density", 2500}, {"law", 3}, {"fracture_stress", 2e4}}, true),
                            solid(0.5, {{"youngs", 5e5}, {"law", 0}, {"plasticity_law", 3}, {"plasticity_yieldStress", 4e3}}, false),
                            solid(1, {{"youngs", 3e5}, {"density", 700}, {"stiffnessDamping", 1e-3}, {"massDamping", 2}}, false)});
}

/// An object of that geometry, and the scene of its file.
struct Both {
    GeometryScene scene;

    explicit Both(const Geometry& geometry, const char* integrator = "explicit")
        : scene(parseScene(std::string(R"({"fps": 240, "startFrame": 1, "endFrame": 50, "settings": {"substeps": 2, "linearSolver": "cg-ic", "integrator": ")") + integrator +
                           R"("}, "bodies": [{"name": "solids", "source": {"box": {}}}]})")) {
        scene.files = {{"solids.bgeo", throughFile(geometry)}};
        scene.scene.bodies[0].source = FileSource{"solids.bgeo"};
    }
};
}  // namespace

TEST(HoudiniDopMaterials, MergedSolidsHaveTheFramesOfASceneOfTheirFile) {
    const Geometry geometry = solids();
    const std::vector<std::string>& texts = *geometry.primitives.find("sundermaterial")->as<std::string>();
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 3u);
    for (const char* integrator : {"explicit", "implicit"}) {
        const Both both(geometry, integrator);
        DopNetwork net = both.scene.network();
        ASSERT_TRUE(net.play(kFrames)) << trouble(net);
        const auto expected = both.scene.frames(kFrames);
        for (int f = 1; f <= kFrames; ++f) EXPECT_TRUE(shown(net, f) == expected[static_cast<std::size_t>(f - 1)][0]) << integrator << f;
        EXPECT_TRUE(net.messages().empty()) << trouble(net);
        const Geometry last = readDetail(net.geometry(kFrames, 0)), first = readDetail(net.geometry(1, 0));
        const auto& names = *last.primitives.find("name")->as<std::string>();
        const auto& now = *last.primitives.find("sundermaterial")->as<std::string>();
        const auto& flowed = *last.primitives.find("plasticstrain")->as<float>();
        ASSERT_GT(last.primitiveCount(), first.primitiveCount()) << "the first breaks";
        for (std::size_t t = 0; t < now.size(); ++t) {
            const double y = first.positions[static_cast<std::size_t>(first.primitivePoints(std::min(t, first.primitiveCount() - 1))[0])].y();
            const std::size_t which = t >= texts.size() ? 0 : y > 0.9 ? 2 : y > 0.4 ? 1 : 0;
            EXPECT_EQ(now[t], texts[which * texts.size() / 3]) << t;
            if (which != 1) {
                EXPECT_EQ(flowed[t], 0) << t;
            }
        }
        EXPECT_GT(*std::max_element(flowed.begin(), flowed.end()), 0.01f) << "the second flows";
        EXPECT_GT(std::set<std::string>(names.begin(), names.end()).size(), 3u);
    }
}

TEST(HoudiniDopMaterials, SurviveSavingAndLoading) {
    const Both both(solids());
    DopNetwork net = both.scene.network();
    ASSERT_TRUE(net.play(kFrames)) << trouble(net);
    ASSERT_GT(net.geometry(3, 0).getNumPrimitives(), net.geometry(1, 0).getNumPrimitives()) << "it has broken by then";
    DopNetwork resumed = both.scene.network(), reloaded = both.scene.network();
    ASSERT_TRUE(resumed.load(3, net.save(3)));
    reloaded.reloadEveryStep = true;
    for (DopNetwork* other : {&resumed, &reloaded}) {
        ASSERT_TRUE(other->play(kFrames)) << trouble(*other);
        EXPECT_TRUE(shown(*other, kFrames) == shown(net, kFrames));
    }
}

// a Set Always material is that of the solids that went through no node of their own
TEST(HoudiniDopMaterials, SolidsWithoutOneHaveThatOfTheObjectAndAWarning) {
    Geometry bare = solid(0.5, {}, false);
    bare.primitives.erase("sundermaterial");
    const Both both(testing::merged({solid(0, {{"density", 2500}}, false), bare}));
    DopNetwork net = both.scene.network();
    net.set("SunderMaterial", "density", 123.0);
    ASSERT_TRUE(net.play(2)) << trouble(net);
    EXPECT_TRUE(net.says("24 of the 48 tets of body 'solids' name no material")) << trouble(net);
    const Geometry frame = readDetail(net.geometry(1, 0));
    double heavy = 0, light = 0;
    for (std::size_t i = 0; i < frame.pointCount(); ++i) (frame.positions[i].y() < 0.4 ? heavy : light) += frame.points.find("mass")->number(i);
    EXPECT_NEAR(heavy, 0.8 * 0.2 * 0.2 * 2500, 1e-4);
    EXPECT_NEAR(light, 0.8 * 0.2 * 0.2 * 123, 1e-4);
}

TEST(HoudiniDopMaterials, TextThatIsNoMaterialIsAnError) {
    Geometry wrong = solids();
    wrong.primitives.find("sundermaterial")->as<std::string>()->back() = "{\"youngs\": -1}";
    DopNetwork net = Both(wrong).scene.network();
    EXPECT_FALSE(net.play(1));
    EXPECT_TRUE(net.says("sundermaterial of body 'solids'")) << trouble(net);
    EXPECT_TRUE(net.says("youngs")) << trouble(net);
}

}  // namespace sunder::test
