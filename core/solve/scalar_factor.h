#pragma once

#include <memory>
#include <vector>

#include "core/solve/scalar_matrix.h"

namespace sunder {

/// A sparse Cholesky factorization of a scalar matrix. Implemented once by scalar_factor_cholmod.cpp or, in a build without
/// CHOLMOD, by scalar_factor_eigen.cpp.
class ScalarFactor {
  public:
    virtual ~ScalarFactor() = default;
    /// Orders the unknowns; returns the flops that `factor` will take.
    virtual double analyse(const ScalarMatrix& matrix) = 0;
    /// False if the matrix is not positive definite.
    virtual bool factor(const ScalarMatrix& matrix) = 0;
    virtual void solve(const std::vector<double>& b, std::vector<double>& x) = 0;
};

std::unique_ptr<ScalarFactor> makeScalarFactor();
const char* scalarFactorName();

}  // namespace sunder
