#include "core/math/project_psd.h"

#include <Eigen/Eigenvalues>

namespace sunder {

Mat9 projectPsd9(const Mat9& A) {
    const Mat9 symmetric = 0.5 * (A + A.transpose());
    const Eigen::SelfAdjointEigenSolver<Mat9> solver(symmetric);
    if (solver.eigenvalues()[0] >= 0) return symmetric;
    const Vec9 kept = solver.eigenvalues().cwiseMax(0);
    const Mat9 scaled = solver.eigenvectors() * kept.asDiagonal();
    const Mat9 projected = scaled * solver.eigenvectors().transpose();
    return 0.5 * (projected + projected.transpose());
}

}  // namespace sunder
