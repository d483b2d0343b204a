#include <functional>

#include "tests/sim/physics_fixture.h"

/// A bar led as its law promises for plain tension: pulled, let back until it is pressed, and pulled again. Its ends, or all of its surface,
/// go where the promise has them, so that it stays uniform; the rest is free. Stresses read at its faces have to be the promised one along
/// the bar, and none across.
namespace sunder {

using namespace testing;

namespace {
constexpr double kWidth = 0.2, kLength = 0.4, kYoungs = 1e6, kPoisson = 0.3, kShear = kYoungs / (2 * (1 + kPoisson));
constexpr double kYieldStress = 2e3;
constexpr int kFrames = 500;
constexpr double kDuration = 2.5;

/// To 1.08 in 1 s, back to 1.06, and on to 1.12.
double stretchAt(double time) {
    const auto eased = [](double t) { return t * t * (3 - 2 * t); };
    if (time < 1) return 1 + 0.08 * eased(time);
    if (time < 1.5) return 1.08 - 0.02 * eased(2 * (time - 1));
    return 1.06 + 0.06 * eased(time - 1.5);
}

/// Stretches along and across, and the force over the rest area.
struct Tension {
    double time = 0, along = 1, across = 1, stress = 0;
};

/// Follows a law through a history; called with many short steps.
using Promise = std::function<Tension(double time)>;

std::vector<Tension> follow(const Promise& promise) {
    constexpr int kSteps = 100;
    std::vector<Tension> frames = {{}};
    for (int f = 1; f <= kFrames; ++f) {
        Tension now;
        for (int k = 1; k <= kSteps; ++k) now = promise(kDuration * ((f - 1) + static_cast<double>(k) / kSteps) / kFrames);
        frames.push_back(now);
    }
    return frames;
}

/// Plain tension in the Green strain: second Piola-Kirchhoff stress E (strain - plastic).
Tension greenTension(double time, double along, double strain, double plastic) {
    const double elastic = strain - plastic;
    return {time, along, std::sqrt(1 - 2 * kPoisson * elastic - plastic), along * kYoungs * elastic};
}

/// At most the yield stress either way, and a plastic strain of at most sqrt(2/3) of the limit's norm.
Promise additivePromise(double limit) {
    return [=, plastic = 0.0](double time) mutable {
        const double along = stretchAt(time), strain = 0.5 * (along * along - 1), most = std::sqrt(2.0 / 3.0) * 0.5 * limit;
        const double elastic = strain - plastic, yields = kYieldStress / kYoungs;
        if (std::abs(elastic) > yields) plastic = std::min(most, plastic + elastic - std::copysign(yields, elastic));
        return greenTension(time, along, strain, plastic);
    };
}

/// The plastic strain grows by creep * (2/3 stress / 2 mu) where the stress is above yield.
Promise creepPromise(double creep) {
    return [=, plastic = 0.0, before = 0.0](double time) mutable {
        const double along = stretchAt(time), strain = 0.5 * (along * along - 1), stress = kYoungs * (strain - plastic);
        const double flow = creep * std::abs(stress) / (3 * kShear) * (time - before), most = (std::abs(stress) - kYieldStress) / kYoungs;
        if (most > 0) plastic += std::copysign(std::min(flow, most), stress);
        before = time;
        return greenTension(time, along, strain, plastic);
    };
}

/// Kirchhoff stress E (log stretch - plastic), right for small elastic strain; at most the yield stress, which grows by 3 mu hardening a unit
/// of plastic strain; beyond it a finite rate needs 3 mu / rate times the speed of flow.
Promise multiplicativePromise(double hardening, double rate) {
    return [=, plastic = 0.0, yield = kYieldStress, before = 0.0](double time) mutable {
        const double along = stretchAt(time), excess = std::abs(kYoungs * (std::log(along) - plastic)) - yield;
        if (excess > 0) {
            const double viscous = rate > 0 ? 3 * kShear / (rate * (time - before)) : 0;
            const double flow = excess / (kYoungs + 3 * kShear * hardening + viscous);
            plastic += std::copysign(flow, std::log(along) - plastic);
            yield += 3 * kShear * hardening * flow;
        }
        before = time;
        const double elastic = std::log(along) - plastic;
        return Tension{time, along, std::exp(-kPoisson * elastic - 0.5 * plastic), kYoungs * elastic / along};
    };
}

Material barMaterial(ElasticLawId law, const Plasticity& plasticity) {
    Material m = elastic(kYoungs, kPoisson, 100, law);  // so light that waves carry no stress to speak of
    m.massDamping = 10;
    m.plasticity = plasticity;
    return m;
}

bool isEnd(const Vec3& p) { return p.x() == 0 || p.x() > kLength - 1e-6; }
bool isSide(const Vec3& p) { return std::abs(p.y() - kWidth / 2) > kWidth / 2 - 1e-6 || std::abs(p.z() - kWidth / 2) > kWidth / 2 - 1e-6; }

/// Where sides are free, a bar that gets weaker as it gets longer would neck somewhere, as it should.
enum class Sides { kFree, kLed };

WorldState makeBar(const Material& material, const std::vector<Tension>& promised, Sides sides) {
    Body body = makeBody(makeBox(4, 2, 2, Vec3(kLength, kWidth, kWidth)), material);
    const Vec3 axis(0, kWidth / 2, kWidth / 2);
    for (std::size_t i = 0; i < body.mesh.vertexCount(); ++i) {
        const Vec3 rest = body.mesh.rest[i];
        if (!isEnd(rest) && !(sides == Sides::kLed && isSide(rest))) continue;
        HardTarget target;
        target.name = "grip";
        target.vertices = {static_cast<std::int32_t>(i)};
        target.anchor = {rest};
        for (const Tension& t : promised)
            target.motion.keys.push_back({t.time, Vec3(t.along - 1, t.across - 1, t.across - 1).cwiseProduct(rest - axis), Vec3::Zero()});
        body.constraints.hard.push_back(target);
    }
    return makeWorld(std::move(body));
}

/// Forces on the faces x = 0 and y = 0 over their rest areas.
Vec2 readStress(const WorldState& world) {
    const WorldBody& b = world.bodies[0];
    ForceScratch scratch;
    std::vector<Vec3> force(b.state->x.size());
    computeForces(b.body->elements, b.state->x, {}, scratch, force, {b.state->plastic});
    Vec2 stress = Vec2::Zero();
    for (std::size_t i = 0; i < force.size(); ++i) {
        if (b.body->mesh.rest[i].x() == 0) stress[0] += force[i].x() / (kWidth * kWidth);
        if (b.body->mesh.rest[i].y() == 0) stress[1] += force[i].y() / (kWidth * kLength);
    }
    return stress;
}

/// Largest difference to the promise, share of its largest stress.
double pullBar(const Material& material, const std::vector<Tension>& promised, Sides sides, Integrator integrator) {
    WorldState world = makeBar(material, promised, sides);
    double worst = 0, largest = 0;
    std::size_t frame = 0;
    run(world, spaceSettings(integrator), kDuration, kFrames, [&](const StepReport&) {
        const double expected = promised[++frame].stress;
        worst = std::max(worst, (readStress(world) - Vec2(expected, 0)).lpNorm<Eigen::Infinity>());
        largest = std::max(largest, std::abs(expected));
    });
    EXPECT_GT(world.energy.plastic, 0);
    return worst / largest;
}

void expectFollows(const std::string& what, const Material& material, const Promise& promise, Sides sides) {
    const std::vector<Tension> promised = follow(promise);
    double least = 0;
    for (const Tension& t : promised) least = std::min(least, t.stress);
    EXPECT_LT(least, -0.5 * kYieldStress) << "it is pressed on the way";
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        const double off = pullBar(material, promised, sides, integrator);
        figure("off the curve, share, " + what + ", " + name(integrator), off);
        EXPECT_LT(off, 0.02) << what << ", " << name(integrator);
    }
}

double trueStress(const Tension& t) { return t.stress / (t.across * t.across); }

double largestStress(const std::vector<Tension>& promised) {
    double largest = 0;
    for (const Tension& t : promised) largest = std::max(largest, trueStress(t));
    return largest;
}

/// Promised stress, share of the strength, when the bar breaks; 0 if it does not. Steps are a quarter as long where that is near.
double breakBar(Material material, double strength, const std::vector<Tension>& promised, Sides sides, Integrator integrator) {
    material.fracture.enabled = true;
    material.fracture.stress = strength;
    WorldState world = makeBar(material, promised, sides);
    const StepSettings settings = spaceSettings(integrator);
    Workspace workspace;
    for (std::size_t f = 1; f < promised.size(); ++f) {
        const int parts = trueStress(promised[f]) > 0.9 * strength ? 4 : 1;
        for (int k = 1; k <= parts; ++k) {
            const StepReport report = step(world, kDuration / kFrames / parts, settings, workspace);
            EXPECT_FALSE(report.failed) << report.message;
            const double share = static_cast<double>(k) / parts;
            if (report.broken.cuts > 0) return ((1 - share) * trueStress(promised[f - 1]) + share * trueStress(promised[f])) / strength;
        }
    }
    return 0;
}

/// A little below the largest stress of its curve is a strength at which the bar breaks, a little above one at which it never does.
void expectBreaks(const std::string& what, const Material& material, const Promise& promise, Sides sides) {
    const std::vector<Tension> promised = follow(promise);
    const double largest = largestStress(promised);
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kImplicit, Integrator::kNewmark}) {
        const double share = breakBar(material, 0.96 * largest, promised, sides, integrator);
        figure("breaks at, share of its strength, " + what + ", " + name(integrator), share);
        EXPECT_NEAR(share, 1, 0.02) << what << ", " << name(integrator);
    }
    EXPECT_EQ(breakBar(material, 1.03 * largest, promised, sides, Integrator::kImplicit), 0) << what;
}

