#include "core/body/body.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/fem/forces.h"
#include "tests/support/builders.h"

namespace sunder {

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Body makeInput() {
    Body body;
    body.name = "block";
    body.mesh = testing::makeBox(2, 2, 2, Vec3(1, 1, 1));
    body.materials.resize(1);
    return body;
}

/// The message of the refusal, which has to come with a remedy and name the body; empty if it was accepted.
template <class Change>
std::string refusal(Change change) {
    Body body = makeInput();
    change(body);
    try {
        buildBody(std::move(body));
    } catch (const Error& e) {
        EXPECT_FALSE(e.remedy().empty()) << e.what();
        return e.what();
    }
    return {};
}

HardTarget pinOn(std::int32_t vertex) {
    HardTarget pin;
    pin.name = "pin";
    pin.vertices = {vertex};
    pin.anchor = {Vec3::Zero()};
    return pin;
}

SoftTarget softOn(std::int32_t vertex) {
    SoftTarget soft;
    soft.name = "soft";
    soft.vertices = {vertex};
    soft.anchor = {Vec3::Zero()};
    return soft;
}

bool names(const std::string& message, const char* word) { return message.find(word) != std::string::npos; }
}  // namespace

TEST(BuildBody, MakesMassesVolumesAndStiffness) {
    const auto body = buildBody(makeInput());
    EXPECT_NEAR(std::accumulate(body->mass.begin(), body->mass.end(), 0.0), 1000, 1e-9);
    EXPECT_EQ(body->tetMaterial, std::vector<std::int32_t>(48, 0));
    EXPECT_TRUE(body->massDamping.empty());
    for (std::size_t i = 0; i < body->stiffness.size(); ++i) {
        // E times the edge of a cube of the vertex's share of the volume
        EXPECT_NEAR(body->stiffness[i], 1e6 * std::cbrt(body->mass[i] / 1000), 1e-6);
    }
    const BodyState state = makeBodyState(*body);
    EXPECT_EQ(state.x, body->mesh.rest);
    EXPECT_EQ(state.v, std::vector<Vec3>(27, Vec3::Zero()));
}

TEST(BuildBody, RefusesBadMeshes) {
    EXPECT_TRUE(names(refusal([](Body& b) { b.mesh.tets.clear(); }), "block"));
    EXPECT_NE(refusal([](Body& b) { b.mesh.tets[5][2] = 99; }), "");
    EXPECT_NE(refusal([](Body& b) { b.mesh.tets[5][2] = b.mesh.tets[5][1]; }), "");
    EXPECT_NE(refusal([](Body& b) { std::swap(b.mesh.tets[5][2], b.mesh.tets[5][1]); }), "");
    EXPECT_NE(refusal([](Body& b) { b.mesh.rest[3].y() = kNan; }), "");
    EXPECT_TRUE(names(refusal([](Body& b) { b.mesh.rest.push_back(Vec3(2, 2, 2)); }), "vertex 27"));
}

TEST(BuildBody, RefusesBadMaterials) {
    EXPECT_TRUE(names(refusal([](Body& b) { b.materials.clear(); }), "block"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.materials[0].density = 0; }), "density"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.materials[0].youngs = -1; }), "youngs"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.materials[0].poisson = 0.5; }), "poisson"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.tetMaterial = {0, 0}; }), "block"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.tetMaterial.assign(48, 1); }), "material 1 of 1"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.tetMaterial.assign(48, -1); }), "material -1"));
}

TEST(BuildBody, RefusesBadTargetsAndForces) {
    EXPECT_EQ(refusal([](Body& b) { b.constraints.hard = {pinOn(3)}; }), "");
    EXPECT_TRUE(names(refusal([](Body& b) { b.constraints.hard = {pinOn(27)}; }), "vertex 27"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.constraints.hard = {pinOn(-1)}; }), "vertex -1"));
    const auto hard = [](auto change) {
        return refusal([&](Body& b) {
            b.constraints.hard = {pinOn(0)};
            change(b.constraints.hard[0]);
        });
    };
    EXPECT_TRUE(names(hard([](HardTarget& t) { t.anchor.clear(); }), "anchors"));
    EXPECT_TRUE(names(hard([](HardTarget& t) { t.anchor[0].x() = kNan; }), "anchor"));
    EXPECT_TRUE(names(hard([](HardTarget& t) { t.releaseTime = kNan; }), "releaseTime"));
    EXPECT_TRUE(names(hard([](HardTarget& t) { t.motion.keys.resize(2); }), "order"));
    EXPECT_TRUE(names(hard([](HardTarget& t) {
                          t.motion.keys = {{kNan, Vec3::Zero(), Vec3::Zero()}};
                      }),
                      "key"));
    EXPECT_TRUE(names(hard([](HardTarget& t) { t.motion.pivot.z() = kNan; }), "pivot"));
    const auto soft = [](auto change) {
        return refusal([&](Body& b) {
            b.constraints.soft = {softOn(0)};
            change(b.constraints.soft[0]);
        });
    };
    EXPECT_EQ(soft([](SoftTarget& t) { t.strength = 3; }), "");
    EXPECT_TRUE(names(soft([](SoftTarget& t) { t.strength = -3; }), "strength"));
    EXPECT_TRUE(names(soft([](SoftTarget& t) { t.damping = kNan; }), "damping"));
    EXPECT_TRUE(names(soft([](SoftTarget& t) { t.weight = {1, 2}; }), "weights"));
    EXPECT_TRUE(names(soft([](SoftTarget& t) { t.weight = {-2}; }), "weight"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.force.resize(3); }), "painted forces"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.force.assign(27, Vec3(0, kNan, 0)); }), "painted force"));
}

