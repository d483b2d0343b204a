// Escape at random moments of cooks and steps, and networks that run at the same time.
#include <dirent.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>

#include <cerrno>
#include <random>
#include <thread>

#include "core/io/scene_json.h"
#include "core/meshing/tetgen.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/sim/broken_frames.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

/// A pane that breaks under a rigid ball.
constexpr const char* kPane = R"({"fps": 240, "startFrame": 1,
    "settings": {"integrator": "implicit", "substeps": 2, "oneSolve": true, "newtonTolerance": 0.05, "linearTolerance": 0.05, "fracture": {"rounds": 2}},
    "colliders": [{"name": "left", "source": {"box": {"size": [0.1, 0.1, 1], "cells": 1}}, "transform": {"translate": [-0.45, 0.05, 0]}, "thickness": 0.02, "contact": {"friction": 0.5}},
                  {"name": "right", "source": {"box": {"size": [0.1, 0.1, 1], "cells": 1}}, "transform": {"translate": [0.45, 0.05, 0]}, "thickness": 0.02}],
    "bodies": [{"name": "pane", "source": {"box": {"size": [1, 0.04, 1], "cells": [3, 1, 3], "pattern": "centred", "jitter": 0.2}}, "transform": {"translate": [0, 0.1202, 0]},
                "material": {"law": "green", "density": 2588, "youngs": "260 MPa", "poisson": 0.25, "psi": 6760, "fracture": {"kind": "force", "force": 2000, "residual": 0.5}}},
               {"name": "ball", "source": {"sphere": {"radius": 0.1, "cells": 3}}, "rigid": true, "transform": {"translate": [0.02, 0.245, 0.01]}, "velocity": [0, -6, 0],
                "material": {"density": 7800, "youngs": "10 GPa"}}]})";
/// Soft things that fall on each other.
constexpr const char* kHeap = R"({"fps": 24, "startFrame": 1, "seed": 4,
    "settings": {"integrator": "implicit", "substeps": 4, "newtonTolerance": 0.01, "linearTolerance": 0.01, "ground": {"friction": 0.4}},
    "bodies": [{"name": "a", "source": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}, "transform": {"translate": [0, 0.06, 0]}, "velocityNoise": 0.1, "material": {"youngs": "1 MPa"}},
               {"name": "b", "source": {"sphere": {"radius": 0.06, "cells": 3}}, "transform": {"translate": [0.02, 0.18, 0.01]}, "spin": [0, 90, 0], "material": {"youngs": "1 MPa"}}]})";

/// All bodies at one frame.
std::string shown(const DopNetwork& net, std::size_t bodies, int frame) {
    std::string all;
    for (std::size_t b = 0; b < bodies; ++b) all += bytesOf(readDetail(net.geometry(frame, static_cast<int>(b))));
    return all;
}

/// Something that Escape can stop. It returns what it made, or nothing if it was stopped.
struct Job {
    std::string name;
    std::function<std::string()> run;
    std::string expected;
    long polls = 0;
};

class Jobs {
  public:
    Jobs() : pane_(parseScene(kPane)), heap_(parseScene(kHeap)), playing_(pane_.network()) {
        addSop("lattice", "sunder::tetrahedralize::1.0", {net_.geometry(cubeSurface())}, {{"method", 2}, {"cellSize", 0.1}});
        if (tetgenAvailable()) addSop("tetgen", "sunder::tetrahedralize::1.0", {net_.geometry(cubeSurface())}, {{"method", 1}, {"maxSize", 0.08}});
        SOP_Node *early = net_.geometry(testing::brokenFrames().frames[3]), *late = net_.geometry(testing::brokenFrames().frames[8]);
        addSop("constanttopology", "sunder::constanttopology::1.0", {early, late}, {});
        addSop("pieces", "sunder::pieces::1.0", {early, late}, {});
        addSop("surface", "sunder::surface::1.0", {net_.geometry(cubeSurface()), late}, {});
        addSop("bound surface", "sunder::surface::1.0", {net_.geometry(cubeSurface()), late}, {}, true);
        addSop("packed pieces", "sunder::pieces::1.0", {early, late}, {{"output", 3}}, true);
        add("creation", [this] { return play(heap_.network(), heap_, 1); });
        EXPECT_TRUE(playing_.play(3)) << trouble(playing_);
        add("step", [this] {
            const std::string made = play(playing_, pane_, 4);
            playing_.scrub(3);
            return made;
        });
    }
    std::vector<Job> all;

  private:
    void addSop(const char* name, const char* type, const std::vector<SOP_Node*>& inputs, const std::vector<std::pair<const char*, double>>& values, bool remembers = false) {
        SOP_Node* node = net_.node(type, inputs);
        for (const auto& [parm, value] : values) net_.set(node, parm, value);
        if (remembers) net_.cook(node);
        add(name, [this, node, remembers] {
            if (!remembers) node->standinDropCache();  // or it would remember what it found
            const Network::Cooked cooked = net_.cook(node);
            if (!cooked.failed()) return bytesOf(cooked.geometry);
            EXPECT_TRUE(cooked.says("interrupted")) << cooked.all();
            EXPECT_EQ(cooked.geometry.pointCount(), 0u);
            return std::string();
        });
    }
    void add(const char* name, std::function<std::string()> run) {
        standin::interruptAfter(-1);
        Job job{name, std::move(run), {}, 0};
        job.expected = job.run();
        job.polls = standin::interruptPolls();
        EXPECT_FALSE(job.expected.empty()) << name;
        EXPECT_GT(job.polls, 1) << name << " cannot be stopped";
        if (job.polls > 0) all.push_back(std::move(job));
    }
    static std::string play(DopNetwork&& net, const GeometryScene& scene, int frame) { return play(net, scene, frame); }
    static std::string play(DopNetwork& net, const GeometryScene& scene, int frame) {
        const bool played = net.play(frame);
        EXPECT_EQ(net.has(frame), played) << "a false frame";
        EXPECT_EQ(net.says("interrupted"), !played) << trouble(net);
        return played ? shown(net, scene.scene.bodies.size(), frame) : std::string();
    }

