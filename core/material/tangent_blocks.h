#pragma once

#include "core/math/types.h"

/// Pieces of derivatives of vec(P) by vec(F), as 3x3 blocks: block (j, l) is the derivative of column j of P
/// by column l of F.
namespace sunder {

/// Of F (lambda tr(e) I + 2 mu e) with e = sym(A^T dF), the derivative by dF, A held: block (j, l) is
/// lambda f_j a_l^T + mu f_l a_j^T + [j = l] mu F A^T. Symmetric and positive semi-definite for A = F.
Mat9 strainTangent(double lambda, double mu, const Mat3& F, const Mat3& A);

/// Adds the derivative of F S by F, with S symmetric and held: block (j, l) gets S_lj I.
void addStressTangent(Mat9& K, const Mat3& S);

/// The derivative of the determinant by F: its cofactors, columns f1 x f2, f2 x f0, f0 x f1.
Mat3 cofactors(const Mat3& F);

/// Adds scale * (derivative of cofactors(F) by F).
void addCofactorTangent(Mat9& K, const Mat3& F, double scale);

}  // namespace sunder