TEST(BuildBody, RefusesBadPaint) {
    EXPECT_NE(refusal([](Body& b) { b.attributes.tets.add<float>("stiffness", 47); }), "");
    EXPECT_TRUE(names(refusal([](Body& b) { b.attributes.tets.add<float>("stiffness", 48); }), "stiffness"));
    EXPECT_TRUE(names(refusal([](Body& b) { b.attributes.vertices.add<std::string>("massdensity", 27); }),
                      "massdensity"));
    EXPECT_TRUE(
        names(refusal([](Body& b) { b.attributes.tets.add<double>("dampingratio", 48)[3] = -1; }), "tet 3"));
    EXPECT_TRUE(
        names(refusal([](Body& b) { b.attributes.tets.add<double>("stiffness", 48)[0] = kNan; }), "tet 0"));
}

TEST(BuildBody, RefusesBadContact) {
    const auto contact = [](double ContactSurface::*field, double value) { return refusal([&](Body& b) { b.contact.*field = value; }); };
    for (const double bad : {-0.1, kNan}) {
        EXPECT_NE(contact(&ContactSurface::friction, bad).find("friction"), std::string::npos);
        EXPECT_NE(contact(&ContactSurface::dynamicFriction, bad).find("dynamicFriction"), std::string::npos);
        EXPECT_NE(contact(&ContactSurface::restitution, bad).find("restitution"), std::string::npos);
        EXPECT_NE(contact(&ContactSurface::stiffnessScale, bad).find("stiffnessScale"), std::string::npos);
    }
    EXPECT_NE(contact(&ContactSurface::dynamicFriction, 0.6), "") << "above friction";
    EXPECT_NE(contact(&ContactSurface::restitution, 1.1), "");
    EXPECT_NE(contact(&ContactSurface::stiffnessScale, 0), "");
    EXPECT_EQ(contact(&ContactSurface::friction, 0.5), "");
    const auto painted = [](int size, double value) {
        return refusal([&](Body& b) { b.attributes.vertices.add<double>("friction", b.mesh.vertexCount(), size)[0] = value; });
    };
    EXPECT_NE(painted(1, -1), "");
    EXPECT_NE(painted(1, kNan), "");
    EXPECT_NE(painted(3, 1), "");
    EXPECT_EQ(painted(1, 2), "");
}

TEST(BuildBody, PaintMultipliesStiffnessDensityAndDamping) {
    Body input = makeInput();
    input.materials[0].stiffnessDamping = 0.01;
    input.materials[0].massDamping = 0.5;
    const auto plain = buildBody(input);
    input.attributes.tets.add<float>("stiffness", 48).assign(48, 3.0f);
    input.attributes.tets.add<double>("massdensity", 48).assign(48, 2.0);
    input.attributes.vertices.add<double>("dampingratio", 27).assign(27, 5.0);
    const auto painted = buildBody(input);
    for (std::size_t i = 0; i < 27; ++i) {
        EXPECT_NEAR(painted->mass[i], 2 * plain->mass[i], 1e-9);
        EXPECT_NEAR(painted->massDamping[i], 2 * plain->massDamping[i], 1e-9);  // drag goes with the mass
        EXPECT_NEAR(painted->stiffness[i], 3 * plain->stiffness[i], 1e-6);
    }
    std::vector<Vec3> x = input.mesh.rest, v = x, force(27);
    for (Vec3& p : x) p.x() *= 1.1;
    ForceScratch scratch;
    const ForceTotals a = computeForces(plain->elements, x, v, scratch, force),
                      b = computeForces(painted->elements, x, v, scratch, force);
    EXPECT_NEAR(b.energy, 3 * a.energy, 1e-9 * b.energy);
    EXPECT_NEAR(b.dissipation, 5 * a.dissipation, 1e-9 * b.dissipation);
    EXPECT_NEAR(painted->elements.largestOmegaSq, 1.5 * plain->elements.largestOmegaSq,
                1e-9 * painted->elements.largestOmegaSq);
}

// On vertices a tet takes the mean of its corners; with both, the product.
TEST(BuildBody, PaintOnVerticesIsAveragedOverTheCorners) {
    Body input = makeInput();
    std::vector<double>& onVertices = input.attributes.vertices.add<double>("massdensity", 27);
    for (std::size_t i = 0; i < 27; ++i) onVertices[i] = 1 + input.mesh.rest[i].x();
    EXPECT_NEAR(
        [&] {
            const auto body = buildBody(input);
            return std::accumulate(body->mass.begin(), body->mass.end(), 0.0);
        }(),
        1500, 1e-9);
    input.attributes.tets.add<double>("massdensity", 48).assign(48, 2.0);
    const auto body = buildBody(input);
    EXPECT_NEAR(std::accumulate(body->mass.begin(), body->mass.end(), 0.0), 3000, 1e-9);
}

// Two materials side by side: each tet takes its own.
TEST(BuildBody, TetsTakeTheirOwnMaterial) {
    Body input = makeInput();
    input.materials.resize(2);
    input.materials[1].density = 3000;
    input.tetMaterial.assign(48, 0);
    for (std::size_t t = 24; t < 48; ++t) input.tetMaterial[t] = 1;
    const auto body = buildBody(input);
    EXPECT_NEAR(std::accumulate(body->mass.begin(), body->mass.end(), 0.0), 2000, 1e-9);
}

}  // namespace sunder
