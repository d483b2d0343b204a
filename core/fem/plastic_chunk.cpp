#include "core/fem/plastic_chunk.h"

#include <algorithm>

#include "core/fem/wide_stiffness.h"

namespace sunder {

namespace {

Mat3 laneOf(const WideMat3& m, std::size_t lane) {
    Mat3 out;
    for (int k = 0; k < 9; ++k) out.data()[k] = m.m[k][static_cast<int>(lane)];
    return out;
}

void setLane(WideMat3& m, std::size_t lane, const Mat3& value) {
    for (int k = 0; k < 9; ++k) m.m[k].set(static_cast<int>(lane), value.data()[k]);
}

/// What the tets of a pack make of F. Lanes without a tet are zero.
struct PackResponse {
    WideMat3 P;
    Wide4d energy{0.0}, potential{0.0}, dissipated{0.0};
};

void keepStrains(const PlasticPack& pack, const WideSymmetric& q) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
        if (!pack.has(lane)) continue;
        const int l = static_cast<int>(lane);
        PlasticState after;
        after.flow << q.xx[l], q.xy[l], q.xz[l], q.xy[l], q.yy[l], q.yz[l], q.xz[l], q.yz[l], q.zz[l];
        pack.keep(lane, after);
    }
}

PackResponse respondInStrain(const PlasticPack& pack, const WideStrainFlow& flow, const WideStrainReturn& end, const WideMat3& F) {
    const WideParams p = pack.params();
    if (pack.keeps()) keepStrains(pack, end.plastic);
    return {F * end.stress(p), end.energy(p), end.potential(p, flow), end.dissipated(p)};
}

WideMat3 elasticStressOf(ElasticLawId law, const WideParams& p, const WideMat3& F, Wide4d& energy) {
    switch (law) {
        case ElasticLawId::kGreen: return elasticStress<ElasticLawId::kGreen>(p, F, energy);
        case ElasticLawId::kCorotated: return elasticStress<ElasticLawId::kCorotated>(p, F, energy);
        case ElasticLawId::kViscoelastic: return elasticStress<ElasticLawId::kViscoelastic>(p, F, energy);
        case ElasticLawId::kNeoHookean: break;
    }
    return elasticStress<ElasticLawId::kNeoHookean>(p, F, energy);
}

/// The tets of a pack whose stretches may flow, as if they did not.
struct HeldStretches {
    WideMat3 inverse, trial, P;  ///< Pi, F Pi, and its stress
    Wide4d energy;
    bool flow[4];  ///< the Kirchhoff stress is beyond yield

    HeldStretches(const PlasticPack& pack, const WideMat3& F) : inverse(pack.inverseFlow()), trial(multiply(F, inverse)) {
        P = elasticStressOf(pack.elastic(), pack.params(), trial, energy);
        WideMat3 t = multiplyTransposed(P, trial);
        const Wide4d mean = (t(0, 0) + t(1, 1) + t(2, 2)) * Wide4d(1.0 / 3.0), most = pack.flowStress();
        for (int k = 0; k < 3; ++k) t(k, k) -= mean;
        const Wide4d normSq = doubleDot(t, t);
        for (int lane = 0; lane < 4; ++lane)
            flow[lane] = pack.flows() && pack.has(static_cast<std::size_t>(lane)) && !(normSq[lane] <= most[lane] * most[lane]);
    }
};

/// Overwrites the lanes of tets for which `wanted` holds.
template <class Wanted>
void respondOneByOne(const PlasticPack& pack, const WideMat3& F, PackResponse& out, Wanted wanted) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
        if (!pack.has(lane) || !wanted(lane)) continue;
        const PlasticResponse r = pack.law().respond(pack.point(lane), laneOf(F, lane));
        setLane(out.P, lane, r.stress);
        out.energy.set(static_cast<int>(lane), r.energy);
        out.potential.set(static_cast<int>(lane), r.potential);
        out.dissipated.set(static_cast<int>(lane), r.dissipated);
        pack.keep(lane, r.after);
    }
}

