#pragma once

#include "core/base/random.h"
#include "core/fem/element_table.h"
#include "tests/support/builders.h"

namespace sunder::testing {

/// A jittered box whose tets take the laws in turn, with varying moduli, and a deformed, moving state of it.
struct MixedBody {
    TetMesh mesh;
    std::vector<TetMaterial> materials;
    std::vector<Vec3> x, v;

    explicit MixedBody(double strain = 0.05, int cells = 5) {
        mesh = makeBox(cells, cells, cells, Vec3(1, 1.1, 0.9));
        jitter(mesh, 0.1, 7);
        for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
            const double scale = 1e5 * (1 + randomUnit(1, t));
            materials.push_back({elasticLaws()[t * 4 / mesh.tetCount()].id, {1.5 * scale, scale, 20, 30}, 1000.0});
        }
        for (std::size_t i = 0; i < mesh.vertexCount(); ++i) {
            Vec3 p, q;
            for (int c = 0; c < 3; ++c) {
                p[c] = randomRange(-1, 1, 2, i, static_cast<std::uint64_t>(c));
                q[c] = randomRange(-1, 1, 3, i, static_cast<std::uint64_t>(c));
            }
            x.push_back(mesh.rest[i] + strain / cells * p + Vec3(0.3 * mesh.rest[i].y(), 0, 0.1));
            v.push_back(q);
        }
    }
};

}  // namespace sunder::testing
