#include "core/fracture/separation.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/fracture/crack_plane.h"
#include "core/fracture/crack_tip.h"
#include "core/math/decompose.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 64;
constexpr double kFlat = 1e-6;  // of det F: a tet without volume has no stress to speak of

struct TetShape {
    Mat3 restInverse, F;
    double volume, detF;
};

TetShape shapeOf(const TetMesh& mesh, Span<const Vec3> x, std::int32_t tet) {
    const Tet& t = mesh.tets[static_cast<std::size_t>(tet)];
    Mat3 rest, now;
    for (int k = 0; k < 3; ++k) {
        const auto corner = static_cast<std::size_t>(t[static_cast<std::size_t>(k) + 1]), first = static_cast<std::size_t>(t[0]);
        rest.col(k) = mesh.rest[corner] - mesh.rest[first];
        now.col(k) = x[corner] - x[first];
    }
    TetShape shape;
    shape.restInverse = rest.inverse();
    shape.volume = rest.determinant() / 6;
    shape.F = now * shape.restInverse;
    shape.detF = shape.F.determinant();
    return shape;
}

/// Gradient of a corner's shape function at rest.
Vec3 gradientOf(const TetShape& shape, int corner) {
    if (corner > 0) return shape.restInverse.row(corner - 1).transpose();
    return -(shape.restInverse.row(0) + shape.restInverse.row(1) + shape.restInverse.row(2)).transpose();
}

/// The largest eigenvalue of m(a) is |a|, with a as its eigenvector.
Mat3 lengthwise(const Vec3& a) {
    const double length = a.norm();
    return length > 0 ? Mat3(a * a.transpose() / length) : Mat3(Mat3::Zero());
}

Mat3 grainAxes(const Fracture& f) {
    return (Eigen::AngleAxisd(f.grain.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(f.grain.y(), Vec3::UnitY()) * Eigen::AngleAxisd(f.grain.x(), Vec3::UnitX()))
        .toRotationMatrix();
}

Mat3 turnOf(const Body& body, std::int32_t tet) {
    return body.grainTurn.empty() ? Mat3(Mat3::Identity()) : Eigen::Quaterniond(body.grainTurn[static_cast<std::size_t>(tet)]).toRotationMatrix();
}

/// Of stress along the i-th axis `weakness[i]` counts (O'Brien 2000, 4.4, with the root of S, whose factor then means what it says). The axes turn with
/// the tet.
Mat3 weighStress(const Body& body, std::int32_t tet, const Fracture& f, const Mat3& F, const Mat3& stress) {
    if (f.weakness == Vec3::Ones()) return stress;
    const Mat3 axes = polar3(F).R * turnOf(body, tet) * grainAxes(f);
    const Mat3 root = axes * f.weakness.cwiseSqrt().asDiagonal() * axes.transpose();
    return root * stress * root;
}

/// What pulls and what pushes in a tet that has a volume.
SplitStress splitStress(const Body& body, const PlasticState& before, std::int32_t tet, const TetShape& shape) {
    const TetMaterial& m = body.tetMaterials[static_cast<std::size_t>(tet)];
    const Mat3 P = computeHeldStress({elasticLaw(m.law), m.params, m.plastic, before, 0}, shape.F);
    const Mat3 cauchy = P * shape.F.transpose() / shape.detF;
    const Fracture& fracture = body.materials[static_cast<std::size_t>(body.tetMaterial[static_cast<std::size_t>(tet)])].fracture;
    const Eigen3 e = symmetricEigen3(weighStress(body, tet, fracture, shape.F, cauchy));
    const Mat3 pull = e.vectors * e.values.cwiseMax(0.0).asDiagonal() * e.vectors.transpose();
    const Mat3 push = e.vectors * e.values.cwiseMin(0.0).asDiagonal() * e.vectors.transpose();
    const Mat3 back = shape.detF * shape.F.inverse().transpose();
    return {pull * back, push * back, e.values[0]};
}
}  // namespace

SplitStress SeparationFinder::stressOf(std::int32_t tet) const {
    const TetShape shape = shapeOf(body_.mesh, x_, tet);
    if (!(shape.detF > kFlat)) return {Mat3::Zero(), Mat3::Zero(), 0};
    return splitStress(body_, plastic_.empty() ? PlasticState() : plastic_[static_cast<std::size_t>(tet)], tet, shape);
}

/// Edge of the regular tet of the mean size around a node at which a crack ends; 0 at any other.
double SeparationFinder::tipSize(std::int32_t node) const {
    if (!findCrackTip(findNodeSurface(body_.mesh.tets, stars_, node), x_)) return 0;
    double volume = 0;
    for (const std::int32_t t : stars_.around(node)) volume += restVolume(body_.mesh, static_cast<std::size_t>(t));
    return std::cbrt(6 * std::sqrt(2.0) * volume / static_cast<double>(stars_.around(node).size()));
}

