#include "core/body/rigid.h"

#include <Eigen/Dense>
#include <cmath>

#include "core/math/decompose.h"

namespace sunder {

RigidFrame rigidFrame(Span<const double> mass, Span<const Vec3> x) {
    RigidFrame frame;
    for (std::size_t i = 0; i < x.size(); ++i) {
        frame.mass += mass[i];
        frame.centre += mass[i] * x[i];
    }
    frame.centre /= frame.mass;
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
        field.centre += mass[i] * v[i];
        angular += mass[i] * (x[i] - frame.centre).cross(v[i]);
    }
    field.centre /= frame.mass;
    field.turn = frame.inertia.ldlt().solve(angular);
    return field;
}

Mat3 rotationBy(const Vec3& vector) {
    const double angle = vector.norm();
    return angle > 0 ? Mat3(Eigen::AngleAxisd(angle, vector / angle)) : Mat3(Mat3::Identity());
}

Vec3 rotationBetween(Span<const double> mass, Span<const Vec3> from, const Vec3& fromCentre, Span<const Vec3> to, const Vec3& toCentre) {
    // F = sum m b a^T = R S with S = sum m a a^T: R follows without a polar decomposition, so it is exact for small angles, too
    Mat3 F = Mat3::Zero(), S = Mat3::Zero();
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Vec3 a = from[i] - fromCentre;
        F += mass[i] * (to[i] - toCentre) * a.transpose();
        S += mass[i] * a * a.transpose();
    }
    const Mat3 R = F * S.inverse();
    const Vec3 twice(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));  // 2 sin(angle) axis
    const double sine = 0.5 * twice.norm(), cosine = 0.5 * (R.trace() - 1), angle = std::atan2(sine, cosine);
    return sine > 1e-9 ? Vec3(0.5 * angle / sine * twice) : Vec3(0.5 * twice);
}

void moveRigidly(const RigidFrame& frame, const Vec3& shift, const Vec3& turn, Span<const Vec3> x, Span<Vec3> out) {
    const Mat3 R = rotationBy(turn);
    const Vec3 centre = frame.centre + shift;
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = centre + R * (x[i] - frame.centre);
}

FreeTurn turnFreely(const RigidFrame& frame, const Vec3& spin, double dt) {
    const Vec3 momentum = frame.inertia * spin;
    const auto spinAfter = [&](const Mat3& R) { return Vec3(R * frame.inertia.ldlt().solve(R.transpose() * momentum)); };
    FreeTurn free;
    free.turn = dt * spinAfter(rotationBy(0.5 * dt * spin));
    free.spin = spinAfter(rotationBy(free.turn));
    return free;
}

namespace {
using Moments = Eigen::Matrix<double, 10, 1>;

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
}  // namespace

void matchInertia(const TetMesh& mesh, Span<const double> tetMass, Span<double> mass) {
    const RigidFrame frame = rigidFrame(mass, mesh.rest);
    const double size = std::sqrt(frame.inertia.trace() / frame.mass);
    Moments wanted = Moments::Zero();
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) wanted += momentsOfTet(mesh, t, tetMass[t], frame.centre, size);
    // m_i (1 + c . monomials(x_i)): of all changes that give the moments, the smallest in the sum of m_i change^2
    Eigen::Matrix<double, 10, 10> normal = Eigen::Matrix<double, 10, 10>::Zero();
    for (std::size_t i = 0; i < mass.size(); ++i) {
        const Moments q = monomials((mesh.rest[i] - frame.centre) / size);
        normal += mass[i] * q * q.transpose();
        wanted -= mass[i] * q;
    }
    const Moments c = normal.completeOrthogonalDecomposition().solve(wanted);
    if (!((normal * c - wanted).norm() <= 1e-9 * frame.mass)) return;  // too few vertices
    std::vector<double> changed(mass.begin(), mass.end());
    for (std::size_t i = 0; i < mass.size(); ++i) {
        changed[i] *= 1 + c.dot(monomials((mesh.rest[i] - frame.centre) / size));
        if (!(changed[i] >= 0.1 * mass[i])) return;
    }
    std::copy(changed.begin(), changed.end(), mass.begin());
}

}  // namespace sunder
