#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <iostream>

#include "core/base/random.h"
#include "core/contact/contact_pairs.h"
#include "core/contact/contact_potential.h"
#include "tests/contact/same_contacts.h"
#include "tests/contact/touching_bodies.h"

namespace sunder {

namespace {
Body makeSolid(TetMesh mesh, double youngs, const Vec3& at, const Mat3& turn = Mat3::Identity()) {
    for (Vec3& p : mesh.rest) p = turn * p + at;
    return testing::makeContactBody(std::move(mesh), youngs);
}

/// Two bodies that overlap, all tets of one against all of the other.
struct Touching {
    std::shared_ptr<const Body> body[2];
    ContactShape shape[2];
    ContactMemory memory[2];
    PairList pairs;
    ContactBodies bodies;
    std::vector<Vec3> x;

    Touching(Body a, Body b) {
        body[0] = buildBody(std::move(a));
        body[1] = buildBody(std::move(b));
        bodies.offset = {0};
        for (int k = 0; k < 2; ++k) {
            shape[k] = buildContactShape(*body[k]);
            bodies.shapes.push_back(&shape[k]);
            bodies.memory.push_back(&memory[k]);
            bodies.offset.push_back(bodies.offset.back() + body[k]->mesh.vertexCount());
            x.insert(x.end(), body[k]->mesh.rest.begin(), body[k]->mesh.rest.end());
        }
        for (std::size_t i = 0; i < shape[0].corners.size(); ++i)
            for (std::size_t j = 0; j < shape[1].corners.size(); ++j)
                if (shape[0].corners[i][0] >= 0 && shape[1].corners[j][0] >= 0) pairs.pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
        pairs.ranges.push_back({0, 1, 0, pairs.pairs.size()});
    }
    ContactSet find(const std::vector<Vec3>& at) const {
        ContactSet set;
        const std::vector<Span<const Vec3>> parts = bodies.parts(at);
        findContacts(pairs, bodies.shapes, parts, set);
        computeClusters(parts, set);
        return set;
    }
    double value(const ContactPotential& potential, const std::vector<Vec3>& at, Span<Vec3> force) const {
        return potential.value(find(at), at, force);
    }
};

Touching makeTouching() {
    Body a = makeSolid(testing::makeBox(2, 2, 2, Vec3(1, 1, 1)), 1e5, Vec3(-0.97, -0.45, -0.5), Mat3(Eigen::AngleAxisd(0.1, Vec3(1, 2, 3).normalized())));
    Body b = makeSolid(testing::makeBox(2, 3, 2, Vec3(0.8, 1.3, 1)), 4e5, Vec3(0, -0.6, -0.4), Mat3(Eigen::AngleAxisd(-0.05, Vec3(3, -1, 2).normalized())));
    a.contact.restitution = b.contact.restitution = 0.3;
    return Touching(std::move(a), std::move(b));
}

/// The potential of a step that has moved a little, with friction at work.
ContactPotential beginStep(Touching& t, std::vector<Vec3>& start) {
    start = t.x;
    for (std::size_t i = 0; i < start.size(); ++i)
        for (int c = 0; c < 3; ++c) start[i][c] += 2e-3 * randomRange(-1, 1, 7, i, static_cast<std::uint64_t>(c));
    ContactPotential potential;
    potential.begin(t.bodies, {50, false}, t.find(start), start, {});
    potential.updateFriction(t.find(t.x), t.x);
    return potential;
}

Vec3 randomVector(std::uint64_t seed, std::size_t i) { return {randomRange(-1, 1, seed, i, 0), randomRange(-1, 1, seed, i, 1), randomRange(-1, 1, seed, i, 2)}; }
}  // namespace

// Pushed flat into each other by d, every vertex of an even surface is d deep and the pressure is about E d / h, h the size of the cells.
TEST(ContactSet, FlatOverlapIsAsDeepAsItIs) {
    for (const double depth : {1e-6, 1e-3, 0.02}) {
        const Body a = makeSolid(testing::makeBox(4, 3, 4, Vec3(1, 0.75, 1)), 1e5, Vec3(0, 0, 0));
        const Body b = makeSolid(testing::makeBox(9, 4, 8, Vec3(3, 1, 3)), 1e5, Vec3(-1, 0.75 - depth, -1));
        Touching t(a, b);
        const ContactSet set = t.find(t.x);
        ContactPotential potential;
        potential.begin(t.bodies, {0, false}, testing::noContacts(2), t.x, {});
        std::vector<Vec3> force(t.x.size(), Vec3::Zero());
        potential.value(set, t.x, force);
        double inside = 0, sum = 0;
        int count = 0;
        for (std::size_t i = 0; i < t.body[0]->mesh.vertexCount(); ++i) {
            sum += force[i].y();
            const Vec3& p = t.body[0]->mesh.rest[i];
            if (p.y() < 0.74 || std::abs(p.x() - 0.5) > 0.3 || std::abs(p.z() - 0.5) > 0.3) continue;
            inside += set.vertices[0].volume[i] / t.shape[0].area[i];
            ++count;
        }
        EXPECT_GT(count, 0);
        // what lies below is pushed down, out of the other; the area is that of its top
        Vec3 facing[2] = {Vec3::Zero(), Vec3::Zero()};
        for (int k = 0; k < 2; ++k)
            for (const Vec3& f : set.vertices[static_cast<std::size_t>(k)].facing) facing[k] += f;
        EXPECT_LT((facing[0] - Vec3(0, -1, 0)).norm(), 1e-9);
        EXPECT_LT((facing[1] - Vec3(0, 1, 0)).norm(), 1e-9);
        EXPECT_NEAR(inside / count, depth, 1e-2 * depth + depth * depth * 8);
        // half of the pressure from each body's springs; the other body's cells are larger and reach beyond this one
        const double even = 1e5 * depth / 0.25, stiffened = 1 + 2 * std::pow(depth / (kContactReach * 0.25), 2);
        EXPECT_GT(-sum, 0.5 * even);
        EXPECT_LT(-sum, even * stiffened);
    }
}

TEST(ContactPotential, ForcesAreItsGradient) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    const ContactPotential potential = beginStep(t, start);
    std::vector<Vec3> force(t.x.size(), Vec3::Zero());
    const double value = t.value(potential, t.x, force);
    EXPECT_GT(value, 0);
    double size = 0;
    for (const Vec3& f : force) size = std::max(size, f.norm());
    double error[2] = {0, 0};
    const double steps[2] = {1e-5, 5e-6};
    for (int k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < t.x.size(); ++i)
            for (int c = 0; c < 3; ++c) {
                std::vector<Vec3> x = t.x;
                x[i][c] += steps[k];
                const double up = t.value(potential, x, {});
                x[i][c] -= 2 * steps[k];
                const double down = t.value(potential, x, {});
                error[k] = std::max(error[k], std::abs((up - down) / (2 * steps[k]) + force[i][c]));
            }
    std::cout << "    largest error of a difference = " << error[0] / size << ", at half the step " << error[1] / size << "\n";
    EXPECT_LT(error[1], 1e-4 * size);
    EXPECT_LT(error[1], 0.6 * error[0]);
}

