#include "core/material/strain_viscosity.h"

#include "core/material/tangent_blocks.h"

namespace sunder {

namespace {

Mat3 strainRate(const Mat3& F, const Mat3& rate) {
    const Mat3 product = F.transpose() * rate;
    return 0.5 * (product + product.transpose());
}

Mat3 secondStress(const LawParams& p, const Mat3& F, const Mat3& rate) {
    const Mat3 E = strainRate(F, rate);
    return p.phi * E.trace() * Mat3::Identity() + 2 * p.psi * E;
}

}  // namespace

double strainDissipation(const LawParams& p, const Mat3& F, const Mat3& rate) {
    const Mat3 E = strainRate(F, rate);
    const double trace = E.trace();
    return 0.5 * p.phi * trace * trace + p.psi * E.squaredNorm();
}

Mat3 strainViscousStress(const LawParams& p, const Mat3& F, const Mat3& rate) {
    return F * secondStress(p, F, rate);
}

Mat9 strainViscousTangentRate(const LawParams& p, const Mat3& F, const Mat3&) {
    return strainTangent(p.phi, p.psi, F, F);
}

Mat9 strainViscousTangentF(const LawParams& p, const Mat3& F, const Mat3& rate) {
    Mat9 K = strainTangent(p.phi, p.psi, F, rate);
    addStressTangent(K, secondStress(p, F, rate));
    return K;
}

}  // namespace sunder
