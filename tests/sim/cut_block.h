#pragma once

#include <map>

#include "core/material/presets.h"
#include "core/math/decompose.h"
#include "core/mesh/adjacency.h"
#include "core/sim/measures.h"
#include "core/sim/scene_shapes.h"
#include "tests/sim/physics_fixture.h"

namespace sunder::testing {

/// The block of examples/cut_block: 1 m by 1 m by 5 cm, cut halfway from the left, held at its top and drawn down at its hole.
struct CutBlock {
    int cells = 27;
    Vec3 weakness = Vec3::Ones();
    double grainAngle = 0;  ///< rad, about z
    std::uint64_t seed = 1;
    double speed = 1;       ///< m/s

    static constexpr double kDepth = 0.05;

    static Material glass() {
        for (const MaterialPreset& preset : materialPresets())
            if (preset.material.name == "thesis_glass") return preset.material;
        return {};
    }
    Material material() const {
        Material m = glass();
        m.fracture.enabled = true;
        m.fracture.kind = ToughnessKind::kByEnergy;
        m.fracture.energy = 2500;
        m.fracture.stress = 45e6;
        m.fracture.residual = 1;
        m.fracture.backCrackAngle = M_PI / 3;
        m.fracture.weakness = weakness;
        m.fracture.grain = Vec3(0, 0, grainAngle);
        return m;
    }
    Solid solid() const {
        NotchedBlockShape shape;
        shape.size = Vec3(1, 1, kDepth);
        shape.cut = 0.5;
        shape.holeRadius = 0.1;
        shape.holeHeight = 0.25;
        shape.cells = cells;
        shape.layers = 1;
        shape.seed = seed;
        return makeShape(shape);
    }
    WorldState world(const Material& m) const {
        const Solid made = solid();
        Body body = makeBody(made.mesh, m);
        body.attributes = made.attributes;
        for (const bool hole : {false, true}) {
            HardTarget pin;
            pin.name = hole ? "hole" : "top";
            const Group* group = made.attributes.vertices.findGroup(pin.name);
            for (std::size_t v = 0; v < group->members.size(); ++v)
                if (group->members[v]) {
                    pin.vertices.push_back(static_cast<std::int32_t>(v));
                    pin.anchor.push_back(body.mesh.rest[v]);
                }
            if (hole) pin.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0, -speed, 0), Vec3::Zero()}};
            body.constraints.hard.push_back(pin);
        }
        return makeWorld(std::move(body));
    }
    WorldState world() const { return world(material()); }
};

inline StepSettings cutBlockSettings(Integrator integrator) {
    StepSettings settings = spaceSettings(integrator);
    settings.newtonTolerance = settings.linearTolerance = 0.01;
    settings.fracture.rounds = 60;
    return settings;
}

/// What cracks have made of a block, at rest.
struct CrackMeasures {
    double area = 0;               ///< m^2
    double left = 1, right = -1;   ///< m, ends in x
    Vec3 normal = Vec3::Zero();    ///< direction that its faces look along most
    double spread = 0;             ///< rad, root of the mean square of their angles with it, by area
    std::vector<double> height;    ///< m, mean over ten columns from the end of the cut to the right side; NaN where there is none
};

inline CrackMeasures measureCracks(const Body& body) {
    CrackMeasures m;
    m.height.assign(10, 0.0);
    std::vector<double> columns(10, 0.0);
    Mat3 sum = Mat3::Zero();
    std::vector<Vec3> areas;
    for (std::size_t t = 0; t < body.insideFaces.size(); ++t)
        for (int f = 0; f < 4; ++f) {
            if (!(body.insideFaces[t] >> f & 1)) continue;
            const auto at = [&](int k) -> const Vec3& { return body.mesh.rest[static_cast<std::size_t>(body.mesh.tets[t][static_cast<std::size_t>(kTetFaces[f][k])])]; };
            const Vec3 area = 0.25 * (at(1) - at(0)).cross(at(2) - at(0)), centre = (at(0) + at(1) + at(2)) / 3;  // both sides are listed
            m.area += area.norm();
            sum += area * area.transpose() / area.norm();
            areas.push_back(area);
            for (const int k : {0, 1, 2}) {
                m.left = std::min(m.left, at(k).x());
                m.right = std::max(m.right, at(k).x());
            }
            if (centre.x() < 0) continue;
            const auto column = std::min<std::size_t>(9, static_cast<std::size_t>(20 * centre.x()));
            m.height[column] += area.norm() * centre.y();
            columns[column] += area.norm();
        }
    m.normal = symmetricEigen3(sum).vectors.col(0);
    double squares = 0;
    for (const Vec3& a : areas) {
        const double angle = std::acos(std::min(1.0, std::abs(a.normalized().dot(m.normal))));
        squares += a.norm() * angle * angle / m.area;
    }
    m.spread = std::sqrt(squares);
    for (std::size_t k = 0; k < 10; ++k) m.height[k] /= columns[k];
    return m;
}

/// Pieces of more than a hundredth of the volume, and the share of all others.
struct LargePieces {
    int count = 0;
    double crumbs = 0;
};
inline LargePieces largePieces(const TetMesh& mesh) {
    const auto label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    std::map<std::int32_t, double> volume;
    double all = 0;
    for (std::size_t t = 0; t < label.size(); ++t) {
        volume[label[t]] += restVolume(mesh, t);
        all += restVolume(mesh, t);
    }
    LargePieces pieces;
    for (const auto& [piece, v] : volume) {
        pieces.count += v > 0.01 * all;
        pieces.crumbs += v > 0.01 * all ? 0 : v / all;
    }
    return pieces;
}

}  // namespace sunder::testing
