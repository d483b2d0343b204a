#pragma once

#include "core/solve/linear_solver.h"

namespace sunder {

/// Conjugate gradients preconditioned by Cholesky factors of all parts that the matrix falls apart into for which these are cheap, and by an incomplete one of the
/// rest: for broken bodies whose pieces touch. As long as one is in use its matrices have one pattern.
std::unique_ptr<LinearSolver> makePieceCg();
bool isPieceCg(const LinearSolver& solver);

}  // namespace sunder
