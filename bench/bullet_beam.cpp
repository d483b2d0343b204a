// Bullet's arrays grow by copies of a value that its constructors leave unset.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "bench/bullet_beam.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/timer.h"

/// Everything that Bullet does beside elasticity is off: contacts, sleeping, drag, line search. What is left
/// is backward Euler,
///   (M + dt (dt + beta) K) dv = dt (f(x + dt v) - beta K v + M g),
/// with K of the rotations at x + dt v, matrix-free, in the precision that Bullet was built with.
namespace sunder::bench {

namespace {
using Vectors = btAlignedObjectArray<btVector3>;
constexpr double kYoungs = 1e6, kPoisson = 0.3, kDensity = 1000, kBeta = 0.01, kGravity = 9.81;
/// Share of the right-hand side, both in the norm of the inverse masses; in plain length up to a fifth more,
/// thus at most 1e-6. In single precision it is the residual that the recurrence carries along; the true one
/// stops falling before.
constexpr double kLinearTolerance = 8e-7;
/// Bullet's own limit of 300 would do as well.
constexpr int kLinearIterations = 10000;

Vec3 toVec3(const btVector3& v) { return Vec3(v.x(), v.y(), v.z()); }
Mat3 toMat3(const btMatrix3x3& m) {
    Mat3 result;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) result(r, c) = m[r][c];
    return result;
}

/// Bullet's solver with one Newton iteration. What went into the last linear solve and what came out lasts
/// until the next step.
class OpenSolver : public btDeformableBodySolver {
  public:
    int iterations = 0;  ///< of all linear solves together

    OpenSolver() { m_cg.m_maxIterations = kLinearIterations; }
    Vec3 right(int node) const { return toVec3(m_residual[node]); }
    Vec3 change(int node) const { return toVec3(m_dv[node]); }

    /// Bullet never fills its mass preconditioner on this path and would solve without one.
    void reinitialize(const btAlignedObjectArray<btSoftBody*>& bodies, btScalar dt) override {
        btDeformableBodySolver::reinitialize(bodies, dt);
        m_objective->m_massPreconditioner->reinitialize(!filled_);
        filled_ = true;
    }

    /// Without contacts m_dv is zero here, so there is no inertia in the right-hand side.
    void solveDeformableConstraints(btScalar dt) override {
        updateState();
        m_objective->computeResidual(dt, m_residual);
        m_objective->project(m_residual);
        m_cg.setTolerance(tolerance());
        iterations += m_cg.solve(*m_objective, m_ddv, m_residual);
        updateDv();
        updateVelocity();
    }

  private:
    /// Bullet stops at tolerance * min(1, b.z), squares of lengths; this makes it a share of b.
    btScalar tolerance() {
        scratch_.resize(m_residual.size(), btVector3(0, 0, 0));
        m_objective->precondition(m_residual, scratch_);
        const btScalar lengthSq = m_cg.dot(m_residual, scratch_);
        return btScalar(kLinearTolerance * kLinearTolerance) * btMax(btScalar(1), lengthSq);
    }

    Vectors scratch_;
    bool filled_ = false;
};

/// A quarter of each tet's mass to its corners; zero, which Bullet takes for fixed, at the clamped end.
std::vector<btScalar> nodeMasses(const TetMesh& mesh) {
    std::vector<double> mass(mesh.vertexCount(), 0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t)
        for (const std::int32_t v : mesh.tets[t])
            mass[static_cast<std::size_t>(v)] += 0.25 * kDensity * restVolume(mesh, t);
    std::vector<btScalar> result(mass.begin(), mass.end());
    for (std::size_t i = 0; i < result.size(); ++i)
        if (mesh.rest[i].x() == 0) result[i] = 0;
    return result;
}

std::unique_ptr<btSoftBody> makeBody(const TetMesh& mesh, btSoftBodyWorldInfo& info) {
    Vectors x;
    for (const Vec3& p : mesh.rest) x.push_back(btVector3(btScalar(p.x()), btScalar(p.y()), btScalar(p.z())));
    const std::vector<btScalar> mass = nodeMasses(mesh);
    auto body = std::make_unique<btSoftBody>(&info, x.size(), &x[0], mass.data());
    for (const Tet& t : mesh.tets) body->appendTetra(t[0], t[1], t[2], t[3]);
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    body->m_cfg.collisions = 0;
    body->m_ndbvt.clear();
    body->setActivationState(DISABLE_DEACTIVATION);
    return body;
}
}  // namespace

