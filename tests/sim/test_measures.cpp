#include "core/sim/measures.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "tests/support/builders.h"

namespace sunder {
namespace {

std::shared_ptr<const Body> makeBar(ElasticLawId law) {
    Body body;
    body.mesh = testing::makeBox(2, 3, 2, Vec3(1, 2, 1));
    Material m;
    m.law = law;
    m.youngs = 3e5;
    m.poisson = 0.25;
    body.materials = {m};
    return buildBody(std::move(body));
}

// Hooke's law in plain tension: the stress is E times the strain, and sideways it shrinks by Poisson's ratio.
// The laws differ from it by the square of the strain.
TEST(Measures, PlainTensionReadsAsYoungsModulusTimesStrain) {
    constexpr double kStrain = 1e-5;
    for (const ElasticLaw& law : elasticLaws()) {
        const auto body = makeBar(law.id);
        std::vector<Vec3> x = body->mesh.rest;
        for (Vec3& p : x)
            p = Vec3(p.x() * (1 - 0.25 * kStrain), p.y() * (1 + kStrain), p.z() * (1 - 0.25 * kStrain));
        const TetMeasures m = measureTets(*body, x);
        ASSERT_EQ(m.stress.size(), body->mesh.tetCount());
        for (std::size_t t = 0; t < m.stress.size(); ++t) {
            EXPECT_NEAR(m.stress[t], 3e5 * kStrain, 3e5 * kStrain * 1e-3) << law.name;
            EXPECT_NEAR(m.strain[t], kStrain, 1e-9) << law.name;
            EXPECT_NEAR(m.detF[t], 1 + 0.5 * kStrain, 2e-7) << "single precision";
        }
    }
}

TEST(Measures, RigidMotionShowsNothing) {
    const auto body = makeBar(ElasticLawId::kCorotated);
    const Eigen::AngleAxisd turn(1.1, Vec3(1, 2, 3).normalized());
    std::vector<Vec3> x = body->mesh.rest;
    for (Vec3& p : x) p = turn * p + Vec3(5, 6, 7);
    const TetMeasures rest = measureTets(*body, body->mesh.rest), moved = measureTets(*body, x);
    for (std::size_t t = 0; t < moved.stress.size(); ++t) {
        EXPECT_LT(moved.stress[t], 3e5 * 1e-12);
        EXPECT_LT(std::abs(moved.strain[t]), 1e-13);
        EXPECT_FLOAT_EQ(moved.quality[t], rest.quality[t]);
        EXPECT_FLOAT_EQ(moved.detF[t], 1);
    }
}

TEST(Measures, FlatAndInvertedTetsStayFinite) {
    for (const ElasticLaw& law : elasticLaws())
        for (const double squash : {0.0, -0.5}) {
            const auto body = makeBar(law.id);
            std::vector<Vec3> x = body->mesh.rest;
            for (Vec3& p : x) p.y() *= squash;
            const TetMeasures m = measureTets(*body, x);
            for (std::size_t t = 0; t < m.stress.size(); ++t) {
                EXPECT_TRUE(std::isfinite(m.stress[t])) << law.name;
                EXPECT_NEAR(m.detF[t], squash, 1e-6);
                EXPECT_LE(m.quality[t], 0);
            }
        }
}

TEST(Measures, PiecesAreWhatHangsTogether) {
    TetMesh mesh = testing::makeBox(1, 1, 1, Vec3(1, 1, 1));
    EXPECT_EQ(countPieces(mesh), 1u);
    const auto shift = static_cast<std::int32_t>(mesh.vertexCount());
    const TetMesh copy = mesh;
    mesh.rest.insert(mesh.rest.end(), copy.rest.begin(), copy.rest.end());
    for (Tet t : copy.tets) {
        for (std::int32_t& v : t) v += shift;
        mesh.tets.push_back(t);
    }
    EXPECT_EQ(countPieces(mesh), 2u);
    EXPECT_EQ(countPieces(TetMesh{}), 0u);
}

}  // namespace
}  // namespace sunder
