#include "core/material/stretch_flow.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sunder {

namespace {

using Plane = Eigen::Matrix<double, 3, 2>;

constexpr int kIterations = 50, kHalvings = 20;
constexpr double kTolerance = 1e-12;     // of the stress
constexpr double kArmijo = 1e-4;
constexpr double kLeastStiffness = 0.01;  // of the shear modulus, that a way down is looked for with
constexpr double kEqualStretch = 1e-4;   // below this difference a quotient of differences gives way to a derivative

/// Directions of stretch without change of volume.
Plane planeOfShape() {
    Plane b;
    b.col(0) = Vec3(1, -1, 0) / std::sqrt(2.0);
    b.col(1) = Vec3(1, 1, -2) / std::sqrt(6.0);
    return b;
}

struct Resistance {
    double yield, hardening, viscous;  ///< Pa

    explicit Resistance(const PlasticPoint& point)
        : yield(std::max(point.plastic.yield + point.before.hardened, 0.0)),
          hardening(2 * point.moduli.mu * point.plastic.hardening),
          viscous(point.plastic.rate > 0 ? 2 * point.moduli.mu / (point.plastic.rate * point.dt) : 0) {}
    double yieldAt(double d) const { return std::max(yield + hardening * d, 0.0); }
    double at(double d) const { return yieldAt(d) + viscous * d; }
    double slopeAt(double d) const { return (yieldAt(d) > 0 ? hardening : 0) + viscous; }
    double integral(double d) const {
        const double hard = hardening < 0 ? std::min(d, -yield / hardening) : d;
        return (yield + 0.5 * hardening * hard) * hard + 0.5 * viscous * d * d;
    }
};

/// Kirchhoff stresses and their derivative by the Hencky strain.
struct HenckyLaw {
    const PlasticPoint& point;

    Vec3 stress(const Vec3& s) const { return s.cwiseProduct(point.elastic.stress(point.moduli, s.asDiagonal().toDenseMatrix()).diagonal()); }
    Mat3 stiffness(const Vec3& s, const Vec3& stress) const {
        const Mat9 K = point.elastic.stiffness(point.moduli, s.asDiagonal().toDenseMatrix());
        Mat3 A;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) A(i, j) = s[i] * K(4 * i, 4 * j) * s[j];
        A.diagonal() += stress;
        return A;
    }
};

/// Where flow ends: stretches of F_e, D, and t with its derivative by the trial's Hencky strain.
struct StretchReturn {
    Vec3 elastic, flow = Vec3::Zero(), stress;
    double distance = 0;
};

struct FlowEquation {
    HenckyLaw law;
    Resistance r;
    Plane plane;
    Vec3 trial;

    Vec3 elasticAt(const Vec2& flow) const { return trial.array() * (-(plane * flow).array()).exp(); }
    Vec2 residual(const Vec2& flow) const {
        const double d = flow.norm();
        return r.at(d) / d * flow - plane.transpose() * law.stress(elasticAt(flow));
    }
    Eigen::Matrix2d derivative(const Vec2& flow) const {
        const Vec3 s = elasticAt(flow);
        const double d = flow.norm();
        const Vec2 n = flow / d;
        const Eigen::Matrix2d along = n * n.transpose();
        return plane.transpose() * law.stiffness(s, law.stress(s)) * plane + r.slopeAt(d) * along + r.at(d) / d * (Eigen::Matrix2d::Identity() - along);
    }
    double value(const Vec2& flow) const {
        return law.point.elastic.energy(law.point.moduli, elasticAt(flow).asDiagonal().toDenseMatrix()) + r.integral(flow.norm());
    }
    /// Newton's method, downhill: where the elastic law softens, the second derivative need not be positive.
    Vec2 solve(const Vec2& pull) const {
        const double mu = law.point.moduli.mu, excess = pull.norm() - r.at(0);
        Vec2 flow = excess / (2 * mu + std::max(r.slopeAt(0), -mu)) * pull.normalized();
        double now = value(flow);
        for (int k = 0; k < kIterations; ++k) {
            const Vec2 left = residual(flow);
            if (left.norm() <= kTolerance * pull.norm()) break;
            const Vec2 step = positive(derivative(flow), mu).inverse() * left;
            double share = 1, next = 0;
            for (int halving = 0;; ++halving, share /= 2) {
                next = value(flow - share * step);
                if (next <= now - kArmijo * share * left.dot(step) || residual(flow - share * step).norm() < 0.5 * left.norm()) break;
                if (halving == kHalvings) return flow;
            }
            flow -= share * step;
            now = next;
        }
        return flow;
    }
    static Eigen::Matrix2d positive(const Eigen::Matrix2d& m, double least) {
        const double mean = 0.5 * m.trace(), spread = std::hypot(0.5 * (m(0, 0) - m(1, 1)), m(0, 1));
        const double missing = std::max(0.0, kLeastStiffness * least - (mean - spread));
        return m + missing * Eigen::Matrix2d::Identity();
    }
};

bool mayFlow(const PlasticPoint& point, const Vec3& stretches) {
    return point.dt > 0 && stretches.minCoeff() > kSmallestFlowStretch;
}

