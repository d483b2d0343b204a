#pragma once

#include "core/material/plastic_law.h"

/// Flow of the Green strain's deviator: the laws of Ductile02 (`additive`) and Virtual04 section 3 (`creep`).
///
/// E = (F^T F - 1) / 2 is an elastic part plus a deviatoric plastic part Q, and the energy is that of the law `green` in the elastic
/// part, lambda/2 tr(E)^2 + mu |E - Q|^2. With e the deviator of E, Q0 the plastic part before and d = |Q - Q0|, a step finds
///   the Q with |Q| <= limit that minimizes  mu |e - Q|^2 + 2 mu (integral of r from 0 to d),
/// where r is the norm of the elastic deviator that flow of d in this step takes: `yield` for additive; for creep, whose rate is
/// `rate` times the elastic deviator where that is above yield, the larger of yield and d / (rate dt).
///
/// Without the limit that is radial return: the elastic deviator keeps the direction of e - Q0 and gets the length yield,
/// Ductile02 (4), or for creep |e - Q0| / (1 + rate dt) if that is more. (Virtual04 steps the same rate forward in time, and takes a
/// norm that counts shears half and volume, too.) At the limit Q slides on a ball. Ductile02 (5) scales Q back towards zero instead,
/// which is the same where strain grows along one direction, but is the minimum of nothing else where it turns.
///
/// The minimum is convex in e, so stress = F (lambda tr(E) 1 + 2 mu (E - Q)) is the gradient of a potential and the derivative of
/// its deviator, 2 mu (1 - dQ/de), is symmetric and positive semi-definite. With n = (Q - Q0) / d the minimum has
/// e - Q = r n + nu Q, nu the pressure of the limit, from which dQ/de follows.
///
/// Limits: those of `green`. Flow keeps the trace of E, and with it volume for small strain alone.
namespace sunder {

/// Where flow ends, and dQ/de = share 1 + sum of factor[k] direction[k] direction[k]^T on deviators.
struct StrainReturn {
    Mat3 plastic;         ///< Q
    double distance = 0;  ///< d
    double share = 0;
    double factor[2] = {0, 0};
    Mat3 direction[2] = {Mat3::Zero(), Mat3::Zero()};
};

/// `deviator` is e; flowTime is dt, 0 for no flow.
StrainReturn returnStrain(const PlasticParams& p, const Mat3& deviator, const Mat3& before, double flowTime);

PlasticLaw additivePlasticity();
PlasticLaw creepPlasticity();

}  // namespace sunder
