#include "core/spatial/winding_number.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "core/base/parallel.h"
#include "core/spatial/triangle.h"
#include "core/spatial/triangle_tree.h"

namespace sunder {

namespace {
/// Adds (n . d) (d^T S d) as a polynomial of d to `cubic`.
void addCubic(const Vec3& n, const Mat3& s, std::array<double, 10>& cubic) {
    for (int i = 0; i < 3; ++i) cubic[i] += n[i] * s(i, i);
    constexpr int kPairs[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
    for (int p = 0; p < 6; ++p) {
        const int i = kPairs[p][0], j = kPairs[p][1];
        cubic[3 + p] += n[j] * s(i, i) + 2 * n[i] * s(i, j);
    }
    cubic[9] += 2 * (n[0] * s(1, 2) + n[1] * s(0, 2) + n[2] * s(0, 1));
}

double evaluateCubic(const std::array<double, 10>& c, const Vec3& d) {
    const double x = d[0], y = d[1], z = d[2];
    return x * x * (c[0] * x + c[3] * y + c[4] * z) + y * y * (c[1] * y + c[5] * x + c[6] * z) +
           z * z * (c[2] * z + c[7] * x + c[8] * y) + c[9] * x * y * z;
}
}  // namespace

WindingNumber::WindingNumber(Span<const Vec3> positions, Span<const Tri> triangles, double accuracy)
    : positions_(positions), triangles_(triangles), bvh_(triangleBoxes(positions, triangles), 8) {
    const auto& nodes = bvh_.nodes();
    moments_.resize(nodes.size());
    parallelFor(nodes.size(), 16, [&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
            moments_[n] = momentsOf(nodes[n]);
            moments_[n].farSq = accuracy * accuracy * nodes[n].box.farthestSq(moments_[n].center);
        }
    });
}

/// Straight from the triangles: a sum of the children's would lose digits when it is moved to the new center.
WindingNumber::Moments WindingNumber::momentsOf(const Bvh::Node& node) const {
    double area = 0;
    Vec3 areaCenter = Vec3::Zero();
    const Vec3 origin = node.box.center();
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
        const Tri& t = triangles_[bvh_.order()[i]];
        const Vec3 &a = positions_[t[0]], &b = positions_[t[1]], &c = positions_[t[2]];
        const double twice = (b - a).cross(c - a).norm();
        area += twice;
        areaCenter += twice * ((a + b + c) / 3 - origin);
    }
    Moments m{};
    m.center = area > 0 ? Vec3(origin + areaCenter / area) : origin;
    m.dipole.setZero(), m.quadrupole.setZero(), m.octupoleTrace.setZero();
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) addTriangle(bvh_.order()[i], m);
    return m;
}

void WindingNumber::addTriangle(std::int32_t triangle, Moments& m) const {
    const Tri& t = triangles_[triangle];
    const Vec3 a = positions_[t[0]] - m.center, b = positions_[t[1]] - m.center,
               c = positions_[t[2]] - m.center;
    const Vec3 n = (b - a).cross(c - a) / (8 * M_PI), middle = (a + b + c) / 3;
    // Mean of y y^T over the triangle.
    const Mat3 s =
        (9 * middle * middle.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()) / 12;
    m.dipole += n;
    m.quadrupole += n * middle.transpose();
    m.octupoleTrace += 2 * s * n + s.trace() * n;
    addCubic(n, s, m.cubic);
}

/// w = int n . (x - p) / (4 pi |x - p|^3) dA, expanded to second order about the node's center with d =
/// center - p.
double WindingNumber::far(const Moments& m, const Vec3& d, double distanceSq) {
    const double inverseSq = 1 / distanceSq, inverse3 = inverseSq * std::sqrt(inverseSq);
    const double second = 7.5 * inverseSq * evaluateCubic(m.cubic, d) - 1.5 * m.octupoleTrace.dot(d);
    const double first = m.quadrupole.trace() - 3 * inverseSq * d.dot(m.quadrupole * d);
    return inverse3 * (m.dipole.dot(d) + first + inverseSq * second);
}

double WindingNumber::near(const Bvh::Node& node, const Vec3& p) const {
    double sum = 0;
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
        const Tri& t = triangles_[bvh_.order()[i]];
        sum += windingOfTriangle(p, positions_[t[0]], positions_[t[1]], positions_[t[2]]);
    }
    return sum;
}

double WindingNumber::at(const Vec3& p) const {
    if (bvh_.empty()) return 0;
    std::array<std::int32_t, 64> stack;
    int top = 0;
    stack[top++] = 0;
    double sum = 0;
    while (top > 0) {
        const std::int32_t n = stack[--top];
        const Bvh::Node& node = bvh_.nodes()[n];
        const Vec3 d = moments_[n].center - p;
        const double distanceSq = d.squaredNorm();
        if (distanceSq > moments_[n].farSq) {
            sum += far(moments_[n], d, distanceSq);
        } else if (node.isLeaf()) {
            sum += near(node, p);
        } else {
            stack[top++] = node.right;
            stack[top++] = n + 1;
        }
    }
    return sum;
}

double WindingNumber::exactAt(const Vec3& p) const {
    double sum = 0;
    for (const Tri& t : triangles_)
        sum += windingOfTriangle(p, positions_[t[0]], positions_[t[1]], positions_[t[2]]);
    return sum;
}

}  // namespace sunder
