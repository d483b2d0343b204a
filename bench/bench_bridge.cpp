#include <GU/GU_Detail.h>

#include <cstdlib>
#include <ctime>

#include "bench/cantilever.h"
#include "bench/figure.h"
#include "core/mesh/tet_mesh.h"
#include "core/meshing/tetrahedralize.h"
#include "core/sim/painted_edits.h"
#include "core/sim/world_parts.h"
#include "core/surface/boundary_surface.h"
#include "hdk/geometry_bridge.h"

/// What crossing between Houdini's geometry and ours costs beside the core call that it is for: bench_bridge [ROUNDS]. The details are the stand-in's, so
/// its checks of every access are in the figures. Processor time of all threads, as the two take turns.
namespace sunder::bench {
namespace {

double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class Work>
double timeOf(const Work& work) {
    const double start = processorSeconds();
    work();
    return processorSeconds() - start;
}

struct Shares {
    std::vector<double> ratio, read, write, core;

    void add(double r, double w, double c) {
        ratio.push_back((r + w) / c);
        read.push_back(r);
        write.push_back(w);
        core.push_back(c);
    }
    void print(const std::string& name, double tets) const {
        Figure figure;
        figure.name = name;
        figure.unit = "of the core call";
        figure.value = median(ratio);
        figure.target = 0.1;
        figure.rounds = static_cast<int>(ratio.size());
        figure.checks = {{"tets", tets}, {"read_s", median(read)}, {"write_s", median(write)}, {"core_s", median(core)}};
        figure.print();
    }
};

/// A step of the DOP solver reads what an artist may have changed and writes the next frame, with all that frames carry.
/// Its workspace is new in every step, as the node's is, or kept, as the command line's is.
void measureStep(const BeamSize& size, bool keepsWorkspace, int rounds) {
    WorldState world = makeBeamWorld(size, ElasticLawId::kCorotated);
    StepSettings settings;
    startBooks(world);
    Workspace workspace;
    GU_Detail detail;
    hdk::writeDetail(detail, bodyFrames(world, 0)[0]);
    Shares shares;
    for (int round = 0; round <= rounds; ++round) {
        Geometry shown;
        const double read = timeOf([&] { shown = hdk::motionFromDetail(detail, nullptr, namesOfFrames()); });
        if (shown.primitiveCount() != static_cast<std::size_t>(size.tets())) std::abort();
        const double core = timeOf([&] {
            if (!keepsWorkspace) workspace = Workspace();
            step(world, 1.0 / 24, settings, workspace);
        });
        const Geometry next = bodyFrames(world, round + 1)[0];
        const double write = timeOf([&] { hdk::updateDetail(detail, next, &shown); });
        if (round > 0) shares.add(read, write, core);  // the first step builds what later ones keep
    }
    shares.print(std::string("bridge_step_") + size.name + (keepsWorkspace ? "_kept_workspace" : ""), size.tets());
}

/// `tetrahedralize` reads a surface and writes the tets that fill it.
void measureMeshing(const BeamSize& size, int rounds) {
    const TriMesh boundary = boundaryMesh(makeBeam(size));
    Geometry surface;
    surface.positions = boundary.positions;
    for (const Tri& t : boundary.triangles) surface.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(t.data(), 3));
    TetrahedralizeOptions options;
    options.method = MeshingMethod::kLattice;
    options.targetTets = size.tets();
    GU_Detail input, output;
    hdk::writeDetail(input, surface);
    Shares shares;
    std::size_t tets = 0;
    for (int round = 0; round < rounds; ++round) {
        Geometry shown, filled;
        const double read = timeOf([&] { shown = hdk::geometryFromDetail(input); });
        const double core = timeOf([&] {
            const TetrahedralizeResult result = tetrahedralize(shown, options);
            filled = geometryFromTetMesh(result.mesh, result.attributes);
        });
        tets = filled.primitiveCount();
        const double write = timeOf([&] { hdk::writeDetail(output, filled); });
        shares.add(read, write, core);
    }
    shares.print(std::string("bridge_tetrahedralize_") + size.name, static_cast<double>(tets));
}
}  // namespace
}  // namespace sunder::bench

int main(int argc, char** argv) {
    using namespace sunder::bench;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
    const BeamSize& size = kBeams[argc > 2 ? std::atoi(argv[2]) : 3];
    measureStep(size, false, rounds);
    measureStep(size, true, rounds);
    measureMeshing(size, rounds);
}
