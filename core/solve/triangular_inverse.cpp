#include "core/solve/triangular_inverse.h"

#include <algorithm>

namespace sunder::triangular_inverse {

bool assign(const Eigen::Ref<const Eigen::MatrixXd>& factor, float* values) {
    constexpr Eigen::Index kColumns = 16;  // at once: above them the inverse is zero
    const Eigen::Index n = factor.rows(), padded = static_cast<Eigen::Index>(paddedSize(static_cast<std::size_t>(n)));
    Eigen::MatrixXd columns;
    for (Eigen::Index first = 0; first < n; first += kColumns) {
        const Eigen::Index rows = n - first, width = std::min(kColumns, rows);
        columns.setIdentity(rows, width);
        factor.bottomRightCorner(rows, rows).triangularView<Eigen::Lower>().solveInPlace(columns);
        if (!columns.allFinite()) return false;
        for (Eigen::Index k = first; k < first + width; ++k)
            for (Eigen::Index i = k / 4 * 4; i < padded; ++i) *values++ = i < k || i >= n ? 0.0F : static_cast<float>(columns(i - first, k - first));
    }
    return true;
}

}  // namespace sunder::triangular_inverse