TEST(ContactPotential, NormalForcesKeepBothMomentaToRounding) {
    Touching t = makeTouching();
    ContactPotential potential;
    potential.begin(t.bodies, {50, false}, t.find(t.x), t.x, {});
    std::vector<Vec3> force(t.x.size(), Vec3::Zero());
    t.value(potential, t.x, force);
    Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
    double size = 0;
    for (std::size_t i = 0; i < force.size(); ++i) {
        sum += force[i];
        moment += t.x[i].cross(force[i]);
        size += force[i].norm();
    }
    EXPECT_GT(size, 1);
    EXPECT_LT(sum.norm(), 1e-14 * size);
    EXPECT_LT(moment.norm(), 1e-14 * size);
}

namespace {
struct ForceSums {
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    double size = 0;  ///< sum of the lengths, N
};

ForceSums sumsOf(const Touching& t, const ContactPotential& potential, const std::vector<Vec3>& at) {
    std::vector<Vec3> force(at.size(), Vec3::Zero());
    t.value(potential, at, force);
    ForceSums s;
    for (std::size_t i = 0; i < force.size(); ++i) {
        s.force += force[i];
        s.moment += at[i].cross(force[i]);
        s.size += force[i].norm();
    }
    return s;
}
}  // namespace

// Friction pulls at the same point of both bodies, the centre of what overlaps around a vertex, as it was when friction was last found: there both sums vanish.
TEST(ContactPotential, FrictionKeepsBothMomentaWhereItWasFound) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    const ContactPotential potential = beginStep(t, start);
    const ForceSums all = sumsOf(t, potential, t.x);
    ContactPotential smooth;
    smooth.begin(t.bodies, {50, false}, t.find(start), start, {});
    const ForceSums normal = sumsOf(t, smooth, t.x);
    std::vector<Vec3> force(t.x.size(), Vec3::Zero()), without = force;
    t.value(potential, t.x, force);
    t.value(smooth, t.x, without);
    double friction = 0;
    for (std::size_t i = 0; i < force.size(); ++i) friction += (force[i] - without[i]).norm();
    std::cout << "    friction over normal forces " << friction / normal.size << ", sum of forces " << all.force.norm() / all.size << ", of moments " << all.moment.norm() / all.size
              << " m\n";
    EXPECT_GT(friction, 0.1 * normal.size);
    EXPECT_LT(all.force.norm(), 1e-14 * all.size);
    EXPECT_LT(all.moment.norm(), 1e-14 * all.size);  // bodies of about 1 m
}

