#include "core/body/apply_edit.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "core/body/tet_materials.h"

namespace sunder {

namespace {
template <class T>
T between(const std::vector<T>& values, const VertexOrigin& o) {
    const T &a = values[static_cast<std::size_t>(o.a)], &b = values[static_cast<std::size_t>(o.b)];
    return o.isCopy() ? a : T((1 - o.weight) * a + o.weight * b);
}

template <class T>
void appendBetween(std::vector<T>& values, const TopologyEdit& edit) {
    if (values.empty()) return;
    for (const VertexOrigin& o : edit.newVertices) values.push_back(between(values, o));
}

template <class T>
void appendCopies(std::vector<T>& values, const TopologyEdit& edit) {
    for (const std::int32_t parent : edit.newTets) {
        const T copy = values[static_cast<std::size_t>(parent)];
        values.push_back(copy);
    }
}

void appendAttributes(const TopologyEdit& edit, MeshAttributes& attributes) {
    std::vector<ElementParents> parents;
    for (const VertexOrigin& o : edit.newVertices) parents.push_back({o.a, o.b, o.weight});
    sunder::appendAttributes(attributes.vertices, parents);
    parents.clear();
    for (const std::int32_t p : edit.newTets) parents.push_back({p, p, 0});
    sunder::appendAttributes(attributes.tets, parents);
}

/// Finds vertices in a list without going through all of it, if that is sorted; new vertices, which come behind all others, leave it so.
class PlaceFinder {
  public:
    explicit PlaceFinder(const std::vector<std::int32_t>& vertices) : vertices_(vertices) {
        if (std::is_sorted(vertices.begin(), vertices.end())) return;
        for (std::size_t k = 0; k < vertices.size(); ++k) place_[vertices[k]] = static_cast<std::int32_t>(k);
    }
    /// -1 if it is not there.
    std::int32_t operator()(std::int32_t vertex) const {
        if (!place_.empty()) {
            const auto found = place_.find(vertex);
            return found == place_.end() ? -1 : found->second;
        }
        const auto found = std::lower_bound(vertices_.begin(), vertices_.end(), vertex);
        return found == vertices_.end() || *found != vertex ? -1 : static_cast<std::int32_t>(found - vertices_.begin());
    }
    void added() {
        if (!place_.empty()) place_[vertices_.back()] = static_cast<std::int32_t>(vertices_.size()) - 1;
    }

