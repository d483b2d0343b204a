#include "core/sim/world_parts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/frame_contact.h"
#include "core/sim/scene_frame.h"
#include "core/sim/snapshot.h"
#include "core/sim/snapshot_lead.h"
#include "core/sim/world_memory.h"

namespace sunder {

namespace {
constexpr char kMark[8] = {'S', 'N', 'D', 'R', 'P', 'R', 'T', '4'};  // the last one is the version; 1 had nothing in common, 2 nothing that appeared late, 3 no drawn constraints

struct PartHeader {
    char mark[8];
    std::int32_t number, count;
    double framesPerSecond, baseTime;
    std::int64_t steps;
};

constexpr std::size_t kBondBytes = 113;

bool sameTime(const WorldPart& a, const WorldPart& b) { return a.count == b.count && a.world.time == b.world.time && a.world.stepCount == b.world.stepCount; }

std::vector<std::int32_t> range(std::size_t first, std::size_t count) {
    std::vector<std::int32_t> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::int32_t>(first + i);
    return out;
}

template <class T>
std::size_t bytesOf(const std::vector<T>& v) { return v.capacity() * sizeof(T); }

/// The float image of a vector, component by component.
bool isImage(const Vec3& state, const Vec3& shown) {
    for (int c = 0; c < 3; ++c)
        if (static_cast<double>(static_cast<float>(state[c])) != shown[c]) return false;
    return true;
}

void requireSameTopology(const WorldBody& body, const Geometry& shown) {
    const TetMesh& mesh = body.body->mesh;
    bool same = shown.pointCount() == mesh.vertexCount() && shown.primitiveCount() == mesh.tetCount();
    for (std::size_t t = 0; same && t < mesh.tetCount(); ++t) {
        const Span<const std::int32_t> corners = shown.primitivePoints(t);
        same = corners.size() == 4 && std::equal(corners.begin(), corners.end(), mesh.tets[t].begin());
    }
    if (!same)
        throw Error(format("the points or tets of '%s' have been changed between two steps", body.body->name.c_str()),
                    "move points and change attributes as you like, but add, remove and reorder none");
}
}  // namespace

namespace {
void checkGlue(const WorldState& world) {
    const auto exists = [&](std::int32_t body, std::int32_t vertex) {
        return body >= 0 && static_cast<std::size_t>(body) < world.bodies.size() && vertex >= 0 &&
               static_cast<std::size_t>(vertex) < world.bodies[static_cast<std::size_t>(body)].body->mesh.vertexCount();
    };
    for (const GlueBond& bond : world.glue)
        if (!exists(bond.body, bond.vertex) || !std::all_of(bond.corners.begin(), bond.corners.end(), [&](std::int32_t v) { return exists(bond.other, v); }))
            throw Error("glue holds to objects that are not there", "simulate from the start");
}
}  // namespace

void startBooks(WorldState& world) {
    world.energy = {};
    for (const WorldBody& b : world.bodies)
        for (std::size_t v = 0; v < b.body->mass.size(); ++v) world.energy.kinetic += 0.5 * b.body->mass[v] * b.state->v[v].squaredNorm();
}

std::vector<WorldPart> takeApart(const WorldState& world, const WorldPart& clock) {
    std::vector<WorldPart> parts;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        WorldPart part = clock;
        part.world = world;
        part.world.bodies = {world.bodies[b]};
        part.world.colliders.clear();
        part.world.glue.clear();
        part.number = static_cast<std::int32_t>(b);
        part.count = static_cast<std::int32_t>(world.bodies.size());
        part.common = nullptr;
        parts.push_back(std::move(part));
    }
    WorldCommon common;
    common.glue = world.glue;
    if (clock.common) {
        common.appeared = clock.common->appeared;
        common.constraints = clock.common->constraints;
    }
    const std::int32_t known = std::accumulate(common.appeared.begin(), common.appeared.end(), 0), now = static_cast<std::int32_t>(world.bodies.size());
    if (now > known) common.appeared.push_back(now - known);
    common.colliders = trackColliders(world.colliders, world.time, clock.common ? clock.common->colliders : std::vector<ColliderTrack>());
    if (!parts.empty()) parts[0].common = std::make_shared<const WorldCommon>(std::move(common));
    return parts;
}

