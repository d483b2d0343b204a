#include "bench/cantilever.h"

#include "tests/support/builders.h"

namespace sunder::bench {

TetMesh makeBeam(const BeamSize& size) {
    const double cell = 4.0 / size.nx;
    return testing::makeBox(size.nx, size.ny, size.nz, Vec3(4, cell * size.ny, cell * size.nz));
}

Material beamMaterial(ElasticLawId law) {
    Material m;
    m.name = "beam";
    m.law = law;
    m.youngs = 1e6;
    m.poisson = 0.3;
    m.density = 1000;
    m.stiffnessDamping = 0.01;
    return m;
}

WorldState makeBeamWorld(const BeamSize& size, ElasticLawId law) {
    Body body;
    body.name = "beam";
    body.mesh = makeBeam(size);
    body.materials = {beamMaterial(law)};
    HardTarget clamp;
    clamp.name = "clamp";
    for (std::size_t i = 0; i < body.mesh.vertexCount(); ++i)
        if (body.mesh.rest[i].x() == 0) {
            clamp.vertices.push_back(static_cast<std::int32_t>(i));
            clamp.anchor.push_back(body.mesh.rest[i]);
        }
    body.constraints.hard.push_back(clamp);
    WorldState world;
    const auto built = buildBody(std::move(body));
    world.bodies.push_back({built, std::make_shared<const BodyState>(makeBodyState(*built))});
    return world;
}

double tipDrop(const WorldState& world) {
    const TetMesh& mesh = world.bodies[0].body->mesh;
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < mesh.vertexCount(); ++i)
        if (mesh.rest[i].x() == 4) {
            sum += mesh.rest[i].y() - world.bodies[0].state->x[i].y();
            ++count;
        }
    return sum / count;
}

}  // namespace sunder::bench
