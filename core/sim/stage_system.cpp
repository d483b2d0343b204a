#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/timer.h"
#include "core/sim/stage_problem.h"
#include "core/solve/piece_cg.h"

/// The linear systems of an implicit step: what they solve for, assembly and the choice of a solver.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048;
constexpr std::size_t kSmallBody = 64;  // unknowns of a body whose matrix is factored as if it were dense
constexpr int kMostOldFactorSolves = 12, kFewOldFactorSolves = 6;  // a new factor takes about the time of twenty solves

/// Mean over the tets of the bound of each alone. (The largest bound may be that of a single sliver.)
double meanOmega(const ElementTable& table) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t p = 0; p < table.packs.size(); ++p)
        for (std::size_t lane = 0; lane < 4; ++lane)
            if (table.packTet[p][lane] >= 0) {
                sum += std::sqrt(table.packBounds[p].omegaSq[lane]);
                ++count;
            }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// Two unknowns, all four blocks.
SparsePattern rigidPattern() {
    SparsePattern p;
    p.rowFirst = {0, 2, 4};
    p.column = {0, 1, 0, 1};
    p.diagonal = {0, 3};
    return p;
}

/// The patterns of the bodies side by side.
SparsePattern joinPatterns(const std::vector<BodyWork*>& bodies, const std::vector<StageUnknowns::Kind>& kinds) {
    SparsePattern all;
    const SparsePattern rigid = rigidPattern();
    all.rowFirst.push_back(0);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        if (kinds[b] == StageUnknowns::Kind::kNone) continue;
        const SparsePattern& own = kinds[b] == StageUnknowns::Kind::kRigid ? rigid : bodies[b]->implicit->pattern;
        const auto rows = static_cast<std::int32_t>(all.rowCount()), blocks = static_cast<std::int32_t>(all.blockCount());
        for (std::size_t r = 0; r < own.rowCount(); ++r) {
            all.rowFirst.push_back(blocks + own.rowFirst[r + 1]);
            all.diagonal.push_back(blocks + own.diagonal[r]);
        }
        for (const std::int32_t c : own.column) all.column.push_back(rows + c);
    }
    return all;
}

/// True if some may come apart: then their matrices do, and most parts are small enough to be factored.
bool mayBreak(const std::vector<BodyWork*>& bodies) {
    return std::any_of(bodies.begin(), bodies.end(), [](const BodyWork* body) { return body->body->breaks(); });
}

/// Contact, where there is some, and glue as a linear solver sees them.
struct ContactCoupling : Coupling {
    const ContactPotential* potential;
    const GlueStage& glue;
    ContactCoupling(const ContactPotential* p, const GlueStage& g) : potential(p), glue(g) {}
    void addProduct(Span<const Vec3> x, Span<Vec3> y) const override {
        if (potential) potential->addProduct(x, y);
        if (!glue.empty()) glue.addProduct(x, y, false);
    }
    void addProductBetween(Span<const Vec3> x, Span<Vec3> y) const override {
        if (potential) potential->addProduct(x, y, true);
        if (!glue.empty()) glue.addProduct(x, y, true);
    }
    void addWithin(std::size_t first, std::size_t last, Eigen::Ref<Eigen::MatrixXd> matrix) const override {
        if (potential) potential->addWithin(first, last, matrix);
        if (!glue.empty()) glue.addWithin(first, last, matrix);
    }
    std::vector<std::uint8_t> markShared(std::size_t count) const override {
        std::vector<std::uint8_t> marks = potential ? potential->markShared(count) : std::vector<std::uint8_t>(count, 0);
        if (!glue.empty()) glue.markShared(marks);
        return marks;
    }
};
}  // namespace

void StageProblem::chooseKinds() {
    using Kind = StageUnknowns::Kind;
    kinds_.assign(bodyCount(), Kind::kNone);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (held_[b].vertices.size() < bodies_[b]->vertexCount() && !bodies_[b]->state.sleep.asleep) kinds_[b] = bodies_[b]->body->rigid ? Kind::kRigid : Kind::kVertices;
}

