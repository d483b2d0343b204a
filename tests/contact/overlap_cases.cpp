#include "tests/contact/overlap_cases.h"

#include <Eigen/Geometry>
#include <utility>

#include "core/base/random.h"
#include "core/mesh/tet_mesh.h"

namespace sunder::testing {

namespace {
void orient(Corners4& x) {
    if (signedVolume(x[0], x[1], x[2], x[3]) < 0) std::swap(x[2], x[3]);
}

Corners4 wholeCorners(std::uint64_t seed, std::uint64_t id) {
    Corners4 x;
    for (int i = 0; i < 12; ++i) x[i / 3][i % 3] = std::floor(randomRange(0, 4, seed, id, i));
    orient(x);
    return x;
}

/// Corner 3 moved to a point of the opposite face, then off it by `height`.
Corners4 flattened(Corners4 x, double height, std::uint64_t id) {
    const double u = randomUnit(31, id), v = (1 - u) * randomUnit(32, id);
    const Vec3 n = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
    x[3] = x[0] + u * (x[1] - x[0]) + v * (x[2] - x[0]) + height * n;
    return x;
}
}  // namespace

Corners4 randomCorners(std::uint64_t seed, std::uint64_t id, const Vec3& centre) {
    Corners4 x;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) x[i][k] = centre[k] + randomRange(-0.5, 0.5, seed, id, 3 * i + k);
    }
    orient(x);
    return x;
}

TetPair adversarialPair(std::uint64_t seed, std::uint64_t id) {
    TetPair p{randomCorners(seed, 2 * id), randomCorners(seed, 2 * id + 1)};
    const int kind = static_cast<int>(id % kAdversarialKinds),
              pick = static_cast<int>(randomBits(seed, id, 99) % 4);
    const double thin = std::pow(10.0, -randomRange(1, 12, seed, id, 98));
    switch (kind) {
        case 0:
            p = {wholeCorners(seed, 2 * id), wholeCorners(seed, 2 * id + 1)};
            break;
        case 1:
            p.b = p.a;
            break;
        case 2:  // a shared face, with the rest on the same side or on the other
            for (int i = 0; i < 4; ++i) p.b[i] = i == pick ? p.b[i] : p.a[i];
            break;
        case 3:
            p.b[pick] = p.a[(pick + 1) % 4];
            break;
        case 4:
            p.b[0] = p.a[pick], p.b[1] = p.a[(pick + 1) % 4];
            break;
        case 5:
            p.b = flattened(p.b, thin, id);
            break;
        case 6:
            p = {flattened(p.a, thin, id), flattened(p.b, thin, id + 1)};
            break;
        case 7:  // a needle
            p.b[1] = p.b[0] + thin * (p.b[1] - p.b[0]);
            p.b[2] = p.b[0] + thin * (p.b[2] - p.b[0]);
            break;
        case 8:  // b inside a and touching it with a corner
            for (int i = 0; i < 4; ++i)
                p.b[i] = p.a[i] + (i == pick ? 0.0 : 0.5) * (p.a[(i + 1) % 4] - p.a[i]);
            orient(p.b);
            break;
        default:  // exactly flat or inverted
            if (pick % 2)
                p.b[3] = 0.5 * (p.b[0] + p.b[1]);
            else
                std::swap(p.b[0], p.b[1]);
    }
    if (kind < 8 && kind != 1) orient(p.b);
    return p;
}

Overlapped overlapOf(const Corners4& a, const Corners4& b) {
    Overlapped o;
    o.a = makeOverlapTet(a);
    o.b = makeOverlapTet(b);
    if (!separated(o.a, o.b)) clipTets(o.a, o.b, o.p);
    o.shares = computeShares(o.p, o.a);
    return o;
}

}  // namespace sunder::testing
