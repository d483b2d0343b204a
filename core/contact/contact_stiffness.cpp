#include <Eigen/Geometry>
#include <algorithm>

#include "core/base/parallel.h"
#include "core/contact/contact_potential.h"

/// The stiffness of contact: a sum of k g g^T. For a vertex that pushes g is the gradient of its volume, for a grip the way of its two
/// bodies along one of two directions of the surface.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 128;
// Where a corner goes in, V grows as the cube of the way, and the energy's second derivative is 5/3 of what Gauss and Newton see; flat
// faces have all of it. Seen too small, every step would go too far.
constexpr double kCurvature = 2.0 / 3;
}  // namespace

/// Rows of the vertices that push, -1 for others, and the rows' stiffness.
std::vector<std::int32_t> ContactPotential::pushingVertices(const ContactSet& set, std::vector<double>& stiffness) const {
    std::vector<std::int32_t> rowOf(bodies_.vertexCount(), -1);
    for (std::size_t b = 0; b < bodies_.shapes.size(); ++b)
        for (const std::int32_t n : set.vertices[b].touching) {
            const auto i = static_cast<std::size_t>(n);
            const Push push = pushAt(b, i, set.vertices[b]);
            if (!(push.force > 0)) continue;
            rowOf[bodies_.offset[b] + i] = static_cast<std::int32_t>(stiffness.size());
            const double area = bodies_.shapes[b]->area[i], share = std::min(1.0, set.vertices[b].facing[i].norm() / area);
            // rows are gradients of volumes
            stiffness.push_back((push.slope + kCurvature * (1 - share) * push.force / push.depth) / (area * area));
        }
    return rowOf;
}

double ContactPotential::gripStiffness(std::size_t row, Span<const Vec3> x) const {
    const Grip& grip = grips_[row];
    const double length = slideAt(row, x).norm();
    return grip.stiffness * length > grip.most ? grip.most / length : grip.stiffness;
}

void ContactPotential::linearize(const ContactSet& set, Span<const Vec3> x, const ContactUnknowns& unknowns) {
    stiffness_.clear();
    const std::vector<std::int32_t> rowOf = pushingVertices(set, stiffness_);
    const std::size_t normals = stiffness_.size();
    std::vector<std::size_t> onRigid, others;  // grips
    for (std::size_t grip = 0; grip < grips_.size(); ++grip) {
        bool rigid = false;
        for (auto e = static_cast<std::size_t>(slip_.first[grip]); e < static_cast<std::size_t>(slip_.first[grip + 1]); ++e)
            rigid |= unknowns.bodies[static_cast<std::size_t>(slipBody_[e])].kind == ContactUnknowns::Kind::kRigid;
        (rigid ? onRigid : others).push_back(grip);
        if (rigid) stiffness_.insert(stiffness_.end(), 2, gripStiffness(grip, x));
    }
    const RowParts parts(set, bodies_.offset, rowOf, normals);
    const auto fillNormal = [&](std::size_t row, RowBlock<Vec3>& block) {
        for (std::size_t k = parts.first[row]; k < parts.first[row + 1]; ++k) {
            const auto contact = static_cast<std::size_t>(parts.parts[k].contact);
            const TetContact& c = set.contacts[contact];
            const PairVertices at(c, bodies_.offset);
            const auto corner = static_cast<std::size_t>(parts.parts[k].corner);
            const PairVectors slope = (corner < 4 ? c.softA : c.softB) * set.slopes[contact][corner];
            for (std::size_t m = 0; m < 4; ++m) {
                block.addForce(unknowns.bodies[static_cast<std::size_t>(c.bodyA)], static_cast<std::size_t>(c.a[m]), x[at.vertex[m]], slope.col(static_cast<Eigen::Index>(m)));
                block.addForce(unknowns.bodies[static_cast<std::size_t>(c.bodyB)], static_cast<std::size_t>(c.b[m]), x[at.vertex[4 + m]], slope.col(static_cast<Eigen::Index>(4 + m)));
            }
        }
    };
    const auto fillGrip = [&](std::size_t row, const Vec3& along, RowBlock<Vec3>& block) {
        for (auto e = static_cast<std::size_t>(slip_.first[row]); e < static_cast<std::size_t>(slip_.first[row + 1]); ++e) {
            const auto v = static_cast<std::size_t>(slip_.column[e]);
            const auto body = static_cast<std::size_t>(slipBody_[e]);
            block.addForce(unknowns.bodies[body], v - bodies_.offset[body], x[v], slip_.value[e] * along);
        }
    };
    rows_ = buildRows<Vec3>(stiffness_.size(), unknowns.count, [&](std::size_t row, RowBlock<Vec3>& block) {
        if (row < normals) {
            fillNormal(row, block);
        } else {
            const std::size_t grip = onRigid[(row - normals) / 2];
            const Vec3& up = grips_[grip].up;
            const Vec3 first = up.unitOrthogonal();
            fillGrip(grip, (row - normals) % 2 == 0 ? first : Vec3(up.cross(first)), block);
        }
    });
    columns_ = ContactColumns<Vec3f>(rows_, unknowns.count);
    linearizeSlips(others, x, unknowns);
    joinColumns();
    buildDiagonal();
}

