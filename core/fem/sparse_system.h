#pragma once

#include <vector>

#include "core/fem/forces.h"

namespace sunder {

/// Which 3x3 blocks of a body's system matrix can be other than zero, and where the chunks' entries go in it. Once per topology.
/// Both triangles are stored, rows sorted by column.
struct SparsePattern {
    std::vector<std::int32_t> rowFirst;  ///< rowCount() + 1
    std::vector<std::int32_t> column;
    std::vector<std::int32_t> diagonal;  ///< place of the diagonal block of every row
    std::vector<std::int32_t> pairFirst;            ///< for every block on or above the diagonal: range in pairEntry
    std::vector<std::int32_t> pairEntry;            ///< numbers in ElementTable::chunkEntry, ascending
    std::vector<std::int32_t> pairUpper, pairLower; ///< its place, and that of its mirror

    std::size_t rowCount() const { return diagonal.size(); }
    std::size_t blockCount() const { return column.size(); }
};

SparsePattern buildSparsePattern(const ElementTable& table);

/// A symmetric matrix of 3x3 blocks over a pattern that somebody else owns.
struct BlockMatrix {
    const SparsePattern* pattern = nullptr;
    std::vector<double> values;  ///< nine a block, column by column

    Eigen::Map<Mat3> block(std::size_t k) { return Eigen::Map<Mat3>(values.data() + 9 * k); }
    Eigen::Map<const Mat3> block(std::size_t k) const { return Eigen::Map<const Mat3>(values.data() + 9 * k); }
};

/// y = A x, rows in parallel.
void multiply(const BlockMatrix& matrix, Span<const Vec3> x, Span<Vec3> y);

/// What goes into the matrix: stiffness * K(x) + viscosity * C(xViscous), K projected to positive semi-definite.
struct AssembleOptions {
    double stiffness = 1;
    double viscosity = 0;
    bool warped = false;  ///< K as the rotated rest stiffness (Virtual04): cheap; the corotated law's own choice for one solve a step
    PlasticStep plastic;
};

struct AssembleScratch {
    std::vector<double> entries;  ///< twelve doubles a chunk entry: three columns of (x, y, z, unused)
};

void assembleStiffness(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> xViscous, const AssembleOptions& options,
                       AssembleScratch& scratch, BlockMatrix& matrix);

/// K(x) by the laws' own scalar functions, one tet after the other: what the wide kernels are tested against.
void assembleStiffnessReference(const TetMesh& mesh, Span<const TetMaterial> materials, Span<const Vec3> x, BlockMatrix& matrix);

/// The warped stiffness of a corotated body, and, for little more, its elastic forces at x as partial sums (gatherForce): both
/// need the rotations of the tets.
ForceTotals assembleWarped(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> xViscous, const AssembleOptions& options,
                           AssembleScratch& scratch, BlockMatrix& matrix, ForceScratch& forces);

}  // namespace sunder
