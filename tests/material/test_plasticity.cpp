#include "core/material/plasticity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/base/error.h"
#include "core/material/plastic_law.h"

namespace sunder {

namespace {

Material plasticMaterial(PlasticLawId law) {
    Material m;
    m.name = "pudding";
    m.law = ElasticLawId::kGreen;
    m.plasticity.law = law;
    if (law == PlasticLawId::kMultiplicative)
        m.plasticity.yieldStress = 1e3;
    else
        m.plasticity.yield = 0.01;
    if (law == PlasticLawId::kCreep) m.plasticity.creep = 2;
    return m;
}

constexpr PlasticLawId kAll[] = {PlasticLawId::kAdditive, PlasticLawId::kCreep, PlasticLawId::kMultiplicative};

void expectRefused(PlasticLawId law, const char* word, const std::function<void(Material&)>& change) {
    Material m = plasticMaterial(law);
    change(m);
    try {
        validate(m);
        ADD_FAILURE() << "accepted: " << word;
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("pudding"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
        EXPECT_FALSE(e.remedy().empty());
    }
}

}  // namespace

TEST(Plasticity, GoodOnesAreAccepted) {
    for (const PlasticLawId law : kAll) EXPECT_NO_THROW(validate(plasticMaterial(law)));
    Material brittle = plasticMaterial(PlasticLawId::kAdditive);  // (0, 0) of Ductile02
    brittle.plasticity.yield = brittle.plasticity.limit = 0;
    EXPECT_NO_THROW(validate(brittle));
}

TEST(Plasticity, StrainLawsNeedTheGreenLaw) {
    for (const PlasticLawId law : {PlasticLawId::kAdditive, PlasticLawId::kCreep})
        for (const ElasticLawId elastic : {ElasticLawId::kCorotated, ElasticLawId::kNeoHookean, ElasticLawId::kViscoelastic})
            expectRefused(law, elasticLaw(elastic).name, [&](Material& m) { m.law = elastic; });
    for (const ElasticLaw& elastic : elasticLaws()) {
        Material m = plasticMaterial(PlasticLawId::kMultiplicative);
        m.law = elastic.id;
        EXPECT_NO_THROW(validate(m));
    }
}

TEST(Plasticity, SenselessValuesAreRefused) {
    const double nan = std::nan("");
    for (const PlasticLawId law : {PlasticLawId::kAdditive, PlasticLawId::kCreep}) {
        expectRefused(law, "yield is zero", [](Material& m) { m.plasticity.yield = 0; });
        expectRefused(law, "both", [](Material& m) { m.plasticity.yieldStress = 1; });
        expectRefused(law, "limit", [](Material& m) { m.plasticity.limit = -1; });
        expectRefused(law, "limit", [&](Material& m) { m.plasticity.limit = nan; });
        expectRefused(law, "yield", [&](Material& m) { m.plasticity.yield = nan; });
        expectRefused(law, "hardening", [](Material& m) { m.plasticity.hardening = 0.1; });
        expectRefused(law, "flowRate", [](Material& m) { m.plasticity.flowRate = 1; });
    }
    expectRefused(PlasticLawId::kAdditive, "creep", [](Material& m) { m.plasticity.creep = 1; });
    expectRefused(PlasticLawId::kCreep, "creep", [](Material& m) { m.plasticity.creep = 0; });
    const PlasticLawId flow = PlasticLawId::kMultiplicative;
    expectRefused(flow, "yieldStress", [](Material& m) { m.plasticity.yieldStress = 0; });
    expectRefused(flow, "hardening", [](Material& m) { m.plasticity.hardening = -1; });
    expectRefused(flow, "flowRate", [&](Material& m) { m.plasticity.flowRate = nan; });
    expectRefused(flow, "yield", [](Material& m) { m.plasticity.yield = 0.1; });
    expectRefused(flow, "limit", [](Material& m) { m.plasticity.limit = 0.1; });
}

TEST(Plasticity, YieldStressIsThatOfPlainTension) {
    Material m = plasticMaterial(PlasticLawId::kAdditive);
    m.plasticity.yield = 0;
    m.plasticity.yieldStress = 30;
    const double mu = lawParams(m).mu;
    // a stress of 30 Pa along x has a deviator of norm sqrt(2/3) 30, and the strain's deviator is that over 2 mu
    EXPECT_NEAR(plasticParams(m.plasticity, mu).yield * 2 * mu, std::sqrt(2.0 / 3.0) * 30, 1e-12);
    EXPECT_NEAR(plasticParams(m.plasticity, mu, 2).yield, 2 * plasticParams(m.plasticity, mu).yield, 1e-15);
    Material flows = plasticMaterial(PlasticLawId::kMultiplicative);
    EXPECT_NEAR(plasticParams(flows.plasticity, mu).yield, std::sqrt(2.0 / 3.0) * 1e3, 1e-10);
}

}  // namespace sunder
