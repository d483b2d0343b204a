#include "core/body/rigid.h"

#include <Eigen/Dense>
#include <cmath>

#include "core/math/decompose.h"

namespace sunder {

RigidFrame rigidFrame(Span<const double> mass, Span<const Vec3> x) {
    RigidFrame frame;
    // from the first vertex on, as sums of what is the same for all would be off by the same rounding step after step
    for (std::size_t i = 0; i < x.size(); ++i) {
        frame.mass += mass[i];
        frame.centre += mass[i] * (x[i] - x[0]);
    }
    frame.centre = x[0] + frame.centre / frame.mass;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 r = x[i] - frame.centre;
        frame.inertia += mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    return frame;
}

Vec3 RigidField::at(const RigidFrame& frame, const Vec3& x) const { return centre + turn.cross(x - frame.centre); }

RigidField rigidPart(const RigidFrame& frame, Span<const double> mass, Span<const Vec3> x, Span<const Vec3> v) {
    RigidField field;
    Vec3 angular = Vec3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) {
        field.centre += mass[i] * (v[i] - v[0]);
        angular += mass[i] * (x[i] - frame.centre).cross(v[i] - v[0]);
    }
    field.centre = v[0] + field.centre / frame.mass;
    field.turn = frame.inertia.ldlt().solve(angular);
    return field;
}

Mat3 rotationBy(const Vec3& vector) {
    const double angle = vector.norm();
    return angle > 0 ? Mat3(Eigen::AngleAxisd(angle, vector / angle)) : Mat3(Mat3::Identity());
}

Vec3 rotationBetween(Span<const double> mass, Span<const Vec3> from, const Vec3& fromCentre, Span<const Vec3> to, const Vec3& toCentre) {
    // F = sum m b a^T = R S with S = sum m a a^T: R follows without a polar decomposition, so it is exact for small angles, too; by way of
    // a quaternion, which knows sines of half the angle, also for half turns
    Mat3 F = Mat3::Zero(), S = Mat3::Zero();
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Vec3 a = from[i] - fromCentre;
        F += mass[i] * (to[i] - toCentre) * a.transpose();
        S += mass[i] * a * a.transpose();
    }
    const Eigen::AngleAxisd turn(Eigen::Quaterniond(Mat3(F * S.inverse())));
    return turn.angle() * turn.axis();
}

void moveRigidly(const RigidFrame& frame, const Vec3& shift, const Vec3& turn, Span<const Vec3> x, Span<Vec3> out) {
    const Mat3 R = rotationBy(turn);
    const Vec3 centre = frame.centre + shift;
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = centre + R * (x[i] - frame.centre);
}

namespace {
constexpr int kTurnIterations = 20;
}

FreeTurn turnFreely(const RigidFrame& frame, const Vec3& spin, double dt) {
    const Vec3 momentum = frame.inertia * spin;
    const auto spinAfter = [&](const Mat3& R) { return Vec3(R * frame.inertia.ldlt().solve(R.transpose() * momentum)); };
    FreeTurn free;
    free.turn = dt * spin;
    for (int k = 0; k < kTurnIterations; ++k) {
        const Vec3 last = free.turn;
        free.turn = dt * spinAfter(rotationBy(0.5 * last));
        if ((free.turn - last).norm() <= 1e-15 * last.norm()) break;
    }
    free.spin = spinAfter(rotationBy(free.turn));
    return free;
}

namespace {
using Moments = Eigen::Matrix<double, 10, 1>;
constexpr int kMomentIterations = 60;
constexpr double kMomentError = 1e-15;   // of moments over mass and powers of the size, for every vertex
constexpr double kSmallestShare = 0.02;  // of its mass that a vertex has to keep: explicit steps go with its root

/// 1, x, y, z and their products.
Moments monomials(const Vec3& p) {
    Moments m;
    m << 1, p.x(), p.y(), p.z(), p.x() * p.x(), p.y() * p.y(), p.z() * p.z(), p.x() * p.y(), p.y() * p.z(), p.z() * p.x();
    return m;
}

/// Integral of the monomials over a tet of the given mass: of second degree it is exact with a twentieth of the mass at every corner and
/// sixteen at the middle.
Moments momentsOfTet(const TetMesh& mesh, std::size_t tet, double mass, const Vec3& centre, double size) {
    Vec3 middle = Vec3::Zero();
    Moments sum = Moments::Zero();
    for (const std::int32_t v : mesh.tets[tet]) {
        const Vec3 p = (mesh.rest[static_cast<std::size_t>(v)] - centre) / size;
        sum += mass / 20 * monomials(p);
        middle += p / 4;
    }
    return sum + mass * 0.8 * monomials(middle);
}
/// Makes mass_i exp(c . q_i) of the masses, with the moments wanted: of all positive masses that have them, those nearest by relative
/// entropy. c is where the convex function sum mass_i exp(c . q_i) - c . wanted is least, found by Newton's method. False if there are none.
bool findMasses(Span<const double> mass, const std::vector<Moments>& q, const Moments& wanted, std::vector<double>& changed) {
    const double rounding = kMomentError * (10 + static_cast<double>(q.size())) * wanted[0];
    Moments c = Moments::Zero(), way = Moments::Zero();
    double value = HUGE_VAL;
    bool good = false;
    for (int iteration = 0; iteration < kMomentIterations; ++iteration) {
        Eigen::Matrix<double, 10, 10> normal = Eigen::Matrix<double, 10, 10>::Zero();
        Moments missing = wanted;
        double now = -c.dot(wanted);
        for (std::size_t i = 0; i < q.size(); ++i) {
            changed[i] = mass[i] * std::exp(c.dot(q[i]));
            now += changed[i];
            missing -= changed[i] * q[i];
            normal += changed[i] * q[i] * q[i].transpose();
        }
        if (missing.norm() <= rounding) {
            if (good) return true;
            good = true;  // and one more, for the last digits
        }
        if (now <= value + rounding) {
            value = now;
            way = normal.completeOrthogonalDecomposition().solve(missing);
            c += way;
        } else {
            way /= 2;
            c -= way;
        }
    }
    return false;
}
}  // namespace

void matchInertia(const TetMesh& mesh, Span<const double> tetMass, Span<double> mass) {
    const RigidFrame frame = rigidFrame(mass, mesh.rest);
    const double size = std::sqrt(frame.inertia.trace() / frame.mass);
    Moments wanted = Moments::Zero();
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) wanted += momentsOfTet(mesh, t, tetMass[t], frame.centre, size);
    std::vector<Moments> q;
    for (const Vec3& p : mesh.rest) q.push_back(monomials((p - frame.centre) / size));
    std::vector<double> changed(mass.size());
    if (!findMasses(mass, q, wanted, changed)) return;
    for (std::size_t i = 0; i < mass.size(); ++i)
        if (!(changed[i] >= kSmallestShare * mass[i])) return;
    std::copy(changed.begin(), changed.end(), mass.begin());
}

}  // namespace sunder
