#include "tests/houdini/scene_network.h"

#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/io/file.h"
#include "core/io/geometry_io.h"
#include "core/io/material_text.h"
#include "core/io/scene_json.h"
#include "core/io/scene_json_schema.h"
#include "core/mesh/tet_mesh.h"
#include "core/sim/scene_build.h"
#include "core/sim/stepper.h"
#include "core/sim/world_parts.h"
#include "hdk/parameters.h"
#include "tests/houdini/fixtures.h"
#include "tests/support/builders.h"

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
    void object(const Field&, Motion&) {}
    void object(const Field&, StepSettings& v) { plain(v); }  // the solver has them without a prefix
    void object(const Field&, Material& v) { plain(v); }      // so has the material
    template <class T>
    void choice(const Field& f, T& v, const Choices<T>& choices) {
        for (std::size_t i = 0; i < choices.size(); ++i)
            if (choices[i].second == v) set(f, static_cast<int64>(i));
    }

  private:
    template <class T>
    void plain(T& v) {
        OptionSetter inner(net_, data_, "");
        describe(inner, v);
    }
    static double shown(const Field& f, double v) { return v / f.dimension.bareScale; }
    std::string name(const Field& f) const { return prefix_.empty() ? f.key : prefix_ + "_" + f.key; }
    template <class T>
    void set(const Field& f, const T& value) {
        for (const char* left : {"endFrame", "hollow", "visible"})
            if (std::string(f.key) == left) return;
        net_.set(data_, name(f), DopNetwork::Option(value));
    }
    DopNetwork& net_;
    std::string data_, prefix_;
};

std::string constraintName(std::size_t i) { return i ? "SunderConstraint" + std::to_string(i) : "SunderConstraint"; }

/// The mesh of a body as it starts; points that pins hold are in groups of their names.
Geometry bodyGeometry(const Body& body, SceneBody& scene) {
    Geometry g = geometryFromTetMesh(body.mesh, body.attributes);
    if (!body.materialText.empty()) g.primitives.add<std::string>(kMaterialAttribute, g.primitiveCount()) = materialTexts(body);
    for (std::size_t p = 0; p < scene.pins.size(); ++p) {
        scene.pins[p].name = "pin" + std::to_string(p);
        scene.pins[p].where = GroupRegion{scene.pins[p].name};
        Group& members = g.points.addGroup(scene.pins[p].name, g.pointCount());
        for (const std::int32_t v : body.constraints.hard[p].vertices) members.members[static_cast<std::size_t>(v)] = 1;
    }
    return throughFile(g);
}
Geometry colliderGeometry(const Collider& collider) {
    const ColliderSurface& surface = collider.keys[0].surface;
    Geometry g;
    g.positions = surface.positions;
    for (const Tri& t : surface.triangles) g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(t.data(), 3));
    return throughFile(g);
}
const std::string& pathOf(const SceneBody& body) { return std::get<FileSource>(body.source).path; }
const std::string& pathOf(const SceneCollider& collider) { return std::get<FileSource>(collider.source).path; }
}  // namespace

Geometry throughFile(const Geometry& g) { return decodeGeometry(encodeGeometry(g, GeometryFormat::kBgeo), GeometryFormat::kBgeo, "model"); }

GeometryScene::GeometryScene(Scene from) : scene(std::move(from)) {
    const WorldState world = buildWorld(scene, {[](const std::string& path, Monitor*) { return readGeometry(path); }, materialFromText});
    scene.folder = "";
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        SceneBody& body = scene.bodies[b];
        const std::string path = "body_" + body.name + ".bgeo";
        files[path] = bodyGeometry(*world.bodies[b].body, body);
        body.transform = {};
        body.source = FileSource{path};
    }
    for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
        SceneCollider& collider = scene.colliders[c];
        const std::string path = "collider_" + collider.name + ".bgeo";
        files[path] = colliderGeometry(*world.colliders[c]);
        collider.transform = {};
        collider.source = FileSource{path};
        collider.visible = false;
    }
}
GeometryScene GeometryScene::mergedToOne() const {
    GeometryScene one = *this;
    const WorldState world = buildWorld(scene, {[this](const std::string& path, Monitor*) { return files.at(path.substr(path.find_last_of('/') + 1)); }, materialFromText});
    std::vector<Geometry> parts;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        Geometry part = testing::withText(files.at(pathOf(scene.bodies[b])), kMaterialAttribute, materialToText(scene.bodies[b].material));
        auto& v = part.points.add<float>("v", part.pointCount(), 3, AttributeMeaning::kVector);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(world.bodies[b].state->v[i / 3][static_cast<Eigen::Index>(i % 3)]);
        parts.push_back(std::move(part));
        one.files.erase(pathOf(scene.bodies[b]));
    }
    one.scene.bodies.assign(1, {});
    one.scene.bodies[0].name = "solids";
    one.scene.bodies[0].source = FileSource{"solids.bgeo"};
    one.files["solids.bgeo"] = throughFile(testing::merged(parts));
    return one;
}
GeometryScene::GeometryScene(const std::string& folder) : scene(readScene(folder + "/scene.json")) {
    for (const SceneBody& body : scene.bodies) files[pathOf(body)] = readGeometry(folder + "/" + pathOf(body));
    for (const SceneCollider& collider : scene.colliders) files[pathOf(collider)] = readGeometry(folder + "/" + pathOf(collider));
}
void GeometryScene::save(const std::string& folder) const {
    for (const auto& [path, geometry] : files) writeGeometry(folder + "/" + path, geometry);
    const std::string text = sceneToJson(scene);
    writeFileAtomic(folder + "/scene.json", std::vector<std::uint8_t>(text.begin(), text.end()));
}

