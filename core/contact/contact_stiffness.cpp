#include "core/base/parallel.h"
#include "core/contact/contact_potential.h"

/// The stiffness of contact: sum over pushing vertices of k' g g^T with g = grad d, and over grips of w w^T (x) T with T the stiffness of
/// the spring along the surface.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 128;
// Where a corner goes in, V grows as the cube of the way, and the energy's second derivative is 5/3 of what Gauss and Newton see; flat
// faces have all of it. Seen too small, every step would go too far.
constexpr double kCurvature = 2.0 / 3;
}  // namespace

void ContactPotential::buildNormalRows(const ContactSet& set, Span<const Vec3> x) {
    normalStiffness_.clear();
    std::vector<std::int32_t> rowOf(bodies_.vertexCount(), -1);
    std::vector<double> area;
    for (std::size_t b = 0; b < bodies_.shapes.size(); ++b)
        for (const std::int32_t n : set.vertices[b].touching) {
            const auto i = static_cast<std::size_t>(n);
            const Push push = pushAt(b, i, set.vertices[b].volume[i]);
            if (!(push.force > 0)) continue;
            rowOf[bodies_.offset[b] + i] = static_cast<std::int32_t>(normalStiffness_.size());
            const double share = std::min(1.0, set.vertices[b].facing[i].norm() / bodies_.shapes[b]->area[i]);
            normalStiffness_.push_back(push.slope + kCurvature * (1 - share) * push.force / push.depth);
            area.push_back(bodies_.shapes[b]->area[i]);
        }
    std::vector<OverlapSlopes> slopes(set.contacts.size());
    parallelFor(slopes.size(), kGrain, [&](std::size_t first, std::size_t last) {
        OverlapPolyhedron p;
        for (std::size_t k = first; k < last; ++k) {
            const PairVertices at(set.contacts[k], bodies_.offset);
            const OverlapTet a = at.tetA(x), b = at.tetB(x);
            clipTets(a, b, p);
            computeSlopes(p, a, b, slopes[k]);
        }
    });
    normal_ = mergeRows<Vec3>(set, bodies_.offset, rowOf, normalStiffness_.size(), [&](std::size_t contact, int corner, int other) {
        const TetContact& c = set.contacts[contact];
        const PairVertices at(c, bodies_.offset);
        const auto row = static_cast<std::size_t>(rowOf[at.vertex[static_cast<std::size_t>(corner)]]);
        return Vec3((corner < 4 ? c.softA : c.softB) / area[row] * slopes[contact][static_cast<std::size_t>(corner)].col(other));
    });
}

Mat3 ContactPotential::gripStiffness(std::size_t row, Span<const Vec3> x) const {
    const Grip& grip = grips_[row];
    const Mat3 along = Mat3::Identity() - grip.up * grip.up.transpose();
    const double length = slideAt(row, x).norm();
    return (grip.stiffness * length > grip.most ? grip.most / length : grip.stiffness) * along;
}

void ContactPotential::buildDiagonal() {
    stiffVertices_.clear();
    diagonal_.clear();
    for (std::size_t v = 0; v < bodies_.vertexCount(); ++v) {
        Mat3 sum = Mat3::Zero();
        bool any = false;
        for (auto e = static_cast<std::size_t>(normal_.columnFirst[v]); e < static_cast<std::size_t>(normal_.columnFirst[v + 1]); ++e) {
            sum += normalStiffness_[static_cast<std::size_t>(normal_.columnRow[e])] * normal_.columnValue[e] * normal_.columnValue[e].transpose();
            any = true;
        }
        if (slip_.size() > 0)
            for (auto e = static_cast<std::size_t>(slip_.columnFirst[v]); e < static_cast<std::size_t>(slip_.columnFirst[v + 1]); ++e) {
                sum += slip_.columnValue[e] * slip_.columnValue[e] * gripStiffness_[static_cast<std::size_t>(slip_.columnRow[e])];
                any = true;
            }
        if (!any) continue;
        stiffVertices_.push_back(static_cast<std::int32_t>(v));
        diagonal_.push_back(sum);
    }
}

void ContactPotential::linearize(const ContactSet& set, Span<const Vec3> x) {
    buildNormalRows(set, x);
    gripStiffness_.resize(grips_.size());
    for (std::size_t row = 0; row < grips_.size(); ++row) gripStiffness_[row] = gripStiffness(row, x);
    buildDiagonal();
}

void ContactPotential::addProduct(Span<const Vec3> x, Span<Vec3> y) const {
    std::vector<double> pushed(normal_.size());
    std::vector<Vec3> slid(slip_.size());
    parallelFor(pushed.size(), kGrain, [&](std::size_t firstRow, std::size_t lastRow) {
        for (std::size_t row = firstRow; row < lastRow; ++row) {
            double sum = 0;
            for (auto e = static_cast<std::size_t>(normal_.first[row]); e < static_cast<std::size_t>(normal_.first[row + 1]); ++e)
                sum += normal_.value[e].dot(x[static_cast<std::size_t>(normal_.vertex[e])]);
            pushed[row] = normalStiffness_[row] * sum;
        }
    });
    parallelFor(slid.size(), kGrain, [&](std::size_t firstRow, std::size_t lastRow) {
        for (std::size_t row = firstRow; row < lastRow; ++row) {
            Vec3 sum = Vec3::Zero();
            for (auto e = static_cast<std::size_t>(slip_.first[row]); e < static_cast<std::size_t>(slip_.first[row + 1]); ++e)
                sum += slip_.value[e] * x[static_cast<std::size_t>(slip_.vertex[e])];
            slid[row] = gripStiffness_[row] * sum;
        }
    });
    parallelFor(stiffVertices_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto v = static_cast<std::size_t>(stiffVertices_[k]);
            Vec3 sum = -diagonal_[k] * x[v];
            for (auto e = static_cast<std::size_t>(normal_.columnFirst[v]); e < static_cast<std::size_t>(normal_.columnFirst[v + 1]); ++e)
                sum += pushed[static_cast<std::size_t>(normal_.columnRow[e])] * normal_.columnValue[e];
            if (!slid.empty())
                for (auto e = static_cast<std::size_t>(slip_.columnFirst[v]); e < static_cast<std::size_t>(slip_.columnFirst[v + 1]); ++e)
                    sum += slip_.columnValue[e] * slid[static_cast<std::size_t>(slip_.columnRow[e])];
            y[v] += sum;
        }
    });
}

}  // namespace sunder
