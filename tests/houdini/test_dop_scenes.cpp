// Scene files in a DOP network: every value of the scene goes to the option of the same word, and frames have to be those of the scene.
#include <gtest/gtest.h>
#include <plugin_path.h>
#include <standin/dop.h>

#include <cmath>
#include <map>

#include "core/io/geometry_io.h"
#include "core/io/scene_json.h"
#include "core/io/scene_json_schema.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"
#include "core/sim/world_parts.h"
#include "hdk/parameters.h"
#include "tests/houdini/fixtures.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

/// Sets options of data from a struct: visitor of describe().
class OptionSetter : public hdk::WiredFields {
  public:
    OptionSetter(DopNetwork& net, std::string data, std::string prefix) : net_(net), data_(std::move(data)), prefix_(std::move(prefix)) {}
    void number(const Field& f, double& v) { set(f, shown(f, v)); }
    void numberUpTo(const Field& f, double& v, const char*, const double&) { set(f, shown(f, v)); }
    void integer(const Field& f, int& v) { set(f, static_cast<int64>(v)); }
    void integer(const Field& f, std::int64_t& v) { set(f, static_cast<int64>(v)); }
    void natural(const Field& f, std::uint64_t& v) { set(f, static_cast<int64>(v)); }
    void flag(const Field& f, bool& v) { set(f, v); }
    void text(const Field&, std::string&) {}
    void texts(const Field& f, std::vector<std::string>& v) {
        std::string joined;
        for (const std::string& t : v) joined += t + " ";
        set(f, joined);
    }
    template <int N>
    void vector(const Field& f, Eigen::Matrix<double, N, 1>& v) {
        set(f, UT_Vector3D(shown(f, v[0]), shown(f, v[1]), shown(f, v[2])));
    }
    void preset(const Field&, Material&) {}
    template <class T>
    void object(const Field& f, T& v) {
        OptionSetter inner(net_, data_, name(f));
        describe(inner, v);
    }
    void object(const Field&, TetrahedralizeOptions&) {}
    void object(const Field&, Transform&) {}
    void object(const Field& f, StepSettings& v) {  // the solver has them without a prefix
        (void)f;
        OptionSetter inner(net_, data_, "");
        describe(inner, v);
    }
    void object(const Field& f, Material& v) {  // so has the material
        (void)f;
        OptionSetter inner(net_, data_, "");
        describe(inner, v);
    }
    template <class T>
    void choice(const Field& f, T& v, const Choices<T>& choices) {
        for (std::size_t i = 0; i < choices.size(); ++i)
            if (choices[i].second == v) set(f, static_cast<int64>(i));
    }

  private:
    static double shown(const Field& f, double v) { return v / f.dimension.bareScale; }
    std::string name(const Field& f) const { return prefix_.empty() ? f.key : prefix_ + "_" + f.key; }
    template <class T>
    void set(const Field& f, const T& value) {
        if (std::string(f.key) == "endFrame" || std::string(f.key) == "hollow") return;
        net_.set(data_, name(f), DopNetwork::Option(value));
    }
    DopNetwork& net_;
    std::string data_, prefix_;
};

/// A scene whose bodies and colliders are geometry, as a SOP would hand it over; what pins hold has become groups.
struct GeometryScene {
    Scene scene;
    std::map<std::string, Geometry> files;

