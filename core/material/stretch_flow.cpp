#include "core/material/stretch_flow.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/material/corotated.h"

namespace sunder {

namespace {

using Plane = Eigen::Matrix<double, 3, 2>;

constexpr int kIterations = 50, kHalvings = 20;
constexpr double kTolerance = 1e-12;     // of the stress
constexpr double kSmallStrain = 1e-3;    // below it, the rounding of stretches counts
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

/// The elastic energy and its derivatives by the stretches: entries of stress and stiffness of a diagonal F. The corotated law would look for
/// stretches that are known here.
double energyOf(const PlasticPoint& point, const Vec3& s) {
    if (point.elastic.id == ElasticLawId::kCorotated) return corotatedEnergy(point.moduli, s);
    return point.elastic.energy(point.moduli, s.asDiagonal().toDenseMatrix());
}

Vec3 slopesOf(const PlasticPoint& point, const Vec3& s) {
    if (point.elastic.id == ElasticLawId::kCorotated) return corotatedSlopes(point.moduli, s);
    return point.elastic.stress(point.moduli, s.asDiagonal().toDenseMatrix()).diagonal();
}

Mat3 curvaturesOf(const PlasticPoint& point, const Vec3& s) {
    if (point.elastic.id == ElasticLawId::kCorotated) return corotatedCurvatures(point.moduli);
    const Mat9 K = point.elastic.stiffness(point.moduli, s.asDiagonal().toDenseMatrix());
    Mat3 curvatures;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) curvatures(i, j) = K(4 * i, 4 * j);
    return curvatures;
}

/// Kirchhoff stresses and their derivative by the Hencky strain.
struct HenckyLaw {
    const PlasticPoint& point;

    Vec3 stress(const Vec3& s) const { return s.cwiseProduct(slopesOf(point, s)); }
    Mat3 stiffness(const Vec3& s, const Vec3& stress) const {
        Mat3 A = s.asDiagonal() * curvaturesOf(point, s) * s.asDiagonal();
        A.diagonal() += stress;
        return A;
    }
};

/// A flow D in the plane of shape, and what comes of it.
struct FlowPoint {
    Vec2 flow = Vec2::Zero();
    Vec3 elastic;         ///< stretches of F_e
    Vec3 stress;          ///< t
    Vec2 residual;        ///< resistance minus stress in the plane: zero at the end of flow

    double distance() const { return flow.norm(); }
};

struct FlowEquation {
    HenckyLaw law;
    Resistance r;
    Plane plane;
    Vec3 trial;

    explicit FlowEquation(const PlasticPoint& point, const Vec3& stretches) : law{point}, r(point), plane(planeOfShape()), trial(stretches) {}

    FlowPoint at(const Vec2& flow) const {
        FlowPoint p;
        const double d = flow.norm();
        p.flow = flow;
        p.elastic = trial.array() * (-(plane * flow).array()).exp();
        p.stress = law.stress(p.elastic);
        p.residual = (d > 0 ? r.at(d) / d : 0) * flow - plane.transpose() * p.stress;
        return p;
    }
    double value(const FlowPoint& p) const {
        return energyOf(law.point, p.elastic) + r.integral(p.distance());
    }
    /// Of the residual; A is dt/dh of the elastic law.
    Eigen::Matrix2d derivative(const FlowPoint& p, const Mat3& A) const {
        const double d = p.distance();
        const Vec2 n = p.flow / d;
        const Eigen::Matrix2d along = n * n.transpose();
        return plane.transpose() * A * plane + r.slopeAt(d) * along + r.at(d) / d * (Eigen::Matrix2d::Identity() - along);
    }
    /// Newton's method, downhill: where the elastic law softens, the second derivative need not be positive.
    FlowPoint solve() const {
        const FlowPoint start = at(Vec2::Zero());
        const double mu = law.point.moduli.mu, pull = start.residual.norm(), excess = pull - r.at(0);
        if (!(excess > 0)) return start;
        const double tolerance = kTolerance * (pull + kSmallStrain * mu);
        FlowPoint now = at(-excess / (2 * mu + std::max(r.slopeAt(0), -mu)) / pull * start.residual);
        for (int k = 0; k < kIterations && now.residual.norm() > tolerance; ++k) {
            const Vec2 step = positive(derivative(now, law.stiffness(now.elastic, now.stress)), mu).inverse() * now.residual;
            FlowPoint next;
            double share = 1;
            for (int halving = 0;; ++halving, share /= 2) {
                if (halving == kHalvings) return now;
                next = at(now.flow - share * step);
                if (next.residual.norm() < 0.5 * now.residual.norm()) break;
                if (value(next) <= value(now) - kArmijo * share * now.residual.dot(step)) break;
            }
            now = next;
        }
        return now;
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

/// dt/dh, flow included: A - A B (B^T A B + G)^-1 B^T A, with A of the elastic law, B the plane of shape and G of the resistance.
Mat3 henckyStiffness(const FlowEquation& equation, const FlowPoint& end) {
    const Mat3 A = equation.law.stiffness(end.elastic, end.stress);
    if (end.distance() == 0) return A;
    const Plane AB = A * equation.plane;
    return A - AB * equation.derivative(end, A).inverse() * AB.transpose();
}

/// Of the potential as a function of the trial stretches.
StretchStiffness stretchStiffness(const PlasticPoint& point, const Vec3& s) {
    const FlowEquation equation(point, s);
    const FlowPoint end = equation.solve();
    const Vec3 slope = end.stress.cwiseQuotient(s);
    const Mat3 inverse = s.cwiseInverse().asDiagonal();
    StretchStiffness k;
    k.stretch = henckyStiffness(equation, end);
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

PlasticState flowedBy(const FlowEquation& equation, const FlowPoint& end, const Mat3& inverse, const Mat3& V) {
    const Vec3 shrunk = (-(equation.plane * end.flow).array()).exp();
    const Mat3 next = inverse * V * shrunk.asDiagonal() * V.transpose();
    return {next / std::cbrt(next.determinant()) - Mat3::Identity(), equation.r.yieldAt(end.distance()) - equation.law.point.plastic.yield};
}

PlasticResponse heldResponse(const PlasticPoint& point, const Mat3& inverse, const Mat3& trial) {
    PlasticResponse out;
    out.energy = point.elastic.energy(point.moduli, trial);
    out.stress = point.elastic.stress(point.moduli, trial) * inverse.transpose();
    out.after = point.before;
    return out;
}

PlasticResponse respond(const PlasticPoint& point, const Mat3& F) {
    const Mat3 inverse = inverseFlow(point.before), trial = F * inverse;
    if (point.dt == 0) return heldResponse(point, inverse, trial);
    const Svd3 svd = svd3(trial);
    if (!mayFlow(point, svd.sigma)) return heldResponse(point, inverse, trial);
    const FlowEquation equation(point, svd.sigma);
    const FlowPoint end = equation.solve();
    const double d = end.distance();
    if (d == 0) return heldResponse(point, inverse, trial);
    PlasticResponse out;
    out.energy = energyOf(point, end.elastic);
    out.potential = equation.r.integral(d);
    out.dissipated = equation.r.at(d) * d;
    out.stress = svd.U * end.stress.cwiseQuotient(svd.sigma).asDiagonal() * svd.V.transpose() * inverse.transpose();
    out.after = flowedBy(equation, end, inverse, svd.V);
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
