#include "core/sim/small_pieces.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/body/rigid.h"
#include "core/mesh/adjacency.h"
#include "core/sim/stepper.h"

namespace sunder {

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// A piece that leaves: numbers in its body, ascending.
struct Leaving {
    std::int32_t body;
    std::vector<std::int32_t> vertices, tets;
    double volume = 0;  ///< at rest, m^3
};

/// Vertices of a body that may not leave: held, drawn or glued ones.
std::vector<std::uint8_t> findTied(const WorldState& world, std::size_t b) {
    const Body& body = *world.bodies[b].body;
    std::vector<std::uint8_t> tied(body.mesh.vertexCount(), 0);
    const auto tie = [&](const auto& targets) {
        for (const auto& t : targets)
            if (world.time < t.releaseTime)
                for (const std::int32_t v : t.vertices) tied[at(v)] = 1;
    };
    tie(body.constraints.hard);
    tie(body.constraints.soft);
    for (const GlueBond& bond : world.glue) {
        if (bond.broken) continue;
        if (at(bond.body) == b) tied[at(bond.vertex)] = 1;
        if (at(bond.other) == b)
            for (const std::int32_t v : bond.corners) tied[at(v)] = 1;
    }
    return tied;
}

std::vector<Leaving> findLeaving(const WorldState& world, std::size_t b, double mostVolume) {
    const Body& body = *world.bodies[b].body;
    if (body.rigid || body.origin.empty() || world.bodies[b].state->sleep.asleep) return {};
    const std::vector<std::int32_t> piece = labelComponents(buildTetNeighbors(body.mesh.tets, body.mesh.vertexCount()));
    std::vector<Leaving> all;
    std::vector<std::uint8_t> stays;
    const std::vector<std::uint8_t> tied = findTied(world, b);
    for (std::size_t t = 0; t < piece.size(); ++t) {
        if (at(piece[t]) == all.size()) {
            all.push_back({static_cast<std::int32_t>(b), {}, {}, 0});
            stays.push_back(0);
        }
        Leaving& own = all[at(piece[t])];
        own.tets.push_back(static_cast<std::int32_t>(t));
        own.volume += restVolume(body.mesh, t);
        for (const std::int32_t v : body.mesh.tets[t]) {
            own.vertices.push_back(v);
            stays[at(piece[t])] |= tied[at(v)];
        }
        stays[at(piece[t])] |= body.isGone(t);
    }
    if (all.size() < 2) return {};
    std::vector<Leaving> leaving;
    for (std::size_t p = 0; p < all.size(); ++p) {
        if (stays[p] || !(all[p].volume < mostVolume)) continue;
        std::sort(all[p].vertices.begin(), all[p].vertices.end());
        all[p].vertices.erase(std::unique(all[p].vertices.begin(), all[p].vertices.end()), all[p].vertices.end());
        leaving.push_back(std::move(all[p]));
    }
    return leaving;
}

template <class T>
std::vector<T> pick(const std::vector<T>& from, const std::vector<std::int32_t>& which) {
    std::vector<T> out;
    if (from.empty()) return out;
    out.reserve(which.size());
    for (const std::int32_t i : which) out.push_back(from[at(i)]);
    return out;
}

/// The piece as a rigid body of its own.
std::shared_ptr<const Body> makePiece(const Body& body, const Leaving& piece) {
    Body made;
    made.name = pieceName(body, at(piece.tets[0]));
    made.mesh.rest = pick(body.mesh.rest, piece.vertices);
    for (const std::int32_t t : piece.tets) {
        Tet tet = body.mesh.tets[at(t)];
        for (std::int32_t& v : tet)
            v = static_cast<std::int32_t>(std::lower_bound(piece.vertices.begin(), piece.vertices.end(), v) - piece.vertices.begin());
        made.mesh.tets.push_back(tet);
    }
    made.attributes.vertices = gatherAttributes(body.attributes.vertices, piece.vertices);
    made.attributes.tets = gatherAttributes(body.attributes.tets, piece.tets);
    made.materials = body.materials;
    for (Material& m : made.materials) {
        m.fracture = Fracture{};
        m.plasticity = Plasticity{};
    }
    made.materialText = body.materialText;
    made.tetMaterial = pick(body.tetMaterial, piece.tets);
    made.contact = body.contact;
    made.rigid = true;
    made.force = pick(body.force, piece.vertices);
    made.massScale = pick(body.massScale, piece.tets);
    made.pieceOf = {piece.body, piece.vertices, piece.tets};
    return buildBody(std::move(made));
}

/// Momentum and angular momentum about the origin.
struct Momenta {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    double mass = 0;
    Vec3 weighted = Vec3::Zero();  ///< mass times place

