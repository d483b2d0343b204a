#pragma once

#include "core/math/decompose.h"

namespace sunder {

/// The stiffness of an isotropic law in the frame of the singular vectors of F, where it falls apart: for an
/// energy psi of the signed stretches s, a 3x3 block for changes of the stretches, and for each pair (i, j)
/// two shears that are its eigenvectors: u_i v_j^T + u_j v_i^T (flip) with (psi_i - psi_j) / (s_i - s_j), and
/// u_i v_j^T - u_j v_i^T (twist) with (psi_i + psi_j) / (s_i + s_j). Smith, de Goes and Kim, Analytic
/// Eigensystems for Isotropic Distortion Energies, 2019.
struct StretchStiffness {
    Mat3 stretch;  ///< second derivatives of psi by the stretches
    Vec3 flip;     ///< entry k belongs to the pair of the two other axes
    Vec3 twist;
};

/// The nearest positive semi-definite one.
StretchStiffness clampedPositive(const StretchStiffness& s);

/// dP/dF.
Mat9 stiffnessFromStretches(const Svd3& svd, const StretchStiffness& s);

}  // namespace sunder
