#include "core/sim/snapshot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/sim/snapshot_lead.h"

namespace sunder {

namespace {
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
            requireSound(false, "an attribute has a type that does not exist");
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
    requireSound(a.tupleSize >= 1, "an attribute has tuples without values");
    const auto meaning = io.get<std::uint8_t>();
    requireSound(meaning <= static_cast<std::uint8_t>(AttributeMeaning::kTextureCoord),
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
    if constexpr (isReader<Io>) requireSound(p.law <= PlasticLawId::kMultiplicative, "a material has a plastic law that does not exist");
}

template <class Io, class T>
void transferFracture(Io& io, T& f) {
    transferBool(io, f.enabled);
    io(f.kind);
    for (auto* value : {&f.force, &f.stress, &f.energy, &f.residual, &f.backCrackAngle}) io(*value);
    io(f.grain);
    io(f.weakness);
    if constexpr (isReader<Io>) requireSound(f.kind <= ToughnessKind::kByEnergy, "a material has a toughness of a kind that does not exist");
}

template <class Io, class T>
void transferMaterial(Io& io, T& m, std::uint32_t version) {
    io(m.name);
    io(m.law);
    for (auto* value :
         {&m.density, &m.youngs, &m.poisson, &m.phi, &m.psi, &m.stiffnessDamping, &m.massDamping})
        io(*value);
    if constexpr (isReader<Io>)
        requireSound(m.law <= ElasticLawId::kNeoHookean, "a material has a law that does not exist");
    if (version < 4) return;
    transferPlasticity(io, m.plasticity);
    transferFracture(io, m.fracture);
}

template <class Io, class T>
void transferCracks(Io& io, T& body, std::uint32_t version) {
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
    if (version < 5) return;
    io(body.shortestStep);
    io.array(body.massScale);
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
    if constexpr (isReader<Io>) requireSound(s.self <= SelfContact::kAll, "a body meets itself in a way that does not exist");
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
    if (version >= 4) transferCracks(io, body, version);
    if (version < 5) return;
    transferList(io, body.weakSurfaces, 133, [](Io& s, auto& surface) { transferWeakSurface(s, surface); });
    io(body.seed);
    if (version < 6) return;
    io.array(body.goneTets);
    io(body.pieceOf.body);
    io.array(body.pieceOf.vertices);
    io.array(body.pieceOf.tets);
    if (version >= 11) transferList(io, body.materialText, 8, [](Io& s, auto& text) { s(text); });
}

template <class Io, class T>
void transferEntry(Io& io, T& e, std::uint32_t version) {
    for (auto* value : {&e.body, &e.vertex, &e.other, &e.code, &e.corners[0], &e.corners[1], &e.corners[2], &e.stretch}) io(*value);
    for (auto* value : {&e.free, &e.stiffness, &e.reach}) io(*value);
    if (version < 8) return;
    io(e.slide);
    io(e.stored);
}

template <class Io, class T>
void transferSleep(Io& io, T& sleep) {
    transferBool(io, sleep.asleep);
    for (Eigen::Index k = 0; k < 3; ++k) io(sleep.pull[k]);
    transferList(io, sleep.pieces, 25, [](Io& s, auto& p) {
        s(p.vertex);
        s(p.size);
        s(p.calm);
        transferBool(s, p.asleep);
        transferList(s, p.touched, 12, [](Io& t, auto& name) {
            for (auto* value : {&name.body, &name.vertex, &name.size}) t(*value);
        });
    });
    io.array(sleep.still);
}

/// Versions below 10 knew whole bodies only. What these touched as they fell asleep is not taken from them.
PieceSleep wholeSleep(const BodyState& state) {
    const auto count = static_cast<std::int32_t>(state.x.size());
    for (const PieceSleep& p : state.sleep.pieces)
        if (p.size == count) return p;
    return {0, count, 0, state.sleep.asleep, {}};
}

template <class Io, class T>
void transferOldSleep(Io& io, T& state) {
    PieceSleep whole = wholeSleep(state);
    io(whole.calm);
    transferBool(io, whole.asleep);
    for (Eigen::Index k = 0; k < 3; ++k) io(state.sleep.pull[k]);
    if constexpr (isReader<Io>) {
        state.sleep.asleep = whole.asleep;
        if (whole.asleep || whole.calm > 0) state.sleep.pieces = {whole};
    }
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
    if (version < 10) transferOldSleep(io, state);
    if (version < 4) return;
    io.array(state.plastic);
    if (version < 5) return;
    io.array(state.debts);
    io.array(state.released);
    if (version >= 6) io.array(state.damage);
    if (version < 7) return;
    for (auto* list : {&state.contact.entries, &state.contact.ledEntries})
        transferList(io, *list, version < 8 ? 56 : 88, [version](Io& s, auto& e) { transferEntry(s, e, version); });
    if (version >= 10) return transferSleep(io, state.sleep);
    std::vector<std::int32_t> touched;
    if (version == 9) io.array(touched);
}

template <class Io, class T>
void transferEnergy(Io& io, T& e, std::uint32_t version) {
    for (auto* value : {&e.kinetic, &e.elastic, &e.gravity, &e.contact, &e.target, &e.damped, &e.friction,
                        &e.targetDamped, &e.work, &e.numerical})
        io(*value);
    if (version < 4) return;
    for (auto* value : {&e.plastic, &e.edits}) io(*value);
    if (version < 5) return;
    for (auto* value : {&e.fracture, &e.glue, &e.glueBroken}) io(*value);
    if (version >= 6) io(e.departed);
}

template <class Io, class T>
void transferParticle(Io& io, T& p) {
    for (auto* value : {&p.x, &p.v, &p.rest}) io(*value);
    for (auto* value : {&p.mass, &p.radius}) io(*value);
    for (auto* value : {&p.body, &p.vertex, &p.tet}) io(*value);
    transferBool(io, p.rests);
}

template <class Io, class T>
void transferHead(Io& io, T& world, std::uint32_t version) {
    io(world.time);
    io(world.stepCount);
    io(world.nextStep);
    io(world.contactLoss);
    if (version >= 3) io(world.contactWork);
    transferEnergy(io, world.energy, version);
    if (version >= 5) transferList(io, world.glue, 113, [](Io& s, auto& bond) { transferBond(s, bond); });
    if (version >= 6) transferList(io, world.particles, 101, [](Io& s, auto& p) { transferParticle(s, p); });
}

template <class Target>
void checkTarget(const Target& target, std::size_t vertexCount) {
    requireSound(target.anchor.size() == target.vertices.size(),
            "a target has another number of anchors than of vertices");
    const bool inside = std::all_of(target.vertices.begin(), target.vertices.end(), [&](std::int32_t v) {
        return v >= 0 && static_cast<std::size_t>(v) < vertexCount;
    });
    requireSound(inside, "a target refers to a vertex that does not exist");
}

void checkBody(const Body& body) {
    const std::size_t vertices = body.mesh.vertexCount(), tets = body.mesh.tetCount();
    body.attributes.vertices.validate(vertices, "vertices");
    body.attributes.tets.validate(tets, "tets");
    requireSound(!body.materials.empty(), "a body has no material");
    requireSound(body.materialText.empty() || body.materialText.size() == body.materials.size(), "not every material has its text");
    requireSound(body.tetMaterial.empty() || body.tetMaterial.size() == tets, "not every tet has a material");
    for (const std::int32_t row : body.tetMaterial)
        requireSound(row >= 0 && static_cast<std::size_t>(row) < body.materials.size(),
                "a tet's material does not exist");
    requireSound(body.force.empty() || body.force.size() == vertices, "not every vertex has a force");
    requireSound(body.origin.size() <= vertices && body.tetParent.size() <= tets, "cracks have made more than there is");
    requireSound(body.insideFaces.empty() || body.insideFaces.size() == tets, "not every tet knows its opened faces");
    for (std::size_t k = 0; k < body.origin.size(); ++k) {
        const auto own = static_cast<std::int32_t>(vertices - body.origin.size() + k);
        const VertexOrigin& o = body.origin[k];
        requireSound(o.a >= 0 && o.b >= 0 && o.a < own && o.b < own, "a vertex comes from one that is not there");
    }
    for (std::size_t k = 0; k < body.tetParent.size(); ++k)
        requireSound(body.tetParent[k] >= 0 && static_cast<std::size_t>(body.tetParent[k]) < tets - body.tetParent.size() + k, "a tet comes from one that is not there");
    requireSound(body.goneTets.empty() || body.goneTets.size() == tets, "not every tet knows whether it has left");
    const PieceSource& piece = body.pieceOf;
    requireSound(piece.body < 0 || (piece.vertices.size() == vertices && piece.tets.size() == tets), "a piece has another number of vertices than its body");
    for (const HardTarget& target : body.constraints.hard) checkTarget(target, vertices);
    for (const SoftTarget& target : body.constraints.soft) {
        checkTarget(target, vertices);
        requireSound(target.weight.empty() || target.weight.size() == target.vertices.size(),
                "not every target has a weight");
    }
}

void checkState(const BodyState& state, std::size_t vertices) {
    requireSound(state.x.size() == vertices && state.v.size() == vertices && state.a.size() == vertices,
            "the state of a body has another number of vertices than the body");
    const auto fits = [&](std::size_t size) { return size == 0 || size == vertices; };
    requireSound(fits(state.contact.slide.size()) && state.contact.stored.size() == state.contact.slide.size() &&
                fits(state.contact.allowance.size()),
            "contact remembers another number of vertices than the body has");
    requireSound(fits(state.released.size()), "not every vertex knows what has let go of it");
}

void checkEntries(const BodyState& state) {
    const auto makesSense = [&](const ContactEntry& e, bool own) {
        return std::isfinite(e.free) && std::isfinite(e.stiffness) && std::isfinite(e.reach) && e.free > 0 && e.stiffness > 0 && e.reach > 0 && e.slide.allFinite() && e.stored >= 0 && std::isfinite(e.stored) && e.body >= 0 &&
               e.other >= 0 && e.code >= 0 && e.vertex >= 0 && (!own || static_cast<std::size_t>(e.vertex) < state.x.size());
    };
    for (const ContactEntry& e : state.contact.entries) requireSound(makesSense(e, true), "contact remembers an entry that makes no sense");
    for (const ContactEntry& e : state.contact.ledEntries) requireSound(makesSense(e, false), "contact remembers an entry that makes no sense");
}

void checkDebts(const BodyState& state, std::size_t vertices) {
    const auto isVertex = [&](std::int32_t v) { return v >= 0 && static_cast<std::size_t>(v) < vertices; };
    for (const CrackDebt& d : state.debts)
        requireSound(isVertex(d.a) && isVertex(d.b) && d.a != d.b && d.energy > 0 && std::isfinite(d.energy), "a crack owes what makes no sense");
}

void checkPlastic(const BodyState& state, const Body& body) {
    const bool finite = std::all_of(state.plastic.begin(), state.plastic.end(), [](const PlasticState& p) { return p.flow.allFinite(); });
    requireSound(state.plastic.size() == (body.elements.plastic() ? body.mesh.tetCount() : 0) && finite, "the plastic states do not fit the tets");
}

void checkGlue(const WorldState& world) {
    const auto exists = [&](std::int32_t body, std::int32_t vertex) {
        return body >= 0 && static_cast<std::size_t>(body) < world.bodies.size() && vertex >= 0 &&
               static_cast<std::size_t>(vertex) < world.bodies[static_cast<std::size_t>(body)].body->mesh.vertexCount();
    };
    for (const GlueBond& bond : world.glue) {
        requireSound(exists(bond.body, bond.vertex), "glue holds a vertex that does not exist");
        for (const std::int32_t corner : bond.corners) requireSound(exists(bond.other, corner), "glue holds to a vertex that does not exist");
    }
}

/// Pieces and particles come from bodies that are there.
void checkPieces(const WorldState& world) {
    const auto body = [&](std::int32_t number) -> const Body& {
        requireSound(number >= 0 && static_cast<std::size_t>(number) < world.bodies.size(), "a piece comes from a body that does not exist");
        return *world.bodies[static_cast<std::size_t>(number)].body;
    };
    const auto inside = [](const std::vector<std::int32_t>& list, std::size_t count) {
        return std::all_of(list.begin(), list.end(), [&](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < count; });
    };
    for (const WorldBody& b : world.bodies) {
        const PieceSource& piece = b.body->pieceOf;
        if (piece.body < 0) continue;
        const TetMesh& from = body(piece.body).mesh;
        requireSound(body(piece.body).pieceOf.body < 0 && inside(piece.vertices, from.vertexCount()) && inside(piece.tets, from.tetCount()),
                     "a piece comes from what does not exist");
    }
    for (const Particle& p : world.particles) {
        const TetMesh& from = body(p.body).mesh;
        requireSound(inside({p.vertex}, from.vertexCount()) && inside({p.tet}, from.tetCount()) && p.mass > 0 && p.radius > 0 && p.x.allFinite() && p.v.allFinite(),
                     "a particle makes no sense");
    }
}

WorldBody readWorldBody(ByteReader& io, std::uint32_t version) {
    Body body;
    auto state = std::make_shared<BodyState>();
    transferBody(io, body, version);
    transferState(io, *state, version);
    checkBody(body);
    checkState(*state, body.mesh.vertexCount());
    checkDebts(*state, body.mesh.vertexCount());
    checkEntries(*state);
    WorldBody made{buildBody(std::move(body)), std::move(state)};
    checkPlastic(*made.state, *made.body);
    requireSound(made.state->sleep.still.empty() || made.state->sleep.still.size() == made.body->mesh.vertexCount(), "not every vertex knows whether it sleeps");
    requireSound(made.state->damage.empty() || made.state->damage.size() == made.body->mesh.vertexCount(), "not every vertex knows its damage");
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
    checkPieces(world);
    requireSound(io.left() == 0, "there are bytes behind its end");
    return world;
}

}  // namespace sunder