WorldState putTogether(const std::vector<const WorldPart*>& parts) {
    if (parts.empty()) throw Error("there are no bodies", "give the solver an object with tets");
    WorldState world = parts[0]->world;
    world.bodies.assign(parts.size(), {});
    for (const WorldPart* part : parts) {
        const auto b = static_cast<std::size_t>(part->number);
        if (!sameTime(*part, *parts[0]) || b >= parts.size() || static_cast<std::size_t>(part->count) != parts.size() || world.bodies[b].body)
            throw Error("the objects of the solver are not those that it started with", "keep all of them to the end");
        world.bodies[b] = part->world.bodies[0];
    }
    const auto common = commonOf(parts);
    world.glue = common->glue;
    checkGlue(world);
    checkTracks(common->constraints, world);
    return world;
}

std::shared_ptr<const WorldCommon> commonOf(const std::vector<const WorldPart*>& parts) {
    for (const WorldPart* part : parts)
        if (part->common) return part->common;
    return std::make_shared<const WorldCommon>();
}

PartStep nextStep(const WorldPart& part, double timestep) {
    if (!(timestep > 0)) throw Error(format("the time step is %g s", timestep), "give the network a time step above 0");
    PartStep next;
    next.clock = part;
    next.clock.world = {};
    next.clock.common = nullptr;
    // 1/24 of a second is not 1/24: what is nearly a whole number, or a simple fraction, is meant to be one
    const double rate = 1 / timestep, rounded = std::round(rate * 1000) / 1000;
    const double fps = std::abs(rate - rounded) < 1e-9 * rate ? rounded : rate;
    if (fps != part.framesPerSecond) {
        next.clock.baseTime = part.world.time;
        next.clock.steps = 0;
        next.clock.framesPerSecond = fps;
    }
    const auto timeAt = [&](std::int64_t n) { return next.clock.baseTime + static_cast<double>(n) / fps; };
    next.from = timeAt(next.clock.steps);
    next.to = timeAt(++next.clock.steps);
    return next;
}

namespace {
std::vector<std::uint8_t> saveCommon(const WorldCommon& common) {
    ByteWriter io;
    io.array(saveTracks(common.colliders));
    transferList(io, common.glue, kBondBytes, [](ByteWriter& s, const GlueBond& bond) { transferBond(s, bond); });
    io.array(common.appeared);
    transferTracks(io, common.constraints);
    return io.take();
}

WorldCommon loadCommon(Span<const std::uint8_t> bytes, char version) {
    ByteReader io(bytes);
    WorldCommon common;
    std::vector<std::uint8_t> tracks;
    io.array(tracks);
    common.colliders = loadTracks(tracks);
    transferList(io, common.glue, kBondBytes, [](ByteReader& s, GlueBond& bond) { transferBond(s, bond); });
    if (version != '2') io.array(common.appeared);
    if (version > '3') transferTracks(io, common.constraints);
    for (const std::int32_t count : common.appeared) requireSound(count > 0, "fewer bodies than none have appeared");
    requireSound(io.left() == 0, "there are bytes behind its end");
    return common;
}
}  // namespace

std::vector<std::uint8_t> savePart(const WorldPart& part) {
    PartHeader header = {};
    std::memcpy(header.mark, kMark, sizeof kMark);
    header.number = part.number;
    header.count = part.count;
    header.framesPerSecond = part.framesPerSecond;
    header.baseTime = part.baseTime;
    header.steps = part.steps;
    ByteWriter io;
    for (const char c : std::string(reinterpret_cast<const char*>(&header), sizeof header)) io(c);
    io.array(part.common ? saveCommon(*part.common) : std::vector<std::uint8_t>());
    std::vector<std::uint8_t> bytes = io.take();
    const std::vector<std::uint8_t> snapshot = saveSnapshot(part.world);
    bytes.insert(bytes.end(), snapshot.begin(), snapshot.end());
    return bytes;
}

WorldPart loadPart(Span<const std::uint8_t> bytes) {
    PartHeader header;
    const bool known = bytes.size() >= sizeof header && std::memcmp(bytes.data(), kMark, sizeof kMark - 1) == 0 && bytes[7] >= '1' && bytes[7] <= kMark[7];
    if (!known) throw Error("the saved state is not one of this version of Sunder", "simulate from the start");
    std::memcpy(&header, bytes.data(), sizeof header);
    WorldPart part;
    part.number = header.number;
    part.count = header.count;
    part.framesPerSecond = header.framesPerSecond;
    part.baseTime = header.baseTime;
    part.steps = header.steps;
    std::size_t at = sizeof header;
    if (bytes[7] != '1') {
        ByteReader sizes(bytes.subspan(at, bytes.size() - at));
        const std::size_t size = sizes.count(1);
        at += sizeof(std::uint64_t);
        if (size > bytes.size() - at) throw Error("the saved state is cut short", "simulate from the start");
        if (size > 0) part.common = std::make_shared<const WorldCommon>(loadCommon(bytes.subspan(at, size), static_cast<char>(header.mark[7])));
        at += size;
    }
    part.world = loadSnapshot(bytes.subspan(at, bytes.size() - at));
    if (part.world.bodies.size() != 1 || part.number < 0 || part.count <= part.number) throw Error("the saved state makes no sense", "simulate from the start");
    return part;
}

