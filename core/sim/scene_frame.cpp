#include "core/sim/scene_frame.h"

#include <algorithm>

#include "core/sim/frame_contact.h"
#include "core/sim/frame_lineage.h"
#include "core/sim/frame_particles.h"
#include "core/sim/material_rows.h"
#include "core/sim/measures.h"
#include "core/sim/small_pieces.h"

namespace sunder {

namespace {
/// A place for `from` in `to`, of `total` elements; null if another body has an attribute of that name but of
/// another kind.
Attribute* placeFor(AttributeSet& to, const Attribute& from, std::size_t total) {
    if (Attribute* there = to.find(from.name))
        return there->tupleSize == from.tupleSize && there->values.index() == from.values.index() ? there
                                                                                                  : nullptr;
    Attribute fresh{from.name, from.tupleSize, from.meaning, from.values};
    std::visit([&](auto& values) { values.assign(total * static_cast<std::size_t>(from.tupleSize), {}); },
               fresh.values);
    return &to.attributes.emplace_back(std::move(fresh));
}

void copyInto(Attribute& to, const Attribute& from, std::size_t first) {
    std::visit(
        [&](const auto& values) {
            using Values = std::decay_t<decltype(values)>;
            std::copy(values.begin(), values.end(),
                      std::get<Values>(to.values).begin() +
                          static_cast<std::ptrdiff_t>(first * static_cast<std::size_t>(to.tupleSize)));
        },
        from.values);
}

void mergeAttributes(AttributeSet& to, const AttributeSet& from, std::size_t first, std::size_t total) {
    for (const Attribute& a : from.attributes)
        if (Attribute* place = placeFor(to, a, total)) copyInto(*place, a, first);
    for (const Group& g : from.groups) {
        Group* place = to.findGroup(g.name);
        if (!place) place = &to.addGroup(g.name, total);
        std::copy(g.members.begin(), g.members.end(),
                  place->members.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

/// A collider's surface at the frame's time.
struct ShownCollider {
    const Collider* collider;
    std::size_t key;
    std::vector<Vec3> x, v;

    const std::vector<Tri>& triangles() const { return collider->keys[key].surface.triangles; }
};

std::vector<ShownCollider> shownColliders(const WorldState& world) {
    std::vector<ShownCollider> shown;
    for (const auto& collider : world.colliders) {
        if (!collider->visible) continue;
        ShownCollider& c = shown.emplace_back(ShownCollider{collider.get(), 0, {}, {}});
        c.key = collider->placeSurface(world.time, c.x, c.v);
    }
    return shown;
}

/// Where each body's points and tets begin, and the totals, those of colliders among them.
struct Offsets {
    std::vector<std::size_t> point{0}, tet{0};
    std::size_t points = 0, primitives = 0;

    Offsets(const WorldState& world, const std::vector<ShownCollider>& colliders) {
        for (const WorldBody& b : world.bodies) {
            point.push_back(point.back() + b.body->mesh.vertexCount());
            tet.push_back(tet.back() + b.body->mesh.tetCount());
        }
        points = point.back();
        primitives = tet.back();
        for (const ShownCollider& c : colliders) {
            points += c.x.size();
            primitives += c.triangles().size();
        }
    }
};

void addTopology(Geometry& geometry, const WorldBody& b, std::size_t firstPoint) {
    geometry.positions.insert(geometry.positions.end(), b.state->x.begin(), b.state->x.end());
    for (Tet tet : b.body->mesh.tets) {
        for (std::int32_t& v : tet) v += static_cast<std::int32_t>(firstPoint);
        geometry.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(tet.data(), 4));
    }
}

void addTopology(Geometry& geometry, const ShownCollider& c) {
    const auto first = static_cast<std::int32_t>(geometry.pointCount());
    geometry.positions.insert(geometry.positions.end(), c.x.begin(), c.x.end());
    for (Tri triangle : c.triangles()) {
        for (std::int32_t& v : triangle) v += first;
        geometry.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(triangle.data(), 3));
    }
}

/// One list of vectors a body, then one a collider; what is left is zero.
void addVectors(Geometry& geometry, const char* name, const std::vector<const std::vector<Vec3>*>& lists) {
    auto& out = geometry.points.add<float>(name, geometry.pointCount(), 3, AttributeMeaning::kVector);
    std::size_t i = 0;
    for (const std::vector<Vec3>* list : lists)
        for (const Vec3& value : *list)
            for (int c = 0; c < 3; ++c) out[i++] = static_cast<float>(value[c]);
}

void addMotion(Geometry& geometry, const WorldState& world, const std::vector<ShownCollider>& colliders) {
    std::vector<const std::vector<Vec3>*> v, a;
    for (const WorldBody& b : world.bodies) {
        v.push_back(&b.state->v);
        a.push_back(&b.state->a);
    }
    for (const ShownCollider& c : colliders) v.push_back(&c.v);
    addVectors(geometry, "v", v);
    addVectors(geometry, "accel", a);
}

std::vector<FrameShare> sharesOf(const std::vector<ShownCollider>& colliders) {
    std::vector<FrameShare> shares;
    for (const ShownCollider& c : colliders) shares.push_back({c.x.size(), c.triangles().size()});
    return shares;
}

bool hasPlasticBodies(const WorldState& world) {
    return std::any_of(world.bodies.begin(), world.bodies.end(), [](const WorldBody& b) { return b.body->elements.plastic(); });
}

void addMeasures(Geometry& geometry, const WorldState& world, const std::vector<ShownCollider>& colliders) {
    const std::size_t count = geometry.primitiveCount();
    TetMeasures all;
    std::vector<std::string> names;
    for (const WorldBody& b : world.bodies) {
        TetMeasures m = measureTets(*b.body, b.state->x, b.state->plastic);
        for (std::size_t t = 0; t < b.body->goneTets.size(); ++t)
            if (b.body->isGone(t)) m.stress[t] = m.strain[t] = 0;  // as of what is rigid
        const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
            to.insert(to.end(), from.begin(), from.end());
        };
        append(all.stress, m.stress);
        append(all.strain, m.strain);
        append(all.quality, m.quality);
        append(all.detF, m.detF);
        append(all.plasticStrain, m.plasticStrain);
        const std::vector<std::string> pieces = pieceNames(*b.body);
        names.insert(names.end(), pieces.begin(), pieces.end());
    }
    for (const ShownCollider& c : colliders) names.insert(names.end(), c.triangles().size(), c.collider->name);
    all.stress.resize(count, 0);
    all.strain.resize(count, 0);
    all.quality.resize(count, 1);
    all.detF.resize(count, 1);
    all.plasticStrain.resize(count, 0);
    geometry.primitives.add<std::string>("name", count) = std::move(names);
    geometry.primitives.add<float>("stress", count) = std::move(all.stress);
    geometry.primitives.add<float>("strain", count) = std::move(all.strain);
    geometry.primitives.add<float>("quality", count) = std::move(all.quality);
    geometry.primitives.add<float>("detF", count) = std::move(all.detF);
    if (hasPlasticBodies(world)) geometry.primitives.add<float>("plasticstrain", count) = std::move(all.plasticStrain);
}
}  // namespace

namespace {
void addDamage(Geometry& geometry, const WorldState& world, const Offsets& offsets) {
    if (std::none_of(world.bodies.begin(), world.bodies.end(), [](const WorldBody& b) { return b.body->breaks(); })) return;
    auto& out = geometry.points.add<float>("damage", geometry.pointCount());
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const std::vector<float>& damage = world.bodies[b].state->damage;
        std::copy(damage.begin(), damage.end(), out.begin() + static_cast<std::ptrdiff_t>(offsets.point[b]));
    }
}
}  // namespace

