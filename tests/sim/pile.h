#pragma once

#include "core/base/random.h"
#include "tests/sim/contact_fixture.h"

namespace sunder::testing {

/// Shards of different shapes tumbling into a bin of five held slabs.
struct PileOptions {
    std::array<int, 3> cells = {2, 2, 4};  ///< of a shard, six tets each
    int across = 4, high = 4;  ///< shards in each direction
    std::uint64_t seed = 1;
    double size = 0.2;         ///< m, of a shard
    double youngs = 2e6;       ///< Pa
};

inline Body makeWall(const Vec3& low, const Vec3& high, const Material& material) {
    Body wall = makeBody(placed(makeBox(4, 1, 4, high - low), low), material);
    if ((high - low).x() < (high - low).y()) wall = makeBody(placed(makeBox(1, 4, 4, high - low), low), material);
    if ((high - low).z() < (high - low).y()) wall = makeBody(placed(makeBox(4, 4, 1, high - low), low), material);
    pinWhere(wall, [](const Vec3&) { return true; });
    wall.contact.self = SelfContact::kNone;
    return wall;
}

/// Half the inner width of the bin.
inline double binWidth(const PileOptions& o) { return 0.75 * o.across * o.size; }

inline void addBin(WorldState& world, const PileOptions& o, const Material& material) {
    const double w = binWidth(o), t = 0.5 * o.size, h = 2.0 * o.high * o.size;
    addBody(world, makeWall(Vec3(-w - t, -t, -w - t), Vec3(w + t, 0, w + t), material));
    addBody(world, makeWall(Vec3(-w - t, 0, -w - t), Vec3(-w, h, w + t), material));
    addBody(world, makeWall(Vec3(w, 0, -w - t), Vec3(w + t, h, w + t), material));
    addBody(world, makeWall(Vec3(-w, 0, -w - t), Vec3(w, h, -w), material));
    addBody(world, makeWall(Vec3(-w, 0, w), Vec3(w, h, w + t), material));
}

inline TetMesh makeShard(const PileOptions& o, std::uint64_t id) {
    const auto random = [&](double low, double high, std::uint64_t k) { return randomRange(low, high, o.seed, id, k); };
    const Vec3 size = o.size * Vec3(random(0.5, 0.7, 0), random(0.3, 0.6, 1), random(0.8, 1.1, 2));
    TetMesh mesh = makeBox(o.cells[0], o.cells[1], o.cells[2], size);
    // corners pulled in, so that no two faces are parallel
    for (Vec3& p : mesh.rest) {
        p -= 0.5 * size;
        const double taper = 1 + random(-0.3, 0.3, 3) * p.z() / size.z(), slant = random(-0.3, 0.3, 4);
        p.x() = p.x() * taper + slant * p.y();
        p.y() *= 1 + random(-0.3, 0.3, 5) * p.x() / size.x();
    }
    const Mat3 turn = Eigen::Quaterniond(random(-1, 1, 6), random(-1, 1, 7), random(-1, 1, 8), random(-1, 1, 9)).normalized().toRotationMatrix();
    return placed(mesh, Vec3::Zero(), turn);
}

inline WorldState makePile(const PileOptions& o) {
    WorldState world;
    Material material = elastic(o.youngs, 0.3, 1000);
    material.stiffnessDamping = 1e-3;
    addBin(world, o, material);
    std::uint64_t id = 0;
    for (int y = 0; y < o.high; ++y)
        for (int x = 0; x < o.across; ++x)
            for (int z = 0; z < o.across; ++z, ++id) {
                const Vec3 cell((x + 0.5) / o.across - 0.5, y + 0.8, (z + 0.5) / o.across - 0.5);
                const Vec3 noise(randomRange(-0.1, 0.1, o.seed, id, 20), 0, randomRange(-0.1, 0.1, o.seed, id, 21));
                const double w = 2 * binWidth(o);
                addBody(world, makeBody(placed(makeShard(o, id), Vec3(w * cell.x(), 1.3 * o.size * cell.y(), w * cell.z()) + o.size * noise), material));
                const std::size_t b = world.bodies.size() - 1;
                setMotion(world, b, Vec3(0, -1, 0), Vec3(randomRange(-3, 3, o.seed, id, 30), randomRange(-3, 3, o.seed, id, 31), randomRange(-3, 3, o.seed, id, 32)));
            }
    return world;
}

inline double fastest(const WorldState& world) {
    double speed = 0;
    for (const WorldBody& b : world.bodies)
        for (const Vec3& v : b.state->v) speed = std::max(speed, v.norm());
    return speed;
}

}  // namespace sunder::testing
