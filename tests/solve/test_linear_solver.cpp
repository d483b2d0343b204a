#include <gtest/gtest.h>

#include <cmath>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/fem/mass.h"
#include "core/solve/linear_solver.h"
#include "core/solve/matrix_parts.h"
#include "core/solve/piece_cg.h"
#include "tests/support/builders.h"

namespace sunder {

namespace {
/// M + dt^2 K of a corotated box, one face held.
struct ElasticSystem {
    TetMesh mesh;
    std::vector<TetMaterial> materials;
    ElementTable table;
    SparsePattern pattern;
    BlockMatrix matrix;
    std::vector<std::uint8_t> fixed;
    std::vector<Vec3> solution, right;

    explicit ElasticSystem(int cells, double youngs = 1e6) : mesh(testing::makeBox(2 * cells, cells, cells, Vec3(2, 1, 1))) {
        materials.assign(mesh.tetCount(), {ElasticLawId::kCorotated, {0.6 * youngs, 0.4 * youngs, 0, 0}, 1000.0});
        table = buildElementTable(mesh, materials);
        pattern = buildSparsePattern(table);
        matrix.pattern = &pattern;
        AssembleScratch scratch;
        const double dt = 0.01;
        AssembleOptions options;
        options.stiffness = dt * dt;
        assembleStiffness(table, mesh.rest, mesh.rest, options, scratch, matrix);
        const std::vector<double> mass = computeLumpedMass(mesh, materials);
        for (std::size_t i = 0; i < mass.size(); ++i) {
            matrix.block(static_cast<std::size_t>(pattern.diagonal[i])).diagonal().array() += mass[i];
            fixed.push_back(mesh.rest[i].x() == 0);
            solution.push_back(fixed[i] ? Vec3::Zero() : Vec3(randomRange(-1, 1, 1, i), randomRange(-1, 1, 2, i), randomRange(-1, 1, 3, i)));
        }
        right.resize(mass.size());
        multiply(matrix, solution, right);
    }
};

double relativeError(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += (a[i] - b[i]).squaredNorm();
        size += b[i].squaredNorm();
    }
    return std::sqrt(difference / size);
}

std::vector<std::unique_ptr<LinearSolver>> allSolvers() {
    std::vector<std::unique_ptr<LinearSolver>> solvers;
    solvers.push_back(makeJacobiCg());
    solvers.push_back(makeCholeskyCg());
    solvers.push_back(makeDirectSolver());
    return solvers;
}
}  // namespace

TEST(LinearSolver, AllFindTheKnownSolutionToTheirTolerance) {
    const ElasticSystem s(6);
    for (const auto& solver : allSolvers())
        for (const double tolerance : {1e-4, 1e-6, 1e-10}) {
            ASSERT_TRUE(solver->factor(s.matrix, s.fixed));
            std::vector<Vec3> x(s.right.size(), Vec3::Zero());
            const LinearReport report = solver->solve(s.right, x, {tolerance, 10000, nullptr});
            EXPECT_TRUE(report.converged) << report.message;
            EXPECT_LE(report.residual, tolerance);
            std::vector<Vec3> product(x.size());
            multiply(s.matrix, x, product);
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (s.fixed[i]) {
                    EXPECT_EQ(x[i], Vec3::Zero());
                    product[i] = s.right[i];
                }
            }
            EXPECT_LE(relativeError(product, s.right), tolerance);
            EXPECT_LE(relativeError(x, s.solution), 1e3 * tolerance);  // condition number of this system: about 400
        }
}

namespace {
/// Springs of given strength between vertices that the pattern knows nothing of, without their diagonal blocks.
struct Springs : Coupling {
    std::vector<std::array<std::size_t, 2>> ends;
    double strength;
    std::size_t cut = 0;  ///< first vertex of the second of two parts

