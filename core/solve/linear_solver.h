#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/fem/sparse_system.h"

namespace sunder {

struct LinearReport {
    bool converged = false;
    int iterations = 0;
    double residual = 0;  ///< |b - A x| / |b|, recomputed in double with the double matrix
    std::string message;  ///< why it did not converge
};

struct LinearSettings {
    double tolerance = 1e-6;  ///< on |b - A x| / |b|
    int maxIterations = 10000;
    Monitor* monitor = nullptr;  ///< polled now and then; throws Cancelled
};

/// A symmetric positive semi-definite matrix beside the block matrix, which knows only products: what contact adds between bodies
/// changes from one iteration to the next and would change the pattern with it. Best without its diagonal blocks, which belong into
/// the block matrix, where the preconditioner sees them.
class Coupling {
  public:
    virtual ~Coupling() = default;
    /// y += C x.
    virtual void addProduct(Span<const Vec3> x, Span<Vec3> y) const = 0;
    // For solvers that work by parts.
    /// The same without what C has within a part.
    virtual void addProductBetween(Span<const Vec3> x, Span<Vec3> y) const = 0;
    /// Adds that, below the diagonal blocks, to the matrix of the part of the vertices [first, last).
    virtual void addWithin(std::size_t first, std::size_t last, Eigen::Ref<Eigen::MatrixXd> matrix) const = 0;
    /// Marks the vertices, out of `count`, for which C has something between parts.
    virtual std::vector<std::uint8_t> markShared(std::size_t count) const = 0;
};

/// Solves A x = b for the vertices that are not fixed; x of fixed ones is zero on return. A must be positive definite on the
/// free ones. What a solver keeps from one call to the next (patterns, symbolic factors, room) changes no bit of a result.
class LinearSolver {
  public:
    virtual ~LinearSolver() = default;
    /// Takes in a matrix; `fixed` has one byte a vertex, or is empty. False if the matrix is not positive definite.
    virtual bool factor(const BlockMatrix& matrix, Span<const std::uint8_t> fixed) = 0;
    /// A is the block matrix plus this from now on, or null. Conjugate gradients only; the direct solver leaves it out.
    void setCoupling(const Coupling* coupling) { coupling_ = coupling; }
    /// The first vertex of each of the parts that have no blocks in common, and the end of the last. For makePartCg alone.
    void setParts(std::vector<std::size_t> first) { partFirst_ = std::move(first); }
    /// x holds the first guess and then the solution. `factor` came before, with the same matrix, still alive.
    virtual LinearReport solve(Span<const Vec3> b, Span<Vec3> x, const LinearSettings& settings) = 0;

  protected:
    const Coupling* coupling_ = nullptr;
    std::vector<std::size_t> partFirst_;
};

// Conjugate gradients with off-diagonal blocks in single precision, vectors and sums in double; where the true residual, in
// double, is still above the tolerance, it is solved for once more.
/// Preconditioned by the inverse diagonal blocks.
std::unique_ptr<LinearSolver> makeJacobiCg();
/// Preconditioned by an incomplete Cholesky factor: see SplitMatrix.
std::unique_ptr<LinearSolver> makeCholeskyCg();
/// Preconditioned by dense Cholesky factors of the parts: for many small bodies that touch.
std::unique_ptr<LinearSolver> makePartCg();

/// Direct factorization: CHOLMOD where it is built in, Eigen's simplicial Cholesky otherwise. Neither can be interrupted, so
/// look at the predicted flops first.
class DirectSolver : public LinearSolver {
  public:
    /// Analyses the pattern if it is another one than last time and returns the predicted flops.
    virtual double analyse(const SparsePattern& pattern) = 0;
    /// Takes in another matrix of the same pattern and fixed vertices but keeps the factor of the one before: `solve` then runs
    /// conjugate gradients with it, which is cheaper than a new factor as long as the matrices differ little.
    virtual void keepFactor(const BlockMatrix& matrix) = 0;
};
std::unique_ptr<DirectSolver> makeDirectSolver();
/// "cholmod" or "eigen".
const char* directSolverName();

}  // namespace sunder