// Elsewhere the two points are apart by no more than the bodies have moved since, and every pull is at most mu N, so the moment left is at most that way times mu times the sum of all normal
// forces. The forces still cancel.
TEST(ContactPotential, FrictionElsewhereLeavesAMomentOfItsWayAtMost) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    const ContactPotential potential = beginStep(t, start);
    ContactPotential smooth;
    smooth.begin(t.bodies, {50, false}, t.find(start), start, {});
    const double mu = 0.5, normal = sumsOf(t, smooth, t.x).size;  // those at the place where friction was found, which it goes by
    double most = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        for (const double length : {1e-4, 1e-3, 1e-2}) {
            const Vec3 way = length * randomVector(seed, 99).normalized();
            std::vector<Vec3> x = t.x;
            for (std::size_t i = 0; i < t.bodies.offset[1]; ++i) x[i] += way;
            const ForceSums all = sumsOf(t, potential, x), without = sumsOf(t, smooth, x);
            EXPECT_LT(all.force.norm(), 1e-14 * all.size);
            EXPECT_LT(without.moment.norm(), 1e-14 * all.size);
            EXPECT_LT(all.moment.norm(), length * mu * normal + 1e-14 * all.size);
            most = std::max(most, all.moment.norm() / (length * mu * normal));
        }
    std::cout << "    largest moment over way, mu and normal forces " << most << "\n";
    EXPECT_GT(most, 0);
}

// For small depths of flat faces the stiffness is the derivative of the force along any way, but for what it adds where a vertex touches with
// a part of its surface only: never less, and at most 5/3 of it.
TEST(ContactPotential, StiffnessGoesWithTheDerivativeOfTheForce) {
    const Body a = makeSolid(testing::makeBox(2, 2, 2, Vec3(1, 1, 1)), 1e5, Vec3(0, 0, 0));
    const Body b = makeSolid(testing::makeBox(3, 2, 3, Vec3(3, 1, 3)), 1e5, Vec3(-1.037, 1 - 1e-3, -1.041));
    Touching t(a, b);
    ContactPotential potential;
    potential.begin(t.bodies, {0, false}, t.find(t.x), t.x, {});
    potential.updateFriction(t.find(t.x), t.x);
    potential.linearize(t.find(t.x), t.x, ContactUnknowns::ofVertices(t.bodies.offset));
    ASSERT_TRUE(potential.hasStiffness());
    std::vector<Vec3> way(t.x.size()), product(t.x.size(), Vec3::Zero()), up(t.x.size(), Vec3::Zero()), down = up;
    // rigid motion of one body against the other, and a little of everything
    for (std::size_t i = 0; i < way.size(); ++i) way[i] = (i < t.bodies.offset[1] ? Vec3(0.05, 1, 0.02) : Vec3(0, 0, 0)) + 0.02 * randomVector(3, i);
    potential.addProduct(way, product);
    for (std::size_t k = 0; k < potential.stiffUnknowns().size(); ++k) {
        const auto v = static_cast<std::size_t>(potential.stiffUnknowns()[k]);
        product[v] += potential.diagonal()[k] * way[v];
    }
    const double h = 1e-5;
    std::vector<Vec3> x = t.x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = t.x[i] + h * way[i];
    t.value(potential, x, up);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = t.x[i] - h * way[i];
    t.value(potential, x, down);
    double stiffness = 0, derivative = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        stiffness += way[i].dot(product[i]);
        derivative -= way[i].dot(up[i] - down[i]) / (2 * h);
    }
    std::cout << "    stiffness over derivative = " << stiffness / derivative << "\n";
    EXPECT_GT(stiffness, 0.995 * derivative);
    EXPECT_LT(stiffness, 1.67 * derivative);
}

