#pragma once

#include <Eigen/Geometry>
#include <iostream>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/contact/response_nodes.h"
#include "core/contact/response_thesis.h"
#include "tests/support/builders.h"

namespace sunder::testing {

/// Two bodies at (x, v), all tets of one against all of the other.
struct TouchingBodies {
    std::shared_ptr<const Body> body[2];
    ContactShape shape[2];
    ContactMemory memory[2];
    std::vector<Vec3> x[2], v[2], force[2];
    PairList pairs;

    TouchingBodies(Body a, Body b) {
        body[0] = buildBody(std::move(a));
        body[1] = buildBody(std::move(b));
        for (int k = 0; k < 2; ++k) {
            shape[k] = buildContactShape(*body[k]);
            x[k] = body[k]->mesh.rest;
            v[k].assign(x[k].size(), Vec3::Zero());
        }
        for (std::size_t i = 0; i < shape[0].corners.size(); ++i)
            for (std::size_t j = 0; j < shape[1].corners.size(); ++j)
                if (shape[0].corners[i][0] >= 0 && shape[1].corners[j][0] >= 0) pairs.pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
        pairs.ranges.push_back({0, 1, 0, pairs.pairs.size()});
    }
    std::vector<const ContactShape*> shapes() const { return {&shape[0], &shape[1]}; }
    ContactSet overlaps() const {
        ContactSet set;
        findContacts(pairs, shapes(), std::vector<Span<const Vec3>>{x[0], x[1]}, set);
        return set;
    }
    std::vector<NodeContact> nodes() const {
        std::vector<NodeContact> list;
        std::vector<VertexContacts> vertices;
        findNodeContacts(pairs, shapes(), std::vector<Span<const Vec3>>{x[0], x[1]}, list, vertices);
        return list;
    }
    /// With velocities and forces of now; memories as they are left.
    std::vector<ContactBodyState> states() {
        std::vector<ContactBodyState> list;
        for (int k = 0; k < 2; ++k) {
            force[k].assign(x[k].size(), Vec3::Zero());
            list.push_back({&shape[k], x[k], v[k], &memory[k], force[k]});
        }
        return list;
    }
    ContactTotals pushByPairs(const ContactStep& step) {
        std::vector<ContactBodyState> list = states();
        return computeThesisForces(overlaps(), list, step);
    }
    ContactTotals pushByNodes(const ContactStep& step) {
        std::vector<ContactBodyState> list = states();
        return computeNodeForces(nodes(), list, step);
    }
    void setRandomVelocities(std::uint64_t seed) {
        for (int k = 0; k < 2; ++k)
            for (std::size_t i = 0; i < v[k].size(); ++i)
                for (int c = 0; c < 3; ++c) v[k][i][c] = randomRange(-1, 1, seed, 1000 * static_cast<std::uint64_t>(k) + i, static_cast<std::uint64_t>(c));
    }
    struct Sums {
        Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
        double forceScale = 0, momentScale = 0;
        double power = 0;  ///< of the forces, W
    };
    Sums sums() const {
        Sums s;
        for (int k = 0; k < 2; ++k)
            for (std::size_t i = 0; i < x[k].size(); ++i) {
                s.force += force[k][i];
                s.moment += x[k][i].cross(force[k][i]);
                s.forceScale += force[k][i].norm();
                s.momentScale += x[k][i].norm() * force[k][i].norm();
                s.power += force[k][i].dot(v[k][i]);
            }
        return s;
    }
};

/// The largest of what should vanish, over many pairs.
struct MomentumErrors {
    int touching = 0;
    double force = 0, moment = 0, power = 0;

    void add(const ContactTotals& totals, const TouchingBodies::Sums& s) {
        if (s.forceScale == 0) return;
        ++touching;
        force = std::max(force, s.force.norm() / s.forceScale);
        moment = std::max(moment, s.moment.norm() / s.momentScale);
        power = std::max(power, std::abs(totals.power + s.power) / s.forceScale);
    }
    void print() const {
        std::cout << "    " << touching << " pairs, sum of forces " << force << ", of moments " << moment << ", power off by " << power << "\n";
    }
};

inline Body makeContactBody(TetMesh mesh, double youngs) {
    Body body;
    body.name = "solid";
    body.mesh = std::move(mesh);
    body.materials.resize(1);
    body.materials[0].name = "test";
    body.materials[0].youngs = youngs;
    return body;
}

}  // namespace sunder::testing
