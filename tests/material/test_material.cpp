#include "core/material/material.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/material/presets.h"

namespace sunder {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void expectRejected(double Material::*field, const char* name, std::initializer_list<double> values) {
    for (const double value : values) {
        Material material;
        material.name = "pudding";
        material.*field = value;
        try {
            validate(material);
            ADD_FAILURE() << name << " = " << value << " was accepted";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("pudding"), std::string::npos);
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
            EXPECT_FALSE(error.remedy().empty());
        }
    }
}

}  // namespace

TEST(Material, GivesLameConstants) {
    Material material;
    material.youngs = 2.5;
    material.poisson = 0.25;  // where lambda = mu = E / 2.5
    material.phi = 0.1;
    material.psi = 0.2;
    material.stiffnessDamping = 3;
    const LawParams p = lawParams(material);
    EXPECT_DOUBLE_EQ(p.lambda, 1);
    EXPECT_DOUBLE_EQ(p.mu, 1);
    EXPECT_DOUBLE_EQ(p.phi, 3.1);
    EXPECT_DOUBLE_EQ(p.psi, 3.2);
    EXPECT_DOUBLE_EQ(p.bulkModulus(), material.youngs / (3 * (1 - 2 * material.poisson)));
}

TEST(Material, ComesBackFromLameConstants) {
    for (const double lambda : {0.0, 0.7e9, -0.2e9, 40e9}) {
        const LawParams p = lawParams(materialFromLame("x", 1000, lambda, 0.5e9));
        // 1 - 2 nu loses the digits by which lambda exceeds mu
        EXPECT_NEAR(p.lambda, lambda, 1e-13 * (std::abs(lambda) + 0.5e9) * (1 + lambda / 0.5e9));
        EXPECT_NEAR(p.mu, 0.5e9, 1e-15 * 0.5e9 * 10);
    }
}

TEST(Material, RejectsWhatCannotBe) {
    EXPECT_NO_THROW(validate(Material()));
    expectRejected(&Material::density, "density", {0.0, -1.0, kNan, kInfinity});
    expectRejected(&Material::youngs, "youngs", {0.0, -1e6, kNan, kInfinity});
    expectRejected(&Material::poisson, "poisson", {0.5, 0.6, -1.0, -2.0, kNan, kInfinity});
    expectRejected(&Material::stiffnessDamping, "stiffnessDamping", {-1e-9, kNan, kInfinity});
    expectRejected(&Material::massDamping, "massDamping", {-1.0, kNan, kInfinity});
    expectRejected(&Material::phi, "phi", {-1.0, kNan, kInfinity});
    expectRejected(&Material::psi, "psi", {-1.0, kNan, kInfinity});
    Material pureShear;  // no bulk viscosity: allowed
    pureShear.psi = 3;
    pureShear.phi = -2;
    EXPECT_NO_THROW(validate(pureShear));
}

TEST(MaterialTable, FindsARowOrNamesTheNearest) {
    MaterialTable table;
    for (const char* name : {"glass", "steel"}) table.rows.push_back(materialFromLame(name, 1, 1, 1));
    EXPECT_EQ(table.find("steel"), 1u);
    try {
        table.find("stele");
        FAIL() << "an unknown material was found";
    } catch (const Error& error) {
        EXPECT_NE(error.remedy().find("'steel'"), std::string::npos);
    }
}

TEST(MaterialPresets, AreValidNamedOnceAndSourced) {
    std::set<std::string> names;
    for (const MaterialPreset& preset : materialPresets()) {
        EXPECT_NO_THROW(validate(preset.material)) << preset.material.name;
        EXPECT_TRUE(names.insert(preset.material.name).second) << preset.material.name;
        EXPECT_FALSE(preset.source.empty());
    }
    for (const char* name : {"glass",   "tempered_glass", "ice",       "concrete", "brick", "adobe",
                             "plaster", "terracotta",     "porcelain", "oak",      "pine",  "cast_iron",
                             "steel",   "aluminium",      "lead",      "copper",   "clay",  "wax",
                             "rubber",  "gelatin",        "foam",      "cork",     "bone",  "oak_across"})
        EXPECT_TRUE(names.count(name)) << name;
}

