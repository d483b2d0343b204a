#include "core/body/rigid.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <iostream>

#include "core/base/random.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {

void figure(const std::string& name, double value) { std::cout << "    " << name << " = " << value << std::endl; }

struct Cloud {
    std::vector<double> mass;
    std::vector<Vec3> x;
};

/// Uneven masses in a box of the given size, away from the origin.
Cloud makeCloud(const Vec3& size) {
    Cloud cloud;
    for (std::uint64_t i = 0; i < 40; ++i) {
        cloud.mass.push_back(randomRange(0.5, 2, 5, i, 0));
        cloud.x.push_back(Vec3(3, -2, 1) + Vec3(randomRange(-0.5, 0.5, 5, i, 1), randomRange(-0.5, 0.5, 5, i, 2), randomRange(-0.5, 0.5, 5, i, 3)).cwiseProduct(size));
    }
    return cloud;
}

Mat3 turnOf(const Vec3& vector) { return Mat3(Eigen::AngleAxisd(vector.norm(), vector.normalized())); }

RigidFrame makeTop() {
    RigidFrame top;
    top.mass = 1;
    const Mat3 tilted = turnOf(Vec3(0.3, -0.2, 0.5));
    top.inertia = tilted * Vec3(1, 2, 2.7).asDiagonal() * tilted.transpose();
    return top;
}

struct Spun {
    Mat3 orientation = Mat3::Identity();
    Vec3 spin;
    double momentumError = 0;
};

/// `count` free turns over a second.
Spun turnMany(const Vec3& spin, int count) {
    RigidFrame top = makeTop();
    const Mat3 inertia = top.inertia;
    const Vec3 momentum = inertia * spin;
    Spun spun;
    spun.spin = spin;
    for (int k = 0; k < count; ++k) {
        const FreeTurn free = turnFreely(top, spun.spin, 1.0 / count);
        spun.orientation = rotationBy(free.turn) * spun.orientation;
        spun.spin = free.spin;
        top.inertia = spun.orientation * inertia * spun.orientation.transpose();
        spun.momentumError = std::max(spun.momentumError, (top.inertia * spun.spin - momentum).norm() / momentum.norm());
    }
    return spun;
}

double angleBetween(const Mat3& a, const Mat3& b) { return Eigen::AngleAxisd(a.transpose() * b).angle(); }
}  // namespace

TEST(Rigid, FrameAndPartRecoverAMotion) {
    const Cloud cloud = makeCloud(Vec3(1, 2, 0.1));
    const RigidFrame frame = rigidFrame(cloud.mass, cloud.x);
    double mass = 0;
    for (const double m : cloud.mass) mass += m;
    EXPECT_NEAR(frame.mass, mass, 1e-14 * mass);
    const RigidField motion{Vec3(1, -2, 0.5), Vec3(-3, 4, 5)};
    std::vector<Vec3> v;
    for (const Vec3& p : cloud.x) v.push_back(motion.at(frame, p));
    const RigidField found = rigidPart(frame, cloud.mass, cloud.x, v);
    EXPECT_LT((found.centre - motion.centre).norm(), 1e-13);
    EXPECT_LT((found.turn - motion.turn).norm(), 1e-12);

    std::vector<Vec3> moved(cloud.x.size());
    const Vec3 shift(0.3, 0.2, -0.7), turn(1, -0.5, 0.8);
    moveRigidly(frame, shift, turn, cloud.x, moved);
    const RigidFrame after = rigidFrame(cloud.mass, moved);
    EXPECT_LT((after.centre - frame.centre - shift).norm(), 1e-14);
    EXPECT_LT((after.inertia - turnOf(turn) * frame.inertia * turnOf(turn).transpose()).norm(), 1e-14 * frame.inertia.norm());
}

// What is not rigid of a field carries no momentum and no angular momentum.
TEST(Rigid, PartKeepsTheMomenta) {
    const Cloud cloud = makeCloud(Vec3(1, 1, 1));
    const RigidFrame frame = rigidFrame(cloud.mass, cloud.x);
    std::vector<Vec3> v;
    for (std::uint64_t i = 0; i < cloud.x.size(); ++i)
        v.push_back(Vec3(randomRange(-1, 1, 6, i, 0), randomRange(-1, 1, 6, i, 1), randomRange(-1, 1, 6, i, 2)));
    const RigidField part = rigidPart(frame, cloud.mass, cloud.x, v);
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (std::size_t i = 0; i < v.size(); ++i) {
        const Vec3 rest = cloud.mass[i] * (v[i] - part.at(frame, cloud.x[i]));
        linear += rest;
        angular += cloud.x[i].cross(rest);
    }
    EXPECT_LT(linear.norm(), 1e-13);
    EXPECT_LT(angular.norm(), 1e-12);
}