    Momenta(const Body& body, const BodyState& state, const std::vector<std::int32_t>& vertices) {
        for (const std::int32_t v : vertices) {
            const Vec3 p = body.mass[at(v)] * state.v[at(v)];
            linear += p;
            angular += state.x[at(v)].cross(p);
            mass += body.mass[at(v)];
            weighted += body.mass[at(v)] * state.x[at(v)];
        }
    }
};

/// The shape that it has now, moving as one with the momenta that it had.
std::shared_ptr<const BodyState> makePieceState(const Body& made, const BodyState& state, const Leaving& piece, const Momenta& momenta) {
    auto own = std::make_shared<BodyState>(makeBodyState(made));
    own->x = pick(state.x, piece.vertices);
    const RigidFrame frame = rigidFrame(made.mass, own->x);
    RigidField field;
    field.centre = momenta.linear / frame.mass;
    field.turn = frame.inertia.inverse() * (momenta.angular - frame.centre.cross(momenta.linear));
    for (std::size_t i = 0; i < own->x.size(); ++i) own->v[i] = field.at(frame, own->x[i]);
    own->contact.allowance = pick(state.contact.allowance, piece.vertices);
    return own;
}

Particle makeParticle(const Body& body, const Leaving& piece, const Momenta& momenta) {
    Particle p;
    p.mass = momenta.mass;
    p.x = momenta.weighted / momenta.mass;
    p.v = momenta.linear / momenta.mass;
    for (const std::int32_t v : piece.vertices) p.rest += body.mass[at(v)] / momenta.mass * body.mesh.rest[at(v)];
    p.radius = std::cbrt(3 * piece.volume / (4 * M_PI));
    p.body = piece.body;
    p.vertex = piece.vertices[0];
    p.tet = piece.tets[0];
    return p;
}

/// What is left of the piece in its body: nothing that moves, is strained or meets anything.
void leave(Body& body, BodyState& state, const Leaving& piece) {
    body.goneTets.resize(body.mesh.tetCount(), 0);
    for (const std::int32_t t : piece.tets) body.goneTets[at(t)] = 1;
    HardTarget held;
    held.name = "gone";
    held.vertices = piece.vertices;
    held.anchor = pick(body.mesh.rest, piece.vertices);
    body.constraints.hard.push_back(std::move(held));
    for (const std::int32_t v : piece.vertices) {
        state.x[at(v)] = body.mesh.rest[at(v)];
        state.v[at(v)] = state.a[at(v)] = Vec3::Zero();
        if (!state.contact.slide.empty()) state.contact.keep(at(v), state.x.size(), Vec3::Zero(), 0);
        if (!state.released.empty()) state.released[at(v)] = 0;
    }
    if (!state.plastic.empty())
        for (const std::int32_t t : piece.tets) state.plastic[at(t)] = PlasticState{};
    const auto isOurs = [&](std::int32_t v) { return std::binary_search(piece.vertices.begin(), piece.vertices.end(), v); };
    state.debts.erase(std::remove_if(state.debts.begin(), state.debts.end(), [&](const CrackDebt& d) { return isOurs(d.a) || isOurs(d.b); }), state.debts.end());
}

Vec3 pullOf(const StepSettings& settings) { return settings.gravity + settings.uniformForce; }

/// Motion and height, J; height above its place at rest, as of bodies.
double energyOf(const Particle& p, const StepSettings& settings) { return 0.5 * p.mass * p.v.squaredNorm() - p.mass * pullOf(settings).dot(p.x - p.rest); }

void leaveAs(const StepSettings& settings, const Leaving& piece, const Body& body, const BodyState& state, WorldState& world, Departures& departures) {
    const Momenta momenta(body, state, piece.vertices);
    departures.mass += momenta.mass;
    if (settings.fracture.smallPieces == SmallPieces::kRigid) {
        WorldBody made{makePiece(body, piece), nullptr};
        made.state = makePieceState(*made.body, state, piece, momenta);
        world.bodies.push_back(std::move(made));
        ++departures.rigid;
    } else {
        world.particles.push_back(makeParticle(body, piece, momenta));
        world.energy.departed += energyOf(world.particles.back(), settings);
        ++departures.particles;
    }
}
}  // namespace

