#pragma once

#include "core/material/elastic_law.h"

namespace sunder {

/// Remesh10 section 3, with the signed singular values of Irving et al. 2004: F = U S V^T, R = U V^T. Energy
/// mu |F - R|^2 + lambda/2 tr(R^T F - I)^2, P = R (2 mu e + lambda tr(e) I) with e = V (S - I) V^T; the
/// derivative includes that of the rotation.
///
/// Limits: good for any rotation and for inverted and collapsed elements, which it pushes back with a finite
/// force. Volume is kept only through the linear strain, so large stretches lose or gain some. Where two
/// stretches add up to zero (only in collapsed or inverted elements) the rotation jumps: there stress stays
/// finite, and the stiffness against that rotation is bounded by taking a sum of stretches under
/// kSmallestStretchSum for that value.
ElasticLaw corotatedLaw();

inline constexpr double kSmallestStretchSum = 1e-3;

/// The energy and its first and second derivatives by the stretches, for those who know these already.
double corotatedEnergy(const LawParams& p, const Vec3& stretches);
Vec3 corotatedSlopes(const LawParams& p, const Vec3& stretches);
Mat3 corotatedCurvatures(const LawParams& p);

}  // namespace sunder