/// Of what lies still nobody asks for forces.
std::vector<std::uint8_t> StageProblem::wantedForces(Span<const std::uint8_t> bodies) const {
    const auto asleep = [](const BodyWork* body) { return body->state.sleep.asleep; };
    std::vector<std::uint8_t> wanted(bodies.begin(), bodies.end());
    if (std::none_of(bodies_.begin(), bodies_.end(), asleep)) return wanted;
    wanted.resize(bodyCount(), wanted.empty() ? 1 : 0);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (asleep(bodies_[b])) wanted[b] = 0;
    return wanted;
}

void StageProblem::solveFor(Span<const std::uint8_t> bodies) {
    std::vector<StageUnknowns::Kind> kinds = kinds_;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (!bodies[b]) kinds[b] = StageUnknowns::Kind::kNone;
    unknowns_.begin(bodies_, offset_, kinds);
    contact_.setWanted(wantedForces(bodies));
    fixedUnknown_.assign(fixed_.empty() ? 0 : unknownCount(), 0);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (bends(b) && isSolved(b) && !fixed_.empty())
            std::copy(fixed_.begin() + static_cast<std::ptrdiff_t>(offset_[b]), fixed_.begin() + static_cast<std::ptrdiff_t>(offset_[b + 1]),
                      fixedUnknown_.begin() + static_cast<std::ptrdiff_t>(unknowns_.first(b)));
}

BlockMatrix& StageProblem::matrix() { return alone() ? bodies_[0]->implicit->matrix : group_.matrix; }

void StageProblem::addInertiaAndLoads(std::size_t b, Span<const Vec3> x) {
    ImplicitWork& w = *bodies_[b]->implicit;
    parallelFor(x.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            w.matrix.block(static_cast<std::size_t>(w.pattern.diagonal[i])).diagonal().array() += inertia_ * mass_[offset_[b] + i];
    });
    bodies_[b]->loads->addToMatrix(x, part<const Vec3>(v_, b), w.matrix);
}

void StageProblem::joinMatrices(Span<const Vec3> x) {
    std::vector<StageUnknowns::Kind> kinds;
    for (std::size_t b = 0; b < bodies_.size(); ++b) kinds.push_back(unknowns_.kind(b));
    bool same = group_.bodies.size() == bodies_.size() && group_.kinds == kinds;
    for (std::size_t b = 0; same && b < bodies_.size(); ++b) same = group_.bodies[b] == bodies_[b]->body;
    if (!same) {
        std::unique_ptr<LinearSolver> parts = std::move(group_.parts);  // knows nothing of the pattern
        group_ = GroupWork{};
        group_.parts = std::move(parts);
        group_.kinds = kinds;
        for (const BodyWork* body : bodies_) group_.bodies.push_back(body->body);
        group_.pattern = joinPatterns(bodies_, kinds);
        group_.matrix.pattern = &group_.pattern;
        group_.matrix.values.resize(9 * group_.pattern.blockCount());
    }
    unknowns_.at(x);
    parallelFor(bodies_.size(), 1, [&](std::size_t b, std::size_t) {
        if (!isSolved(b)) return;
        const BlockMatrix& own = bodies_[b]->implicit->matrix;
        const auto block = static_cast<std::size_t>(group_.pattern.rowFirst[unknowns_.first(b)]);
        if (bends(b)) {
            std::copy(own.values.begin(), own.values.end(), group_.matrix.values.begin() + static_cast<std::ptrdiff_t>(9 * block));
        } else {
            const std::array<Mat3, 4> blocks = unknowns_.reduceDiagonal(b, part(x, b), own);
            for (std::size_t k = 0; k < 4; ++k) group_.matrix.block(block + k) = blocks[k];
        }
    });
}

/// Joins the bodies' matrices, and adds contact.
void StageProblem::finishMatrix(Span<const Vec3> x) {
    if (!alone()) joinMatrices(x);
    coupled_ = !glue_.empty();
    if (coupled_) glue_.linearize(x, unknowns_.at(x), matrix());
    if (!contacts_) return;
    Timer timer;
    contact_.linearize(contactsAt(x, true), x, unknowns_.at(x));
    coupled_ = coupled_ || contact_.hasStiffness();
    BlockMatrix& all = matrix();
    parallelFor(contact_.stiffUnknowns().size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
            all.block(static_cast<std::size_t>(all.pattern->diagonal[static_cast<std::size_t>(contact_.stiffUnknowns()[k])])) += contact_.diagonal()[k];
    });
    report_.contactSeconds += timer.seconds();
}

