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
        if (m.plasticity.law == PlasticLawId::kNone || m.name == "clay") continue;  // clay is weaker in tension than in shear
        EXPECT_LE(m.plasticity.yieldStress, m.fracture.stress);
        EXPECT_LT(m.plasticity.hardening, 0.1);
    }
    EXPECT_LT(materialPreset("oak").material.fracture.weakness.x(), 0.1) << "weak across the grain";
}

TEST(MaterialPresets, HoldTheThesisTables) {
    const MaterialPreset& iron = materialPreset("iron");
    const LawParams p = lawParams(iron.material);
    EXPECT_NEAR(p.lambda, 0.759e9, 1);
    EXPECT_NEAR(p.mu, 1.474e9, 1);
    EXPECT_EQ(p.phi, 18.98e3);
    EXPECT_EQ(p.psi, 36.85e3);
    EXPECT_EQ(iron.material.fracture.kind, ToughnessKind::kByForce);
    EXPECT_EQ(iron.material.fracture.force, 24.82e3);
    EXPECT_EQ(iron.material.fracture.residual, 0);
    EXPECT_EQ(iron.material.plasticity.law, PlasticLawId::kAdditive);
    EXPECT_EQ(iron.material.plasticity.yield, 0.002);
    EXPECT_EQ(iron.material.plasticity.limit, 0.211);
    EXPECT_EQ(materialPreset("thesis_glass").material.plasticity.law, PlasticLawId::kNone);
    EXPECT_EQ(materialPreset("thesis_glass").material.fracture.residual, 0.99);
    EXPECT_EQ(materialPreset("thesis_lead").material.poisson, 0.0);
    EXPECT_NEAR(lawParams(materialPreset("ceramic").material).mu, 0.484e9, 1);  // table 6.5, not 6.10
    EXPECT_THROW(materialPreset("unobtainium"), Error);
}

}  // namespace sunder