StretchReturn returnStretches(const PlasticPoint& point, const Vec3& s) {
    const FlowEquation equation{{point}, Resistance(point), planeOfShape(), s};
    StretchReturn out;
    out.elastic = s;
    out.stress = equation.law.stress(s);
    const Vec2 pull = equation.plane.transpose() * out.stress;
    if (!(pull.norm() > equation.r.at(0))) return out;
    const Vec2 flow = equation.solve(pull);
    out.distance = flow.norm();
    out.flow = equation.plane * flow;
    out.elastic = equation.elasticAt(flow);
    out.stress = equation.law.stress(out.elastic);
    return out;
}

/// dt/dh, flow included: A - A B (B^T A B + G)^-1 B^T A, with A of the elastic law, B the plane of shape and G of the resistance.
Mat3 henckyStiffness(const PlasticPoint& point, const Vec3& s, const StretchReturn& end) {
    const HenckyLaw law{point};
    const Mat3 A = law.stiffness(end.elastic, end.stress);
    if (end.distance == 0) return A;
    const FlowEquation equation{law, Resistance(point), planeOfShape(), s};
    const Vec2 flow = equation.plane.transpose() * end.flow;
    const Plane AB = A * equation.plane;
    return A - AB * equation.derivative(flow).inverse() * AB.transpose();
}

/// Of the potential as a function of the trial stretches.
StretchStiffness stretchStiffness(const PlasticPoint& point, const Vec3& s) {
    const StretchReturn end = returnStretches(point, s);
    const Vec3 slope = end.stress.cwiseQuotient(s);
    const Mat3 inverse = s.cwiseInverse().asDiagonal();
    StretchStiffness k;
    k.stretch = henckyStiffness(point, s, end);
    k.stretch.diagonal() -= end.stress;
    k.stretch = (inverse * k.stretch * inverse).eval();
    for (int axis = 0; axis < 3; ++axis) {
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        const double apart = s[i] - s[j];
        k.flip[axis] = std::abs(apart) > kEqualStretch * s[i] ? (slope[i] - slope[j]) / apart
                                                              : 0.5 * (k.stretch(i, i) + k.stretch(j, j)) - k.stretch(i, j);
        k.twist[axis] = (slope[i] + slope[j]) / (s[i] + s[j]);
    }
    return k;
}

/// From derivatives by F Pi to derivatives by F: block (j, l) is the sum over k and m of Pi_jk Pi_lm times block (k, m).
Mat9 pulledBack(const Mat9& K, const Mat3& inverse) {
    Mat9 half = Mat9::Zero(), out = Mat9::Zero();
    for (int l = 0; l < 3; ++l)
        for (int m = 0; m < 3; ++m) half.middleCols<3>(3 * l) += inverse(l, m) * K.middleCols<3>(3 * m);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) out.middleRows<3>(3 * j) += inverse(j, k) * half.middleRows<3>(3 * k);
    return out;
}

Mat3 inverseFlow(const PlasticState& state) { return Mat3::Identity() + state.flow; }

PlasticState flowedBy(const PlasticPoint& point, const Mat3& inverse, const Mat3& V, const StretchReturn& end) {
    const Mat3 next = inverse * V * (-end.flow).array().exp().matrix().asDiagonal() * V.transpose();
    return {next / std::cbrt(next.determinant()) - Mat3::Identity(), Resistance(point).yieldAt(end.distance) - point.plastic.yield};
}

PlasticResponse respond(const PlasticPoint& point, const Mat3& F) {
    const Mat3 inverse = inverseFlow(point.before), trial = F * inverse;
    PlasticResponse out;
    out.after = point.before;
    const Svd3 svd = svd3(trial);
    StretchReturn end;
    if (mayFlow(point, svd.sigma)) end = returnStretches(point, svd.sigma);
    if (end.distance == 0) {
        out.energy = point.elastic.energy(point.moduli, trial);
        out.stress = point.elastic.stress(point.moduli, trial) * inverse.transpose();
        return out;
    }
    const Resistance r(point);
    out.energy = point.elastic.energy(point.moduli, end.elastic.asDiagonal().toDenseMatrix());
    out.potential = r.integral(end.distance);
    out.dissipated = r.at(end.distance) * end.distance;
    out.stress = svd.U * end.stress.cwiseQuotient(svd.sigma).asDiagonal() * svd.V.transpose() * inverse.transpose();
    out.after = flowedBy(point, inverse, svd.V, end);
    return out;
}

Mat9 stiffness(const PlasticPoint& point, const Mat3& F) {
    const Mat3 inverse = inverseFlow(point.before), trial = F * inverse;
    const Svd3 svd = svd3(trial);
    if (!mayFlow(point, svd.sigma)) return pulledBack(point.elastic.stiffness(point.moduli, trial), inverse);
    return pulledBack(stiffnessFromStretches(svd, stretchStiffness(point, svd.sigma)), inverse);
}

Mat9 projectedStiffness(const PlasticPoint& point, const Mat3& F) {
    const Mat3 inverse = inverseFlow(point.before), trial = F * inverse;
    const Svd3 svd = svd3(trial);
    if (!mayFlow(point, svd.sigma)) return pulledBack(point.elastic.projectedStiffness(point.moduli, trial), inverse);
    return pulledBack(stiffnessFromStretches(svd, clampedPositive(stretchStiffness(point, svd.sigma))), inverse);
}

}  // namespace

PlasticLaw multiplicativePlasticity() {
    return {PlasticLawId::kMultiplicative, "multiplicative", "F, a product", false, respond, stiffness, projectedStiffness};
}

}  // namespace sunder