void StageProblem::assemble(Span<const Vec3> x) {
    Timer timer;
    parallelFor(bodies_.size(), 1, [&](std::size_t b, std::size_t) {
        if (!isSolved(b)) return;
        ImplicitWork& w = *bodies_[b]->implicit;
        AssembleOptions options;
        options.viscosity = viscous_[b] ? rate_ : 0;
        options.plastic = flowOf(b);
        if (bends(b))
            assembleStiffness(bodies_[b]->body->elements, part(x, b), part<const Vec3>(xViscous_, b), options, w.assemble, w.matrix);
        else
            std::fill(w.matrix.values.begin(), w.matrix.values.end(), 0.0);
        addInertiaAndLoads(b, part(x, b));
    });
    report_.assembleSeconds += timer.seconds();
    finishMatrix(x);
}

void StageProblem::assembleWithForces(Span<const Vec3> x, Span<Vec3> minusGradient) {
    Timer timer;
    updateVelocity(x);
    parallelFor(bodies_.size(), 1, [&](std::size_t b, std::size_t) {
        BodyWork& work = *bodies_[b];
        const ElementTable& elements = work.body->elements;
        const Span<Vec3> gradient = part<Vec3>(placeGradient_, b);
        std::fill(gradient.begin(), gradient.end(), Vec3::Zero());
        if (isLed(b)) return;
        if (isRigid(b)) {
            BlockMatrix& own = work.implicit->matrix;
            std::fill(own.values.begin(), own.values.end(), 0.0);
            work.loads->objective(part(x, b), part<const Vec3>(v_, b), gradient);
            inertiaValue(b, part(x, b), gradient);
            addInertiaAndLoads(b, part(x, b));
            return;
        }
        const Span<const Vec3> v = part<const Vec3>(v_, b), xViscous = part<const Vec3>(xViscous_, b);
        AssembleOptions options;
        options.viscosity = viscous_[b] ? rate_ : 0;
        assembleWarped(elements, part(x, b), xViscous, options, work.implicit->assemble, work.implicit->matrix, work.scratch);
        parallelFor(gradient.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) gradient[i] = gatherForce(elements, work.scratch, i);
        });
        const bool moving = newmark_ || std::any_of(held_[b].vertices.begin(), held_[b].vertices.end(), [&](std::int32_t i) {
                                return v[static_cast<std::size_t>(i)] != Vec3::Zero();
                            });
        if (viscous_[b] && moving) computeViscousForces(elements, xViscous, v, work.scratch, gradient);
        work.loads->objective(part(x, b), v, gradient);
        inertiaValue(b, part(x, b), gradient);
        addInertiaAndLoads(b, part(x, b));
    });
    report_.assembleSeconds += timer.seconds();
    if (contacts_) contact_.value(contactsAt(x, true), x, placeGradient_);
    if (!glue_.empty()) {
        std::vector<double> unused(bodyCount(), 0.0);
        glue_.addValues(x, placeGradient_, unused);
    }
    unknowns_.at(x);
    unknowns_.reduce(x, placeGradient_, minusGradient);
    finishMatrix(x);
}

std::size_t StageProblem::mostUnknowns() const {
    std::size_t most = 0;
    for (std::size_t b = 0; b < bodyCount(); ++b) most = std::max(most, unknownsOf(b).second);
    return most;
}

