#include "core/material/preset_sources.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/material/presets.h"

namespace sunder {

namespace {

constexpr double kLossFrequency = 1000;  // Hz, at which presets have their loss factor

/// K_Ic in plane strain from what a crack takes (Irwin).
double toughness(const Material& m) { return std::sqrt(planeModulus(lawParams(m).lambda, lawParams(m).mu) * m.fracture.energy); }

/// What a preset has under the name of a source's value.
double valueOf(const Material& m, const std::string& value) {
    if (value == "density") return m.density;
    if (value == "youngs") return m.youngs;
    if (value == "poisson") return m.poisson;
    if (value == "strength") return m.fracture.stress;
    if (value == "energy") return m.fracture.energy;
    if (value == "toughness") return toughness(m);
    if (value == "yield") return m.plasticity.yieldStress;
    if (value == "along") return m.fracture.stress / m.fracture.weakness.x();
    if (value == "loss") return m.stiffnessDamping * 2 * M_PI * kLossFrequency;
    ADD_FAILURE() << "no value is called " << value;
    return 0;
}

bool isBook(const MaterialPreset& preset) { return preset.material.fracture.kind != ToughnessKind::kByForce; }

}  // namespace

TEST(PresetSources, EveryValueLiesInTheRangeOfItsSource) {
    int compared = 0, typical = 0;
    for (const MaterialPreset& preset : materialPresets())
        for (const ValueSource& v : preset.values) {
            SCOPED_TRACE(preset.material.name + " " + v.value);
            const double value = valueOf(preset.material, v.value);
            EXPECT_GE(value, v.low * (1 - 1e-9));
            EXPECT_LE(value, v.high * (1 + 1e-9));
            EXPECT_FALSE(v.source.empty());
            ++(v.isTypical() ? typical : compared);
        }
    std::printf("%d values in the ranges of public tables, %d typical\n", compared, typical);
    EXPECT_GT(compared, typical);
}

TEST(PresetSources, NoValueIsLeftOutOrThereTwice) {
    for (const MaterialPreset& preset : materialPresets()) {
        SCOPED_TRACE(preset.material.name);
        std::map<std::string, int> count;
        for (const ValueSource& v : preset.values) ++count[v.value];
        if (!isBook(preset)) {
            EXPECT_TRUE(count.empty());
            continue;
        }
        for (const char* value : {"density", "youngs", "poisson", "strength", "loss"}) EXPECT_EQ(count[value], 1) << value;
        EXPECT_EQ(count["energy"] + count["toughness"], 1);
        EXPECT_EQ(count["yield"], preset.material.plasticity.law != PlasticLawId::kNone);
        EXPECT_EQ(count["along"], preset.material.fracture.weakness.x() < 1);
    }
}

// Waves in thin bars, sqrt(E / rho): Irvine's table 2 has 5100 m/s for steel, 5200 for aluminium, 1250 for lead and 3700 for copper. Nothing solid and
// common is faster than 6 km/s; foam and gels are slow.
TEST(PresetSources, WaveSpeeds) {
    const auto speed = [](const char* name) {
        const Material& m = materialPreset(name).material;
        return std::sqrt(m.youngs / m.density);
    };
    EXPECT_NEAR(speed("steel"), 5100, 0.02 * 5100);
    EXPECT_NEAR(speed("aluminium"), 5200, 0.03 * 5200);
    EXPECT_NEAR(speed("lead"), 1250, 0.06 * 1250);
    EXPECT_NEAR(speed("copper"), 3700, 0.02 * 3700);
    for (const MaterialPreset& preset : materialPresets()) {
        EXPECT_GT(speed(preset.material.name.c_str()), 3) << preset.material.name;
        EXPECT_LT(speed(preset.material.name.c_str()), 6000) << preset.material.name;
    }
}

// Single crystals of ice at -16 C (Gammon, Kiefte, Clouter and Denner 1983) in all directions at random, by Voigt's mean of the stiffness: an upper bound that
// is within a percent of Reuss's lower one for ice.
TEST(PresetSources, IceFollowsFromItsCrystals) {
    const double c11 = 13.929e9, c12 = 7.082e9, c13 = 5.765e9, c33 = 15.010e9, c44 = 3.014e9, c66 = (c11 - c12) / 2;
    const double bulk = (2 * (c11 + c12) + 4 * c13 + c33) / 9;
    const double shear = (c11 + c12 + 2 * c33 - 4 * c13 + 12 * c44 + 12 * c66) / 30;
    const Material& ice = materialPreset("ice").material;
    EXPECT_NEAR(ice.youngs, 9 * bulk * shear / (3 * bulk + shear), 0.01 * ice.youngs);
    EXPECT_NEAR(ice.poisson, (3 * bulk - 2 * shear) / (6 * bulk + 2 * shear), 0.002);
}

// Wood: a crack along the grain whose normal is tangential. G = K^2 sqrt(a11 a22 / 2) sqrt(sqrt(a22 / a11) + (2 a12 + a66) / (2 a11)) (Sih, Paris and Irwin 1965) with
// the moduli and the K_Ic of 290 kPa sqrt(m) that the Wood Handbook has for ponderosa pine.
TEST(PresetSources, EnergyOfPineFollowsFromTheWoodHandbook) {
    const double el = 8.9e9, et = 0.083 * el, glt = 0.115 * el, nu = 0.4, k = 290e3;
    const double a11 = 1 / el, a22 = 1 / et, a12 = -nu / el, a66 = 1 / glt;
    const double energy = k * k * std::sqrt(a11 * a22 / 2) * std::sqrt(std::sqrt(a22 / a11) + (2 * a12 + a66) / (2 * a11));
    EXPECT_NEAR(materialPreset("pine").material.fracture.energy, energy, 0.02 * energy);
}

// In order of what one would expect of them.
TEST(PresetSources, RanksOfMaterials) {
    const auto m = [](const char* name) -> const Material& { return materialPreset(name).material; };
    const auto rank = [&](double Fracture::*value, std::initializer_list<const char*> names) {
        const char* last = nullptr;
        for (const char* name : names) {
            if (last) {
                EXPECT_LT(m(last).fracture.*value, m(name).fracture.*value) << last << " and " << name;
            }
            last = name;
        }
    };
    rank(&Fracture::energy, {"ice", "plaster", "glass", "porcelain", "concrete", "bone", "cast_iron", "aluminium", "copper", "steel"});
    rank(&Fracture::stress, {"gelatin", "clay", "adobe", "ice", "concrete", "terracotta", "glass", "tempered_glass", "cast_iron", "copper", "aluminium", "steel"});
    for (const MaterialPreset& preset : materialPresets())
        if (isBook(preset) && preset.material.plasticity.law != PlasticLawId::kNone) {
            EXPECT_LT(preset.material.plasticity.yieldStress, preset.material.fracture.stress) << preset.material.name;
        }
}

}  // namespace sunder
