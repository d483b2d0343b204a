#pragma once

#include <vector>

#include "core/body/glue.h"
#include "core/contact/contact_terms.h"
#include "core/fem/sparse_system.h"

namespace sunder {

/// Glue as a part of what an implicit step minimizes.
class GlueStage {
  public:
    /// Places of body b start at offset[b].
    void begin(const std::vector<GlueBond>& bonds, const std::vector<std::size_t>& offset);
    bool empty() const { return bonds_.empty(); }
    double energy(Span<const Vec3> x) const;
    /// Adds each body's half to `ofBodies`, and minus the gradient unless that is empty.
    void addValues(Span<const Vec3> x, Span<Vec3> minusGradient, std::vector<double>& ofBodies) const;
    /// Three rows a bond, one for each direction, in the unknowns; their diagonal blocks go into the matrix.
    void linearize(Span<const Vec3> x, const ContactUnknowns& unknowns, BlockMatrix& matrix);
    void addProduct(Span<const Vec3> x, Span<Vec3> y, bool betweenBodies) const;
    void addWithin(std::size_t first, std::size_t last, Eigen::Ref<Eigen::MatrixXd> matrix) const { terms_.addWithin(first, last, matrix); }
    void markShared(Span<std::uint8_t> marks) const { terms_.markShared(marks); }

  private:
    Vec3 gap(const GlueBond& bond, Span<const Vec3> x) const;
    std::size_t place(std::int32_t body, std::int32_t vertex) const { return offset_[static_cast<std::size_t>(body)] + static_cast<std::size_t>(vertex); }

    std::vector<GlueBond> bonds_;
    std::vector<std::size_t> offset_;
    ContactTerms<Vec3f> terms_;
    std::vector<Mat3> diagonal_;
};

/// Calls use(body, vertex, weight) for the five vertices of a bond, with what a way of each does to the gap.
template <class Use>
void visitVertices(const GlueBond& bond, Use use) {
    use(bond.body, bond.vertex, 1.0);
    for (std::size_t k = 0; k < 4; ++k) use(bond.other, bond.corners[k], -bond.weight[static_cast<Eigen::Index>(k)]);
}

}  // namespace sunder
