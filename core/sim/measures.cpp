#include "core/sim/measures.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.h"
#include "core/math/decompose.h"

namespace sunder {

namespace {
Mat3 restInverse(const ElementPack& pack, std::size_t lane) {
    Mat3 m;
    for (int e = 0; e < 9; ++e) m.data()[e] = pack.restInverse[e][lane];
    return m;
}

/// Cauchy stress from the first Piola-Kirchhoff one: P F^T / det F. A tet without volume has no finite one
/// and shows zero.
Mat3 cauchyStress(const PlasticPoint& point, const Mat3& F, double detF) {
    if (!(std::abs(detF) > 1e-12) || (point.elastic.needsPositiveDet && detF <= 0)) return Mat3::Zero();
    return computeHeldStress(point, F) * F.transpose() / detF;
}

class Measurer {
  public:
    Measurer(const Body& body, Span<const Vec3> x, Span<const PlasticState> plastic, TetMeasures& out)
        : body_(body), x_(x), plastic_(plastic), out_(out) {}

    void measureChunk(const ElementChunk& chunk) const {
        for (std::uint32_t p = chunk.firstPack; p < chunk.firstPack + chunk.packCount; ++p)
            for (std::size_t lane = 0; lane < 4; ++lane)
                if (body_.elements.packTet[p][lane] >= 0) measureTet(chunk, p, lane);
    }

  private:
    void measureTet(const ElementChunk& chunk, std::uint32_t p, std::size_t lane) const {
        const auto tet = static_cast<std::size_t>(body_.elements.packTet[p][lane]);
        const ElementPack& pack = body_.elements.packs[p];
        // the pack may order the corners otherwise than the mesh does
        const auto corner = [&](std::size_t k) -> const Vec3& {
            return x_[static_cast<std::size_t>(
                body_.elements.chunkVertex[chunk.firstVertex + pack.vertex[k][lane]])];
        };
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = corner(static_cast<std::size_t>(k) + 1) - corner(0);
        const Mat3 F = edges * restInverse(pack, lane);
        const double detF = F.determinant();
        out_.detF[tet] = static_cast<float>(detF);
        out_.strain[tet] = static_cast<float>(svd3(F).sigma[0] - 1);
        out_.stress[tet] = static_cast<float>(vonMises(cauchyStress(pointOf(chunk, p, lane), F, detF)));
        out_.quality[tet] = static_cast<float>(currentQuality(body_.mesh.tets[tet]));
        if (chunk.plastic != PlasticLawId::kNone) out_.plasticStrain[tet] = static_cast<float>(plasticStrain(chunk.plastic, plastic_[tet]));
    }

    PlasticPoint pointOf(const ElementChunk& chunk, std::uint32_t p, std::size_t lane) const {
        const PackMaterial& m = body_.elements.packMaterial[p];
        PlasticPoint point{elasticLaw(chunk.law), {m.lambda[lane], m.mu[lane], m.phi[lane], m.psi[lane]}, {}, {}, 0};
        if (chunk.plastic == PlasticLawId::kNone) return point;
        point.plastic = body_.elements.packPlastic[p][lane];
        point.before = plastic_[static_cast<std::size_t>(body_.elements.packTet[p][lane])];
        return point;
    }

    double currentQuality(const Tet& t) const {
        const auto p = [&](std::size_t k) -> const Vec3& { return x_[static_cast<std::size_t>(t[k])]; };
        return tetQuality(p(0), p(1), p(2), p(3));
    }

    const Body& body_;
    Span<const Vec3> x_;
    Span<const PlasticState> plastic_;
    TetMeasures& out_;
};

/// A rigid body keeps the shape that its tets have at rest, and what stress is in it is not known.
void measureRigid(const TetMesh& mesh, TetMeasures& out) {
    std::fill(out.detF.begin(), out.detF.end(), 1.0f);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        const auto p = [&](std::size_t k) -> const Vec3& { return mesh.rest[static_cast<std::size_t>(mesh.tets[t][k])]; };
        out.quality[t] = static_cast<float>(tetQuality(p(0), p(1), p(2), p(3)));
    }
}
}  // namespace

void TetMeasures::resize(std::size_t tets) {
    for (std::vector<float>* values : {&stress, &strain, &quality, &detF, &plasticStrain}) values->resize(tets);
}

double vonMises(const Mat3& stress) {
    const Mat3 deviator = stress - stress.trace() / 3 * Mat3::Identity();
    return std::sqrt(1.5) * deviator.norm();
}

TetMeasures measureTets(const Body& body, Span<const Vec3> x, Span<const PlasticState> plastic) {
    SUNDER_ASSERT(x.size() == body.mesh.vertexCount());
    TetMeasures measures;
    measures.resize(body.mesh.tetCount());
    if (body.rigid) {
        measureRigid(body.mesh, measures);
        return measures;
    }
    const Measurer measurer(body, x, plastic, measures);
    parallelBlocks(body.elements.chunks.size(),
                   [&](std::size_t c) { measurer.measureChunk(body.elements.chunks[c]); });
    return measures;
}

std::size_t countPieces(const TetMesh& mesh) {
    std::vector<std::size_t> parent(mesh.vertexCount());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t v) {
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        return v;
    };
    std::vector<char> used(mesh.vertexCount(), 0);
    for (const Tet& t : mesh.tets)
        for (const std::int32_t v : t) {
            used[static_cast<std::size_t>(v)] = 1;
            parent[root(static_cast<std::size_t>(v))] = root(static_cast<std::size_t>(t[0]));
        }
    std::size_t pieces = 0;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) pieces += used[v] && root(v) == v ? 1 : 0;
    return pieces;
}

}  // namespace sunder