Plasticity strainLaw(PlasticLawId law) {
    Plasticity p;
    p.law = law;
    p.yieldStress = kYieldStress;
    return p;
}

Plasticity flowLaw(double hardening, double rate) {
    Plasticity p = strainLaw(PlasticLawId::kMultiplicative);
    p.hardening = hardening;
    p.flowRate = rate;
    return p;
}
}  // namespace

TEST(PlasticBar, AdditiveHasAPlateau) {
    expectFollows("additive", barMaterial(ElasticLawId::kGreen, strainLaw(PlasticLawId::kAdditive)), additivePromise(1e300), Sides::kLed);
}

TEST(PlasticBar, BreaksAtItsStrengthInEveryPlasticLaw) {
    const ElasticLawId green = ElasticLawId::kGreen;
    Plasticity limited = strainLaw(PlasticLawId::kAdditive), creeping = strainLaw(PlasticLawId::kCreep);
    limited.limit = 0.2;
    creeping.creep = 40;
    expectBreaks("additive", barMaterial(green, strainLaw(PlasticLawId::kAdditive)), additivePromise(1e300), Sides::kLed);
    expectBreaks("limit", barMaterial(green, limited), additivePromise(limited.limit), Sides::kLed);
    expectBreaks("creep", barMaterial(green, creeping), creepPromise(creeping.creep), Sides::kFree);
    for (const ElasticLaw& law : elasticLaws()) {
        expectBreaks(std::string("hardening ") + law.name, barMaterial(law.id, flowLaw(0.05, 0)), multiplicativePromise(0.05, 0), Sides::kFree);
        expectBreaks(std::string("rate ") + law.name, barMaterial(law.id, flowLaw(0, 60)), multiplicativePromise(0, 60), Sides::kFree);
        // of these two the largest stress is that at which flow begins
        expectBreaks(std::string("plateau ") + law.name, barMaterial(law.id, flowLaw(0, 0)), multiplicativePromise(0, 0), Sides::kLed);
        expectBreaks(std::string("softening ") + law.name, barMaterial(law.id, flowLaw(-0.01, 0)), multiplicativePromise(-0.01, 0), Sides::kLed);
    }
}

