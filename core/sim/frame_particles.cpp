#include "core/sim/frame_particles.h"

#include "core/mesh/attributes.h"

namespace sunder {

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Tets of every body that have left, but not as a rigid body, whose frames show them.
std::vector<std::vector<std::uint8_t>> findVanished(const WorldState& world) {
    std::vector<std::vector<std::uint8_t>> vanished;
    for (const WorldBody& b : world.bodies) vanished.push_back(b.body->goneTets);
    for (const WorldBody& b : world.bodies)
        for (const std::int32_t t : b.body->pieceOf.tets) vanished[at(b.body->pieceOf.body)][at(t)] = 0;
    return vanished;
}

void setVector(Geometry& frame, const char* name, std::size_t point, const Vec3& value) {
    auto& values = std::get<std::vector<float>>(frame.points.find(name)->values);
    for (std::size_t c = 0; c < 3; ++c) values[3 * point + c] = static_cast<float>(value[static_cast<Eigen::Index>(c)]);
}
}  // namespace

Geometry showParticles(const Geometry& frame, const WorldState& world, Span<const std::size_t> firstPoint, Span<const std::size_t> firstTet) {
    const std::vector<std::vector<std::uint8_t>> vanished = findVanished(world);
    std::vector<std::uint8_t> dropPrimitive(frame.primitiveCount(), 0), dropPoint(frame.pointCount(), 0);
    for (std::size_t b = 0; b + 1 < firstTet.size(); ++b)
        for (std::size_t t = 0; t < vanished[b].size(); ++t) {
            if (!vanished[b][t]) continue;
            dropPrimitive[firstTet[b] + t] = 1;
            for (const std::int32_t p : frame.primitivePoints(firstTet[b] + t)) dropPoint[at(p)] = 1;
        }
    for (const Particle& p : world.particles) dropPoint[firstPoint[at(p.body)] + at(p.vertex)] = 0;
    Geometry out;
    std::vector<std::int32_t> number(frame.pointCount(), -1), points, vertices, primitives;
    for (std::size_t i = 0; i < frame.pointCount(); ++i) {
        if (dropPoint[i]) continue;
        number[i] = static_cast<std::int32_t>(points.size());
        points.push_back(static_cast<std::int32_t>(i));
        out.positions.push_back(frame.positions[i]);
    }
    for (std::size_t p = 0; p < frame.primitiveCount(); ++p) {
        if (dropPrimitive[p]) continue;
        primitives.push_back(static_cast<std::int32_t>(p));
        std::vector<std::int32_t> corners;
        for (std::int32_t v = frame.primitiveFirstVertex[p]; v < frame.primitiveFirstVertex[p + 1]; ++v) {
            vertices.push_back(v);
            corners.push_back(number[at(frame.vertexPoint[at(v)])]);
        }
        out.addPrimitive(frame.primitiveKind[p], corners);
    }
    out.points = gatherAttributes(frame.points, points);
    out.vertices = gatherAttributes(frame.vertices, vertices);
    out.primitives = gatherAttributes(frame.primitives, primitives);
    out.detail = frame.detail;
    auto& radius = out.points.add<float>("radius", points.size());
    Group& group = out.points.addGroup(kParticleGroup, points.size());
    for (const Particle& p : world.particles) {
        const std::size_t i = at(number[firstPoint[at(p.body)] + at(p.vertex)]);
        out.positions[i] = p.x;
        setVector(out, "v", i, p.v);
        setVector(out, "restP", i, p.rest);
        std::get<std::vector<float>>(out.points.find("mass")->values)[i] = static_cast<float>(p.mass);
        radius[i] = static_cast<float>(p.radius);
        group.members[i] = 1;
    }
    return out;
}

}  // namespace sunder
