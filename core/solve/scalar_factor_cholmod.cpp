#include <cholmod.h>
#include <dlfcn.h>

#include "core/base/error.h"
#include "core/solve/scalar_factor.h"

namespace sunder {

namespace {
/// A threaded BLAS would change bytes with the number of threads. Which BLAS is linked is the system's choice, so the switch is
/// looked up in the process.
void limitBlasToOneThread() {
    static const bool done = [] {
        for (const char* name : {"openblas_set_num_threads", "MKL_Set_Num_Threads", "bli_thread_set_num_threads"})
            if (void* symbol = dlsym(RTLD_DEFAULT, name)) {
                if (name[0] == 'b')
                    reinterpret_cast<void (*)(long)>(symbol)(1);
                else
                    reinterpret_cast<void (*)(int)>(symbol)(1);
            }
        return true;
    }();
    (void)done;
}

/// CHOLMOD's supernodal loops ask OpenMP for four threads each, whatever the environment says; on a busy machine they wait for each other far longer than
/// they work. While one of these lives, such loops run on the calling thread alone. OpenMP, too, is looked up in the process.
class OneOpenMpThread {
  public:
    OneOpenMpThread() {
        if (set() && get()) {
            before_ = get()();
            set()(0);
        }
    }
    ~OneOpenMpThread() {
        if (before_ >= 0) set()(before_);
    }
    OneOpenMpThread(const OneOpenMpThread&) = delete;
    OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

  private:
    static void (*set())(int) {
        static void* const symbol = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
        return reinterpret_cast<void (*)(int)>(symbol);
    }
    static int (*get())() {
        static void* const symbol = dlsym(RTLD_DEFAULT, "omp_get_max_active_levels");
        return reinterpret_cast<int (*)()>(symbol);
    }
    int before_ = -1;
};

class CholmodFactor : public ScalarFactor {
  public:
    CholmodFactor() {
        limitBlasToOneThread();
        cholmod_start(&common_);
        common_.print = 0;
        common_.final_ll = 1;  // small matrices, too: an L D L^T would take an indefinite one without a word
        common_.error_handler = nullptr;
    }
    ~CholmodFactor() override {
        cholmod_free_factor(&factor_, &common_);
        cholmod_finish(&common_);
    }
    CholmodFactor(const CholmodFactor&) = delete;
    CholmodFactor& operator=(const CholmodFactor&) = delete;

    double analyse(const ScalarMatrix& matrix) override {
        cholmod_free_factor(&factor_, &common_);
        cholmod_sparse view = sparseView(matrix);
        factor_ = cholmod_analyze(&view, &common_);
        if (!factor_) throw Error("CHOLMOD could not analyse the system matrix", "choose linearSolver cg-jacobi");
        return common_.fl;
    }

    bool factor(const ScalarMatrix& matrix) override {
        const OneOpenMpThread alone;
        cholmod_sparse view = sparseView(matrix);
        cholmod_factorize(&view, factor_, &common_);
        if (common_.status == CHOLMOD_OUT_OF_MEMORY)
            throw Error("CHOLMOD ran out of memory", "choose linearSolver cg-jacobi, or lower cholmodFlops");
        return common_.status == CHOLMOD_OK;
    }

    void solve(const std::vector<double>& b, std::vector<double>& x) override {
        const OneOpenMpThread alone;
        cholmod_dense right{};
        right.nrow = right.nzmax = right.d = b.size();
        right.ncol = 1;
        right.x = const_cast<double*>(b.data());
        right.xtype = CHOLMOD_REAL;
        right.dtype = CHOLMOD_DOUBLE;
        cholmod_dense* solution = cholmod_solve(CHOLMOD_A, factor_, &right, &common_);
        if (!solution) throw Error("CHOLMOD could not solve the system", "choose linearSolver cg-jacobi");
        const auto* values = static_cast<const double*>(solution->x);
        x.assign(values, values + b.size());
        cholmod_free_dense(&solution, &common_);
    }

  private:
    static cholmod_sparse sparseView(const ScalarMatrix& matrix) {
        cholmod_sparse view{};
        view.nrow = view.ncol = matrix.size();
        view.nzmax = matrix.row.size();
        view.p = const_cast<std::int32_t*>(matrix.columnFirst.data());
        view.i = const_cast<std::int32_t*>(matrix.row.data());
        view.x = const_cast<double*>(matrix.values.data());
        view.stype = -1;  // the lower triangle
        view.itype = CHOLMOD_INT;
        view.xtype = CHOLMOD_REAL;
        view.dtype = CHOLMOD_DOUBLE;
        view.sorted = 1;
        view.packed = 1;
        return view;
    }

    cholmod_common common_{};
    cholmod_factor* factor_ = nullptr;
};
}  // namespace

std::unique_ptr<ScalarFactor> makeScalarFactor() { return std::make_unique<CholmodFactor>(); }
const char* scalarFactorName() { return "cholmod"; }

}  // namespace sunder
