#include "core/sim/body_work.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/fem/stability.h"

namespace sunder {

namespace {
constexpr double kUnseen = 1e-12;  // of its distance from the origin that a vertex may be off
}

bool Evaluation::finite() const {
    return std::isfinite(internal.energy) && std::isfinite(internal.dissipation) && std::isfinite(loads.potential()) &&
           std::isfinite(internal.smallestDetF);
}

Evaluation evaluateForces(BodyWork& work, Span<const Vec3> x, Span<const Vec3> v, double time, const SlidingStep& sliding,
                          Span<Vec3> force, double flowTime) {
    return visitForces(work, x, v, time, sliding, {work.state.plastic, flowTime}, [&](std::size_t i, const Vec3& f) {
        force[i] = f;
        return 0.0;
    });
}

void makeLoads(BodyWork& work, const StepSettings& settings) {
    if (!settings.blasts.empty() && !work.surface) work.surface = std::make_unique<LoadSurface>(buildLoadSurface(work.body->mesh));
    work.loads = std::make_unique<Loads>(*work.body, settings, work.surface.get());
    work.loads->setReleased(work.state.released);
    work.loads->setPush(work.push);
}

bool hasAcceleration(const BodyWork& work) {
    return std::any_of(work.state.a.begin(), work.state.a.end(), [](const Vec3& a) { return a != Vec3::Zero(); });
}

void startAcceleration(BodyWork& work, double time, double dt) {
    BodyState& s = work.state;
    const HeldVertices held = heldVertices(*work.body, s, time, time);
    evaluateForces(work, s.x, s.v, time, {dt, s.a, held.fixed}, work.force);
    for (std::size_t i = 0; i < work.vertexCount(); ++i) s.a[i] = work.force[i] / work.body->mass[i];
}

double kineticEnergy(const Body& body, Span<const Vec3> v) {
    return parallelReduce(v.size(), 2048, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += 0.5 * body.mass[i] * v[i].squaredNorm();
        return sum;
    });
}

double kineticEnergy(const Body& body, Span<const Vec3> v, Span<const std::int32_t> vertices) {
    double sum = 0;
    for (const std::int32_t i : vertices)
        sum += 0.5 * body.mass[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(i)].squaredNorm();
    return sum;
}

double roundOffEnergy(const BodyWork& work) {
    const double omegaSq = work.body->elements.largestOmegaSq + work.loads->largestOmegaSq() + work.contactOmegaSq + work.glueOmegaSq;
    double sum = 0;
    for (std::size_t i = 0; i < work.vertexCount(); ++i) sum += work.body->mass[i] * omegaSq * work.state.x[i].squaredNorm();
    return kUnseen * kUnseen * sum;
}

double waveSpeed(const Body& body) {
    double fastest = 0;
    for (const Material& m : body.materials) {
        const LawParams p = lawParams(m);
        fastest = std::max(fastest, std::sqrt((p.lambda + 2 * p.mu) / m.density));
    }
    return fastest;
}

bool needsPositiveDet(const Body& body) {
    return std::any_of(body.elements.chunks.begin(), body.elements.chunks.end(),
                       [](const ElementChunk& c) { return elasticLaw(c.law).needsPositiveDet; });
}

double stableStep(const BodyWork& work) {
    const FrequencyBounds bounds = computeFrequencyBounds(work.body->elements, work.state.x, work.state.plastic);
    const double omega = std::sqrt(bounds.omegaSq + work.loads->largestOmegaSq() + work.contactOmegaSq + work.glueOmegaSq);
    double drag = 0;
    for (std::size_t i = 0; i < work.body->massDamping.size(); ++i)
        drag = std::max(drag, work.body->massDamping[i] / work.body->mass[i]);
    if (!(omega > 0)) return 1e300;  // a rigid body that meets nothing
    const double r = (bounds.damping + work.loads->largestDamping() + work.contactDamping + drag) / omega;
    // (sqrt(1 + r^2) - r) without cancellation
    return 2 / omega / (std::sqrt(1 + r * r) + r);
}

}  // namespace sunder