PackResponse respond(const PlasticPack& pack, const WideMat3& F) {
    PackResponse out;
    if (pack.flowsInStrain()) {
        const WideStrainFlow flow = pack.strainFlow();
        const WideStrainReturn end(flow, F, pack.flows());
        if (!end.limited) return respondInStrain(pack, flow, end, F);
        for (Wide4d& entry : out.P.m) entry = Wide4d(0.0);
        respondOneByOne(pack, F, out, [](std::size_t) { return true; });
        return out;
    }
    const HeldStretches held(pack, F);
    out.P = multiplyTransposed(held.P, held.inverse);
    out.energy = held.energy;
    for (std::size_t lane = 0; lane < 4; ++lane)
        if (pack.keeps() && pack.has(lane) && !held.flow[lane]) pack.keepBefore(lane);
    respondOneByOne(pack, F, out, [&](std::size_t lane) { return held.flow[lane]; });
    return out;
}

struct PlasticTotals {
    LaneTotals elastic;
    Wide4d potential{0.0}, work{0.0};

    void add(const WideMat3& F, Wide4d volume, const PackResponse& r) {
        elastic.add(F, volume, r.energy);
        potential += volume * r.potential;
        work += volume * r.dissipated;
    }
    ForceTotals sum() const {
        ForceTotals t = elastic.sum();
        for (int lane = 0; lane < 4; ++lane) {
            t.plasticPotential += potential[lane];
            t.plasticWork += work[lane];
        }
        return t;
    }
};

/// Adds viscous stress to P and returns the power lost.
Wide4d addViscousStress(ElasticLawId law, const WideParams& params, const WideMat3& F, const WideMat3& rate, WideMat3& P) {
    const WideSymmetric strainRate = greenRate(F, rate);
    const Wide4d scale = law == ElasticLawId::kViscoelastic ? determinant(F) : Wide4d(1.0);
    const WideSymmetric S = hooke(strainRate, scale * params.phi, scale * params.psi);
    P += F * S;
    return doubleDot(S, strainRate);
}

/// Gradients of the shape functions of a tet's corners.
void gradientsOf(const Mat3& restInverse, Vec3 (&g)[4]) {
    for (int k = 0; k < 3; ++k) g[k + 1] = restInverse.row(k).transpose();
    g[0] = -(g[1] + g[2] + g[3]);
}

/// Block (i, j) is the sum over a and b of g_i[a] g_j[b] times block (a, b) of K.
Mat3 cornerBlock(const Mat9& K, const Vec3& gi, const Vec3& gj) {
    Eigen::Matrix<double, 9, 3> half = gj[0] * K.leftCols<3>() + gj[1] * K.middleCols<3>(3) + gj[2] * K.rightCols<3>();
    return gi[0] * half.topRows<3>() + gi[1] * half.middleRows<3>(3) + gi[2] * half.bottomRows<3>();
}

template <class Wanted>
void addOneByOne(WideMat3 (&blocks)[10], const PlasticPack& pack, const WideMat3& F, const WideMat3& restInverse, Wide4d volume, Wanted wanted) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
        if (!pack.has(lane) || !wanted(lane)) continue;
        const Mat9 K = volume[static_cast<int>(lane)] * pack.law().projectedStiffness(pack.point(lane), laneOf(F, lane));
        Vec3 g[4];
        gradientsOf(laneOf(restInverse, lane), g);
        for (int k = 0; k < 10; ++k) setLane(blocks[k], lane, laneOf(blocks[k], lane) + cornerBlock(K, g[kPackPairs[k][0]], g[kPackPairs[k][1]]));
    }
}

void addElastic(WideMat3 (&blocks)[10], ElasticLawId law, const WideParams& p, const WideMat3& F, const WideMat3& restInverse, Wide4d volume) {
    switch (law) {
        case ElasticLawId::kGreen: return addProjected<ElasticLawId::kGreen>(blocks, p, F, restInverse, volume);
        case ElasticLawId::kCorotated: return addProjected<ElasticLawId::kCorotated>(blocks, p, F, restInverse, volume);
        case ElasticLawId::kViscoelastic: return addProjected<ElasticLawId::kViscoelastic>(blocks, p, F, restInverse, volume);
        case ElasticLawId::kNeoHookean: return addProjected<ElasticLawId::kNeoHookean>(blocks, p, F, restInverse, volume);
    }
}

}  // namespace

WideMat3 PlasticPack::inverseFlow() const {
    WideMat3 inverse;
    for (int k = 0; k < 9; ++k) {
        inverse.m[k] = Wide4d(k % 4 == 0 ? 1.0 : 0.0);
        for (std::size_t lane = 0; lane < 4; ++lane)
            if (has(lane)) inverse.m[k].set(static_cast<int>(lane), (k % 4 == 0 ? 1 : 0) + step_.before[tet(lane)].flow.data()[k]);
    }
    return inverse;
}

