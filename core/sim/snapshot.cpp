#include "core/sim/snapshot.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/sim/snapshot_bytes.h"

namespace sunder {

namespace {
// One description of every struct serves both directions: `io` is a ByteWriter with const values or a
// ByteReader with plain ones.
template <class Io>
constexpr bool isReader = std::is_same_v<Io, ByteReader>;

void require(bool condition, const char* what) {
    if (!condition) throw Error(format("the snapshot is damaged: %s", what));
}

// An array of structs that have their own `transfer`; `smallest` is the least that one takes.
template <class Io, class List, class Function>
void transferList(Io& io, List& list, std::size_t smallest, Function&& each) {
    if constexpr (isReader<Io>)
        list.resize(io.count(smallest));
    else
        io(std::uint64_t{list.size()});
    for (auto& item : list) each(io, item);
}

template <class Io, class Bool>
void transferBool(Io& io, Bool& value) {
    if constexpr (isReader<Io>) {
        const auto byte = io.template get<std::uint8_t>();
        require(byte <= 1, "a flag is neither 0 nor 1");
        value = byte == 1;
    } else {
        io(std::uint8_t{value});
    }
}

template <std::size_t K, class Values>
void readAlternative(ByteReader& io, Values& values) {
    using Array = std::variant_alternative_t<K, Attribute::Values>;
    Array array;
    if constexpr (std::is_same_v<Array, std::vector<std::string>>)
        transferList(io, array, 8, [](ByteReader& in, std::string& text) { in(text); });
    else
        io.array(array);
    values = std::move(array);
}

void readValues(ByteReader& io, Attribute::Values& values, std::uint8_t kind) {
    switch (kind) {
        case 0:
            return readAlternative<0>(io, values);
        case 1:
            return readAlternative<1>(io, values);
        case 2:
            return readAlternative<2>(io, values);
        case 3:
            return readAlternative<3>(io, values);
        case 4:
            return readAlternative<4>(io, values);
        case 5:
            return readAlternative<5>(io, values);
        default:
            require(false, "an attribute has a type that does not exist");
    }
}

void writeValues(ByteWriter& io, const Attribute::Values& values) {
    std::visit(
        [&](const auto& array) {
            if constexpr (std::is_same_v<std::decay_t<decltype(array)>, std::vector<std::string>>)
                transferList(io, array, 8, [](ByteWriter& out, const std::string& text) { out(text); });
            else
                io.array(array);
        },
        values);
}

void transfer(ByteWriter& io, const Attribute& a) {
    io(a.name);
    io(std::int32_t{a.tupleSize});
    io(static_cast<std::uint8_t>(a.meaning));
    io(static_cast<std::uint8_t>(a.values.index()));
    writeValues(io, a.values);
}

void transfer(ByteReader& io, Attribute& a) {
    io(a.name);
    a.tupleSize = io.get<std::int32_t>();
    require(a.tupleSize >= 1, "an attribute has tuples without values");
    const auto meaning = io.get<std::uint8_t>();
    require(meaning <= static_cast<std::uint8_t>(AttributeMeaning::kTextureCoord),
            "an attribute has an unknown meaning");
    a.meaning = static_cast<AttributeMeaning>(meaning);
    readValues(io, a.values, io.get<std::uint8_t>());
}

template <class Io, class Set>
void transferAttributes(Io& io, Set& set) {
    transferList(io, set.attributes, 22, [](Io& s, auto& a) { transfer(s, a); });
    transferList(io, set.groups, 16, [](Io& s, auto& g) {
        s(g.name);
        s.array(g.members);
    });
}

template <class Io, class T>
void transferPlasticity(Io& io, T& p) {
    io(p.law);
    for (auto* value : {&p.yield, &p.yieldStress, &p.limit, &p.creep, &p.flowRate, &p.hardening}) io(*value);
    if constexpr (isReader<Io>) require(p.law <= PlasticLawId::kMultiplicative, "a material has a plastic law that does not exist");
}

template <class Io, class T>
void transferFracture(Io& io, T& f) {
    transferBool(io, f.enabled);
    io(f.kind);
    for (auto* value : {&f.force, &f.stress, &f.energy, &f.residual, &f.backCrackAngle}) io(*value);
    io(f.grain);
    io(f.weakness);
    if constexpr (isReader<Io>) require(f.kind <= ToughnessKind::kByEnergy, "a material has a toughness of a kind that does not exist");
}

template <class Io, class T>
void transferMaterial(Io& io, T& m, std::uint32_t version) {
    io(m.name);
    io(m.law);
    for (auto* value :
         {&m.density, &m.youngs, &m.poisson, &m.phi, &m.psi, &m.stiffnessDamping, &m.massDamping})
        io(*value);
    if constexpr (isReader<Io>)
        require(m.law <= ElasticLawId::kNeoHookean, "a material has a law that does not exist");
    if (version < 4) return;
    transferPlasticity(io, m.plasticity);
    transferFracture(io, m.fracture);
}

template <class Io, class T>
void transferCracks(Io& io, T& body) {
    transferList(io, body.origin, 16, [](Io& s, auto& o) {
        s(o.a);
        s(o.b);
        s(o.weight);
    });
    io.array(body.tetParent);
    io.array(body.insideFaces);
    io.array(body.cellSize);
    io.array(body.columnHeight);
    io(body.smallestAltitude);
}

template <class Io, class T>
void transferFrame(Io& io, T& surface) {
    for (Eigen::Index k = 0; k < 9; ++k) io(surface.turn.data()[k]);
    io(surface.shift);
    for (auto* value : {&surface.strength, &surface.width, &surface.follow}) io(*value);
    io(surface.seed);
}

// The fields of every shape of a weak surface.
template <class Io>
struct ShapeTransfer {
    Io& io;
    template <class T, class S>
    static constexpr bool is = std::is_same_v<std::remove_const_t<T>, S>;