/// Along the surface a grip is as stiff one way as the other, so its row needs no directions.
void ContactPotential::linearizeSlips(Span<const std::size_t> grips, Span<const Vec3> x, const ContactUnknowns& unknowns) {
    slips_ = {};
    slipStiffness_.clear();
    for (const std::size_t grip : grips) {
        for (auto e = static_cast<std::size_t>(slip_.first[grip]); e < static_cast<std::size_t>(slip_.first[grip + 1]); ++e) {
            const auto v = static_cast<std::size_t>(slip_.column[e]);
            const auto body = static_cast<std::size_t>(slipBody_[e]);
            if (unknowns.bodies[body].kind == ContactUnknowns::Kind::kNone) continue;
            slips_.column.push_back(unknowns.bodies[body].first + static_cast<std::int32_t>(v - bodies_.offset[body]));
            slips_.value.push_back(static_cast<float>(slip_.value[e]));
        }
        slips_.first.push_back(static_cast<std::int32_t>(slips_.column.size()));
        const Vec3& up = grips_[grip].up;
        slipStiffness_.push_back(gripStiffness(grip, x) * (Mat3::Identity() - up * up.transpose()));
    }
    slipColumns_ = ContactColumns<float>(slips_, unknowns.count);
}

/// Lists the unknowns of both kinds of columns.
void ContactPotential::joinColumns() {
    stiffUnknowns_.clear();
    stiffPlaces_.clear();
    const std::vector<std::int32_t>&a = columns_.column, &b = slipColumns_.column;
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const bool first = j == b.size() || (i < a.size() && a[i] <= b[j]), second = i == a.size() || (j < b.size() && b[j] <= a[i]);
        stiffUnknowns_.push_back(first ? a[i] : b[j]);
        stiffPlaces_.push_back({first ? static_cast<std::int32_t>(i++) : -1, second ? static_cast<std::int32_t>(j++) : -1});
    }
}

namespace {
/// Calls use(row, value) for the entries of a column; -1 has none.
template <class Value, class Use>
void forColumn(const ContactColumns<Value>& columns, std::int32_t column, Use use) {
    if (column < 0) return;
    const auto k = static_cast<std::size_t>(column);
    for (auto e = static_cast<std::size_t>(columns.first[k]); e < static_cast<std::size_t>(columns.first[k + 1]); ++e)
        use(static_cast<std::size_t>(columns.row[e]), columns.value[e]);
}
}  // namespace

void ContactPotential::buildDiagonal() {
    diagonal_.assign(stiffUnknowns_.size(), Mat3::Zero());
    parallelFor(diagonal_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            Mat3& sum = diagonal_[k];
            forColumn(columns_, stiffPlaces_[k].inRows, [&](std::size_t row, const Vec3f& v) {
                const Vec3 g = v.cast<double>();
                sum += stiffness_[row] * g * g.transpose();
            });
            forColumn(slipColumns_, stiffPlaces_[k].inSlips, [&](std::size_t row, float v) { sum += static_cast<double>(v) * v * slipStiffness_[row]; });
        }
    });
}

void ContactPotential::addProduct(Span<const Vec3> x, Span<Vec3> y) const {
    std::vector<Vec3> pulled(slips_.size());
    std::vector<double> pushed(rows_.size());
    parallelFor(rows_.size(), kGrain, [&](std::size_t firstRow, std::size_t lastRow) {
        for (std::size_t row = firstRow; row < lastRow; ++row) {
            double sum = 0;
            for (auto e = static_cast<std::size_t>(rows_.first[row]); e < static_cast<std::size_t>(rows_.first[row + 1]); ++e)
                sum += rows_.value[e].cast<double>().dot(x[static_cast<std::size_t>(rows_.column[e])]);
            pushed[row] = stiffness_[row] * sum;
        }
    });
    parallelFor(slips_.size(), kGrain, [&](std::size_t firstRow, std::size_t lastRow) {
        for (std::size_t row = firstRow; row < lastRow; ++row) {
            Vec3 sum = Vec3::Zero();
            for (auto e = static_cast<std::size_t>(slips_.first[row]); e < static_cast<std::size_t>(slips_.first[row + 1]); ++e)
                sum += slips_.value[e] * x[static_cast<std::size_t>(slips_.column[e])];
            pulled[row] = slipStiffness_[row] * sum;
        }
    });
    parallelFor(stiffUnknowns_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto u = static_cast<std::size_t>(stiffUnknowns_[k]);
            Vec3 sum = -diagonal_[k] * x[u];
            forColumn(columns_, stiffPlaces_[k].inRows, [&](std::size_t row, const Vec3f& v) { sum += pushed[row] * v.cast<double>(); });
            forColumn(slipColumns_, stiffPlaces_[k].inSlips, [&](std::size_t row, float v) { sum += static_cast<double>(v) * pulled[row]; });
            y[u] += sum;
        }
    });
}

}  // namespace sunder
