#include "core/sim/scene_build.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/body/rigid.h"
#include "core/meshing/tetrahedralize.h"
#include "core/sim/glue.h"
#include "core/sim/scene_guides.h"
#include "core/sim/scene_shapes.h"

namespace sunder {

namespace {
template <class T, class = void>
struct HasSeed : std::false_type {};
template <class T>
struct HasSeed<T, std::void_t<decltype(T::seed)>> : std::true_type {};

Solid solidOf(TetMesh mesh) { return {std::move(mesh), {}}; }
Solid solidOf(Solid solid) { return solid; }

/// Makes the solid of every kind of source.
struct SourceLoader {
    const Scene& scene;
    const SceneBody& body;
    const GeometryLoader& load;
    Monitor* monitor;

    Solid operator()(const FileSource& source) const {
        return fill(load((std::filesystem::path(scene.folder) / source.path).string(), monitor));
    }
    Solid operator()(const TapirShape& shape) const { return fill(makeShape(shape)); }
    template <class Shape>
    Solid operator()(const Shape& shape) const {
        requireNotHollow();
        return solidOf(makeShape(shape));
    }

    /// The transform comes first, so that sizes in `meshing` are lengths in the world.
    Solid fill(Geometry geometry) const {
        placeAll(geometry.positions);
        Solid solid;
        if (geometry.countOf(PrimitiveKind::kTet) > 0) {
            requireNotHollow();
            solid.mesh = tetMeshFromGeometry(geometry, solid.attributes);
            warnOfVertices(geometry.vertices);
            return solid;
        }
        if (body.hollow > 0) geometry = hollowSurface(geometry, body.hollow);
        TetrahedralizeResult result = tetrahedralize(geometry, body.meshing, monitor);
        if (monitor && !result.diagnosis.isCleanSolid())
            for (const std::string& text : result.explanations)
                monitor->warn(format("body '%s': %s", body.name.c_str(), text.c_str()));
        return {std::move(result.mesh), std::move(result.attributes)};
    }
    /// A body has values at its points and in its tets.
    void warnOfVertices(const AttributeSet& vertices) const {
        if (!monitor || (vertices.attributes.empty() && vertices.groups.empty())) return;
        const std::string& first = vertices.attributes.empty() ? vertices.groups[0].name : vertices.attributes[0].name;
        monitor->warn(format("body '%s': what vertices of its tets have, such as '%s', is left out. Promote it to points to keep it", body.name.c_str(), first.c_str()));
    }
    void requireNotHollow() const {
        if (body.hollow > 0)
            throw Error(format("it has a wall of %g m, `hollow`, and a source that has its tets already", body.hollow),
                        "leave `hollow` out; hollowSphere, bowl and tube have a thickness of their own");
    }
    void placeAll(std::vector<Vec3>& positions) const {
        for (Vec3& p : positions) p = body.transform.apply(p);
    }
};

/// Every shape that draws something at random does so by its own seed and the scene's; without one in the scene, by its own alone.
BodySource seeded(BodySource source, std::uint64_t sceneSeed) {
    std::visit(
        [&](auto& shape) {
            if constexpr (HasSeed<std::decay_t<decltype(shape)>>::value)
                if (sceneSeed != 0) shape.seed = randomBits(sceneSeed, shape.seed, 2);
        },
        source);
    return source;
}

Solid makeSolid(const Scene& scene, const SceneBody& body, const GeometryLoader& load, Monitor* monitor) {
    const SourceLoader loader{scene, body, load, monitor};
    Solid solid = std::visit(loader, seeded(body.source, scene.seed));
    const bool placed =
        std::holds_alternative<FileSource>(body.source) || std::holds_alternative<TapirShape>(body.source);
    if (!placed) loader.placeAll(solid.mesh.rest);
    return solid;
}

std::vector<Vec3> positionsOf(const std::vector<std::int32_t>& vertices, const std::vector<Vec3>& rest) {
    std::vector<Vec3> positions;
    for (const std::int32_t v : vertices) positions.push_back(rest[static_cast<std::size_t>(v)]);
    return positions;
}

std::vector<double> paintedWeights(const AttributeSet& attributes,
                                   const std::vector<std::int32_t>& vertices) {
    const Attribute* painted = attributes.find("targetstrength");
    std::vector<double> weights;
    if (painted)
        for (const std::int32_t v : vertices) weights.push_back(painted->number(static_cast<std::size_t>(v)));
    return weights;
}

std::string ownerName(const SceneBody& body, const char* kind, const std::string& name, std::size_t number) {
    return format("%s '%s' of body '%s'", kind, name.empty() ? std::to_string(number).c_str() : name.c_str(),
                  body.name.c_str());
}

Constraints makeConstraints(const SceneBody& body, const Solid& solid) {
    Constraints constraints;
    const AttributeSet& attributes = solid.attributes.vertices;
    for (const ScenePin& pin : body.pins) {
        const std::string owner = ownerName(body, "pin", pin.name, constraints.hard.size());
        HardTarget target{pin.name,
                          selectVertices(pin.where, solid.mesh.rest, attributes, owner),
                          {},
                          pin.motion,
                          pin.releaseTime,
                          pin.releaseForce,
                          pin.releaseStress};
        target.anchor = positionsOf(target.vertices, solid.mesh.rest);
        constraints.hard.push_back(std::move(target));
    }
    for (const SceneTarget& soft : body.targets) {
        const std::string owner = ownerName(body, "target", soft.name, constraints.soft.size());
        SoftTarget target;
        target.name = soft.name;
        target.vertices = selectVertices(soft.where, solid.mesh.rest, attributes, owner);
        target.anchor = positionsOf(target.vertices, solid.mesh.rest);
        target.weight = paintedWeights(attributes, target.vertices);
        target.motion = soft.motion;
        target.strength = soft.strength;
        target.damping = soft.damping;
        target.releaseTime = soft.releaseTime;
        target.releaseForce = soft.releaseForce;
        constraints.soft.push_back(std::move(target));
    }
    return constraints;
}

/// Keyframes of breaking, and what is painted: the earliest counts.
void addBreakTimes(const SceneBody& body, Solid& solid) {
    if (body.breaks.empty()) return;
    AttributeSet& attributes = solid.attributes.vertices;
    std::vector<double> times(solid.mesh.vertexCount(), 0.0);
    if (const Attribute* painted = attributes.find("breaktime"))
        for (std::size_t v = 0; v < times.size(); ++v) times[v] = painted->number(v);
    for (std::size_t k = 0; k < body.breaks.size(); ++k) {
        const SceneBreak& at = body.breaks[k];
        for (const std::int32_t vertex : selectVertices(at.where, solid.mesh.rest, attributes, ownerName(body, "break", at.name, k))) {
            double& time = times[static_cast<std::size_t>(vertex)];
            if (!(time > 0) || at.time < time) time = at.time;
        }
    }
    attributes.add<double>("breaktime", times.size()) = times;
}

/// Share of the body's volume that belongs to each vertex.
std::vector<double> volumeShares(const TetMesh& mesh) {
    std::vector<double> share(mesh.vertexCount(), 0);
    double total = 0;
    for (std::size_t t = 0; t < mesh.tetCount(); ++t) {
        const double volume = restVolume(mesh, t);
        total += volume;
        for (const std::int32_t v : mesh.tets[t]) share[static_cast<std::size_t>(v)] += volume / 4;
    }
    for (double& s : share) s /= total;
    return share;
}

std::vector<Vec3> makeForce(const SceneBody& body, const Solid& solid) {
    const Attribute* painted = solid.attributes.vertices.find("force");
    if (painted && (painted->isString() || (painted->tupleSize != 1 && painted->tupleSize != 3)))
        throw Error(format("the point attribute 'force' of body '%s' has %d values a point",
                           body.name.c_str(), painted->tupleSize),
                    "make it one number, which multiplies the body's force, or a vector of three in N");
    const bool vectors = painted && painted->tupleSize == 3;
    if (body.force.isZero() && !vectors) return {};
    const std::vector<double> share = volumeShares(solid.mesh);
    std::vector<Vec3> force(solid.mesh.vertexCount());
    for (std::size_t v = 0; v < force.size(); ++v) {
        force[v] = share[v] * body.force * (painted && !vectors ? painted->number(v) : 1.0);
        if (vectors) force[v] += Vec3(painted->number(v, 0), painted->number(v, 1), painted->number(v, 2));
    }
    return force;
}

Vec3 centerOfMass(const Body& body) {
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    for (std::size_t v = 0; v < body.mass.size(); ++v) {
        sum += body.mass[v] * body.mesh.rest[v];
        mass += body.mass[v];
    }
    return sum / mass;
}

/// Noise is drawn by seed, body and vertex, so it does not depend on anything else.
Vec3 noiseAt(const Scene& scene, std::size_t bodyNumber, std::size_t vertex) {
    const std::uint64_t key = randomBits(scene.seed, bodyNumber);
    return {randomRange(-1, 1, key, vertex, 0), randomRange(-1, 1, key, vertex, 1),
            randomRange(-1, 1, key, vertex, 2)};
}

/// Velocities that the points of the model bring along, turned and scaled with it: so a frame of a simulation moves on. Empty if it has none.
std::vector<Vec3> broughtVelocity(const SceneBody& body, const AttributeSet& points) {
    const Attribute* v = points.find("v");
    if (!v) return {};
    const char* remedy = "make it a vector of three in m/s, or delete it";
    if (v->isString() || v->tupleSize != 3) throw Error("the point attribute 'v' is not a vector", remedy);
    Transform turn = body.transform;
    turn.translate = Vec3::Zero();
    std::vector<Vec3> velocity;
    for (std::size_t i = 0; i < v->elementCount(); ++i) {
        velocity.push_back(turn.apply(Vec3(v->number(i, 0), v->number(i, 1), v->number(i, 2))));
        if (!velocity.back().allFinite()) throw Error(format("the point attribute 'v' is not a number at point %zu of its tets", i), remedy);
    }
    return velocity;
}

BodyState makeStart(const Scene& scene, std::size_t number, const Body& built, const std::vector<Vec3>& brought) {
    const SceneBody& body = scene.bodies[number];
    BodyState state = makeBodyState(built);
    const Vec3 center = centerOfMass(built);
    for (std::size_t v = 0; v < state.v.size(); ++v)
        state.v[v] = body.velocity + body.spin.cross(state.x[v] - center) +
                     body.velocityNoise * noiseAt(scene, number, v);
    for (std::size_t v = 0; v < brought.size(); ++v) state.v[v] += brought[v];
    if (built.rigid) {
        const RigidFrame frame = rigidFrame(built.mass, state.x);
        const RigidField whole = rigidPart(frame, built.mass, state.x, state.v);
        for (std::size_t v = 0; v < state.v.size(); ++v) state.v[v] = whole.at(frame, state.x[v]);
    }
    return state;
}

std::uint32_t bitsOf(const std::vector<std::string>& names, const std::vector<std::string>& groups) {
    std::uint32_t bits = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (std::find(names.begin(), names.end(), groups[g]) != names.end()) bits |= 1u << g;
    return bits;
}

WorldBody makeWorldBody(const Scene& scene, std::size_t number, const GeometryLoader& load,
                        Monitor* monitor) {
    const SceneBody& body = scene.bodies[number];
    Solid solid = makeSolid(scene, body, load, monitor);
    Body input;
    input.name = body.name;
    input.seed = randomBits(scene.seed, number, 1);
    input.weakSurfaces = buildGuides(scene, number, load, monitor);
    addPatternParts(body, input.weakSurfaces, solid);
    addBreakTimes(body, solid);
    input.constraints = makeConstraints(body, solid);
    input.force = makeForce(body, solid);
    input.contact = buildContactSurface(scene, body.contact);
    input.rigid = body.rigid;
    input.mesh = std::move(solid.mesh);
    const MaterialReader readMaterial = [&](const std::string& text, const std::string& owner) { return load.material(text, owner); };
    addMaterials(input, solid.attributes, body.material, body.materialFromGeometry ? &readMaterial : nullptr, monitor);
    input.attributes = std::move(solid.attributes);
    const std::vector<Vec3> brought = broughtVelocity(body, input.attributes.vertices);
    input.attributes.vertices.erase("v");  // from now on that of the state
    WorldBody made;
    made.body = buildBody(std::move(input));
    checkGuides(*made.body, monitor);
    made.state = std::make_shared<const BodyState>(makeStart(scene, number, *made.body, brought));
    return made;
}
}  // namespace

Material GeometryLoader::material(const std::string& text, const std::string& owner) const {
    if (!readMaterial_) throw Error(format("%s cannot be read here", owner.c_str()), format("delete the attribute '%s'", kMaterialAttribute));
    return readMaterial_(text, owner);
}

ContactSurface buildContactSurface(const Scene& scene, const SceneContact& contact) {
    const std::vector<std::string> groups = contactGroups(scene);
    const std::vector<std::string>& with = contact.collidesWith;
    ContactSurface surface = contact.surface;
    surface.group = bitsOf(contact.groups, groups);
    surface.mask = std::find(with.begin(), with.end(), "all") != with.end() ? ~0u : bitsOf(with, groups);
    return surface;
}

void buildBodies(WorldState& world, const Scene& scene, const GeometryLoader& load, Monitor* monitor) {
    validate(scene);
    for (std::size_t b = world.bodies.size(); b < scene.bodies.size(); ++b) {
        throwIfCancelled(monitor);
        try {
            world.bodies.push_back(makeWorldBody(scene, b, load, monitor));
        } catch (const Error& e) {
            throw Error(format("body '%s': %s", scene.bodies[b].name.c_str(), e.what()), e.remedy());
        }
    }
}

WorldState buildWorld(const Scene& scene, const GeometryLoader& load, Monitor* monitor) {
    WorldState world;
    buildBodies(world, scene, load, monitor);
    for (const SceneGlue& glue : scene.glue) {
        const std::vector<GlueBond> bonds = buildBonds(glue, world);
        world.glue.insert(world.glue.end(), bonds.begin(), bonds.end());
    }
    world.colliders = buildColliders(scene, load, monitor);
    return world;
}

}  // namespace sunder
