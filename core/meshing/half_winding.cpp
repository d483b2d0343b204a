#include "core/meshing/half_winding.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"

namespace sunder {

double HalfWinding::crossing(const Vec3& in, const Vec3& out) const {
    const auto at = [&](double t) -> Vec3 { return in + t * (out - in); };
    // Across a face the winding number jumps: where it jumps over one half, the face itself is the answer.
    constexpr double kBeside = 1e-4;
    double low = 0, high = 1;
    for (const TriangleTree::Hit& hit : tree_.crossings(in, out)) {
        if (hit.t <= low || hit.t >= high) continue;
        const double before = std::max(low, hit.t - kBeside), after = std::min(high, hit.t + kBeside);
        const bool insideBefore = before == low || inside(at(before)),
                   insideAfter = after != high && inside(at(after));
        if (insideBefore && !insideAfter) return hit.t;
        if (!insideBefore) {
            high = before;
            break;
        }
        low = after;
    }
    for (int i = 0; i < 16; ++i) {
        const double middle = 0.5 * (low + high);
        (inside(at(middle)) ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

double HalfWinding::area() const {
    return parallelReduce(triangles_.size(), 4096, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t t = first; t < last; ++t) {
            const auto c = tree_.corners(static_cast<std::int32_t>(t));
            sum += 0.5 * (c[1] - c[0]).cross(c[2] - c[0]).norm();
        }
        return sum;
    });
}

double HalfWinding::estimateVolume(int samples) const {
    const Vec3 lower = bounds().lower, size = bounds().size();
    // A sheet's box would be cut into far more columns than there are samples; it counts as a hundredth of
    // its length thick.
    const double step = std::cbrt(size.cwiseMax(0.01 * size.maxCoeff()).prod() / samples);
    if (!(step > 0)) return 0;
    Eigen::Vector3i n;
    for (int k = 0; k < 3; ++k) n[k] = std::max(1, static_cast<int>(std::lround(size[k] / step)));
    const auto total = static_cast<std::size_t>(n[0]) * n[1] * n[2];
    const auto hits = parallelReduce(total, 256, std::size_t{0}, [&](std::size_t first, std::size_t last) {
        std::size_t count = 0;
        for (std::size_t s = first; s < last; ++s) {
            const std::size_t i = s % n[0], j = s / n[0] % n[1], k = s / n[0] / n[1];
            const Vec3 fraction((i + 0.5) / n[0], (j + 0.5) / n[1], (k + 0.5) / n[2]);
            count += inside(lower + size.cwiseProduct(fraction));
        }
        return count;
    });
    return size.prod() * static_cast<double>(hits) / static_cast<double>(total);
}

}  // namespace sunder
