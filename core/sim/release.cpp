#include "core/sim/release.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/body/tet_materials.h"
#include "core/mesh/adjacency.h"
#include "core/sim/glue.h"
#include "core/sim/loads_visit.h"

namespace sunder {

namespace {
/// A third of the boundary faces around each vertex that a pin holds at all corners, m^2. Pins of one name, as points of constraint geometry are, hold as
/// one.
std::vector<double> heldAreas(const Body& body, const HardTarget& pin) {
    std::vector<std::uint8_t> held(body.mesh.vertexCount(), 0);
    for (const HardTarget& t : body.constraints.hard)
        if (&t == &pin || (!pin.name.empty() && t.name == pin.name))
            for (const std::int32_t v : t.vertices) held[static_cast<std::size_t>(v)] = 1;
    std::vector<double> area(held.size(), 0.0);
    for (const BoundaryFace& f : collectBoundaryFaces(body.mesh.tets, buildTetNeighbors(body.mesh.tets, body.mesh.vertexCount()))) {
        const auto at = [&](std::size_t k) { return static_cast<std::size_t>(f.vertices[k]); };
        if (!held[at(0)] || !held[at(1)] || !held[at(2)]) continue;
        const std::vector<Vec3>& p = body.mesh.rest;
        const double third = (p[at(1)] - p[at(0)]).cross(p[at(2)] - p[at(0)]).norm() / 6;
        for (std::size_t k = 0; k < 3; ++k) area[at(k)] += third;
    }
    return area;
}

void release(BodyWork& work, std::size_t vertex, std::uint8_t by) {
    work.state.released.resize(work.vertexCount(), 0);
    work.state.released[vertex] |= by;
}

int releasePins(BodyWork& work, double time) {
    if (work.releaseForce.size() != work.vertexCount()) work.releaseForce = computeReleaseForces(*work.body);
    if (work.releaseForce.empty()) return 0;
    const HeldVertices held = heldVertices(*work.body, work.state, time, time);
    if (held.vertices.empty()) return 0;
    evaluateForces(work, work.state.x, work.state.v, time, {}, work.force);
    if (work.body->rigid) {
        Vec3 sum = Vec3::Zero();
        double most = 0;
        for (std::size_t v = 0; v < work.force.size(); ++v) {
            sum += work.force[v];
            most += work.releaseForce[v];
        }
        if (!(sum.norm() > most)) return 0;
        for (const std::int32_t v : held.vertices) release(work, static_cast<std::size_t>(v), kReleasedPin);
        return static_cast<int>(held.vertices.size());
    }
    int count = 0;
    for (const std::int32_t vertex : held.vertices) {
        const auto v = static_cast<std::size_t>(vertex);
        if (!(work.force[v].norm() > work.releaseForce[v])) continue;
        release(work, v, kReleasedPin);
        ++count;
    }
    return count;
}

/// Returns how many; what was in the springs goes to the books.
int releaseTargets(BodyWork& work, double time, EnergyBooks& books) {
    int count = 0;
    for (const SoftTarget& t : work.body->constraints.soft) {
        if (t.releaseForce >= 1e300 || time >= t.releaseTime) continue;
        for (std::size_t k = 0; k < t.vertices.size(); ++k) {
            const auto v = static_cast<std::size_t>(t.vertices[k]);
            const double strength = (t.weight.empty() ? 1 : t.weight[k]) * t.strength;
            const Vec3 away = t.motion.apply(t.anchor[k], time) - work.state.x[v];
            if (work.state.isReleased(v, kReleasedTarget) || !(strength * away.norm() > t.releaseForce)) continue;
            const double before = work.loads->potentials(work.state.x, time).target;
            release(work, v, kReleasedTarget);
            const double freed = before - work.loads->potentials(work.state.x, time).target;
            books.target -= freed;
            books.work -= freed;
            ++count;
        }
    }
    return count;
}
}  // namespace

bool anyReleases(const Body& body) {
    const auto& [hard, soft] = body.constraints;
    return std::any_of(hard.begin(), hard.end(), [](const HardTarget& t) { return t.releases(); }) ||
           std::any_of(soft.begin(), soft.end(), [](const SoftTarget& t) { return t.releaseForce < 1e300; });
}

std::vector<double> computeReleaseForces(const Body& body) {
    std::vector<double> most, own, cells;
    std::map<std::string, std::vector<double>> common;  // by name
    for (const HardTarget& pin : body.constraints.hard) {
        if (!pin.releases()) continue;
        most.resize(body.mesh.vertexCount(), 1e300);
        const bool byStress = pin.releaseStress < 1e300;
        std::vector<double>& area = pin.name.empty() ? own : common[pin.name];
        if (byStress && (pin.name.empty() || area.empty())) area = heldAreas(body, pin);
        for (const std::int32_t vertex : pin.vertices) {
            const auto v = static_cast<std::size_t>(vertex);
            double force = pin.releaseForce;
            if (byStress) {
                if (cells.empty()) cells = computeVertexSizes(body.mesh);
                force = std::min(force, pin.releaseStress * (area[v] > 0 ? area[v] : cells[v] * cells[v]));
            }
            most[v] = std::min(most[v], force);
        }
    }
    return most;
}

void letGoOfWhatPulls(StepContext& context, double time) {
    Workspace::Data& data = context.work;
    if (std::none_of(data.bodies.begin(), data.bodies.end(), [](const BodyWork& work) { return anyReleases(*work.body); })) return;
    if (context.settings.integrator != Integrator::kExplicit) addGlueForces(data);
    for (BodyWork& work : data.bodies) {
        if (!anyReleases(*work.body) || work.state.sleep.asleep) continue;
        const int count = releasePins(work, time) + releaseTargets(work, time, context.books);
        context.report.released += count;
        // newmark goes on from accelerations, which held vertices have none of
        if (count > 0 && context.settings.integrator == Integrator::kNewmark) startAcceleration(work, time, context.duration);
    }
    if (context.settings.integrator != Integrator::kExplicit)
        for (BodyWork& work : data.bodies) work.glueForce.clear();
}

}  // namespace sunder
