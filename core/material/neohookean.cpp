#include "core/material/neohookean.h"

#include <Eigen/LU>
#include <cmath>

#include "core/material/strain_viscosity.h"
#include "core/material/stretch_stiffness.h"
#include "core/material/tangent_blocks.h"

namespace sunder {

namespace {

/// The paper's own constants from the true Lame constants.
struct Constants {
    double m, l;
    explicit Constants(const LawParams& p) : m(4.0 / 3.0 * p.mu), l(p.lambda + 5.0 / 6.0 * p.mu) {}
    /// dpsi/dI * 2 and dpsi/dJ.
    double tension(double normSq) const { return m * (normSq / (normSq + 1)); }
    double pressure(double J) const { return l * (J - 1) - 0.75 * m; }
    /// The derivative of tension by half of I.
    double tensionRate(double normSq) const { return 2 * m / ((normSq + 1) * (normSq + 1)); }
};

double energy(const LawParams& p, const Mat3& F) {
    const Constants c(p);
    const double excess = F.squaredNorm() - 3, volume = F.determinant() - 1;
    return 0.5 * c.m * (excess - std::log1p(0.25 * excess)) - 0.75 * c.m * volume +
           0.5 * c.l * volume * volume;
}

Mat3 stress(const LawParams& p, const Mat3& F) {
    const Constants c(p);
    return c.tension(F.squaredNorm()) * F + c.pressure(F.determinant()) * cofactors(F);
}

Mat9 stiffness(const LawParams& p, const Mat3& F) {
    const Constants c(p);
    const double normSq = F.squaredNorm();
    const Vec9 f = vec(F), cofactor = vec(cofactors(F));
    Mat9 K = c.tensionRate(normSq) * f * f.transpose() + c.l * cofactor * cofactor.transpose();
    K.diagonal().array() += c.tension(normSq);
    addCofactorTangent(K, F, c.pressure(F.determinant()));
    return K;
}

/// psi_i = tension s_i + pressure s_j s_k.
Mat9 projectedStiffness(const LawParams& p, const Mat3& F) {
    const Constants c(p);
    const Svd3 svd = svd3(F);
    const Vec3& s = svd.sigma;
    const Vec3 area(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
    const double normSq = s.squaredNorm(), tension = c.tension(normSq), pressure = c.pressure(s.prod());
    StretchStiffness k;
    k.stretch = c.tensionRate(normSq) * s * s.transpose() + c.l * area * area.transpose();
    for (int axis = 0; axis < 3; ++axis) {
        const int a = (axis + 1) % 3, b = (axis + 2) % 3;
        k.stretch(axis, axis) += tension;
        k.stretch(a, b) += pressure * s[axis];
        k.stretch(b, a) += pressure * s[axis];
        k.flip[axis] = tension - pressure * s[axis];
        k.twist[axis] = tension + pressure * s[axis];
    }
    return stiffnessFromStretches(svd, clampedPositive(k));
}

}  // namespace

ElasticLaw neoHookeanLaw() {
    return {ElasticLawId::kNeoHookean,
            "neohookean",
            "stable neo-Hookean: flesh and rubber, keeps volume, large strain, recovers from inversion",
            false,
            energy,
            stress,
            stiffness,
            projectedStiffness,
            strainDissipation,
            strainViscousStress,
            strainViscousTangentRate,
            strainViscousTangentF};
}

}  // namespace sunder