// Places are known to eps times their distance from the origin, so angles to about that over the size, whatever the angle.
TEST(Rigid, RotationBetweenTwoPlacesAtAnyAngle) {
    double worst = 0, worstFlat = 0;
    for (const bool flat : {false, true}) {
        const Cloud cloud = makeCloud(flat ? Vec3(1, 0.005, 1) : Vec3(1, 1, 1));
        const RigidFrame frame = rigidFrame(cloud.mass, cloud.x);
        std::vector<Vec3> moved(cloud.x.size());
        for (const double angle : {0.0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-6, 1e-3, 0.1, 1.0, 1.5707963267948966, 2.0, 3.0, 3.1415, 3.1415926535})
            for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, -2, 3), Vec3(-3, 1, 1)}) {
                const Vec3 turn = angle * axis.normalized();
                moveRigidly(frame, Vec3(0.1, 0.2, 0.3), turn, cloud.x, moved);
                const Vec3 found = rotationBetween(cloud.mass, cloud.x, frame.centre, moved, rigidFrame(cloud.mass, moved).centre);
                double& largest = flat ? worstFlat : worst;
                largest = std::max(largest, (found - turn).norm());
                EXPECT_LT((found - turn).norm(), flat ? 1e-12 : 1e-14) << angle << ", " << axis.transpose() << ", " << flat;
            }
    }
    figure("largest error of the rotation vector, rad", worst);
    figure("of a plate 200 times as wide as thick, rad", worstFlat);
}

TEST(Rigid, HalfATurnIsFound) {
    const Cloud cloud = makeCloud(Vec3(1, 1, 1));
    const RigidFrame frame = rigidFrame(cloud.mass, cloud.x);
    std::vector<Vec3> moved(cloud.x.size());
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, -2, 3)}) {
        moveRigidly(frame, Vec3::Zero(), M_PI * axis.normalized(), cloud.x, moved);
        const Vec3 found = rotationBetween(cloud.mass, cloud.x, frame.centre, moved, frame.centre);
        EXPECT_NEAR(found.norm(), M_PI, 1e-12);
        EXPECT_NEAR(std::abs(found.normalized().dot(axis.normalized())), 1, 1e-12);  // either way round
    }
}

TEST(Rigid, FreeTurnIsOfSecondOrderAndKeepsAngularMomentum) {
    const Vec3 spin(2, 5, -1);
    const Spun reference = turnMany(spin, 20000);
    double last = 0;
    for (const int count : {20, 40, 80, 160}) {
        const Spun spun = turnMany(spin, count);
        const double error = angleBetween(spun.orientation, reference.orientation);
        figure("orientation error after 1 s, " + std::to_string(count) + " steps, rad", error);
        EXPECT_LT(spun.momentumError, 1e-13);
        if (last > 0) {
            figure("order", std::log2(last / error));
            EXPECT_NEAR(std::log2(last / error), 2, 0.2);
        }
        last = error;
    }
}

// An explicit rule of the same order would gain or lose with every turn.
TEST(Rigid, EnergyOfFreeTurnsDoesNotDrift) {
    const RigidFrame rest = makeTop();
    RigidFrame top = rest;
    Vec3 spin(2, 5, -1);
    Mat3 orientation = Mat3::Identity();
    const double energy = 0.5 * spin.dot(top.inertia * spin);
    double early = 0, late = 0;
    for (int k = 0; k < 40000; ++k) {
        const FreeTurn free = turnFreely(top, spin, 1.0 / 24);
        orientation = rotationBy(free.turn) * orientation;
        spin = free.spin;
        top.inertia = orientation * rest.inertia * orientation.transpose();
        double& largest = k < 4000 ? early : late;
        largest = std::max(largest, std::abs(0.5 * spin.dot(top.inertia * spin) / energy - 1));
    }
    figure("largest change of energy in the first of ten parts", early);
    figure("and in the others", late);
    EXPECT_LT(late, 1.01 * early);
}

// A body that turns about nothing but a principal axis keeps turning about it.
TEST(Rigid, FreeTurnAboutAPrincipalAxisIsExact) {
    const RigidFrame top = makeTop();
    const Vec3 axis = turnOf(Vec3(0.3, -0.2, 0.5)).col(2), spin = 7 * axis;
    const FreeTurn free = turnFreely(top, spin, 0.3);
    EXPECT_LT((free.turn - 0.3 * spin).norm(), 1e-14);
    EXPECT_LT((free.spin - spin).norm(), 1e-13);
}