// What holds for every solid: strengths are far below stiffness, metals and the like yield before they break, a crack takes more than twice the
// surface energy of about 1 J/m2 and less than the toughest steel. Griffith's flaw, E G / (pi sigma^2), lies between micrometres and metres.
TEST(MaterialPresets, AreOfSaneMagnitude) {
    for (const MaterialPreset& preset : materialPresets()) {
        const Material& m = preset.material;
        SCOPED_TRACE(m.name);
        EXPECT_FALSE(m.fracture.enabled) << "a scene says what breaks";
        EXPECT_GE(preset.friction, 0.02);
        EXPECT_LE(preset.friction, 1.5);
        EXPECT_GT(m.density, 20);
        EXPECT_LT(m.density, 12000);
        Material breaking = m;
        breaking.fracture.enabled = true;
        EXPECT_NO_THROW(validate(breaking));
        if (m.fracture.kind == ToughnessKind::kByForce) continue;
        const bool rubbery = m.law == ElasticLawId::kNeoHookean;
        EXPECT_LT(m.fracture.stress, (rubbery ? 20 : 0.05) * m.youngs);
        EXPECT_GT(m.fracture.energy, 1);
        EXPECT_LT(m.fracture.energy, 2e5);
        const double flaw = m.youngs * m.fracture.energy / (M_PI * m.fracture.stress * m.fracture.stress);
        EXPECT_GT(flaw, 1e-6);
        EXPECT_LT(flaw, 1);
        EXPECT_GT(m.stiffnessDamping, 0);
        EXPECT_LT(m.stiffnessDamping, 1e-4);
        if (m.plasticity.law == PlasticLawId::kNone) continue;
        EXPECT_LE(m.plasticity.yieldStress, m.fracture.stress);
        EXPECT_LT(m.plasticity.hardening, 0.1);
    }
    EXPECT_LT(materialPreset("oak").material.fracture.weakness.x(), 0.1) << "weak across the grain";
}

// Tables 6.2 to 6.9, digit by digit, in the units of the tables; a dash is zero.
TEST(MaterialPresets, HoldTheThesisTables) {
    struct Printed {
        const char* preset;
        double lambda, mu, phi, psi, k1, k2, density, toughness, residual;
    };
    const Printed tables[] = {
        {"thesis_glass", 0.419, 0.578, 1.04, 1.44, 0, 0, 2595, 6.01, 0.99},
        {"iron", 0.759, 1.474, 18.98, 36.85, 0.002, 0.211, 7500, 24.82, 0},
        {"thesis_lead", 0, 0.593, 0, 14.84, 0.001, 0.991, 11370, 11.88, 0},
        {"ceramic", 0.320, 0.484, 4.03, 6.05, 0, 0, 2051, 2.09, 0.5},  // table 6.5, not 6.10
        {"polystyrene", 0.0014, 0.0009, 0.037, 0.025, 0, 0, 46.45, 0.14, 0.99},
        {"soft_vinyl", 0.0378, 0.0252, 0.945, 0.630, 0.0002, 0.98, 1580, 3.35, 0.99},
        {"hard_vinyl", 0.0378, 0.0252, 0.945, 0.630, 0.09, 1.49, 1580, 3.35, 0.99},
        {"thesis_rubber", 0.0335, 0.0224, 2.51, 1.65, 0.0102, 0.0252, 2100, 2.10, 0.99},
    };
    for (const Printed& t : tables) {
        SCOPED_TRACE(t.preset);
        const Material& m = materialPreset(t.preset).material;
        const LawParams p = lawParams(m);
        EXPECT_NEAR(p.lambda, t.lambda * 1e9, 1);
        EXPECT_NEAR(p.mu, t.mu * 1e9, 1);
        EXPECT_EQ(p.phi, t.phi * 1e3);
        EXPECT_EQ(p.psi, t.psi * 1e3);
        EXPECT_EQ(m.density, t.density);
        EXPECT_EQ(m.fracture.kind, ToughnessKind::kByForce);
        EXPECT_EQ(m.fracture.force, t.toughness * 1e3);
        EXPECT_EQ(m.fracture.residual, t.residual);
        EXPECT_EQ(m.plasticity.law, t.k1 > 0 ? PlasticLawId::kAdditive : PlasticLawId::kNone);
        if (t.k1 > 0) {
            EXPECT_EQ(m.plasticity.yield, t.k1);
            EXPECT_EQ(m.plasticity.limit, t.k2);
        }
    }
    EXPECT_THROW(materialPreset("unobtainium"), Error);
}

}  // namespace sunder
