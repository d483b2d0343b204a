#include "core/sim/glue.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/sim/glue_stage.h"

namespace sunder {

namespace {
/// The two ends of a bond at the bodies' present places, one from the other.
Vec3 gapOf(const GlueBond& bond, const std::vector<BodyWork>& bodies) {
    Vec3 gap = bodies[static_cast<std::size_t>(bond.body)].state.x[static_cast<std::size_t>(bond.vertex)];
    const std::vector<Vec3>& other = bodies[static_cast<std::size_t>(bond.other)].state.x;
    for (std::size_t k = 0; k < 4; ++k) gap -= bond.weight[static_cast<Eigen::Index>(k)] * other[static_cast<std::size_t>(bond.corners[k])];
    return gap;
}

Vec4 weightsIn(const TetMesh& mesh, const Tet& tet, const Vec3& p) {
    const Vec3& first = mesh.rest[static_cast<std::size_t>(tet[0])];
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = mesh.rest[static_cast<std::size_t>(tet[static_cast<std::size_t>(k) + 1])] - first;
    const Vec3 w = edges.inverse() * (p - first);
    return {1 - w.sum(), w[0], w[1], w[2]};
}
}  // namespace

bool anyBond(const std::vector<GlueBond>& bonds) {
    return std::any_of(bonds.begin(), bonds.end(), [](const GlueBond& b) { return !b.broken; });
}

double glueEnergy(const Workspace::Data& data) {
    double sum = 0;
    for (const GlueBond& bond : data.glue)
        if (!bond.broken) sum += 0.5 * bond.stiffness * gapOf(bond, data.bodies).squaredNorm();
    return sum;
}

double addGlueForces(Workspace::Data& data) {
    for (BodyWork& work : data.bodies) work.glueForce.clear();
    double sum = 0;
    for (const GlueBond& bond : data.glue) {
        if (bond.broken) continue;
        const Vec3 gap = gapOf(bond, data.bodies);
        sum += 0.5 * bond.stiffness * gap.squaredNorm();
        visitVertices(bond, [&](std::int32_t body, std::int32_t vertex, double weight) {
            BodyWork& work = data.bodies[static_cast<std::size_t>(body)];
            work.glueForce.resize(work.vertexCount(), Vec3::Zero());
            work.glueForce[static_cast<std::size_t>(vertex)] -= (bond.stiffness * weight) * gap;
        });
    }
    return sum;
}

/// Of a sum of bonds k g g^T the largest frequency is at most the largest row sum of |g| |g|^T k over the mass of the row's vertex.
void boundGlue(Workspace::Data& data) {
    std::vector<std::vector<double>> rows(data.bodies.size());
    for (BodyWork& work : data.bodies) work.glueOmegaSq = 0;
    for (const GlueBond& bond : data.glue) {
        if (bond.broken) continue;
        const double all = 1 + bond.weight.cwiseAbs().sum();
        visitVertices(bond, [&](std::int32_t b, std::int32_t vertex, double weight) {
            const auto body = static_cast<std::size_t>(b), v = static_cast<std::size_t>(vertex);
            BodyWork& work = data.bodies[body];
            rows[body].resize(work.vertexCount(), 0.0);
            rows[body][v] += bond.stiffness * std::abs(weight) * all / work.body->mass[v];
            work.glueOmegaSq = std::max(work.glueOmegaSq, rows[body][v]);
        });
    }
}

void wakeGlued(Workspace::Data& data) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const GlueBond& bond : data.glue) {
            SleepState &a = data.bodies[static_cast<std::size_t>(bond.body)].state.sleep, &b = data.bodies[static_cast<std::size_t>(bond.other)].state.sleep;
            if (bond.broken || (a.asleep == b.asleep && a.still.empty() && b.still.empty())) continue;
            a = b = {};
            changed = true;
        }
    }
}

