#include "core/contact/tet_node.h"

#include "core/base/assert.h"
#include "core/contact/overlap_polyhedron.h"

namespace sunder {

namespace {
/// det times the barycentric coordinates. Each is taken from a corner of its own face, which keeps the digits
/// near it.
Vec4 heightsOf(const Vec3& p, const OverlapTet& t) {
    const Vec3 x = p - t.origin;
    Vec4 h = t.normal * x;
    h[0] = t.normal.row(0).dot((x - t.edge.row(1).transpose()).transpose());
    return h;
}
}  // namespace

std::optional<Vec4> weightsInTet(const Vec3& p, const std::array<Vec3, 4>& tet) {
    const OverlapTet t = makeOverlapTet(tet);
    if (!(t.det > 0)) return std::nullopt;
    const Vec4 h = heightsOf(p, t);
    if (!(h.minCoeff() >= 0)) return std::nullopt;
    return Vec4(h / h.sum());
}

std::optional<NodePenetration> nodePenetration(const Vec3& p, const std::array<Vec3, 4>& tet, int face) {
    SUNDER_ASSERT(face >= 0 && face < 4);
    const OverlapTet t = makeOverlapTet(tet);
    if (!(t.det > 0)) return std::nullopt;
    const Vec4 h = heightsOf(p, t);
    if (!(h.minCoeff() >= 0)) return std::nullopt;
    const double doubleArea = t.normal.row(face).norm();
    return NodePenetration{h / h.sum(), h[face] / doubleArea, -t.normal.row(face).transpose() / doubleArea};
}

}  // namespace sunder
