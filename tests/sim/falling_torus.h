#pragma once

#include "tests/sim/sim_fixture.h"

namespace sunder::testing {

/// The falling torus of Visco97 8.1: 480 tets, 180 vertices, nearly upright, one internal vertex fixed at the
/// origin. The paper prints no parameters; these are of a soft rubber ring of 40 cm.
inline WorldState makeFallingTorus() {
    Material rubber;
    rubber.name = "soft rubber";
    rubber.law = ElasticLawId::kViscoelastic;
    rubber.density = 1000;
    rubber.youngs = 1e5;
    rubber.poisson = 0.4;
    rubber.phi = 60;  // Pa s
    rubber.psi = 60;
    TetMesh mesh = makeTorus(20, 2, 0.15, 0.05);
    // vertex 4, the middle of the tube at angle 0, becomes the foot of a ring that leans by 0.1 rad
    const Mat3 upright = (Eigen::AngleAxisd(0.1, Vec3::UnitX()) * Eigen::AngleAxisd(-M_PI / 2, Vec3::UnitZ()))
                             .toRotationMatrix();
    const Vec3 fixed = mesh.rest[4];
    for (Vec3& p : mesh.rest) p = upright * (p - fixed);
    Body body = makeBody(std::move(mesh), rubber);
    pinWhere(body, [](const Vec3& p) { return p.isZero(); });
    return makeWorld(std::move(body));
}

}  // namespace sunder::testing
