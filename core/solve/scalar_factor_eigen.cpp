#include <Eigen/SparseCholesky>
#include <algorithm>

#include "core/solve/scalar_factor.h"

namespace sunder {

namespace {
/// Between analysis and factorization Eigen's factor has its columns laid out and nothing in them, and matrixL() may not be asked
/// for: their lengths are read from the layout.
class AnalysedLlt : public Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> {
  public:
    /// Squared column lengths, summed.
    double flops() const {
        double sum = 0;
        for (Eigen::Index c = 0; c < m_matrix.cols(); ++c) {
            const double length = m_matrix.outerIndexPtr()[c + 1] - m_matrix.outerIndexPtr()[c];
            sum += length * length;
        }
        return sum;
    }
};

class EigenFactor : public ScalarFactor {
  public:
    double analyse(const ScalarMatrix& matrix) override {
        llt_.analyzePattern(view(matrix));
        return llt_.flops();
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

    AnalysedLlt llt_;
};
}  // namespace

std::unique_ptr<ScalarFactor> makeScalarFactor() { return std::make_unique<EigenFactor>(); }
const char* scalarFactorName() { return "eigen"; }

}  // namespace sunder
