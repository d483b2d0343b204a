#include "core/material/corotated.h"

#include <algorithm>

#include "core/material/strain_viscosity.h"
#include "core/material/stretch_stiffness.h"

namespace sunder {

namespace {

double energy(const LawParams& p, const Mat3& F) { return corotatedEnergy(p, svd3(F).sigma); }

Mat3 stress(const LawParams& p, const Mat3& F) {
    const Svd3 svd = svd3(F);
    return svd.U * corotatedSlopes(p, svd.sigma).asDiagonal() * svd.V.transpose();
}

/// psi_i = 2 mu (s_i - 1) + lambda (s_0 + s_1 + s_2 - 3).
StretchStiffness stretchStiffness(const LawParams& p, const Vec3& s) {
    const double turning = 2 * p.lambda * (s.sum() - 3) - 4 * p.mu;
    StretchStiffness k;
    k.stretch = corotatedCurvatures(p);
    k.flip = Vec3::Constant(2 * p.mu);
    for (int axis = 0; axis < 3; ++axis) {
        const double sum = s[(axis + 1) % 3] + s[(axis + 2) % 3];
        k.twist[axis] = 2 * p.mu + turning / std::max(sum, kSmallestStretchSum);
    }
    return k;
}

Mat9 stiffness(const LawParams& p, const Mat3& F) {
    const Svd3 svd = svd3(F);
    return stiffnessFromStretches(svd, stretchStiffness(p, svd.sigma));
}

Mat9 projectedStiffness(const LawParams& p, const Mat3& F) {
    const Svd3 svd = svd3(F);
    return stiffnessFromStretches(svd, clampedPositive(stretchStiffness(p, svd.sigma)));
}

}  // namespace

double corotatedEnergy(const LawParams& p, const Vec3& stretches) {
    const Vec3 strain = stretches - Vec3::Ones();
    const double trace = strain.sum();
    return p.mu * strain.squaredNorm() + 0.5 * p.lambda * trace * trace;
}

Vec3 corotatedSlopes(const LawParams& p, const Vec3& stretches) {
    const Vec3 strain = stretches - Vec3::Ones();
    return 2 * p.mu * strain + Vec3::Constant(p.lambda * strain.sum());
}

Mat3 corotatedCurvatures(const LawParams& p) { return Mat3::Constant(p.lambda) + 2 * p.mu * Mat3::Identity(); }

ElasticLaw corotatedLaw() {
    return {ElasticLawId::kCorotated,
            "corotated",
            "linear in the unrotated strain: robust, recovers from inversion and collapse",
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
