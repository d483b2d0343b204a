#include <Eigen/SparseCholesky>
#include <algorithm>

#include "core/solve/scalar_factor.h"

namespace sunder {

namespace {
class EigenFactor : public ScalarFactor {
  public:
    double analyse(const ScalarMatrix& matrix) override {
        llt_.analyzePattern(view(matrix));
        // columns of L of a simplicial factor: flops are the sum of their squared lengths
        const Eigen::SparseMatrix<double> l = llt_.matrixL();
        double flops = 0;
        for (Eigen::Index c = 0; c < l.cols(); ++c) {
            const double length = l.outerIndexPtr()[c + 1] - l.outerIndexPtr()[c];
            flops += length * length;
        }
        return flops;
    }
    bool factor(const ScalarMatrix& matrix) override {
        llt_.factorize(view(matrix));
        return llt_.info() == Eigen::Success;
    }
    void solve(const std::vector<double>& b, std::vector<double>& x) override {
        const Eigen::VectorXd solution = llt_.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size())));
        x.assign(solution.data(), solution.data() + solution.size());
    }

  private:
    using View = Eigen::Map<const Eigen::SparseMatrix<double>>;
    static View view(const ScalarMatrix& m) {
        const auto n = static_cast<Eigen::Index>(m.size());
        return View(n, n, static_cast<Eigen::Index>(m.row.size()), m.columnFirst.data(), m.row.data(), m.values.data());
    }

    Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> llt_;
};
}  // namespace

std::unique_ptr<ScalarFactor> makeScalarFactor() { return std::make_unique<EigenFactor>(); }
const char* scalarFactorName() { return "eigen"; }

}  // namespace sunder