std::string pieceName(const Body& body, std::size_t firstTet) { return firstTet == 0 ? body.name : body.name + "_" + std::to_string(firstTet); }

Departures releaseSmallPieces(WorldState& world, const StepSettings& settings) {
    Departures departures;
    const FractureSettings& f = settings.fracture;
    if (f.smallPieces == SmallPieces::kKeep) return departures;
    const double before = world.energy.balance();
    const std::size_t count = world.bodies.size();
    for (std::size_t b = 0; b < count; ++b) {
        const std::vector<Leaving> pieces = findLeaving(world, b, f.smallPieceSize * f.smallPieceSize * f.smallPieceSize);
        if (pieces.empty()) continue;
        auto body = std::make_shared<Body>(*world.bodies[b].body);
        auto state = std::make_shared<BodyState>(*world.bodies[b].state);
        for (const Leaving& piece : pieces) {
            leaveAs(settings, piece, *body, *state, world, departures);
            leave(*body, *state, piece);
        }
        world.bodies[b].body = std::move(body);
        world.bodies[b].state = std::move(state);
    }
    if (!departures.any()) return departures;
    refreshEnergy(world, settings);
    world.energy.edits += before - world.energy.balance();
    return departures;
}

void moveParticles(std::vector<Particle>& particles, double dt, const StepSettings& settings) {
    const Vec3 pull = pullOf(settings);
    const GroundPlane& ground = settings.ground;
    const Vec3 up = ground.enabled ? Vec3(ground.normal.normalized()) : Vec3(Vec3::Zero());
    for (Particle& p : particles) {
        if (p.rests) continue;
        double fall = dt;
        if (ground.enabled) {
            const double height = up.dot(p.x - ground.point) - p.radius, speed = up.dot(p.v), gain = 0.5 * up.dot(pull);
            // height + speed t + gain t^2 = 0, the first root from now on
            const double root = speed * speed - 4 * gain * height;
            double hit = height <= 0 && speed <= 0 ? 0 : HUGE_VAL;
            if (height > 0 && root >= 0) {
                const double q = -speed + std::sqrt(root);
                if (gain < 0) hit = q > 0 && speed <= 0 ? 2 * height / q : (speed + std::sqrt(root)) / (-2 * gain);
                else if (speed < 0) hit = 2 * height / q;
            }
            p.rests = hit <= dt;
            fall = std::min(dt, hit);
        }
        p.x += fall * p.v + 0.5 * fall * fall * pull;
        p.v = p.rests ? Vec3(Vec3::Zero()) : Vec3(p.v + fall * pull);
    }
}

WorldState shownWorld(const WorldState& world) {
    WorldState shown = world;
    shown.bodies.clear();
    std::vector<std::shared_ptr<BodyState>> own(world.bodies.size());
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const WorldBody& body = world.bodies[b];
        const PieceSource& piece = body.body->pieceOf;
        if (piece.body < 0) {
            shown.bodies.push_back(body);
            continue;
        }
        std::shared_ptr<BodyState>& state = own[at(piece.body)];
        if (!state) state = std::make_shared<BodyState>(*world.bodies[at(piece.body)].state);
        for (std::size_t i = 0; i < piece.vertices.size(); ++i) {
            const std::size_t v = at(piece.vertices[i]);
            state->x[v] = body.state->x[i];
            state->v[v] = body.state->v[i];
            state->a[v] = body.state->a[i];
        }
        shown.bodies[at(piece.body)].state = state;
    }
    return shown;
}

}  // namespace sunder