    bool within(std::size_t a, std::size_t b) const { return (a < cut) == (b < cut); }
    void addProduct(Span<const Vec3> x, Span<Vec3> y) const override {
        addProductBetween(x, y);
        for (const auto& [a, b] : ends) {
            if (!within(a, b)) continue;
            y[a] -= strength * x[b];
            y[b] -= strength * x[a];
        }
    }
    void addProductBetween(Span<const Vec3> x, Span<Vec3> y) const override {
        for (const auto& [a, b] : ends) {
            if (within(a, b)) continue;
            y[a] -= strength * x[b];
            y[b] -= strength * x[a];
        }
    }
    void addWithin(std::size_t first, std::size_t, Eigen::Ref<Eigen::MatrixXd> matrix) const override {
        for (const auto& [a, b] : ends)
            if (within(a, b) && (a < cut) == (first < cut))
                matrix.block<3, 3>(static_cast<Eigen::Index>(3 * (std::max(a, b) - first)), static_cast<Eigen::Index>(3 * (std::min(a, b) - first))) -=
                    strength * Mat3::Identity();
    }
    std::vector<std::uint8_t> markShared(std::size_t count) const override {
        std::vector<std::uint8_t> marks(count, 0);
        for (const auto& [a, b] : ends)
            if (!within(a, b)) marks[a] = marks[b] = 1;
        return marks;
    }
};

/// Two of a pattern side by side.
SparsePattern twice(const SparsePattern& one) {
    SparsePattern two = one;
    const auto rows = static_cast<std::int32_t>(one.rowCount()), blocks = static_cast<std::int32_t>(one.blockCount());
    for (const std::int32_t c : one.column) two.column.push_back(rows + c);
    for (const std::int32_t d : one.diagonal) two.diagonal.push_back(blocks + d);
    for (std::size_t r = 1; r < one.rowFirst.size(); ++r) two.rowFirst.push_back(blocks + one.rowFirst[r]);
    return two;
}
}  // namespace

TEST(LinearSolver, CouplingsBesideTheMatrixCountInProductsAndResiduals) {
    ElasticSystem s(6, 1e7);
    Springs springs;
    springs.strength = 3;
    for (std::size_t i = 0; i < 60; ++i) springs.ends.push_back({i, s.right.size() - 1 - 3 * i});
    for (const auto& pair : springs.ends)
        for (const std::size_t i : pair) s.matrix.block(static_cast<std::size_t>(s.pattern.diagonal[i])).diagonal().array() += springs.strength;
    multiply(s.matrix, s.solution, s.right);
    springs.addProduct(s.solution, s.right);
    for (const auto make : {makeJacobiCg, makeCholeskyCg}) {
        const auto solver = make();
        ASSERT_TRUE(solver->factor(s.matrix, s.fixed));
        solver->setCoupling(&springs);
        std::vector<Vec3> x(s.right.size(), Vec3::Zero());
        const LinearReport report = solver->solve(s.right, x, {1e-9, 10000, nullptr});
        EXPECT_TRUE(report.converged) << report.message;
        EXPECT_LE(relativeError(x, s.solution), 1e-6);
        solver->setCoupling(nullptr);
        EXPECT_TRUE(solver->solve(s.right, x, {1e-9, 10000, nullptr}).converged);
        EXPECT_GT(relativeError(x, s.solution), 1e-3);  // the springs did count
    }
}

TEST(MatrixParts, AreWhatThePatternJoins) {
    const ElasticSystem one(2, 1e7);
    const std::size_t n = one.right.size();
    const SparsePattern two = twice(one.pattern);
    const MatrixParts small = findParts(two, n), large = findParts(two, n - 1);
    EXPECT_EQ(small.count, 2u);
    EXPECT_EQ(large.count, 2u);
    EXPECT_EQ(small.small.first, (std::vector<std::int32_t>{0, static_cast<std::int32_t>(n), static_cast<std::int32_t>(2 * n)}));
    for (std::size_t v = 0; v < 2 * n; ++v) EXPECT_EQ(small.small.items[v], static_cast<std::int32_t>(v));
    EXPECT_TRUE(small.rest.empty());
    EXPECT_EQ(large.small.size(), 0u);
    EXPECT_EQ(large.rest, small.small.items);
}

namespace {
/// The pattern of `one` with that of two tets without a vertex in common behind it.
SparsePattern withTwoTets(const SparsePattern& one) {
    SparsePattern all = one;
    for (std::int32_t tet = 0; tet < 2; ++tet) {
        const auto first = static_cast<std::int32_t>(all.rowCount());
        for (std::int32_t i = 0; i < 4; ++i) {
            for (std::int32_t j = 0; j < 4; ++j) {
                if (i == j) all.diagonal.push_back(static_cast<std::int32_t>(all.column.size()));
                all.column.push_back(first + j);
            }
            all.rowFirst.push_back(static_cast<std::int32_t>(all.column.size()));
        }
    }
    return all;
}
}  // namespace

