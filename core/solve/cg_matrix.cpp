#include "core/solve/cg_matrix.h"

#include "core/base/parallel.h"

namespace sunder {

void CgMatrix::buildPattern(const SparsePattern& pattern) {
    rowFirst.assign(1, 0);
    column.clear();
    for (std::size_t r = 0; r < pattern.rowCount(); ++r) {
        for (auto k = pattern.rowFirst[r]; k < pattern.rowFirst[r + 1]; ++k)
            if (k != pattern.diagonal[r]) column.push_back(pattern.column[static_cast<std::size_t>(k)]);
        rowFirst.push_back(static_cast<std::int32_t>(column.size()));
    }
}

void CgMatrix::assign(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) {
    const SparsePattern& pattern = *matrix.pattern;
    if (rowCount() != pattern.rowCount() || column.size() + pattern.rowCount() != pattern.blockCount()) buildPattern(pattern);
    values.resize(9 * column.size() + 4);
    diagonal.resize(12 * pattern.rowCount());
    parallelFor(pattern.rowCount(), kCgGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t r = first; r < last; ++r) {
            const bool isFixed = !fixed.empty() && fixed[r];
            float* to = values.data() + 9 * static_cast<std::size_t>(rowFirst[r]);
            Mat3 lost = Mat3::Zero();
            for (auto k = pattern.rowFirst[r]; k < pattern.rowFirst[r + 1]; ++k) {
                if (k == pattern.diagonal[r]) continue;
                const double* from = matrix.values.data() + 9 * static_cast<std::size_t>(k);
                for (int e = 0; e < 9; ++e) {
                    to[e] = isFixed ? 0.0f : static_cast<float>(from[e]);
                    lost.data()[e] += from[e] - static_cast<double>(to[e]);
                }
                to += 9;
            }
            const Mat3 whole = matrix.block(static_cast<std::size_t>(pattern.diagonal[r])) + 0.5 * (lost + lost.transpose());
            for (int c = 0; c < 3; ++c)
                for (int i = 0; i < 4; ++i) diagonal[12 * r + static_cast<std::size_t>(4 * c + i)] = isFixed || i == 3 ? 0.0 : whole(i, c);
        }
    });
}

double CgMatrix::multiplyRows(const double* x, double* y, std::size_t first, std::size_t last) const {
    Wide4d dot(0.0);
    for (std::size_t r = first; r < last; ++r) {
        const double* d = diagonal.data() + 12 * r;
        const double* xr = x + 4 * r;
        Wide4d sum0 = Wide4d::load(d) * Wide4d(xr[0]), sum1 = Wide4d::load(d + 4) * Wide4d(xr[1]),
               sum2 = Wide4d::load(d + 8) * Wide4d(xr[2]);
        const float* a = values.data() + 9 * static_cast<std::size_t>(rowFirst[r]);
        for (auto k = static_cast<std::size_t>(rowFirst[r]); k < static_cast<std::size_t>(rowFirst[r + 1]); ++k, a += 9) {
            const double* xc = x + 4 * static_cast<std::size_t>(column[k]);
            sum0 += loadFloats(a) * Wide4d(xc[0]);
            sum1 += loadFloats(a + 3) * Wide4d(xc[1]);
            sum2 += loadFloats(a + 6) * Wide4d(xc[2]);
        }
        Wide4d sum = (sum0 + sum1) + sum2;
        sum.set(3, 0.0);
        sum.store(y + 4 * r);
        dot += sum * Wide4d::load(xr);
    }
    return (dot[0] + dot[1]) + dot[2];
}

}  // namespace sunder