// The reference: exact integrals of the moments over every tet, sum over pairs of corners p_i p_j (1 + delta_ij) V / 20.
TEST(Rigid, MatchedMassesHaveTheInertiaOfTheTets) {
    for (const int shape : {0, 1, 2, 3}) {
        TetMesh mesh = shape == 3 ? testing::makeBox(30, 20, 30, Vec3(1, 2, 0.5)) : testing::makeBox(2, 2, 2, Vec3(1, 2, 0.5));
        if (shape == 1) testing::jitter(mesh, 0.2, 3);
        if (shape == 2) {  // a coarse ball: the box of cubes drawn out to a sphere
            mesh = testing::makeBox(4, 4, 4, Vec3(2, 2, 2));
            for (Vec3& p : mesh.rest) {
                p -= Vec3(1, 1, 1);
                const double largest = p.cwiseAbs().maxCoeff();
                if (largest > 0) p *= 0.6 * largest / p.norm();
            }
        }
        std::vector<double> tetMass, mass(mesh.vertexCount(), 0.0);
        double total = 0;
        Vec3 first = Vec3::Zero();
        Mat3 second = Mat3::Zero();
        for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
            const double m = 1200 * restVolume(mesh, t);
            tetMass.push_back(m);
            total += m;
            for (std::size_t i = 0; i < 4; ++i) {
                const Vec3& p = mesh.rest[static_cast<std::size_t>(mesh.tets[t][i])];
                mass[static_cast<std::size_t>(mesh.tets[t][i])] += m / 4;
                first += m / 4 * p;
                for (std::size_t j = 0; j < 4; ++j)
                    second += m / 20 * (i == j ? 2 : 1) * p * mesh.rest[static_cast<std::size_t>(mesh.tets[t][j])].transpose();
            }
        }
        const Vec3 centre = first / total;
        second -= total * centre * centre.transpose();
        const Mat3 inertia = second.trace() * Mat3::Identity() - second;
        const double quarters = rigidFrame(mass, mesh.rest).inertia.trace() / inertia.trace();
        matchInertia(mesh, tetMass, mass);
        const RigidFrame frame = rigidFrame(mass, mesh.rest);
        double smallest = 1e300;
        for (const double m : mass) smallest = std::min(smallest, m);
        figure("inertia of quarters at the corners over the exact one, shape " + std::to_string(shape), quarters);
        figure("error of the matched inertia", (frame.inertia - inertia).norm() / inertia.norm());
        EXPECT_GT(smallest, 0);
        EXPECT_GT(quarters, 1.001);
        EXPECT_NEAR(frame.mass, total, 1e-12 * total);
        const double rounding = 1e-12 + 2.2e-16 * static_cast<double>(mesh.tetCount());  // of the sums here
        EXPECT_LT((frame.centre - centre).norm(), rounding);
        EXPECT_LT((frame.inertia - inertia).norm(), rounding * inertia.norm());
        if (shape == 0 || shape == 3) {
            const Vec3 s(1, 2, 0.5), sq = s.cwiseProduct(s);
            const Vec3 exact = total / 12 * Vec3(sq.y() + sq.z(), sq.z() + sq.x(), sq.x() + sq.y());
            EXPECT_LT((frame.inertia - Mat3(exact.asDiagonal())).norm(), rounding * exact.norm());
        }
    }
}

// Eight corners cannot have it: then the masses stay as they were.
TEST(Rigid, MassesStayWhereTooFewVerticesWouldHaveToChange) {
    const TetMesh mesh = testing::makeBox(1, 1, 1, Vec3(1, 1, 1));
    std::vector<double> tetMass, mass(mesh.vertexCount(), 0.0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        tetMass.push_back(restVolume(mesh, t));
        for (const std::int32_t v : mesh.tets[t]) mass[static_cast<std::size_t>(v)] += tetMass[t] / 4;
    }
    const std::vector<double> before = mass;
    matchInertia(mesh, tetMass, mass);
    for (const double m : mass) EXPECT_GT(m, 0);
    const RigidFrame was = rigidFrame(before, mesh.rest), is = rigidFrame(mass, mesh.rest);
    figure("inertia of a box of one cell over the exact one", is.inertia.trace() / 0.5);
    EXPECT_NEAR(is.mass, was.mass, 1e-12);
}

}  // namespace sunder
