#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>

#include "bench/cantilever.h"
#include "bench/contact_scene.h"
#include "bench/figure.h"
#include "core/io/scene_json.h"
#include "core/mesh/tet_mesh.h"
#include "core/meshing/tetgen.h"
#include "core/surface/boundary_surface.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"

/// How long Escape takes, at random moments of cooks and steps on the tests' stand-in: bench_bridge_escape [MOMENTS [JOB ...]]. The time is that from the moment on until the plugin
/// has returned to its host. On a busy machine that is mostly waiting, so there is the processor time of all threads, too, since somebody asked before.
namespace sunder::bench {
namespace {
using test::GeometryScene;
using test::Network;

/// Something to be stopped. `run` is one call of the host into the plugin and tells whether it went to its end; `reset` makes it possible again.
struct Job {
    std::string name;
    std::function<bool()> run;
    std::function<void()> reset;
    std::function<std::string()> trouble;
    double elements = 0;  ///< tets or triangles
};

/// The seconds from the moment at which Escape is pressed to the return of the call, for moments all over its time.
void measure(const Job& job, int moments) {
    standin::interruptWithin(-1);
    std::vector<double> whole, late, unheard;
    for (int k = 0; k < 2; ++k) {
        if (!job.run()) throw std::runtime_error(job.name + " failed: " + job.trouble());
        whole.push_back(standin::lastCallSeconds());
        job.reset();
    }
    const double length = *std::min_element(whole.begin(), whole.end());
    std::mt19937 random(7);
    double worst = -1, worstAt = 0;
    while (static_cast<int>(late.size()) < moments) {
        const double at = length * std::uniform_real_distribution<double>(0, 1)(random);
        standin::interruptWithin(at);
        const bool ended = job.run();
        standin::interruptWithin(-1);
        if (ended) job.reset();
        const double delay = std::max(0.0, standin::lastCallSeconds() - at);  // also of a call that went on to its end
        late.push_back(delay);
        unheard.push_back(standin::lastCallUnheardSeconds());
        if (std::getenv("VERBOSE"))
            std::fprintf(stderr, "%s at %.3f of %.3f s: %.3f s, %.3f s of processor time%s\n", job.name.c_str(), at, length, delay, unheard.back(),
                         ended ? ", went on to its end" : "");
        if (delay <= worst) continue;
        worst = delay;
        worstAt = at;
    }
    Figure figure;
    figure.name = "escape_" + job.name;
    figure.unit = "s";
    figure.value = worst;
    figure.target = 1;
    figure.rounds = moments;
    figure.checks = {{"elements", job.elements}, {"whole_s", length}, {"median_s", median(late)}, {"worst_at_s", worstAt},
                     {"processor_s", *std::max_element(unheard.begin(), unheard.end())}};
    figure.print();
}

/// A beam of 100k tets that falls on the ground, where it may break.
GeometryScene beamScene(bool breaks) {
    const std::string cells = breaks ? "[40, 20, 20]" : "[52, 18, 18]";
    const std::string fracture = breaks ? R"(, "fracture": {"stress": 3e3})" : "";
    return GeometryScene(parseScene(R"({"fps": 24, "startFrame": 1, "settings": {"integrator": "implicit", "ground": {}},
        "bodies": [{"name": "beam", "source": {"box": {"size": [4, 1, 1], "cells": )" + cells + R"(, "jitter": 0.2}}, "transform": {"translate": [0, 0.55, 0]}, "velocity": [0, -3, 0],
                    "material": {"youngs": 1e6, "density": 1000, "stiffnessDamping": 0.01)" + fracture + "}}]}"));
}

class Jobs {
  public:
    explicit Jobs(const std::vector<std::string>& wanted) : wanted_(wanted) {
        addSteps("100k", false);
        addSteps("breaking_100k", true);
        addMeshing("lattice", 2, 1000000, 90);
        if (tetgenAvailable()) addMeshing("tetgen", 1, 20000, 60);
        addSurface();
    }
    void measureAll(int moments) const {
        for (const Job& job : all_) measure(job, moments);
    }

  private:
    bool wants(const std::string& name) const {
        return wanted_.empty() || std::any_of(wanted_.begin(), wanted_.end(), [&](const std::string& w) { return name.find(w) != std::string::npos; });
    }

