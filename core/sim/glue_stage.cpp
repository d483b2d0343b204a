#include "core/sim/glue_stage.h"

namespace sunder {

void GlueStage::begin(const std::vector<GlueBond>& bonds, const std::vector<std::size_t>& offset) {
    bonds_.clear();
    for (const GlueBond& bond : bonds)
        if (!bond.broken) bonds_.push_back(bond);
    offset_ = offset;
}

Vec3 GlueStage::gap(const GlueBond& bond, Span<const Vec3> x) const {
    Vec3 sum = Vec3::Zero();
    visitVertices(bond, [&](std::int32_t body, std::int32_t vertex, double weight) { sum += weight * x[place(body, vertex)]; });
    return sum;
}

double GlueStage::energy(Span<const Vec3> x) const {
    double sum = 0;
    for (const GlueBond& bond : bonds_) sum += 0.5 * bond.stiffness * gap(bond, x).squaredNorm();
    return sum;
}

void GlueStage::addValues(Span<const Vec3> x, Span<Vec3> minusGradient, std::vector<double>& ofBodies) const {
    for (const GlueBond& bond : bonds_) {
        const Vec3 way = gap(bond, x);
        const double half = 0.25 * bond.stiffness * way.squaredNorm();
        ofBodies[static_cast<std::size_t>(bond.body)] += half;
        ofBodies[static_cast<std::size_t>(bond.other)] += half;
        if (minusGradient.empty()) continue;
        visitVertices(bond, [&](std::int32_t body, std::int32_t vertex, double weight) { minusGradient[place(body, vertex)] -= (bond.stiffness * weight) * way; });
    }
}

void GlueStage::linearize(Span<const Vec3> x, const ContactUnknowns& unknowns, BlockMatrix& matrix) {
    auto rows = buildRows<Vec3>(3 * bonds_.size(), unknowns.count, [&](std::size_t row, RowBlock<Vec3>& block) {
        const Vec3 along = Vec3::Unit(static_cast<Eigen::Index>(row % 3));
        visitVertices(bonds_[row / 3], [&](std::int32_t body, std::int32_t vertex, double weight) {
            block.addForce(unknowns.bodies[static_cast<std::size_t>(body)], static_cast<std::size_t>(vertex), x[place(body, vertex)], weight * along);
        });
    });
    std::vector<double> stiffness;
    for (const GlueBond& bond : bonds_) stiffness.insert(stiffness.end(), 3, bond.stiffness);
    terms_ = ContactTerms<Vec3f>(std::move(rows), std::move(stiffness), unknowns.bodyOfEach());
    diagonal_.clear();
    for (std::size_t k = 0; k < terms_.unknowns().size(); ++k) {
        diagonal_.push_back(terms_.diagonal(static_cast<std::int32_t>(k)));
        matrix.block(static_cast<std::size_t>(matrix.pattern->diagonal[static_cast<std::size_t>(terms_.unknowns()[k])])) += diagonal_[k];
    }
}

void GlueStage::addProduct(Span<const Vec3> x, Span<Vec3> y, bool betweenBodies) const {
    std::vector<double> pushed = terms_.motions(x);
    terms_.push(pushed, betweenBodies);
    for (std::size_t k = 0; k < diagonal_.size(); ++k) {
        const auto u = static_cast<std::size_t>(terms_.unknowns()[k]);
        y[u] += terms_.force(static_cast<std::int32_t>(k), pushed);
        if (!betweenBodies) y[u] -= diagonal_[k] * x[u];
    }
}

}  // namespace sunder