DopNetwork GeometryScene::network() const {
    operators();  // registers the data, too
    DopNetwork net(scene.fps, static_cast<int>(scene.startFrame));
    Scene values = scene;
    OptionSetter solver(net, "Solver", "");
    describe(solver, values);
    for (SceneBody& body : values.bodies) {
        const int object = net.addObject(body.name, *makeDetail(files.at(pathOf(body))).gdp());
        net.attach(object, "SIM_SunderSolver", "Solver");
        net.attach(object, "SIM_SunderMaterial", "SunderMaterial");
        net.only(object);
        OptionSetter material(net, "SunderMaterial", "");
        describe(material, body);
        net.set("SunderMaterial", "materialFromGeometry", body.materialFromGeometry && namesMaterials(files.at(pathOf(body))));
        for (std::size_t p = 0; p < body.pins.size(); ++p) {
            net.attach(object, "SIM_SunderConstraint", constraintName(p));
            net.set(constraintName(p), "group", body.pins[p].name);
        }
    }
    for (SceneCollider& collider : values.colliders) {
        const int object = net.addCollider(collider.name, *makeDetail(files.at(pathOf(collider))).gdp());
        net.attach(object, "SIM_SunderCollider", "SunderCollider");
        net.only(object);
        OptionSetter setter(net, "SunderCollider", "");
        describe(setter, collider);
    }
    net.only(-1);
    return net;
}

std::vector<std::vector<std::string>> GeometryScene::frames(int count) const {
    WorldState world = buildWorld(scene, {[this](const std::string& path, Monitor*) { return files.at(path.substr(path.find_last_of('/') + 1)); }, materialFromText});
    startBooks(world);
    Workspace workspace;
    std::vector<std::vector<std::string>> all;
    for (int f = 0; f < count; ++f) {
        const std::int64_t frame = scene.startFrame + f;
        if (f > 0) {
            const StepReport report = step(world, scene.timeOf(frame) - scene.timeOf(frame - 1), scene.settings, workspace);
            if (report.failed) throw Error(report.message);
            world.time = scene.timeOf(frame);
        }
        auto& bodies = all.emplace_back();
        for (const Geometry& g : bodyFrames(world, frame)) bodies.push_back(bytesOf(throughFile(g)));
    }
    return all;
}

std::vector<Geometry> splitFrame(const Geometry& frame, const std::vector<Geometry>& like) {
    std::vector<Geometry> bodies;
    std::size_t firstPoint = 0, firstTet = 0;
    const auto range = [](std::size_t first, std::size_t count) {
        std::vector<std::int32_t> numbers(count);
        std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(first));
        return numbers;
    };
    for (const Geometry& model : like) {
        const std::size_t points = model.pointCount(), tets = model.primitiveCount();
        if (firstPoint + points > frame.pointCount() || firstTet + tets > frame.primitiveCount()) return {};
        Geometry& g = bodies.emplace_back();
        g.positions.assign(frame.positions.begin() + static_cast<std::ptrdiff_t>(firstPoint), frame.positions.begin() + static_cast<std::ptrdiff_t>(firstPoint + points));
        for (std::size_t t = firstTet; t < firstTet + tets; ++t) {
            std::vector<std::int32_t> corners;
            for (const std::int32_t v : frame.primitivePoints(t)) corners.push_back(v - static_cast<std::int32_t>(firstPoint));
            g.addPrimitive(frame.primitiveKind[t], corners);
        }
        g.points = gatherAttributes(frame.points, range(firstPoint, points));
        g.vertices = gatherAttributes(frame.vertices, range(4 * firstTet, 4 * tets));
        g.primitives = gatherAttributes(frame.primitives, range(firstTet, tets));
        g.detail = frame.detail;
        firstPoint += points;
        firstTet += tets;
    }
    if (firstPoint != frame.pointCount() || firstTet != frame.primitiveCount()) return {};
    return bodies;
}

std::string trouble(const DopNetwork& net) {
    std::string text;
    for (const auto& m : net.messages()) text += m.text + "\n";
    return text;
}

}  // namespace sunder::test