TEST(ContactPotential, FrictionOfOneBodyAfterTheOtherIsThatOfBoth) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    const ContactPotential before = beginStep(t, start);
    std::vector<Vec3> x = t.x;  // deeper
    for (std::size_t i = 0; i < t.bodies.offset[1]; ++i) x[i] += Vec3(0.01, 0.003, 0.002);
    const ContactSet set = t.find(x);
    const auto forcesAfter = [&](const std::vector<std::vector<std::uint8_t>>& updates) {
        ContactPotential potential = before;
        for (const auto& bodies : updates) potential.updateFriction(set, x, bodies);
        std::vector<Vec3> force(x.size(), Vec3::Zero());
        t.value(potential, x, force);
        return force;
    };
    const std::vector<Vec3> both = forcesAfter({{1, 1}}), none = forcesAfter({{0, 0}}), first = forcesAfter({{1, 0}});
    EXPECT_EQ(forcesAfter({{1, 0}, {0, 1}}), both);
    EXPECT_EQ(forcesAfter({{0, 1}, {1, 0}}), both);
    EXPECT_EQ(none, forcesAfter({}));
    EXPECT_NE(none, first);
    EXPECT_NE(first, both);
}

// Bodies that have parted by half of their overlap while they slide: friction is mu times what presses now, where it was found, and not what pressed then.
TEST(ContactPotential, FrictionGoesWithNormalForcesTakenAnew) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    const ContactPotential before = beginStep(t, start);
    std::vector<Vec3> x = t.x;
    for (std::size_t i = 0; i < t.bodies.offset[1]; ++i) x[i] += Vec3(-0.015, 0.03, 0);
    const ContactSet set = t.find(x);
    const auto forceOnFirst = [&](const ContactPotential& potential) {
        std::vector<Vec3> force(x.size(), Vec3::Zero());
        t.value(potential, x, force);
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < t.bodies.offset[1]; ++i) sum += force[i];
        return sum;
    };
    ContactPotential smooth;
    smooth.begin(t.bodies, {50, false}, t.find(start), start, {});
    const Vec3 normal = forceOnFirst(smooth);
    const auto shareOfMuN = [&](const ContactPotential& potential) { return (forceOnFirst(potential) - normal).norm() / (0.5 * normal.norm()); };
    ContactPotential anew = before, none = before, twice = before;
    anew.updateNormalForces(set, x, std::vector<std::uint8_t>{1, 1});
    none.updateNormalForces(set, x, std::vector<std::uint8_t>{0, 0});
    twice.updateNormalForces(set, x, std::vector<std::uint8_t>{1, 0});
    twice.updateNormalForces(set, x, std::vector<std::uint8_t>{0, 1});
    std::cout << "    friction over mu N: " << shareOfMuN(anew) << ", with the normal forces of before " << shareOfMuN(before) << "\n";
    EXPECT_NEAR(shareOfMuN(anew), 1, 0.03);
    EXPECT_GT(shareOfMuN(before), 1.3);
    EXPECT_EQ(shareOfMuN(none), shareOfMuN(before));
    EXPECT_EQ(forceOnFirst(twice), forceOnFirst(anew));
}

// Rows are gathered body by body; a plain walk over all clusters finds the same parts in the same order.
TEST(ContactPotential, RowsHaveAllClustersOfTheirVertices) {
    const Touching t = makeTouching();
    const ContactSet set = t.find(t.x);
    std::vector<std::int32_t> rowOf(t.x.size(), -1);
    std::size_t rows = 0;
    for (std::size_t i = 0; i < rowOf.size(); ++i)
        if (i % 5 != 2) rowOf[i] = static_cast<std::int32_t>(rows++);
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> expected(rows), found(rows);
    for (std::size_t c = 0; c < set.clusters.size(); ++c)
        for (std::size_t k = 0; k < set.clusters[c].size(); ++k) {
            const std::size_t vertex = t.bodies.offset[static_cast<std::size_t>(set.clusters[c].bodyOf(k))] + static_cast<std::size_t>(set.clusters[c].vertices[k]);
            if (const std::int32_t row = rowOf[vertex]; row >= 0) expected[static_cast<std::size_t>(row)].emplace_back(c, k);
        }
    const RowParts parts(set, t.bodies.offset, rowOf, rows);
    ASSERT_EQ(parts.first.size(), rows + 1);
    ASSERT_EQ(parts.first.back(), parts.parts.size());
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t k = parts.first[row]; k < parts.first[row + 1]; ++k)
            found[row].emplace_back(static_cast<std::size_t>(parts.parts[k].cluster), static_cast<std::size_t>(parts.parts[k].place));
    EXPECT_GT(set.clusters.size(), 5u);
    EXPECT_GT(parts.parts.size(), 50u);
    EXPECT_EQ(found, expected);
}

