#include "core/material/viscoelastic.h"

#include <Eigen/LU>
#include <limits>

#include "core/material/strain_viscosity.h"
#include "core/material/stretch_stiffness.h"
#include "core/material/tangent_blocks.h"

namespace sunder {

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

/// The volume term h(J) = K/32 (J^2 - J^-2)^2.
struct Barrier {
    double energy, pressure, pressureRate;  // h, h', h''; not a number outside of the domain, but for h
    Barrier(double K, double J)
        : energy(std::numeric_limits<double>::infinity()), pressure(kNan), pressureRate(kNan) {
        if (!(J > 0)) return;
        const double J2 = J * J, difference = J2 - 1 / J2;
        energy = K / 32 * difference * difference;
        pressure = K / 8 * difference * (J + 1 / (J * J2));
        pressureRate = K / 8 * (3 * J2 + 5 / (J2 * J2 * J2));
    }
};

Mat3 metricDeviator(const Mat3& F) {
    Mat3 D = F.transpose() * F;
    D.diagonal().array() -= D.trace() / 3;
    return D;
}

double energy(const LawParams& p, const Mat3& F) {
    return Barrier(p.bulkModulus(), F.determinant()).energy + 0.25 * p.mu * metricDeviator(F).squaredNorm();
}

Mat3 stress(const LawParams& p, const Mat3& F) {
    const Barrier barrier(p.bulkModulus(), F.determinant());
    return barrier.pressure * cofactors(F) + p.mu * (F * metricDeviator(F));
}

Mat9 stiffness(const LawParams& p, const Mat3& F) {
    const Barrier barrier(p.bulkModulus(), F.determinant());
    const Vec9 cofactor = vec(cofactors(F));
    Mat9 K =
        strainTangent(-2.0 / 3.0 * p.mu, p.mu, F, F) + barrier.pressureRate * cofactor * cofactor.transpose();
    addStressTangent(K, p.mu * metricDeviator(F));
    addCofactorTangent(K, F, barrier.pressure);
    return K;
}

/// psi_i = mu s_i (s_i^2 - |s|^2 / 3) + h' s_j s_k.
Mat9 projectedStiffness(const LawParams& p, const Mat3& F) {
    const Svd3 svd = svd3(F);
    const Vec3& s = svd.sigma;
    const Barrier barrier(p.bulkModulus(), s.prod());
    const Vec3 area(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
    const double mean = s.squaredNorm() / 3;
    StretchStiffness k;
    k.stretch = barrier.pressureRate * area * area.transpose() - 2.0 / 3.0 * p.mu * s * s.transpose();
    for (int axis = 0; axis < 3; ++axis) {
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        const double a = s[i], b = s[j], c = barrier.pressure * s[axis];
        k.stretch(axis, axis) += p.mu * (3 * s[axis] * s[axis] - mean);
        k.stretch(i, j) += c;
        k.stretch(j, i) += c;
        k.flip[axis] = p.mu * (a * a + a * b + b * b - mean) - c;
        k.twist[axis] = p.mu * (a * a - a * b + b * b - mean) + c;
    }
    return stiffnessFromStretches(svd, clampedPositive(k));
}

/// Current volume of a unit of rest volume.
double volumeRatio(const Mat3& F) {
    const double J = F.determinant();
    return J > 0 ? J : kNan;
}

double dissipation(const LawParams& p, const Mat3& F, const Mat3& rate) {
    return volumeRatio(F) * strainDissipation(p, F, rate);
}

Mat3 viscousStress(const LawParams& p, const Mat3& F, const Mat3& rate) {
    return volumeRatio(F) * strainViscousStress(p, F, rate);
}

Mat9 viscousTangentRate(const LawParams& p, const Mat3& F, const Mat3& rate) {
    return volumeRatio(F) * strainViscousTangentRate(p, F, rate);
}

Mat9 viscousTangentF(const LawParams& p, const Mat3& F, const Mat3& rate) {
    return volumeRatio(F) * strainViscousTangentF(p, F, rate) +
           vec(strainViscousStress(p, F, rate)) * vec(cofactors(F)).transpose();
}

}  // namespace

ElasticLaw viscoelasticLaw() {
    return {ElasticLawId::kViscoelastic,
            "viscoelastic",
            "bulk and shear modulus with a barrier against zero volume: never inverts, steps that would are "
            "rejected",
            true,
            energy,
            stress,
            stiffness,
            projectedStiffness,
            dissipation,
            viscousStress,
            viscousTangentRate,
            viscousTangentF};
}

}  // namespace sunder