    template <class T>
    void operator()(T& s) const {
        if constexpr (is<T, MeshGuide>) {
            io.array(s.points);
            io.array(s.triangles);
            io.array(s.segments);
        } else if constexpr (is<T, PlaneGuide>) {
            io(s.point);
            io(s.normal);
        } else if constexpr (is<T, SphereGuide>) {
            io(s.center);
            io(s.radius);
        } else if constexpr (is<T, CurveGuide>) {
            io.array(s.points);
            transferBool(io, s.closed);
            io(s.sweep);
        } else if constexpr (is<T, GrainPattern>) {
            io(s.axis);
            for (auto* value : {&s.size, &s.length, &s.jitter}) io(*value);
        } else if constexpr (is<T, BrickPattern>) {
            io(s.size);
            io(s.mortar);
        } else if constexpr (is<T, RadialPattern>) {
            io(s.center);
            io(s.axis);
            io(s.rays);
            for (auto* value : {&s.ring, &s.growth, &s.radius, &s.jitter}) io(*value);
        } else {
            io(s.size);
            io(s.jitter);
        }
    }
};

template <std::size_t K = 0>
void chooseShape(WeakShape& shape, std::uint8_t kind) {
    if constexpr (K < std::variant_size_v<WeakShape>) {
        if (kind == K) {
            shape.emplace<K>();
            return;
        }
        chooseShape<K + 1>(shape, kind);
    } else {
        require(false, "a guide has a shape that does not exist");
    }
}

void checkShape(const WeakShape& shape) {
    const auto* mesh = std::get_if<MeshGuide>(&shape);
    if (!mesh) return;
    const auto inside = [&](std::int32_t v) { return v >= 0 && static_cast<std::size_t>(v) < mesh->points.size(); };
    for (const Tri& t : mesh->triangles) require(std::all_of(t.begin(), t.end(), inside), "a guide refers to a point that does not exist");
    for (const auto& s : mesh->segments) require(std::all_of(s.begin(), s.end(), inside), "a guide refers to a point that does not exist");
}

template <class Io, class T>
void transferWeakSurface(Io& io, T& surface) {
    io(surface.name);
    if constexpr (isReader<Io>)
        chooseShape(surface.shape, io.template get<std::uint8_t>());
    else
        io(static_cast<std::uint8_t>(surface.shape.index()));
    std::visit(ShapeTransfer<Io>{io}, surface.shape);
    if constexpr (isReader<Io>) checkShape(surface.shape);
    transferFrame(io, surface);
}

template <class Io, class T>
void transferBond(Io& io, T& bond) {
    for (auto* value : {&bond.body, &bond.vertex, &bond.other, &bond.tet}) io(*value);
    for (auto& corner : bond.corners) io(corner);
    for (Eigen::Index k = 0; k < 4; ++k) io(bond.weight.data()[k]);
    io(bond.place);
    for (auto* value : {&bond.area, &bond.stiffness, &bond.strength}) io(*value);
    transferBool(io, bond.broken);
}

template <class Io, class T>
void transferMotion(Io& io, T& motion) {
    transferList(io, motion.keys, 56, [](Io& s, auto& key) {
        s(key.time);
        s(key.translation);
        s(key.rotation);
    });
    io(motion.pivot);
    transferBool(io, motion.smooth);
}

template <class Io, class T>
void transferConstraints(Io& io, T& constraints, std::uint32_t version) {
    transferList(io, constraints.hard, 65, [&](Io& s, auto& target) {
        s(target.name);
        s.array(target.vertices);
        s.array(target.anchor);
        transferMotion(s, target.motion);
        s(target.releaseTime);
        if (version < 5) return;
        s(target.releaseForce);
        s(target.releaseStress);
    });
    transferList(io, constraints.soft, 89, [&](Io& s, auto& target) {
        s(target.name);
        s.array(target.vertices);
        s.array(target.anchor);
        s.array(target.weight);
        transferMotion(s, target.motion);
        s(target.strength);
        s(target.damping);
        s(target.releaseTime);
        if (version >= 5) s(target.releaseForce);
    });
}

template <class Io, class T>
void transferSurface(Io& io, T& s) {
    for (auto* value : {&s.friction, &s.dynamicFriction, &s.restitution, &s.stiffnessScale}) io(*value);
    io(s.group);
    io(s.mask);
    io(s.self);
    if constexpr (isReader<Io>) require(s.self <= SelfContact::kAll, "a body meets itself in a way that does not exist");
}

/// `version` is that of the bytes.
template <class Io, class T>
void transferBody(Io& io, T& body, std::uint32_t version) {
    io(body.name);
    io.array(body.mesh.rest);
    io.array(body.mesh.tets);
    io(body.mesh.topologyVersion);
    transferAttributes(io, body.attributes.vertices);
    transferAttributes(io, body.attributes.tets);
    transferAttributes(io, body.attributes.detail);
    transferList(io, body.materials, 65, [&](Io& s, auto& m) { transferMaterial(s, m, version); });
    io.array(body.tetMaterial);
    transferConstraints(io, body.constraints, version);
    transferSurface(io, body.contact);
    if (version >= 3) transferBool(io, body.rigid);
    io.array(body.force);
    if (version >= 4) transferCracks(io, body);
    if (version < 5) return;
    transferList(io, body.weakSurfaces, 133, [](Io& s, auto& surface) { transferWeakSurface(s, surface); });
    io(body.seed);
}

template <class Io, class T>
void transferState(Io& io, T& state, std::uint32_t version) {
    io.array(state.x);
    io.array(state.v);
    io.array(state.a);
    io.array(state.contact.slide);
    io.array(state.contact.stored);
    io.array(state.contact.allowance);
    if (version < 3) return;
    io(state.sleep.calm);
    transferBool(io, state.sleep.asleep);
    for (Eigen::Index k = 0; k < 3; ++k) io(state.sleep.pull[k]);
    if (version < 4) return;
    io.array(state.plastic);
    if (version < 5) return;
    io.array(state.released);
}

template <class Io, class T>
void transferEnergy(Io& io, T& e, std::uint32_t version) {
    for (auto* value : {&e.kinetic, &e.elastic, &e.gravity, &e.contact, &e.target, &e.damped, &e.friction,
                        &e.targetDamped, &e.work, &e.numerical})
        io(*value);
    if (version < 4) return;
    for (auto* value : {&e.plastic, &e.edits}) io(*value);
    if (version < 5) return;
    for (auto* value : {&e.glue, &e.glueBroken}) io(*value);
}

template <class Io, class T>
void transferHead(Io& io, T& world, std::uint32_t version) {
    io(world.time);
    io(world.stepCount);
    io(world.nextStep);
    io(world.contactLoss);
    if (version >= 3) io(world.contactWork);
    transferEnergy(io, world.energy, version);
    if (version >= 5) transferList(io, world.glue, 133, [](Io& s, auto& bond) { transferBond(s, bond); });
}

template <class Target>
void checkTarget(const Target& target, std::size_t vertexCount) {
    require(target.anchor.size() == target.vertices.size(),
            "a target has another number of anchors than of vertices");
    const bool inside = std::all_of(target.vertices.begin(), target.vertices.end(), [&](std::int32_t v) {
        return v >= 0 && static_cast<std::size_t>(v) < vertexCount;
    });
    require(inside, "a target refers to a vertex that does not exist");
}

void checkBody(const Body& body) {
    const std::size_t vertices = body.mesh.vertexCount(), tets = body.mesh.tetCount();
    body.attributes.vertices.validate(vertices, "vertices");
    body.attributes.tets.validate(tets, "tets");
    require(!body.materials.empty(), "a body has no material");
    require(body.tetMaterial.empty() || body.tetMaterial.size() == tets, "not every tet has a material");
    for (const std::int32_t row : body.tetMaterial)
        require(row >= 0 && static_cast<std::size_t>(row) < body.materials.size(),
                "a tet's material does not exist");
    require(body.force.empty() || body.force.size() == vertices, "not every vertex has a force");
    require(body.origin.size() <= vertices && body.tetParent.size() <= tets, "cracks have made more than there is");
    require(body.insideFaces.empty() || body.insideFaces.size() == tets, "not every tet knows its opened faces");
    for (std::size_t k = 0; k < body.origin.size(); ++k) {
        const auto own = static_cast<std::int32_t>(vertices - body.origin.size() + k);
        const VertexOrigin& o = body.origin[k];
        require(o.a >= 0 && o.b >= 0 && o.a < own && o.b < own, "a vertex comes from one that is not there");
    }
    for (std::size_t k = 0; k < body.tetParent.size(); ++k)
        require(body.tetParent[k] >= 0 && static_cast<std::size_t>(body.tetParent[k]) < tets - body.tetParent.size() + k, "a tet comes from one that is not there");
    for (const HardTarget& target : body.constraints.hard) checkTarget(target, vertices);
    for (const SoftTarget& target : body.constraints.soft) {
        checkTarget(target, vertices);
        require(target.weight.empty() || target.weight.size() == target.vertices.size(),
                "not every target has a weight");
    }
}

void checkState(const BodyState& state, std::size_t vertices) {
    require(state.x.size() == vertices && state.v.size() == vertices && state.a.size() == vertices,
            "the state of a body has another number of vertices than the body");
    const auto fits = [&](std::size_t size) { return size == 0 || size == vertices; };
    require(fits(state.contact.slide.size()) && state.contact.stored.size() == state.contact.slide.size() &&
                fits(state.contact.allowance.size()),
            "contact remembers another number of vertices than the body has");
    require(fits(state.released.size()), "not every vertex knows what has let go of it");
}

void checkPlastic(const BodyState& state, const Body& body) {
    const bool finite = std::all_of(state.plastic.begin(), state.plastic.end(), [](const PlasticState& p) { return p.flow.allFinite(); });
    require(state.plastic.size() == (body.elements.plastic() ? body.mesh.tetCount() : 0) && finite, "the plastic states do not fit the tets");
}

void checkGlue(const WorldState& world) {
    const auto exists = [&](std::int32_t body, std::int32_t vertex) {
        return body >= 0 && static_cast<std::size_t>(body) < world.bodies.size() && vertex >= 0 &&
               static_cast<std::size_t>(vertex) < world.bodies[static_cast<std::size_t>(body)].body->mesh.vertexCount();
    };
    for (const GlueBond& bond : world.glue) {
        require(exists(bond.body, bond.vertex), "glue holds a vertex that does not exist");
        for (const std::int32_t corner : bond.corners) require(exists(bond.other, corner), "glue holds to a vertex that does not exist");
    }
}

WorldBody readWorldBody(ByteReader& io, std::uint32_t version) {
    Body body;
    auto state = std::make_shared<BodyState>();
    transferBody(io, body, version);
    transferState(io, *state, version);
    checkBody(body);
    checkState(*state, body.mesh.vertexCount());
    WorldBody made{buildBody(std::move(body)), std::move(state)};
    checkPlastic(*made.state, *made.body);
    return made;
}
}  // namespace

std::vector<std::uint8_t> saveSnapshot(const WorldState& world, std::uint32_t version) {
    ByteWriter io;
    io(version);
    transferHead(io, world, version);
    io(std::uint64_t{world.bodies.size()});
    for (const WorldBody& b : world.bodies) {
        transferBody(io, *b.body, version);
        transferState(io, *b.state, version);
    }
    return io.take();
}

WorldState loadSnapshot(Span<const std::uint8_t> bytes) {
    ByteReader io(bytes);
    const auto version = io.get<std::uint32_t>();
    if (version < kOldestSnapshotVersion || version > kSnapshotVersion)
        throw Error(
            format("the snapshot has version %u, this build reads versions %u to %u", version, kOldestSnapshotVersion, kSnapshotVersion),
            "use the build that wrote it, or simulate again from the start");
    WorldState world;
    transferHead(io, world, version);
    const std::size_t bodies = io.count(1);
    for (std::size_t b = 0; b < bodies; ++b) world.bodies.push_back(readWorldBody(io, version));
    checkGlue(world);
    require(io.left() == 0, "there are bytes behind its end");
    return world;
}

}  // namespace sunder
