#include "core/material/strain_flow.h"

#include <algorithm>
#include <cmath>

#include "core/material/tangent_blocks.h"
#include "core/math/decompose.h"

namespace sunder {

namespace {

double dot(const Mat3& a, const Mat3& b) { return a.cwiseProduct(b).sum(); }

/// r(d) = max(yield, slope d).
struct Resistance {
    double yield, slope;

    Resistance(const PlasticParams& p, double dt) : yield(p.yield), slope(p.law == PlasticLawId::kCreep ? 1 / (p.rate * dt) : 0) {}
    bool creeps(double d) const { return slope * d > yield; }
    double at(double d) const { return std::max(yield, slope * d); }
    double slopeAt(double d) const { return creeps(d) ? slope : 0; }
    double integral(double d) const { return creeps(d) ? 0.5 * (slope * d * d + yield * yield / slope) : yield * d; }
};

/// |Q - Q0| - d for the Q of the ball's surface that belongs to d: the one along d e + r(d) Q0. In the plane of Q0 = (inner, 0) and
/// e = (along, across).
struct OnLimit {
    Resistance r;
    double limit, inner, along, across;

    double excess(double d) const {
        const double wx = d * along + r.at(d) * inner, wy = d * across, w = std::hypot(wx, wy);
        if (w == 0) return limit - inner;
        // limit wx / w - inner without cancellation
        const double inward = wx > 0 ? -wy * wy / (wx + w) : wx - w;
        return std::hypot(limit * inward / w + (limit - inner), limit * wy / w) - d;
    }
    double solve() const {
        double low = 0, high = 2 * limit;
        for (int k = 0; k < 200; ++k) {
            const double middle = 0.5 * (low + high);
            if (middle == low || middle == high) break;
            (excess(middle) > 0 ? low : high) = middle;
        }
        return high;
    }
};

/// Q0 lies on the limit, and what pulls along it does not overcome the yield.
bool sticksAtLimit(const PlasticParams& p, const Mat3& pull, const Mat3& before) {
    const double norm = before.norm();
    if (norm < p.limit * (1 - 1e-12) || norm == 0) return false;
    const double outward = std::max(0.0, dot(pull, before)) / (norm * norm);
    return (pull - outward * before).norm() <= p.yield;
}

StrainReturn returnToLimit(const PlasticParams& p, const Resistance& r, const Mat3& e, const Mat3& before) {
    const double inner = before.norm();
    const double along = inner > 0 ? dot(e, before) / inner : e.norm();
    const double across = inner > 0 ? (e - along / inner * before).norm() : 0;
    const double d = OnLimit{r, p.limit, inner, along, across}.solve();
    const Mat3 w = d * e + r.at(d) * before;
    StrainReturn out;
    out.distance = d;
    out.plastic = p.limit / w.norm() * w;
    const Mat3 n = (out.plastic - before) / d;
    // H = a 1 - b n n^T is the second derivative; dQ = H^-1 - H^-1 Q Q^T H^-1 / (Q^T H^-1 Q) keeps |Q|
    const double a = w.norm() / (d * p.limit), b = r.at(d) / d - r.slopeAt(d);
    const Mat3 hQ = (out.plastic + b / (a - b) * dot(n, out.plastic) * n) / a;
    out.share = 1 / a;
    out.factor[0] = b / (a * (a - b));
    out.direction[0] = n;
    out.factor[1] = -1 / dot(out.plastic, hQ);
    out.direction[1] = hQ;
    return out;
}

Mat3 greenStrain(const Mat3& F) { return 0.5 * (F.transpose() * F - Mat3::Identity()); }
Mat3 deviatorOf(const Mat3& E) { return E - E.trace() / 3 * Mat3::Identity(); }

Mat3 secondStress(const LawParams& m, const Mat3& E, const Mat3& plastic) {
    return m.lambda * E.trace() * Mat3::Identity() + 2 * m.mu * (E - plastic);
}

PlasticResponse respond(const PlasticPoint& point, const Mat3& F) {
    const LawParams& m = point.moduli;
    const Mat3 E = greenStrain(F);
    const StrainReturn flow = returnStrain(point.plastic, deviatorOf(E), point.before.flow, point.dt);
    const Mat3 elastic = E - flow.plastic;
    PlasticResponse out;
    out.energy = 0.5 * m.lambda * E.trace() * E.trace() + m.mu * elastic.squaredNorm();
    if (flow.distance > 0) {
        out.potential = 2 * m.mu * Resistance(point.plastic, point.dt).integral(flow.distance);
        out.dissipated = 2 * m.mu * dot(deviatorOf(elastic), flow.plastic - point.before.flow);
    }
    out.stress = F * secondStress(m, E, flow.plastic);
    out.after = {flow.plastic, 0};
    return out;
}

/// The material part, which is positive semi-definite, and the stress that the rest of the derivative is of.
Mat9 strainStiffness(const PlasticPoint& point, const Mat3& F, Mat3& S) {
    const LawParams& m = point.moduli;
    const Mat3 E = greenStrain(F);
    const StrainReturn flow = returnStrain(point.plastic, deviatorOf(E), point.before.flow, point.dt);
    S = secondStress(m, E, flow.plastic);
    Mat9 K = strainTangent(m.lambda + 2.0 / 3.0 * m.mu * flow.share, m.mu * (1 - flow.share), F, F);
    for (int k = 0; k < 2; ++k) {
        if (flow.factor[k] == 0) continue;
        const Vec9 turned = vec(F * flow.direction[k]);
        K -= 2 * m.mu * flow.factor[k] * turned * turned.transpose();
    }
    return K;
}

Mat9 stiffness(const PlasticPoint& point, const Mat3& F) {
    Mat3 S;
    Mat9 K = strainStiffness(point, F, S);
    addStressTangent(K, S);
    return K;
}

/// Pressing stress would turn the tet; left out, it costs little, since elastic strain is small where flow is.
Mat9 projectedStiffness(const PlasticPoint& point, const Mat3& F) {
    Mat3 S;
    Mat9 K = strainStiffness(point, F, S);
    const Eigen3 eigen = symmetricEigen3(S);
    addStressTangent(K, eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose());
    return K;
}

}  // namespace

StrainReturn returnStrain(const PlasticParams& p, const Mat3& deviator, const Mat3& before, double flowTime) {
    StrainReturn out;
    out.plastic = before;
    const Mat3 pull = deviator - before;
    const double norm = pull.norm();
    if (!(flowTime > 0) || !(norm > p.yield) || p.limit == 0 || sticksAtLimit(p, pull, before)) return out;
    const Resistance r(p, flowTime);
    const double crept = norm * r.slope / (1 + r.slope), elastic = std::max(p.yield, crept);
    out.plastic = before + (1 - elastic / norm) * pull;
    if (out.plastic.norm() > p.limit) return returnToLimit(p, r, deviator, before);
    out.distance = norm - elastic;
    out.share = 1 - elastic / norm;
    if (crept >= p.yield) return out;
    out.factor[0] = elastic / norm;
    out.direction[0] = pull / norm;
    return out;
}

PlasticLaw additivePlasticity() {
    return {PlasticLawId::kAdditive, "additive", "Green strain, a sum", true, respond, stiffness, projectedStiffness};
}

PlasticLaw creepPlasticity() {
    return {PlasticLawId::kCreep, "creep", "Green strain, a sum", true, respond, stiffness, projectedStiffness};
}

}  // namespace sunder