// The points of contact that friction holds on to have weights that add up to one in either body: where a body goes by w, every spring is drawn
// by the part of w along the surface.
TEST(ContactPotential, SlidingDrawsEverySpringByTheWay) {
    Touching t = makeTouching();
    const ContactSet before = t.find(t.x);
    ContactPotential potential;
    potential.begin(t.bodies, {50, false}, before, t.x, {});
    potential.updateFriction(before, t.x);
    const Vec3 way(3e-8, -7e-8, 5e-8);
    std::vector<Vec3> x = t.x;
    for (std::size_t i = 0; i < t.bodies.offset[1]; ++i) x[i] += way;
    std::vector<ContactMemory> after;
    potential.commit(t.find(x), x, std::vector<std::uint8_t>{0, 0}, after);
    int count = 0;
    for (std::size_t b = 0; b < 2; ++b)
        for (const std::int32_t n : before.vertices[b].touching) {
            const auto i = static_cast<std::size_t>(n);
            if (before.vertices[b].volume[i] < 1e-5 * t.shape[b].area[i]) continue;  // hardly pressed, may slip
            const Vec3 up = before.vertices[b].facing[i].normalized(), own = b == 0 ? way : Vec3(-way);
            EXPECT_LT((after[b].slideOf(i) - (own - up.dot(own) * up)).norm(), 1e-7 * way.norm()) << "vertex " << i << " of body " << b;
            ++count;
        }
    EXPECT_GT(count, 10);
}

TEST(ContactPotential, StiffnessWithinAndBetweenBodiesIsAllOfIt) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    ContactPotential potential = beginStep(t, start);
    potential.linearize(t.find(t.x), t.x, ContactUnknowns::ofVertices(t.bodies.offset));
    std::vector<Vec3> v(t.x.size()), all(t.x.size(), Vec3::Zero()), parts = all;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = randomVector(7, i);
    potential.addProduct(v, all);
    potential.addProduct(v, parts, true);
    double between = 0, off = 0, size = 0;
    for (const Vec3& p : parts) between += p.squaredNorm();
    for (std::size_t b = 0; b + 1 < t.bodies.offset.size(); ++b) {
        const std::size_t first = t.bodies.offset[b], last = t.bodies.offset[b + 1];
        const auto n = static_cast<Eigen::Index>(3 * (last - first));
        Eigen::MatrixXd within = Eigen::MatrixXd::Zero(n, n);
        potential.addWithin(first, last, within);
        Eigen::Map<Eigen::VectorXd> sum(parts[first].data(), n);
        const Eigen::Map<const Eigen::VectorXd> own(v[first].data(), n);
        sum += within * own + within.transpose() * own;
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
        off += (all[i] - parts[i]).squaredNorm();
        size += all[i].squaredNorm();
    }
    EXPECT_GT(between, 1e-2 * size);
    EXPECT_LE(std::sqrt(off / size), 1e-12);
    const std::vector<std::uint8_t> shared = potential.markShared(v.size());
    std::fill(parts.begin(), parts.end(), Vec3::Zero());
    potential.addProduct(v, parts, true);
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(parts[i] != Vec3::Zero(), shared[i] != 0) << i;
}

TEST(ContactPotential, StiffnessIsSymmetricAndNotNegative) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    ContactPotential potential = beginStep(t, start);
    potential.linearize(t.find(t.x), t.x, ContactUnknowns::ofVertices(t.bodies.offset));
    const auto product = [&](const std::vector<Vec3>& v) {
        std::vector<Vec3> y(v.size(), Vec3::Zero());
        potential.addProduct(v, y);
        for (std::size_t k = 0; k < potential.stiffUnknowns().size(); ++k)
            y[static_cast<std::size_t>(potential.stiffUnknowns()[k])] += potential.diagonal()[k] * v[static_cast<std::size_t>(potential.stiffUnknowns()[k])];
        return y;
    };
    const auto dot = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
        return sum;
    };
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        std::vector<Vec3> u(t.x.size()), v(t.x.size());
        for (std::size_t i = 0; i < u.size(); ++i) {
            u[i] = randomVector(2 * seed, i);
            v[i] = randomVector(2 * seed + 1, i);
        }
        const std::vector<Vec3> ku = product(u), kv = product(v);
        EXPECT_NEAR(dot(u, kv), dot(v, ku), 1e-12 * std::sqrt(dot(ku, ku) * dot(v, v)));
        EXPECT_GE(dot(u, ku), 0);
    }
}