struct BulletBeam::Data {
    TetMesh mesh;
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    OpenSolver solver;
    btDeformableMultiBodyConstraintSolver constraintSolver;
    btDeformableMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &constraintSolver, &configuration,
                                             &solver};
    btDeformableGravityForce gravity{btVector3(0, btScalar(-kGravity), 0)};
    btDeformableLinearElasticityForce elasticity;
    std::unique_ptr<btSoftBody> body;
    double dt = 0, worstResidual = 0;
    int steps = 0;

    explicit Data(const BeamSize& size) : mesh(makeBeam(size)) {
        constraintSolver.setDeformableSolver(&solver);
        world.setImplicit(true);
        world.setLineSearch(false);
        world.setUseProjection(true);
        elasticity.setYoungsModulus(btScalar(kYoungs));
        elasticity.setPoissonRatio(btScalar(kPoisson));
        elasticity.setDamping(0, btScalar(kBeta));
        body = makeBody(mesh, world.getWorldInfo());
        world.addSoftBody(body.get(), 0, 0);
        world.addForce(body.get(), &gravity);
        world.addForce(body.get(), &elasticity);
    }
    ~Data() { world.removeSoftBody(body.get()); }

    void addStiffness(std::size_t tet, double scale, std::vector<Vec3>& product) const;
    double linearResidual() const;
};

/// product += scale K dv of one tet, of the numbers that Bullet multiplied by.
void BulletBeam::Data::addStiffness(std::size_t tet, double scale, std::vector<Vec3>& product) const {
    const btSoftBody::Tetra& t = body->m_tetras[static_cast<int>(tet)];
    const Mat3 R = toMat3(body->m_tetraScratches[static_cast<int>(tet)].m_corotation),
               inverseDm = toMat3(t.m_Dm_inverse);
    const auto dv = [&](int k) { return solver.change(t.m_n[k]->index); };
    Mat3 Ds;
    Ds << dv(1) - dv(0), dv(2) - dv(0), dv(3) - dv(0);
    const Mat3 dF = R.transpose() * Ds * inverseDm;
    const Mat3 dP =
        elasticity.m_mu * (dF + dF.transpose()) + elasticity.m_lambda * dF.trace() * Mat3::Identity();
    const Mat3 force = (scale * t.m_element_measure) * R * dP * inverseDm.transpose();
    for (int k = 0; k < 3; ++k) {
        product[static_cast<std::size_t>(t.m_n[k + 1]->index)] += force.col(k);
        product[static_cast<std::size_t>(t.m_n[0]->index)] -= force.col(k);
    }
}

/// |b - A dv| / |b| of the free nodes of the last step. Bullet keeps the rotations of the solve until the
/// next step.
double BulletBeam::Data::linearResidual() const {
    std::vector<Vec3> product(mesh.vertexCount(), Vec3::Zero());
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) addStiffness(t, dt * (dt + kBeta), product);
    double errorSq = 0, rightSq = 0;
    for (std::size_t i = 0; i < product.size(); ++i) {
        const btSoftBody::Node& node = body->m_nodes[static_cast<int>(i)];
        if (node.m_im == 0) continue;
        const Vec3 b = solver.right(node.index);
        errorSq += (b - product[i] - solver.change(node.index) / node.m_im).squaredNorm();
        rightSq += b.squaredNorm();
    }
    return std::sqrt(errorSq / rightSq);
}

BulletBeam::BulletBeam(const BeamSize& size) : data_(std::make_unique<Data>(size)) {}
BulletBeam::~BulletBeam() = default;

double BulletBeam::run(int steps, double dt) {
    data_->dt = dt;
    double seconds = 0;
    for (int k = 0; k < steps; ++k) {
        Timer timer;
        data_->world.stepSimulation(btScalar(dt), 0);
        seconds += timer.seconds();
        data_->worstResidual = std::max(data_->worstResidual, data_->linearResidual());
    }
    data_->steps += steps;
    return seconds / steps;
}

double BulletBeam::tipDrop() const {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < data_->mesh.vertexCount(); ++i)
        if (data_->mesh.rest[i].x() == 4) {
            sum += data_->mesh.rest[i].y() - data_->body->m_nodes[static_cast<int>(i)].m_x.y();
            ++count;
        }
    return sum / count;
}

double BulletBeam::iterations() const { return static_cast<double>(data_->solver.iterations) / data_->steps; }

double BulletBeam::residual() const {
    return data_->steps > 0 ? data_->worstResidual : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sunder::bench