namespace {
/// One large piece, two small ones with a fixed vertex, and springs within and between all: what is found is what other solvers find. Returns the iterations that
/// it takes without springs.
int solvePieces(int cells) {
    const ElasticSystem one(cells, 1e7);
    const std::size_t n = one.right.size();
    const SparsePattern pattern = withTwoTets(one.pattern);
    EXPECT_EQ(findParts(pattern, 24).small.size(), 2u);
    EXPECT_EQ(findParts(pattern, 24).rest.size(), n);
    BlockMatrix matrix{&pattern, one.matrix.values};
    matrix.values.resize(9 * pattern.blockCount(), 0.0);
    for (std::size_t tet = 0; tet < 2; ++tet)
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                matrix.block(one.pattern.blockCount() + 16 * tet + 4 * i + j) = (i == j ? 900.0 : -250.0) * Mat3::Identity();
    Springs springs;
    springs.strength = 300;
    for (std::size_t i = 0; i < 8; ++i) springs.ends.push_back({n + i, 5 * i + 30});
    springs.ends.push_back({n, n + 5});
    springs.ends.push_back({n + 4, n + 7});
    for (std::size_t i = 0; i + 9 < n; i += 11) springs.ends.push_back({i, i + 9});
    for (const auto& pair : springs.ends)
        for (const std::size_t i : pair) matrix.block(static_cast<std::size_t>(pattern.diagonal[i])).diagonal().array() += springs.strength;
    std::vector<std::uint8_t> fixed = one.fixed;
    fixed[n / 2] = fixed[n - 1] = 1;  // wherever the order of a factor begins, some come before free ones
    for (std::size_t i = 0; i < 8; ++i) fixed.push_back(i == 2 ? 1 : 0);
    std::vector<Vec3> right(n + 8);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = Vec3(std::sin(1.0 + static_cast<double>(i)), std::cos(static_cast<double>(2 * i)), std::sin(static_cast<double>(3 * i)));
    int iterations = 0;
    const auto solve = [&](LinearSolver& solver, const Coupling* coupling) {
        solver.setCoupling(coupling);
        EXPECT_TRUE(solver.factor(matrix, fixed));
        std::vector<Vec3> x(right.size(), Vec3::Zero());
        const LinearReport report = solver.solve(right, x, {1e-10, 1000, nullptr});
        EXPECT_TRUE(report.converged) << report.message;
        iterations = report.iterations;
        return x;
    };
    const auto pieces = makePieceCg(), reference = makeJacobiCg();
    for (const Coupling* coupling : {static_cast<const Coupling*>(&springs), static_cast<const Coupling*>(nullptr)}) {
        const std::vector<Vec3> expected = solve(*reference, coupling), x = solve(*pieces, coupling);
        EXPECT_LE(relativeError(x, expected), 1e-8);
        EXPECT_EQ(x[n + 2], Vec3::Zero());
    }
    return iterations;
}
}  // namespace

/// A slim piece is factored, so that nothing is left to iterate on but what rounding of the small ones' inverses leaves.
TEST(LinearSolver, PiecesAreSolvedByTheirFactors) { EXPECT_LE(solvePieces(3), 3); }
TEST(LinearSolver, PiecesAreSolvedBesideOneThatIsTooBulkyForAFactor) { EXPECT_GT(solvePieces(12), 10); }