Wide4d PlasticPack::flowStress() const {
    Wide4d most(0.0);
    for (std::size_t lane = 0; lane < 4; ++lane)
        if (has(lane)) most.set(static_cast<int>(lane), std::max(table_.packPlastic[pack_][lane].yield + step_.before[tet(lane)].hardened, 0.0));
    return most;
}

PlasticPoint PlasticPack::point(std::size_t lane) const {
    const PackMaterial& m = table_.packMaterial[pack_];
    return {elasticLaw(chunk_.law), {m.lambda[lane], m.mu[lane], m.phi[lane], m.psi[lane]}, table_.packPlastic[pack_][lane], step_.before[tet(lane)], step_.dt};
}

WideStrainFlow PlasticPack::strainFlow() const {
    WideStrainFlow flow;
    Wide4d* const entry[6] = {&flow.before.xx, &flow.before.yy, &flow.before.zz, &flow.before.xy, &flow.before.yz, &flow.before.xz};
    constexpr int kPlace[6] = {0, 4, 8, 1, 5, 2};
    for (std::size_t lane = 0; lane < 4; ++lane) {
        const int l = static_cast<int>(lane);
        const PlasticParams& p = table_.packPlastic[pack_][lane];
        flow.yield.set(l, p.yield);
        flow.limit.set(l, p.limit);
        flow.slope.set(l, p.law == PlasticLawId::kCreep && step_.dt > 0 ? 1 / (p.rate * step_.dt) : 0);
        const double* from = has(lane) ? step_.before[tet(lane)].flow.data() : nullptr;
        for (int k = 0; k < 6; ++k) entry[k]->set(l, from ? from[kPlace[k]] : 0);
    }
    return flow;
}

void PlasticPack::keep(std::size_t lane, const PlasticState& after) const {
    if (!step_.after.empty()) step_.after[tet(lane)] = after;
}

WideMat3 plasticStress(const PlasticPack& pack, const WideMat3& F) { return respond(pack, F).P; }

ForceTotals plasticForces(const ElementTable& table, const ElementChunk& chunk, const double* x, const double* v, const PlasticStep& step, double* f) {
    PlasticTotals totals;
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        const ElementPack& pack = table.packs[p];
        const WideMat3 restInverse = loadMatrix(pack.restInverse), F = multiply(gatherEdges(x, pack), restInverse);
        const Wide4d volume = Wide4d::load(pack.volume);
        PackResponse r = respond(PlasticPack(table, chunk, p, step), F);
        if (v)
            totals.elastic.dissipation += volume * addViscousStress(chunk.law, WideParams(materialOf(table, chunk, p)), F,
                                                                    multiply(gatherEdges(v, pack), restInverse), r.P);
        scatterForces(f, pack, cornerForces(r.P, restInverse, volume));
        totals.add(F, volume, r);
    }
    return totals.sum();
}

ForceTotals plasticEnergy(const ElementTable& table, const ElementChunk& chunk, const double* x, const PlasticStep& step) {
    PlasticTotals totals;
    for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p) {
        const ElementPack& pack = table.packs[p];
        const WideMat3 F = multiply(gatherEdges(x, pack), loadMatrix(pack.restInverse));
        totals.add(F, Wide4d::load(pack.volume), respond(PlasticPack(table, chunk, p, step), F));
    }
    return totals.sum();
}

void addPlasticStiffness(WideMat3 (&blocks)[10], const PlasticPack& pack, const WideMat3& F, const WideMat3& restInverse, Wide4d volume) {
    if (pack.flowsInStrain()) {
        const WideStrainFlow flow = pack.strainFlow();
        const WideStrainReturn end(flow, F, pack.flows());
        if (!end.limited) return addStrainFlowStiffness(blocks, pack.params(), flow, end, F, PackGradients(restInverse), volume);
        return addOneByOne(blocks, pack, F, restInverse, volume, [](std::size_t) { return true; });
    }
    // where nothing flows, that of the elastic law on a tet whose rest shape is Pi^-1 of what it was
    const HeldStretches held(pack, F);
    Wide4d still = volume;
    for (int lane = 0; lane < 4; ++lane)
        if (held.flow[lane]) still.set(lane, 0);
    addElastic(blocks, pack.elastic(), pack.params(), held.trial, multiply(restInverse, held.inverse), still);
    addOneByOne(blocks, pack, F, restInverse, volume, [&](std::size_t lane) { return held.flow[lane]; });
}

}  // namespace sunder