    /// The creation of an object, and a step of it.
    void addSteps(const std::string& size, bool breaks) {
        if (!wants("create_" + size) && !wants("step_" + size)) return;
        auto scene = std::make_shared<GeometryScene>(beamScene(breaks));
        auto fresh = std::make_shared<standin::DopNetwork>(scene->network()), playing = std::make_shared<standin::DopNetwork>(scene->network());
        const int before = breaks ? 3 : 2;
        if (wants("step_" + size)) {
            if (!playing->play(before)) throw std::runtime_error(test::trouble(*playing));
            if (breaks && playing->geometry(before, 0).getNumPrimitives() == playing->geometry(1, 0).getNumPrimitives()) throw std::runtime_error("the beam does not break");
            const auto tets = static_cast<double>(playing->geometry(before, 0).getNumPrimitives());
            all_.push_back({"step_" + size, [=] { return playing->play(before + 1); }, [=] { playing->scrub(before); }, [=] { return test::trouble(*playing); }, tets});
        }
        if (wants("create_" + size)) all_.push_back({"create_" + size, [=] { return fresh->play(1); }, [=] { fresh->scrub(0); }, [=] { return test::trouble(*fresh); }, 100000});
    }

    SOP_Node* node(const char* type, const std::vector<SOP_Node*>& inputs, const std::vector<std::pair<const char*, double>>& values) {
        SOP_Node* made = net_.node(type, inputs);
        for (const auto& [parm, value] : values) net_.set(made, parm, value);
        return made;
    }
    void add(const std::string& name, SOP_Node* node, double elements, bool remembers) {
        all_.push_back({name, [=] {
                            if (!remembers) node->standinDropCache();
                            OP_Context context(0);
                            node->getCookedGeoHandle(context);
                            return node->error() < UT_ERROR_ABORT;
                        },
                        [] {}, [=] { return node->standinMessages.empty() ? std::string() : node->standinMessages[0].text; }, elements});
    }

    void addMeshing(const char* method, int choice, int targetTets, int m) {
        const std::string name = std::string("tetrahedralize_") + method;
        if (!wants(name)) return;
        const TriMesh sphere = makeCubeSphere(m, 1, 3);
        Geometry surface;
        surface.positions = sphere.positions;
        for (const Tri& t : sphere.triangles) surface.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(t.data(), 3));
        surface.points.add<float>("paint", surface.pointCount());
        surface.primitives.add<std::string>("name", surface.primitiveCount());
        add(name, node("sunder::tetrahedralize::1.0", {net_.geometry(surface)}, {{"method", choice}, {"targetTets", targetTets}}), static_cast<double>(surface.primitiveCount()), false);
    }

    /// The skin of the beam at rest, each of its triangles cut in four some times, on a frame in which it is broken.
    void addSurface() {
        if (!wants("surface_bind") && !wants("surface_bound")) return;
        const GeometryScene scene = beamScene(true);
        standin::DopNetwork net = scene.network();
        if (!net.play(4)) throw std::runtime_error(test::trouble(net));
        SOP_Node* frame = net_.geometry(test::readDetail(net.geometry(4, 0)));
        MeshAttributes unused;
        TriMesh skin = boundaryMesh(tetMeshFromGeometry(test::readDetail(net.geometry(1, 0)), unused));
        for (int k = 0; k < 4; ++k) skin = cutInFour(skin);
        Geometry render;
        render.positions = skin.positions;
        for (const Tri& t : skin.triangles) render.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(t.data(), 3));
        render.vertices.add<float>("uv", render.vertexCount(), 3, AttributeMeaning::kTextureCoord);
        SOP_Node* mesh = net_.geometry(render);
        for (const bool remembers : {false, true}) {
            const std::string name = remembers ? "surface_bound" : "surface_bind";
            if (wants(name)) add(name, node("sunder::surface::1.0", {mesh, frame}, {}), static_cast<double>(render.primitiveCount()), remembers);
        }
    }
    /// Points of neighbours are not shared.
    static TriMesh cutInFour(const TriMesh& mesh) {
        TriMesh out;
        for (const Tri& t : mesh.triangles) {
            const auto first = static_cast<std::int32_t>(out.positions.size());
            Vec3 corner[3];
            for (std::size_t k = 0; k < 3; ++k) corner[k] = mesh.positions[static_cast<std::size_t>(t[k])];
            for (const Vec3& p : corner) out.positions.push_back(p);
            for (int k = 0; k < 3; ++k) out.positions.push_back(0.5 * (corner[k] + corner[(k + 1) % 3]));
            for (const Tri& part : {Tri{0, 3, 5}, Tri{3, 1, 4}, Tri{5, 4, 2}, Tri{3, 4, 5}}) out.triangles.push_back({first + part[0], first + part[1], first + part[2]});
        }
        return out;
    }

    std::vector<std::string> wanted_;
    Network net_;
    std::vector<Job> all_;
};
}  // namespace
}  // namespace sunder::bench

int main(int argc, char** argv) {
    const int moments = argc > 1 ? std::atoi(argv[1]) : 50;
    const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
    try {
        sunder::bench::Jobs(wanted).measureAll(moments);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bench_bridge_escape: %s\n", e.what());
        return 1;
    }
}