TEST(LinearSolver, PartsAreSolvedExactlyAndCouplingsBetweenThemByIterations) {
    const ElasticSystem one(2, 1e7);
    const std::size_t n = one.right.size();
    const SparsePattern pattern = twice(one.pattern);
    BlockMatrix matrix{&pattern, one.matrix.values};
    matrix.values.insert(matrix.values.end(), one.matrix.values.begin(), one.matrix.values.end());
    std::vector<std::uint8_t> fixed = one.fixed;
    fixed.insert(fixed.end(), one.fixed.begin(), one.fixed.end());
    std::vector<Vec3> solution = one.solution, right(2 * n);
    for (const Vec3& x : one.solution) solution.push_back(-2 * x);
    Springs springs;
    springs.strength = 300;  // as stiff as the parts
    springs.cut = n;
    for (std::size_t i = 0; i + 5 < n; ++i) springs.ends.push_back(i % 3 == 0 ? std::array{i, i + 5} : std::array{i, 2 * n - 1 - i});
    for (const auto& pair : springs.ends)
        for (const std::size_t i : pair) matrix.block(static_cast<std::size_t>(pattern.diagonal[i])).diagonal().array() += springs.strength;
    multiply(matrix, solution, right);
    springs.addProduct(solution, right);
    const auto solver = makePartCg();
    solver->setParts({0, n, 2 * n});
    solver->setCoupling(&springs);
    ASSERT_TRUE(solver->factor(matrix, fixed));
    std::vector<Vec3> x(2 * n, Vec3::Zero());
    const LinearReport report = solver->solve(right, x, {1e-10, 1000, nullptr});
    EXPECT_TRUE(report.converged) << report.message;
    EXPECT_LE(relativeError(x, solution), 1e-7);
    EXPECT_GT(report.iterations, 2);

    solver->setCoupling(nullptr);
    ASSERT_TRUE(solver->factor(matrix, fixed));
    multiply(matrix, solution, right);
    std::fill(x.begin(), x.end(), Vec3::Zero());
    const LinearReport apart = solver->solve(right, x, {1e-10, 1000, nullptr});
    EXPECT_LE(apart.iterations, 2);
    EXPECT_LE(relativeError(x, solution), 1e-9);
}

TEST(LinearSolver, AWarmStartAtTheSolutionTakesNoIteration) {
    const ElasticSystem s(4);
    const auto solver = makeJacobiCg();
    ASSERT_TRUE(solver->factor(s.matrix, s.fixed));
    std::vector<Vec3> x = s.solution;
    const LinearReport report = solver->solve(s.right, x, {1e-8, 1000, nullptr});
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.iterations, 0);
}

TEST(LinearSolver, IncompleteCholeskyNeedsFewerIterations) {
    const ElasticSystem s(8, 1e8);
    int iterations[2];
    int k = 0;
    for (const auto make : {makeJacobiCg, makeCholeskyCg}) {
        const auto solver = make();
        ASSERT_TRUE(solver->factor(s.matrix, s.fixed));
        std::vector<Vec3> x(s.right.size(), Vec3::Zero());
        iterations[k++] = solver->solve(s.right, x, {1e-6, 10000, nullptr}).iterations;
    }
    EXPECT_LT(2 * iterations[1], iterations[0]);
}

TEST(LinearSolver, SaysWhyItGaveUpAndRefusesIndefiniteMatrices) {
    ElasticSystem s(4);
    const auto solver = makeJacobiCg();
    ASSERT_TRUE(solver->factor(s.matrix, s.fixed));
    std::vector<Vec3> x(s.right.size(), Vec3::Zero());
    const LinearReport report = solver->solve(s.right, x, {1e-10, 3, nullptr});
    EXPECT_FALSE(report.converged);
    EXPECT_NE(report.message.find("3 iterations"), std::string::npos);
    for (double& value : s.matrix.values) value = -value;
    for (const auto& any : allSolvers()) EXPECT_FALSE(any->factor(s.matrix, s.fixed));
}

TEST(LinearSolver, SolutionsHaveTheSameBitsForAnyThreadCountAndAfterReuse) {
    const ElasticSystem s(9);
    for (std::size_t kind = 0; kind < 3; ++kind) {
        std::vector<std::vector<Vec3>> results;
        auto reused = std::move(allSolvers()[kind]);
        for (const int threads : {1, 2, 7, 0}) {
            setThreadCount(threads);
            for (const bool fresh : {true, false}) {
                auto solver = fresh ? std::move(allSolvers()[kind]) : nullptr;
                LinearSolver& used = fresh ? *solver : *reused;
                ASSERT_TRUE(used.factor(s.matrix, s.fixed));
                results.emplace_back(s.right.size(), Vec3::Zero());
                used.solve(s.right, results.back(), {1e-8, 10000, nullptr});
            }
        }
        for (const auto& r : results) EXPECT_EQ(r, results[0]);
    }
}

TEST(DirectSolver, PredictsMoreFlopsForLargerSystems) {
    const ElasticSystem small(4), large(8);
    const auto solver = makeDirectSolver();
    const double a = solver->analyse(small.pattern), b = solver->analyse(large.pattern);
    EXPECT_GT(a, 0);
    EXPECT_GT(b, 8 * a);
}

}  // namespace sunder