namespace {
void addMaterialTexts(Geometry& geometry, const WorldState& world, const Offsets& offsets) {
    if (std::all_of(world.bodies.begin(), world.bodies.end(), [](const WorldBody& b) { return b.body->materialText.empty(); })) return;
    auto& out = geometry.primitives.add<std::string>(kMaterialAttribute, geometry.primitiveCount());
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        std::vector<std::string> texts = materialTexts(*world.bodies[b].body);
        std::move(texts.begin(), texts.end(), out.begin() + static_cast<std::ptrdiff_t>(offsets.tet[b]));
    }
}
}  // namespace

namespace {
void addContactDepths(Geometry& geometry, const std::vector<std::vector<float>>& depths, const Offsets& offsets) {
    if (depths.empty()) return;
    auto& out = geometry.points.add<float>("contactdepth", geometry.pointCount());
    for (std::size_t b = 0; b + 1 < offsets.point.size(); ++b) std::copy(depths[b].begin(), depths[b].end(), out.begin() + static_cast<std::ptrdiff_t>(offsets.point[b]));
}
}  // namespace

Geometry frameGeometry(const WorldState& all, std::int64_t frame) { return frameGeometry(all, frame, contactDepths(all)); }

Geometry frameGeometry(const WorldState& all, std::int64_t frame, const std::vector<std::vector<float>>& depths) {
    const WorldState world = shownWorld(all);
    const std::vector<ShownCollider> colliders = shownColliders(world);
    const Offsets offsets(world, colliders);
    Geometry geometry;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        addTopology(geometry, world.bodies[b], offsets.point[b]);
        const MeshAttributes& attributes = world.bodies[b].body->attributes;
        mergeAttributes(geometry.points, attributes.vertices, offsets.point[b], offsets.points);
        mergeAttributes(geometry.primitives, attributes.tets, offsets.tet[b], offsets.primitives);
    }
    for (const ShownCollider& c : colliders) addTopology(geometry, c);
    addMotion(geometry, world, colliders);
    addLineage(geometry, world, sharesOf(colliders));
    addMeasures(geometry, world, colliders);
    addDamage(geometry, world, offsets);
    addMaterialTexts(geometry, world, offsets);
    addContactDepths(geometry, depths, offsets);
    geometry.detail.add<double>("time", 1)[0] = world.time;
    geometry.detail.add<std::int64_t>("frame", 1)[0] = frame;
    return all.particles.empty() ? geometry : showParticles(geometry, all, offsets.point, offsets.tet);
}

}  // namespace sunder