// What is kept of the sums of clusters serves the bodies that they were asked for.
TEST(ContactPotential, ForcesAreTheSameWhoeverWasWantedBefore) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    const ContactPotential before = beginStep(t, start);
    const ContactSet set = t.find(t.x);
    const auto forcesOf = [&](ContactPotential& potential, const std::vector<std::uint8_t>& wanted) {
        potential.setWanted(wanted);
        std::vector<Vec3> force(t.x.size(), Vec3::Zero());
        potential.value(set, t.x, force);
        return force;
    };
    ContactPotential kept = before;
    for (const std::vector<std::uint8_t>& wanted : std::vector<std::vector<std::uint8_t>>{{0, 0}, {1, 0}, {0, 0}, {1, 1}, {0, 1}, {0, 0}, {}}) {
        ContactPotential fresh = before;
        EXPECT_EQ(forcesOf(kept, wanted), forcesOf(fresh, wanted));
    }
}

// Dampers hold back what parts until a vertex that still touches pushes no more: then nothing is left of what it pushed before.
TEST(ContactPotential, ForcesAreTheSameWhereverItWasBefore) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    const ContactPotential before = beginStep(t, start);
    ContactPotential kept = before;
    for (const Vec3& way : {Vec3(0, 0.01, 0), Vec3(0, -0.01, 0), Vec3(0.01, 0, 0), Vec3(0, 0, 0.01)})
        for (const double share : {0.0, 0.2, 0.5, 1.0, 2.0, 3.0, 0.7, 0.1}) {
            std::vector<Vec3> x = t.x, force(x.size(), Vec3::Zero()), expected = force;
            for (std::size_t i = 0; i < t.bodies.offset[1]; ++i) x[i] += share * way;
            const ContactSet set = t.find(x);
            ContactPotential fresh = before;
            EXPECT_EQ(kept.value(set, x, force), fresh.value(set, x, expected)) << share << " of " << way.transpose();
            EXPECT_EQ(force, expected) << share << " of " << way.transpose();
        }
}

// Terms of friction are kept while grips and unknowns stay: places, springs and unknowns that change are seen.
TEST(ContactPotential, StiffnessIsThatOfNowWhateverItWasBefore) {
    Touching t = makeTouching();
    std::vector<Vec3> start;
    const ContactPotential before = beginStep(t, start);
    std::vector<Vec3> x = t.x;
    for (std::size_t i = 0; i < t.bodies.offset[1]; ++i) x[i] += Vec3(0.01, 0.003, 0.002);
    const ContactUnknowns all = ContactUnknowns::ofVertices(t.bodies.offset);
    ContactUnknowns second = all;
    second.bodies[0].kind = ContactUnknowns::Kind::kNone;
    second.bodies[1].first = 0;
    second.count = t.bodies.offset[2] - t.bodies.offset[1];
    const auto productOf = [&](ContactPotential& potential, const std::vector<Vec3>& at, const ContactUnknowns& unknowns) {
        potential.linearize(t.find(at), at, unknowns);
        std::vector<Vec3> v(unknowns.count), y(unknowns.count, Vec3::Zero());
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = randomVector(7, i);
        potential.addProduct(v, y);
        for (std::size_t k = 0; k < potential.stiffUnknowns().size(); ++k)
            y[static_cast<std::size_t>(potential.stiffUnknowns()[k])] += potential.diagonal()[k] * v[static_cast<std::size_t>(potential.stiffUnknowns()[k])];
        return y;
    };
    ContactPotential kept = before, updated = before;
    const auto expectSame = [&](const std::vector<Vec3>& at, const ContactUnknowns& unknowns) {
        ContactPotential fresh = updated;
        EXPECT_EQ(productOf(kept, at, unknowns), productOf(fresh, at, unknowns));
    };
    for (int round = 0; round < 2; ++round) {
        expectSame(t.x, all);
        expectSame(x, all);
        expectSame(x, second);
        expectSame(t.x, second);
        expectSame(t.x, all);
        for (ContactPotential* potential : {&kept, &updated}) potential->updateFriction(t.find(x), x, std::vector<std::uint8_t>{1, 0});
    }
}

}  // namespace sunder