  private:
    const std::vector<std::int32_t>& vertices_;
    std::unordered_map<std::int32_t, std::int32_t> place_;  ///< empty if they are sorted
};

/// New vertices whose parents all belong to a target belong to it.
template <class Target, class Inherit>
void extendTarget(Target& target, const TopologyEdit& edit, const Inherit& inherit) {
    PlaceFinder place(target.vertices);
    for (std::size_t i = 0; i < edit.newVertices.size(); ++i) {
        const VertexOrigin& o = edit.newVertices[i];
        const std::int32_t a = place(o.a), b = place(o.b);
        if (a < 0 || b < 0) continue;
        target.vertices.push_back(static_cast<std::int32_t>(edit.vertexCount + i));
        place.added();
        target.anchor.push_back(between(target.anchor, {a, b, o.weight}));
        inherit(static_cast<std::size_t>(a), o);
    }
}

void extendTargets(const TopologyEdit& edit, Body& body) {
    for (HardTarget& t : body.constraints.hard) extendTarget(t, edit, [](std::size_t, const VertexOrigin&) {});
    for (SoftTarget& t : body.constraints.soft) {
        // copies share the spring of the vertex that they were by mass, so that none is too light for its part; what is new in between hangs on its
        // neighbours' springs
        if (t.weight.empty()) t.weight.assign(t.vertices.size(), 1.0);
        extendTarget(t, edit, [&](std::size_t a, const VertexOrigin& o) {
            const double parent = body.mass[static_cast<std::size_t>(o.a)], copy = body.mass[static_cast<std::size_t>(t.vertices.back())];
            t.weight.push_back(o.isCopy() ? t.weight[a] * copy / (parent + copy) : 0.0);
            t.weight[a] -= t.weight.back();
        });
    }
}

/// A copy of a vertex has gone in where that one has. Faces by which something came in are found again by whoever asks for them.
void extendEntries(const TopologyEdit& edit, std::vector<ContactEntry>& entries) {
    if (entries.empty()) return;
    const auto byVertex = [](const ContactEntry& a, const ContactEntry& b) { return a.vertex != b.vertex ? a.vertex < b.vertex : a.other < b.other; };
    for (std::size_t i = 0; i < edit.newVertices.size(); ++i) {
        if (!edit.newVertices[i].isCopy()) continue;
        for (std::size_t k = 0, count = entries.size(); k < count; ++k) {
            if (entries[k].vertex != edit.newVertices[i].a) continue;
            entries[k].stored /= 2;
            ContactEntry copy = entries[k];
            copy.vertex = static_cast<std::int32_t>(edit.vertexCount + i);
            entries.push_back(copy);
        }
    }
    std::sort(entries.begin(), entries.end(), byVertex);
}

void extendContact(const TopologyEdit& edit, ContactMemory& memory) {
    appendBetween(memory.slide, edit);
    appendBetween(memory.allowance, edit);
    extendEntries(edit, memory.entries);
    if (memory.stored.empty()) return;
    for (const VertexOrigin& o : edit.newVertices) {
        if (o.isCopy()) memory.stored[static_cast<std::size_t>(o.a)] /= 2;
        memory.stored.push_back(o.isCopy() ? memory.stored[static_cast<std::size_t>(o.a)] : 0.0);
    }
}

constexpr double kMostAdded = 0.01;  // of the body's mass

/// With mass times s a tet's stable step 2 / omega (sqrt(1 + r^2) - r) becomes `step` where s = step damping + (step omega / 2)^2.
double massScaleFor(double step, const TetBounds& bounds) { return std::max(1.0, step * bounds.damping + 0.25 * step * step * bounds.omegaSq); }

/// kg that may still be added. Masses are those from before the edit.
double massRoom(const TopologyEdit& edit, const Body& body) {
    const double all = std::accumulate(body.mass.begin(), body.mass.begin() + static_cast<std::ptrdiff_t>(edit.vertexCount), 0.0), added = body.addedMass();
    return kMostAdded * (all - added) - added;
}

/// Makes tets heavier that would not allow the shortest step. `added` has the kg that their vertices get.
void scaleMasses(TopologyEdit& edit, const std::vector<std::int32_t>& touched, Body& body, std::map<std::int32_t, double>& added) {
    const TetMaterials tetMaterial(body);
    double room = -1;  // kg, -1 until it is asked for
    for (const std::int32_t tet : touched) {
        const auto t = static_cast<std::size_t>(tet);
        TetMaterial plain = tetMaterial(t);
        const double before = body.massScaleOf(t);
        plain.density /= before;
        if (massScaleFor(body.shortestStep, looseTetBounds(body.mesh, tet, plain)) <= before) continue;
        const double scale = massScaleFor(body.shortestStep, computeTetBounds(body.mesh, tet, plain)), more = (scale - before) * plain.density * restVolume(body.mesh, t);
        if (!(scale > before)) continue;
        if (room < 0) room = massRoom(edit, body);
        edit.massIsFull |= more > room;
        if (more > room) continue;
        room -= more;
        edit.addedMass += more;
        body.massScale.resize(body.mesh.tetCount(), 1.0);
        body.massScale[t] = scale;
        for (const std::int32_t v : body.mesh.tets[t]) added[v] += more / 4;
    }
}

void updateVertexValues(TopologyEdit& edit, const TetStars& stars, Body& body) {
    const std::vector<std::int32_t> touched = edit.touchedTets();
    std::map<std::int32_t, double> added;
    if (edit.keepsStep && body.shortestStep > 0) scaleMasses(edit, touched, body, added);
    const TetMaterials tetMaterial(body);
    const Multiplier threshold(body, "fracturethreshold");
    std::optional<PaintedTurn> turn;
    if (!body.grainTurn.empty()) turn.emplace(body);
    std::vector<std::int32_t> vertices;
    for (const std::int32_t t : touched) {
        body.tetMaterials[static_cast<std::size_t>(t)] = tetMaterial(static_cast<std::size_t>(t));
        if (!body.toughnessScale.empty()) body.toughnessScale[static_cast<std::size_t>(t)] = threshold(static_cast<std::size_t>(t));
        if (turn) body.grainTurn[static_cast<std::size_t>(t)] = (*turn)(static_cast<std::size_t>(t));
        body.tetStrength[static_cast<std::size_t>(t)] = computeTetStrength(body, static_cast<std::size_t>(t));
        vertices.insert(vertices.end(), body.mesh.tets[static_cast<std::size_t>(t)].begin(), body.mesh.tets[static_cast<std::size_t>(t)].end());
    }
    // one that was split has lost tets to its copy, though those that it keeps are as they were
    for (const VertexOrigin& o : edit.newVertices) vertices.push_back(o.a);
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    const std::size_t count = body.mesh.vertexCount();
    body.mass.resize(count);
    body.stiffness.resize(count);
    if (!body.massDamping.empty()) body.massDamping.resize(count);
    for (const std::int32_t vertex : vertices) {
        const auto v = static_cast<std::size_t>(vertex);
        const VertexValues values = computeVertexValues(body, body.tetMaterials, stars.around(vertex));
        body.mass[v] = values.mass;
        body.stiffness[v] = values.youngs * values.volume / (body.cellSize[v] * body.cellSize[v]);
        if (!body.massDamping.empty()) body.massDamping[v] = values.massDamping;
    }
    for (const auto& [v, mass] : added) edit.slowed.push_back({v, 1 - mass / body.mass[static_cast<std::size_t>(v)]});
}
}  // namespace

void applyEdit(TopologyEdit& edit, const TetStars& stars, Body& body) {
    if (edit.empty()) return;
    body.origin.insert(body.origin.end(), edit.newVertices.begin(), edit.newVertices.end());
    body.tetParent.insert(body.tetParent.end(), edit.newTets.begin(), edit.newTets.end());
    appendAttributes(edit, body.attributes);
    body.tetStrength.resize(body.mesh.tetCount());
    appendBetween(body.cellSize, edit);
    appendBetween(body.columnHeight, edit);
    updateVertexValues(edit, stars, body);
    extendTargets(edit, body);
    shareForces(edit, body, body.force);  // by mass, which is why masses come first
}

void shareForces(const TopologyEdit& edit, const Body& body, std::vector<Vec3>& force) {
    if (force.empty()) return;
    force.resize(body.mesh.vertexCount(), Vec3::Zero());
    for (std::size_t i = 0; i < edit.newVertices.size(); ++i) {
        const VertexOrigin& o = edit.newVertices[i];
        if (!o.isCopy()) continue;
        const auto parent = static_cast<std::size_t>(o.a), copy = edit.vertexCount + i;
        const double share = body.mass[copy] / (body.mass[copy] + body.mass[parent]);
        force[copy] = share * force[parent];
        force[parent] -= force[copy];
    }
}

namespace {
/// New vertices are as near to breaking as the nearer of their parents, and what a crack has parted has broken.
void extendDamage(const TopologyEdit& edit, std::vector<float>& damage) {
    if (edit.empty()) return;
    damage.resize(edit.vertexCount, 0);
    for (const VertexOrigin& o : edit.newVertices) damage.push_back(std::max(damage[static_cast<std::size_t>(o.a)], damage[static_cast<std::size_t>(o.b)]));
    for (const OpenedPair& pair : edit.opened)
        for (const std::int32_t v : {pair.a, pair.b}) damage[static_cast<std::size_t>(v)] = 1;
}
}  // namespace

void applyEdit(const TopologyEdit& edit, BodyState& state) {
    if (state.x.size() == edit.vertexCount) appendBetween(state.x, edit);
    if (!state.plastic.empty() && state.plastic.size() == edit.tetCount) appendCopies(state.plastic, edit);
    appendBetween(state.v, edit);
    appendBetween(state.a, edit);
    for (const TopologyEdit::Slowed& s : edit.slowed) {
        state.v[static_cast<std::size_t>(s.vertex)] *= s.share;
        if (!state.a.empty()) state.a[static_cast<std::size_t>(s.vertex)] *= s.share;
    }
    extendContact(edit, state.contact);
    extendDamage(edit, state.damage);
    if (!state.sleep.still.empty())
        for (const VertexOrigin& o : edit.newVertices) state.sleep.still.push_back(state.sleep.still[static_cast<std::size_t>(o.a)]);
    for (const VertexOrigin& o : edit.newVertices)
        if (!state.released.empty()) state.released.push_back(state.released[static_cast<std::size_t>(o.a)] | state.released[static_cast<std::size_t>(o.b)]);
}

void updateElements(const TopologyEdit& edit, Body& body) {
    constexpr std::size_t kPatchShare = 4;  // one in so many tets may be outside of the chunks that were made for it
    const std::vector<std::int32_t> touched = edit.touchedTets();
    if (kPatchShare * (body.elements.patchedTets + touched.size()) > body.mesh.tetCount())
        rebuildElements(body);
    else
        patchElementTable(body.elements, body.mesh, body.tetMaterials, touched);
}

void rebuildElements(Body& body) { body.elements = buildElementTable(body.mesh, body.tetMaterials); }

}  // namespace sunder