LinearSolver& StageProblem::chooseSolver(double tolerance) {
    ImplicitWork& own = *bodies_[0]->implicit;
    std::unique_ptr<LinearSolver>& jacobi = alone() ? own.jacobi : group_.jacobi;
    std::unique_ptr<LinearSolver>& incomplete = alone() ? own.incomplete : group_.incomplete;
    const auto cholesky = [&]() -> LinearSolver& {
        const bool pieces = settings_.linearSolver == LinearSolverKind::kAuto && mayBreak(bodies_);
        if (!incomplete || isPieceCg(*incomplete) != pieces) incomplete = pieces ? makePieceCg() : makeCholeskyCg();
        return *incomplete;
    };
    if (settings_.linearSolver == LinearSolverKind::kCgJacobi) {
        if (!jacobi) jacobi = makeJacobiCg();
        return *jacobi;
    }
    if (settings_.linearSolver == LinearSolverKind::kAuto && !alone() && mostUnknowns() <= kSmallBody) {
        if (!group_.parts) group_.parts = makePartCg();
        group_.parts->setParts(unknowns_.parts());
        return *group_.parts;
    }
    if (settings_.linearSolver == LinearSolverKind::kCgIncompleteCholesky || !alone() || coupled_) return cholesky();
    if (!own.direct) own.direct = makeDirectSolver();
    const double flops = own.direct->analyse(own.pattern);
    // For a digit, conjugate gradients take about a third as many iterations as a wave crosses elements in a step.
    const double cgIterations = 10 - 0.3 * std::log10(tolerance) * meanOmega(bodies_[0]->body->elements) / std::sqrt(inertia_);
    const double cgFlops = cgIterations * 18 * 3 * static_cast<double>(own.pattern.blockCount());
    const bool forced = settings_.linearSolver == LinearSolverKind::kCholmod;
    if (flops <= settings_.cholmodFlops && (forced || flops < cgFlops)) return *own.direct;
    if (forced && report_.warnings.empty())
        report_.warnings.push_back(format("a factorization of body '%s' would take %.2g flops, more than cholmodFlops allows; "
                                          "conjugate gradients are used instead",
                                          name().c_str(), flops));
    return cholesky();
}

/// With the factor of an earlier iteration of the same step, while that is cheaper than a new one. (A factor of an earlier step would
/// make the result depend on what the workspace happens to hold.)
bool StageProblem::solveByOldFactor(Span<const Vec3> right, Span<Vec3> solution, double tolerance, LinearReport& linear) {
    ImplicitWork& w = *bodies_[0]->implicit;
    if (!factorServes_) return false;
    w.direct->keepFactor(w.matrix);
    linear = w.direct->solve(right, solution, {tolerance, kMostOldFactorSolves, monitor_});
    report_.linearIterations += linear.iterations;
    factorServes_ = linear.iterations <= kFewOldFactorSolves;
    return linear.converged;
}

double StageProblem::solveLinear(Span<const Vec3> right, Span<Vec3> solution, double tolerance) {
    Timer timer;
    LinearSolver& solver = chooseSolver(tolerance);
    const ContactCoupling coupling(contacts_ ? &contact_ : nullptr, glue_);
    solver.setCoupling(coupled_ ? &coupling : nullptr);
    const bool direct = &solver == bodies_[0]->implicit->direct.get();
    LinearReport linear;
    bool good = true;
    if (!direct || !solveByOldFactor(right, solution, tolerance, linear)) {
        good = solver.factor(matrix(), fixedUnknown_);
        if (good) linear = solver.solve(right, solution, {tolerance, settings_.linearIterations, monitor_});
        report_.linearIterations += linear.iterations;
        factorServes_ = direct && good;
    }
    solver.setCoupling(nullptr);
    report_.solveSeconds += timer.seconds();
    if (good && linear.converged) return linear.residual;
    if (!good)
        fail("the system matrix is not positive definite; look for degenerate tets");
    else
        fail(linear.message + "; raise linearIterations, choose another linearSolver, or use more substeps");
    return -1;
}

double StageProblem::unsolvedLoss(Span<const Vec3> right, Span<const Vec3> solution) {
    product_.resize(solution.size());
    multiply(matrix(), solution, product_);
    if (coupled_) ContactCoupling(contacts_ ? &contact_ : nullptr, glue_).addProduct(solution, product_);
    double sum = 0;
    for (std::size_t u = 0; u < solution.size(); ++u)
        if (fixedUnknown_.empty() || !fixedUnknown_[u]) sum += (right[u] - product_[u]).dot(solution[u]);
    return sum;
}

}  // namespace sunder
