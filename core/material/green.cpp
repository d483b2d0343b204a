#include "core/material/green.h"

#include "core/material/strain_viscosity.h"
#include "core/material/stretch_stiffness.h"
#include "core/material/tangent_blocks.h"

namespace sunder {

namespace {

Mat3 greenStrain(const Mat3& F) { return 0.5 * (F.transpose() * F - Mat3::Identity()); }

Mat3 secondStress(const LawParams& p, const Mat3& F) {
    const Mat3 E = greenStrain(F);
    return p.lambda * E.trace() * Mat3::Identity() + 2 * p.mu * E;
}

double energy(const LawParams& p, const Mat3& F) {
    const Mat3 E = greenStrain(F);
    const double trace = E.trace();
    return 0.5 * p.lambda * trace * trace + p.mu * E.squaredNorm();
}

Mat3 stress(const LawParams& p, const Mat3& F) { return F * secondStress(p, F); }

Mat9 stiffness(const LawParams& p, const Mat3& F) {
    Mat9 K = strainTangent(p.lambda, p.mu, F, F);
    addStressTangent(K, secondStress(p, F));
    return K;
}

/// psi_i = s_i (lambda tr E + mu (s_i^2 - 1)).
Mat9 projectedStiffness(const LawParams& p, const Mat3& F) {
    const Svd3 svd = svd3(F);
    const Vec3& s = svd.sigma;
    const double pressure = 0.5 * p.lambda * (s.squaredNorm() - 3) - p.mu;
    StretchStiffness k;
    k.stretch = p.lambda * s * s.transpose();
    for (int axis = 0; axis < 3; ++axis) {
        const double a = s[(axis + 1) % 3], b = s[(axis + 2) % 3];
        k.stretch(axis, axis) += pressure + 3 * p.mu * s[axis] * s[axis];
        k.flip[axis] = pressure + p.mu * (a * a + a * b + b * b);
        k.twist[axis] = pressure + p.mu * (a * a - a * b + b * b);
    }
    return stiffnessFromStretches(svd, clampedPositive(k));
}

}  // namespace

ElasticLaw greenLaw() {
    return {ElasticLawId::kGreen,
            "green",
            "linear in Green strain (St. Venant-Kirchhoff): any rotation, small to moderate strain",
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