namespace {
using VertexFlags = std::vector<std::vector<std::uint8_t>>;

/// Of every body: vertices of tets that have a vertex which glue holds. What overlaps there does so at the glue.
VertexFlags findGlued(const Workspace::Data& data) {
    VertexFlags held(data.bodies.size()), near(data.bodies.size());
    for (const GlueBond& bond : data.glue) {
        if (bond.broken) continue;
        visitVertices(bond, [&](std::int32_t body, std::int32_t vertex, double) {
            std::vector<std::uint8_t>& flags = held[static_cast<std::size_t>(body)];
            flags.resize(data.bodies[static_cast<std::size_t>(body)].vertexCount(), 0);
            flags[static_cast<std::size_t>(vertex)] = 1;
        });
    }
    for (std::size_t b = 0; b < held.size(); ++b) {
        if (held[b].empty()) continue;
        near[b].resize(held[b].size(), 0);
        for (const Tet& t : data.bodies[b].body->mesh.tets) {
            if (std::none_of(t.begin(), t.end(), [&](std::int32_t v) { return held[b][static_cast<std::size_t>(v)] != 0; })) continue;
            for (const std::int32_t v : t) near[b][static_cast<std::size_t>(v)] = 1;
        }
    }
    return near;
}

void allow(std::vector<BodyWork>& bodies, const VertexFlags& near) {
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        if (near[b].empty()) continue;
        std::vector<double>& allowance = bodies[b].state.contact.allowance;
        allowance.resize(bodies[b].vertexCount(), 0.0);
        for (std::size_t v = 0; v < near[b].size(); ++v)
            if (near[b][v]) allowance[v] = kAnyDepth;
    }
}
}  // namespace

void allowGlued(Workspace::Data& data) {
    if (data.contact.active() && anyBond(data.glue)) allow(data.bodies, findGlued(data));
}

void breakBonds(StepContext& context, double time) {
    Workspace::Data& data = context.work;
    std::vector<GlueBond*> breaking;
    for (GlueBond& bond : data.glue)
        if (!bond.broken && bond.stiffness * gapOf(bond, data.bodies).norm() > bond.largestForce()) breaking.push_back(&bond);
    if (breaking.empty()) return;
    if (data.contact.active()) data.contact.detect(data.bodies, time);
    const std::vector<std::vector<double>> depths = data.contact.depths(data.bodies);
    const VertexFlags before = findGlued(data);
    for (GlueBond* bond : breaking) {
        const double energy = 0.5 * bond->stiffness * gapOf(*bond, data.bodies).squaredNorm();
        context.books.glue -= energy;
        context.books.glueBroken += energy;
        bond->broken = true;
    }
    context.report.bondsBroken += static_cast<int>(breaking.size());
    boundGlue(data);
    if (!data.contact.active()) return;
    for (std::size_t b = 0; b < before.size(); ++b)
        for (std::size_t v = 0; v < before[b].size(); ++v)
            if (before[b][v] && !data.bodies[b].state.contact.allowance.empty()) data.bodies[b].state.contact.allowance[v] = 0;
    data.contact.allowBeyond(data.bodies, depths, time);
    allowGlued(data);
}

namespace {
/// Of a tet and what was cut from it, the one in which a place lies deepest.
void findPlace(GlueBond& bond, const std::vector<std::int32_t>& tets, const TetMesh& mesh) {
    double best = -1e300;
    for (const std::int32_t t : tets) {
        const Tet& tet = mesh.tets[static_cast<std::size_t>(t)];
        const Vec4 weight = weightsIn(mesh, tet, bond.place);
        if (weight.minCoeff() <= best) continue;
        best = weight.minCoeff();
        bond.tet = t;
        bond.corners = tet;
        bond.weight = weight;
    }
}

/// All tets that were cut from each, itself first.
std::vector<std::int32_t> familyOf(std::int32_t tet, const TopologyEdit& edit) {
    std::vector<std::int32_t> family{tet};
    for (std::size_t k = 0; k < edit.newTets.size(); ++k)
        if (std::find(family.begin(), family.end(), edit.newTets[k]) != family.end()) family.push_back(static_cast<std::int32_t>(edit.tetCount + k));
    return family;
}
}  // namespace

void followEdit(std::vector<GlueBond>& bonds, std::size_t body, const TopologyEdit& edit, const TetMesh& mesh) {
    if (edit.empty() || bonds.empty()) return;
    const std::vector<std::int32_t> touched = edit.touchedTets();
    for (GlueBond& bond : bonds)
        if (!bond.broken && static_cast<std::size_t>(bond.other) == body && std::binary_search(touched.begin(), touched.end(), bond.tet))
            findPlace(bond, familyOf(bond.tet, edit), mesh);
    for (std::size_t k = 0; k < edit.newVertices.size(); ++k) {
        const VertexOrigin& o = edit.newVertices[k];
        const std::size_t count = bonds.size();
        for (std::size_t i = 0; o.isCopy() && i < count; ++i) {
            if (bonds[i].broken || static_cast<std::size_t>(bonds[i].body) != body || bonds[i].vertex != o.a) continue;
            bonds[i].area /= 2;
            bonds[i].stiffness /= 2;
            GlueBond copy = bonds[i];
            copy.vertex = static_cast<std::int32_t>(edit.vertexCount + k);
            bonds.push_back(copy);
        }
    }
}

}  // namespace sunder