    Network net_;
    GeometryScene pane_, heap_;
    DopNetwork playing_;
};

int openFiles() {
    int count = 0;
    DIR* folder = opendir("/proc/self/fd");
    while (readdir(folder)) ++count;
    closedir(folder);
    return count;
}
/// Bytes that have been asked for and not been given back.
double heapInUse() {
    const struct mallinfo2 m = mallinfo2();
    return static_cast<double>(m.uordblks + m.hblkhd);
}
bool hasChildren() { return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }
}  // namespace

TEST(HoudiniEscapes, AtFiftyRandomMomentsLeaveNothingBehind) {
    Jobs jobs;
    std::map<std::string, int> stops;
    std::mt19937 random(5);
    for (const Job& job : jobs.all) EXPECT_EQ(job.run(), job.expected) << job.name;
    const int files = openFiles();
    const long details = standin::liveDetails(), data = standin::liveData();
    int escapes = 0;
    for (int tries = 0; escapes < 50 && tries < 200; ++tries) {
        const Job& job = jobs.all[static_cast<std::size_t>(tries) % jobs.all.size()];
        standin::interruptAfter(static_cast<long>(random() % static_cast<unsigned long>(job.polls)));
        const std::string made = job.run();
        standin::interruptAfter(-1);
        EXPECT_TRUE(made.empty() || made == job.expected) << job.name;  // a child that ends sooner than before is not stopped
        stops[job.name] += made.empty() ? 1 : 0;
        escapes += made.empty() ? 1 : 0;
        EXPECT_FALSE(hasChildren()) << job.name;
        EXPECT_EQ(openFiles(), files) << job.name;
        EXPECT_EQ(standin::openInterrupts(), 0) << job.name;
        EXPECT_EQ(job.run(), job.expected) << job.name;
        EXPECT_EQ(standin::liveDetails(), details) << job.name;
        EXPECT_EQ(standin::liveData(), data) << job.name;
    }
    EXPECT_EQ(escapes, 50);
    for (const Job& job : jobs.all) EXPECT_GT(stops[job.name], 0) << job.name;
    for (const auto& [name, count] : stops) std::printf("    %s: %d\n", name.c_str(), count);
}

// threads keep buffers, up to 1.2 MB for the step, so what is left is small once they all have theirs; a leak leaves as much in every round
TEST(HoudiniEscapes, GiveTheirMemoryBack) {
    Jobs jobs;
    constexpr int kStops = 20;
    const auto stopAt = [](const Job& job, int k) {
        standin::interruptAfter(job.polls * k / kStops);
        const std::string made = job.run();
        standin::interruptAfter(-1);
        return made.empty();
    };
    for (const Job& job : jobs.all) {
        double left = 1e300;
        int stops = 0, rounds = 0;
        for (; rounds < 2 || (rounds < 20 && left > 40e3); ++rounds) {
            const double before = heapInUse();
            stops = 0;
            for (int k = 0; k < kStops; ++k) stops += stopAt(job, k) ? 1 : 0;
            left = heapInUse() - before;
        }
        EXPECT_LT(left, 40e3) << job.name << ", " << stops << " stops";
        EXPECT_GT(stops, 0) << job.name;
        std::printf("    %s: %d stops, %.1f kB left in round %d\n", job.name.c_str(), stops, left / 1000, rounds);
        EXPECT_EQ(job.run(), job.expected) << job.name;
    }
}

TEST(HoudiniEscapes, NetworksAtTheSameTimeEachHaveTheirFrames) {
    const GeometryScene scenes[] = {GeometryScene(parseScene(kPane)), GeometryScene(parseScene(kHeap)), GeometryScene(parseScene(kPane))};
    constexpr int kFrames = 4;
    std::vector<DopNetwork> nets;
    for (const GeometryScene& scene : scenes) nets.push_back(scene.network());
    bool played[3] = {};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < nets.size(); ++i) threads.emplace_back([&, i] { played[i] = nets[i].play(kFrames); });
    std::string cooked;  // and a cook among them
    threads.emplace_back([&] {
        Network net;
        SOP_Node* node = net.node("sunder::tetrahedralize::1.0", {net.geometry(cubeSurface())});
        net.set(node, "method", 2);
        net.set(node, "cellSize", 0.1);
        cooked = bytesOf(net.cook(node).geometry);
    });
    for (std::thread& t : threads) t.join();
    for (std::size_t i = 0; i < nets.size(); ++i) {
        ASSERT_TRUE(played[i]) << trouble(nets[i]);
        const auto expected = scenes[i].frames(kFrames);
        for (int f = 0; f < kFrames; ++f)
            for (std::size_t b = 0; b < scenes[i].scene.bodies.size(); ++b)
                EXPECT_EQ(bytesOf(readDetail(nets[i].geometry(1 + f, static_cast<int>(b)))), expected[static_cast<std::size_t>(f)][b]) << i << " " << f << " " << b;
    }
    EXPECT_GT(nets[0].geometry(kFrames, 0).getNumPrimitives(), nets[0].geometry(1, 0).getNumPrimitives()) << "it breaks";
    Network net;
    SOP_Node* node = net.node("sunder::tetrahedralize::1.0", {net.geometry(cubeSurface())});
    net.set(node, "method", 2);
    net.set(node, "cellSize", 0.1);
    EXPECT_EQ(cooked, bytesOf(net.cook(node).geometry));
}

}  // namespace sunder::test