std::size_t memoryOf(const WorldPart& part) {
    const WorldBody& body = part.world.bodies[0];
    const std::size_t common = part.common ? memoryOf(part.common->colliders) + bytesOf(part.common->glue) + bytesOf(part.common->appeared) + memoryOf(part.common->constraints) : 0;
    return sizeof part + bytesOf(part.world.particles) + shareOf(part.common, common) + shareOf(body.body, memoryOf(*body.body)) + shareOf(body.state, memoryOf(*body.state));
}

namespace {
void addToIds(AttributeSet& set, std::int64_t more) {
    for (Attribute& a : set.attributes)
        if (a.name == "id" || a.name == "parent")
            for (std::int64_t& id : *a.as<std::int64_t>()) id += more;
}

/// Of bodies that appeared together.
void addFrames(const WorldState& world, std::int64_t frame, std::int64_t firstId, const std::vector<std::vector<float>>& depths, std::vector<Geometry>& frames) {
    const Geometry all = frameGeometry(world, frame, depths);
    std::size_t firstPoint = 0, firstTet = 0;
    for (const WorldBody& b : world.bodies) {
        const std::size_t points = b.body->mesh.vertexCount(), tets = b.body->mesh.tetCount();
        Geometry g;
        g.positions.assign(all.positions.begin() + static_cast<std::ptrdiff_t>(firstPoint), all.positions.begin() + static_cast<std::ptrdiff_t>(firstPoint + points));
        for (const Tet& tet : b.body->mesh.tets) g.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(tet.data(), 4));
        g.points = gatherAttributes(all.points, range(firstPoint, points));
        g.vertices = gatherAttributes(all.vertices, range(4 * firstTet, 4 * tets));
        g.primitives = gatherAttributes(all.primitives, range(firstTet, tets));
        g.detail = all.detail;
        if (firstId > 0) addToIds(g.points, firstId);
        if (firstId > 0) addToIds(g.primitives, firstId);
        frames.push_back(std::move(g));
        firstPoint += points;
        firstTet += tets;
    }
}
}  // namespace

std::vector<Geometry> bodyFrames(const WorldState& world, std::int64_t frame, const std::vector<std::int32_t>& appeared) {
    std::vector<Geometry> frames;
    std::vector<std::vector<float>> depths = contactDepths(world);
    if (appeared.size() < 2) {
        addFrames(world, frame, 0, depths, frames);
        return frames;
    }
    WorldState together = world;
    auto first = world.bodies.begin();
    for (std::size_t k = 0; k < appeared.size(); ++k) {
        together.bodies.assign(first, first + appeared[k]);
        addFrames(together, frame, static_cast<std::int64_t>(k) * kLateIds, depths, frames);
        first += appeared[k];
        if (!depths.empty()) depths.erase(depths.begin(), depths.begin() + appeared[k]);
    }
    return frames;
}

std::shared_ptr<const BodyState> takeEdits(const WorldBody& body, const Geometry& shown) {
    requireSameTopology(body, shown);
    const Attribute* v = shown.points.find("v");
    if (v && (v->isString() || v->tupleSize != 3)) throw Error(format("the attribute 'v' of '%s' is not a vector", body.body->name.c_str()), "make it three floats, or delete it");
    BodyState state = *body.state;
    bool changed = false;
    for (std::size_t i = 0; i < state.x.size(); ++i) {
        if (!isImage(state.x[i], shown.positions[i])) {
            state.x[i] = shown.positions[i];
            changed = true;
        }
        if (!v) continue;
        const Vec3 velocity(v->number(i, 0), v->number(i, 1), v->number(i, 2));
        if (isImage(state.v[i], velocity)) continue;
        state.v[i] = velocity;
        changed = true;
    }
    if (!changed) return nullptr;
    state.sleep = {};
    return std::make_shared<const BodyState>(std::move(state));
}

}  // namespace sunder
