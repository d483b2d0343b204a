#include <Eigen/SVD>

#include "core/base/random.h"
#include "tests/sim/physics_fixture.h"

/// Bodies that start crushed, inside out or scrambled have to find back to their rest shape.
namespace sunder {

using namespace testing;

namespace {
/// Root mean square distance of x from the rest shape after the best rigid motion (Kabsch), as a share of the
/// body's diagonal.
double shapeError(const TetMesh& mesh, const std::vector<Vec3>& x) {
    Vec3 restCentre = Vec3::Zero(), centre = Vec3::Zero();
    const double n = static_cast<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        restCentre += mesh.rest[i] / n;
        centre += x[i] / n;
    }
    Mat3 sum = Mat3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += (x[i] - centre) * (mesh.rest[i] - restCentre).transpose();
    const Eigen::JacobiSVD<Mat3> svd(sum, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant();
    const Mat3 turn = svd.matrixU() * Vec3(1, 1, sign).asDiagonal() * svd.matrixV().transpose();
    double error = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        error += (x[i] - centre - turn * (mesh.rest[i] - restCentre)).squaredNorm() / n;
        size = std::max(size, (mesh.rest[i] - restCentre).norm());
    }
    return std::sqrt(error) / (2 * size);
}

enum class Start { kPoint, kMirrored, kReflected, kFlat, kRandom };
constexpr const char* kStartNames[] = {"crushed to a point", "mirrored", "turned inside out", "flattened",
                                       "randomised"};

void deform(std::vector<Vec3>& x, Start start, double noise, std::uint64_t seed) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 random(randomRange(-1, 1, seed, i, 0), randomRange(-1, 1, seed, i, 1),
                          randomRange(-1, 1, seed, i, 2));
        switch (start) {
            case Start::kPoint:
                x[i] = Vec3(0.5, 0.5, 0.5);
                break;
            case Start::kMirrored:
                x[i].x() = 1 - x[i].x();
                break;
            case Start::kReflected:
                x[i] = Vec3(1, 1, 1) - x[i];
                break;
            case Start::kFlat:
                x[i].x() = 0.5;
                break;
            case Start::kRandom:
                x[i] = Vec3(0.5, 0.5, 0.5) + 0.5 * random;
                break;
        }
        x[i] += noise * random;
    }
}

/// Steps until the rest shape is back; 30 s are more than the slowest of the starts takes. `neohookean` has
/// no force at all in a point and one of second order around it, so it takes about 20 s to leave a point with
/// a jitter of 1e-6.
void expectRecovery(ElasticLawId law, Start start, double noise, std::uint64_t seed) {
    const std::string label = std::string(elasticLaw(law).name) + " " + kStartNames[static_cast<int>(start)];
    Material material = elastic(1e5, 0.3, 1000, law);
    material.stiffnessDamping = 0.01;
    const TetMesh mesh = makeBox(4, 4, 4, Vec3(1, 1, 1));
    WorldState world = makeWorld(makeBody(mesh, material));
    editState(world, [&](BodyState& s) { deform(s.x, start, noise, seed); });
    int iterations = 0, frames = 0;
    double detF = 0, error = 1;
    Workspace workspace;
    for (; frames < 720 && !(error < 1e-4); ++frames) {
        const StepReport r = step(world, 1.0 / 24, spaceSettings(Integrator::kImplicit), workspace);
        ASSERT_FALSE(r.failed) << label << ": " << r.message;
        iterations += r.newtonIterations;
        detF = r.smallestDetF;
        error = shapeError(mesh, world.bodies[0].state->x);
    }
    EXPECT_LT(error, 1e-4) << label;
    EXPECT_GT(detF, 0.95) << label;
    figure("seconds until " + label + " is back", frames / 24.0, "s");
    figure("Newton iterations, " + label, iterations);
}
}  // namespace

TEST(Recovery, FromAPoint) {
    expectRecovery(ElasticLawId::kCorotated, Start::kPoint, 0, 1);
    expectRecovery(ElasticLawId::kNeoHookean, Start::kPoint, 1e-6, 1);
}

TEST(Recovery, FromAPlane) {
    expectRecovery(ElasticLawId::kCorotated, Start::kFlat, 0, 1);
    expectRecovery(ElasticLawId::kNeoHookean, Start::kFlat, 1e-6, 1);
}

TEST(Recovery, FromInsideOut) {
    for (const ElasticLawId law : {ElasticLawId::kCorotated, ElasticLawId::kNeoHookean})
        for (const Start start : {Start::kMirrored, Start::kReflected}) expectRecovery(law, start, 0, 1);
}

TEST(Recovery, FromRandomPlaces) {
    for (const ElasticLawId law : {ElasticLawId::kCorotated, ElasticLawId::kNeoHookean})
        for (const std::uint64_t seed : {1, 2, 3, 4}) expectRecovery(law, Start::kRandom, 0, seed);
}

}  // namespace sunder