TEST(PlasticBar, AdditiveIsElasticAgainBeyondTheLimit) {
    Plasticity p = strainLaw(PlasticLawId::kAdditive);
    p.limit = 0.2;
    expectFollows("limit", barMaterial(ElasticLawId::kGreen, p), additivePromise(p.limit), Sides::kLed);
}

TEST(PlasticBar, CreepHasItsRate) {
    Plasticity p = strainLaw(PlasticLawId::kCreep);
    p.creep = 40;
    expectFollows("creep", barMaterial(ElasticLawId::kGreen, p), creepPromise(p.creep), Sides::kFree);
}

TEST(PlasticBar, MultiplicativeHardensInEveryElasticLaw) {
    for (const ElasticLaw& law : elasticLaws())
        expectFollows(std::string("hardening ") + law.name, barMaterial(law.id, flowLaw(0.05, 0)), multiplicativePromise(0.05, 0), Sides::kFree);
}

TEST(PlasticBar, MultiplicativeHasAPlateauInEveryElasticLaw) {
    for (const ElasticLaw& law : elasticLaws())
        expectFollows(std::string("plateau ") + law.name, barMaterial(law.id, flowLaw(0, 0)), multiplicativePromise(0, 0), Sides::kLed);
}

TEST(PlasticBar, MultiplicativeSoftens) {
    for (const ElasticLaw& law : elasticLaws())
        expectFollows(std::string("softening ") + law.name, barMaterial(law.id, flowLaw(-0.01, 0)), multiplicativePromise(-0.01, 0), Sides::kLed);
}

TEST(PlasticBar, MultiplicativeHasItsRate) {
    for (const ElasticLaw& law : elasticLaws())
        expectFollows(std::string("rate ") + law.name, barMaterial(law.id, flowLaw(0, 60)), multiplicativePromise(0, 60), Sides::kFree);
}

}  // namespace sunder
