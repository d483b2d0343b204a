#include "core/body/apply_edit.h"

#include <algorithm>

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

/// New vertices whose parents all belong to a target belong to it.
template <class Target, class Inherit>
void extendTarget(Target& target, const TopologyEdit& edit, const Inherit& inherit) {
    std::vector<std::int32_t> place(edit.vertexCount + edit.newVertices.size(), -1);
    for (std::size_t k = 0; k < target.vertices.size(); ++k) place[static_cast<std::size_t>(target.vertices[k])] = static_cast<std::int32_t>(k);
    for (std::size_t i = 0; i < edit.newVertices.size(); ++i) {
        const VertexOrigin& o = edit.newVertices[i];
        const std::int32_t a = place[static_cast<std::size_t>(o.a)], b = place[static_cast<std::size_t>(o.b)];
        if (a < 0 || b < 0) continue;
        place[edit.vertexCount + i] = static_cast<std::int32_t>(target.vertices.size());
        target.vertices.push_back(static_cast<std::int32_t>(edit.vertexCount + i));
        target.anchor.push_back(between(target.anchor, {a, b, o.weight}));
        inherit(static_cast<std::size_t>(a), o);
    }
}

void extendTargets(Constraints& constraints, const TopologyEdit& edit) {
    for (HardTarget& t : constraints.hard) extendTarget(t, edit, [](std::size_t, const VertexOrigin&) {});
    for (SoftTarget& t : constraints.soft) {
        // copies share the spring of the vertex that they were; what is new in between hangs on its neighbours' springs
        if (t.weight.empty()) t.weight.assign(t.vertices.size(), 1.0);
        extendTarget(t, edit, [&](std::size_t a, const VertexOrigin& o) {
            if (o.isCopy()) t.weight[a] /= 2;
            t.weight.push_back(o.isCopy() ? t.weight[a] : 0.0);
        });
    }
}

/// Painted forces stay what they are in sum: copies share by mass, which is why masses come first.
void shareForces(const TopologyEdit& edit, Body& body) {
    if (body.force.empty()) return;
    body.force.resize(body.mesh.vertexCount(), Vec3::Zero());
    for (std::size_t i = 0; i < edit.newVertices.size(); ++i) {
        const VertexOrigin& o = edit.newVertices[i];
        if (!o.isCopy()) continue;
        const auto parent = static_cast<std::size_t>(o.a), copy = edit.vertexCount + i;
        const double share = body.mass[copy] / (body.mass[copy] + body.mass[parent]);
        body.force[copy] = share * body.force[parent];
        body.force[parent] -= body.force[copy];
    }
}

void extendContact(const TopologyEdit& edit, ContactMemory& memory) {
    appendBetween(memory.slide, edit);
    appendBetween(memory.allowance, edit);
    if (memory.stored.empty()) return;
    for (const VertexOrigin& o : edit.newVertices) {
        if (o.isCopy()) memory.stored[static_cast<std::size_t>(o.a)] /= 2;
        memory.stored.push_back(o.isCopy() ? memory.stored[static_cast<std::size_t>(o.a)] : 0.0);
    }
}

void updateVertexValues(const TopologyEdit& edit, const TetStars& stars, Body& body) {
    const TetMaterials tetMaterial(body);
    const Multiplier threshold(body, "fracturethreshold");
    std::vector<std::int32_t> vertices;
    for (const std::int32_t t : edit.touchedTets()) {
        body.tetMaterials[static_cast<std::size_t>(t)] = tetMaterial(static_cast<std::size_t>(t));
        if (!body.toughnessScale.empty()) body.toughnessScale[static_cast<std::size_t>(t)] = threshold(static_cast<std::size_t>(t));
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
}
}  // namespace

void applyEdit(const TopologyEdit& edit, const TetStars& stars, Body& body) {
    if (edit.empty()) return;
    body.origin.insert(body.origin.end(), edit.newVertices.begin(), edit.newVertices.end());
    body.tetParent.insert(body.tetParent.end(), edit.newTets.begin(), edit.newTets.end());
    appendAttributes(edit, body.attributes);
    body.tetStrength.resize(body.mesh.tetCount());
    appendBetween(body.cellSize, edit);
    appendBetween(body.columnHeight, edit);
    updateVertexValues(edit, stars, body);
    extendTargets(body.constraints, edit);
    shareForces(edit, body);
}

void applyEdit(const TopologyEdit& edit, BodyState& state) {
    if (state.x.size() == edit.vertexCount) appendBetween(state.x, edit);
    if (!state.plastic.empty() && state.plastic.size() == edit.tetCount) appendCopies(state.plastic, edit);
    appendBetween(state.v, edit);
    appendBetween(state.a, edit);
    extendContact(edit, state.contact);
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