    explicit GeometryScene(Scene from) : scene(std::move(from)) {
        const WorldState world = buildWorld(scene, [](const std::string& path, Monitor*) { return readGeometry(path); });
        scene.folder = "";
        for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
            SceneBody& body = scene.bodies[b];
            Geometry g = geometryFromTetMesh(world.bodies[b].body->mesh, world.bodies[b].body->attributes);
            for (std::size_t p = 0; p < body.pins.size(); ++p) {
                const std::string group = "pin" + std::to_string(p);
                Group& members = g.points.addGroup(group, g.pointCount());
                for (const std::int32_t v : world.bodies[b].body->constraints.hard[p].vertices) members.members[static_cast<std::size_t>(v)] = 1;
                body.pins[p].name = group;
                body.pins[p].where = GroupRegion{group};
            }
            body.transform = {};
            body.source = FileSource{body.name};
            files[body.name] = floats(g);
        }
        for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
            SceneCollider& collider = scene.colliders[c];
            const ColliderSurface& surface = world.colliders[c]->keys[0].surface;
            Geometry g;
            g.positions = surface.positions;
            for (const Tri& t : surface.triangles) g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(t.data(), 3));
            SceneCollider plain;  // what an affector tells of itself
            plain.name = collider.name;
            plain.source = FileSource{"collider " + collider.name};
            plain.visible = false;
            collider = plain;
            files["collider " + collider.name] = floats(g);
        }
    }
    static Geometry floats(const Geometry& g) { return decodeGeometry(encodeGeometry(g, GeometryFormat::kBgeo), GeometryFormat::kBgeo, "model"); }

    std::vector<std::vector<std::string>> frames(int count) const {
        WorldState world = buildWorld(scene, [this](const std::string& path, Monitor*) { return files.at(path); });
        startBooks(world);
        Workspace workspace;
        std::vector<std::vector<std::string>> all;
        for (int f = 0; f < count; ++f) {
            const std::int64_t frame = scene.startFrame + f;
            if (f > 0) {
                const StepReport report = step(world, scene.timeOf(frame) - scene.timeOf(frame - 1), scene.settings, workspace);
                EXPECT_FALSE(report.failed) << report.message;
                world.time = scene.timeOf(frame);
            }
            auto& bodies = all.emplace_back();
            for (const Geometry& g : bodyFrames(world, frame)) bodies.push_back(bytesOf(floats(g)));
        }
        return all;
    }
    DopNetwork network() {
        operators();
        DopNetwork net(scene.fps, static_cast<int>(scene.startFrame));
        for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
            SceneBody& body = scene.bodies[b];
            const int object = net.addObject(body.name, *makeDetail(files.at(body.name)).gdp());
            net.attach(object, "SIM_SunderSolver", "Solver");
            net.attach(object, "SIM_SunderMaterial", "SunderMaterial");
            for (std::size_t p = 0; p < body.pins.size(); ++p) net.attach(object, "SIM_SunderConstraint", p ? "SunderConstraint" + std::to_string(p) : "SunderConstraint");
        }
        for (const SceneCollider& c : scene.colliders) net.addCollider(c.name, *makeDetail(files.at("collider " + c.name)).gdp());
        OptionSetter setter(net, "Solver", "");
        describe(setter, scene);
        return net;
    }
};

/// Options differ from body to body, so that they are set object by object.
void setBodies(DopNetwork& net, GeometryScene& made) {
    for (std::size_t b = 0; b < made.scene.bodies.size(); ++b) {
        net.only(static_cast<int>(b));
        OptionSetter setter(net, "SunderMaterial", "");
        describe(setter, made.scene.bodies[b]);
        for (std::size_t p = 0; p < made.scene.bodies[b].pins.size(); ++p) net.set(p ? "SunderConstraint" + std::to_string(p) : "SunderConstraint", "group", "pin" + std::to_string(p));
    }
    net.only(-1);
}

void compare(const std::string& text, int frames) {
    GeometryScene made(parseScene(text));
    DopNetwork net = made.network();
    setBodies(net, made);
    const int start = static_cast<int>(made.scene.startFrame);
    ASSERT_TRUE(net.play(start + frames - 1)) << (net.messages().empty() ? "" : net.messages()[0].text);
    const auto expected = made.frames(frames);
    for (int f = 0; f < frames; ++f)
        for (std::size_t b = 0; b < made.scene.bodies.size(); ++b)
            EXPECT_EQ(bytesOf(readDetail(net.geometry(start + f, static_cast<int>(b)))), expected[static_cast<std::size_t>(f)][b]) << f << " " << made.scene.bodies[b].name;
}
}  // namespace

// examples/pile, a corner of it
TEST(HoudiniDopScenes, Pile) {
    compare(R"({"fps": 24, "startFrame": 1, "endFrame": 72, "seed": 4,
        "settings": {"integrator": "implicit", "substeps": 4, "newtonTolerance": 0.01, "linearTolerance": 0.01, "ground": {"friction": 0.4}},
        "bodies": [{"name": "back", "source": {"box": {"size": [0.68, 0.3, 0.04], "cells": [4, 2, 1]}}, "transform": {"translate": [0, 0.15, -0.12]},
                    "material": {"youngs": "2 MPa", "density": 600}, "contact": {"friction": 0.3, "stiffnessScale": 4, "groups": "bin", "collidesWith": "toys"}, "pins": [{"where": {"all": {}}}]},
                   {"name": "a", "source": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}, "transform": {"translate": [0, 0.06, 0]}, "velocityNoise": 0.1,
                    "material": {"youngs": "1 MPa"}, "contact": {"groups": "toys", "collidesWith": ["toys", "bin"]}},
                   {"name": "b", "source": {"sphere": {"radius": 0.06, "cells": 3}}, "transform": {"translate": [0.02, 0.18, 0.01]}, "spin": [0, 90, 0],
                    "material": {"youngs": "1 MPa"}, "contact": {"groups": "toys", "collidesWith": ["toys", "bin"]}}]})",
            5);
}

}  // namespace sunder::test