/// The mean over the tets around, by volume. One tet that does not break holds the node.
SeparationFinder::Toughness SeparationFinder::toughnessOf(std::int32_t node) const {
    Toughness toughness;
    double sum = 0, volume = 0, tip = -1;  // negative until it is asked for
    const auto strengthOf = [&](const Fracture& f, const LawParams& p) {
        if (f.kind == ToughnessKind::kByForce) return f.force;
        if (f.kind == ToughnessKind::kByEnergy && tip < 0) tip = tipSize(node);
        return tip > 0 && f.kind == ToughnessKind::kByEnergy ? crackTipStrength(planeModulus(p.lambda, p.mu), f.energy, tip) : f.stress;
    };
    for (const std::int32_t tet : stars_.around(node)) {
        const auto t = static_cast<std::size_t>(tet);
        const Fracture& f = body_.materials[static_cast<std::size_t>(body_.tetMaterial[t])].fracture;
        if (!f.enabled) return {0, false, false};
        const double share = restVolume(body_.mesh, t);
        toughness.perArea = f.kind != ToughnessKind::kByForce;
        sum += share * strengthOf(f, body_.tetMaterials[t].params) * body_.toughnessOf(t);
        volume += share;
    }
    toughness.value = sum / volume;
    return toughness;
}

SeparationFinder::TetPull SeparationFinder::pullOf(std::int32_t t) const {
    TetPull tet;
    const TetShape shape = shapeOf(body_.mesh, x_, t);
    tet.flat = !(shape.detF > kFlat);
    if (tet.flat) return tet;
    const SplitStress stress = splitStress(body_, plastic_.empty() ? PlasticState() : plastic_[static_cast<std::size_t>(t)], t, shape);
    const Mat3 back = shape.F.inverse().transpose();
    for (int c = 0; c < 4; ++c) {
        const Vec3 g = gradientOf(shape, c);
        const auto k = static_cast<std::size_t>(c);
        tet.pulling[k] = -shape.volume * (stress.pull * g);
        tet.pushing[k] = -shape.volume * (stress.push * g);
        tet.area[k] = shape.volume * shape.detF * (back * g);
    }
    tet.F = shape.F;
    tet.volume = shape.volume;
    return tet;
}

void SeparationFinder::prepare(Span<const std::int32_t> nodes) {
    place_.assign(body_.mesh.tetCount(), -1);
    std::vector<std::int32_t> tets;
    for (const std::int32_t node : nodes)
        for (const std::int32_t t : stars_.around(node)) {
            std::int32_t& place = place_[static_cast<std::size_t>(t)];
            if (place >= 0) continue;
            place = static_cast<std::int32_t>(tets.size());
            tets.push_back(t);
        }
    pulls_.resize(tets.size());
    parallelFor(tets.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) pulls_[k] = pullOf(tets[k]);
    });
}

bool SeparationFinder::mayBreak(std::int32_t node) const {
    const auto v = static_cast<std::size_t>(node);
    return body_.lead.mayBreak(v, stars_.around(node)) && (!scope_.active || scope_.active->contains(x_[v]));
}

Separation SeparationFinder::at(std::int32_t node, const Mat3& residual) const {
    const Toughness toughness = toughnessOf(node);
    const auto v = static_cast<std::size_t>(node);
    if (!toughness.breaks || !mayBreak(node)) return {};
    Vec3 pull = Vec3::Zero(), push = Vec3::Zero();
    Mat3 sum = Mat3::Zero(), meanF = Mat3::Zero();
    std::vector<Vec3> areas;
    double volume = 0;
    TetPull own;
    for (const std::int32_t t : stars_.around(node)) {
        const std::int32_t place = place_.empty() ? -1 : place_[static_cast<std::size_t>(t)];
        const TetPull& tet = place < 0 ? own = pullOf(t) : pulls_[static_cast<std::size_t>(place)];
        if (tet.flat) continue;
        const auto c = static_cast<std::size_t>(cornerOf(body_.mesh.tets[static_cast<std::size_t>(t)], node));
        pull += tet.pulling[c];
        push += tet.pushing[c];
        sum += lengthwise(tet.pulling[c]) - lengthwise(tet.pushing[c]);
        areas.push_back(tet.area[c]);
        meanF += tet.volume * tet.F;
        volume += tet.volume;
    }
    const Mat3 tensor = 0.5 * (sum - lengthwise(pull) + lengthwise(push)) + residual;
    const NodeTension tension{tensor, areas, volume > 0 ? Mat3(meanF / volume) : Mat3(Mat3::Identity()), toughness.value, toughness.perArea};
    const WeakNode weak = body_.lead.weakAt(v);
    return body_.lead.isDue(v, scope_.time) ? forceOpen(tension, weak, randomBits(body_.seed, v)) : choosePlane(tension, weak);
}

}  // namespace sunder
