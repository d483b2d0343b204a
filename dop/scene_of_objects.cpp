#include "dop/scene_of_objects.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/guide_text.h"
#include "core/io/material_text.h"
#include "core/sim/guide_geometry.h"
#include "core/sim/painted_edits.h"
#include "core/sim/renew_body.h"
#include "dop/SIM_SunderBlast.h"
#include "dop/SIM_SunderCollider.h"
#include "dop/SIM_SunderConstraint.h"
#include "dop/SIM_SunderMaterial.h"
#include "hdk/compat.h"
#include "hdk/geometry_bridge.h"
#include "hdk/packed_bridge.h"

namespace sunder::dop {

namespace {
constexpr int kMostOfAKind = 64;  // data of one type on one object
constexpr const char* kGuideData = "GuideGeometry";

std::string nameOf(const SIM_Object& object) { return object.getName().toStdString(); }

std::string dataName(const char* base, int i) { return i == 0 ? base : base + std::to_string(i); }

bool sameBlast(const Blast& a, const Blast& b) {
    return a.center == b.center && a.time == b.time && a.charge == b.charge && a.peak == b.peak && a.distance == b.distance && a.onGround == b.onGround;
}

/// What `from` makes of a detail while it is locked; nothing if there is none.
template <class From>
Geometry readLocked(const GU_ConstDetailHandle& handle, const From& from) {
    const GU_DetailHandleAutoReadLock lock(handle);
    return lock.getGdp() ? from(*lock.getGdp()) : Geometry();
}
template <class From>
Geometry readLocked(const SIM_Geometry* geometry, const From& from) {
    return geometry ? readLocked(geometry->getGeometry(), from) : Geometry();
}

/// The surface of a collider where it stands, unpacked.
Geometry surfaceOf(const SIM_Object& object, Monitor* monitor) {
    Geometry geometry = readLocked(object.getGeometry(), [&](const GU_Detail& detail) { return hdk::unpackedFromDetail(detail, monitor); });
    const UT_DMatrix4 m = hdk::compat::worldTransform(object);
    Eigen::Matrix4d transform;
    for (unsigned row = 0; row < 4; ++row)
        for (unsigned column = 0; column < 4; ++column) transform(row, column) = m(row, column);
    if (transform.isIdentity(0)) return geometry;
    for (Vec3& p : geometry.positions) p = (p.transpose() * transform.topLeftCorner<3, 3>() + transform.block<1, 3>(3, 0)).transpose();
    return geometry;
}

Geometry read(const SIM_Geometry* geometry, Monitor* monitor) {
    return readLocked(geometry, [&](const GU_Detail& detail) { return hdk::geometryFromDetail(detail, monitor); });
}

void addGuides(ObjectScene& to, SceneBody& body, const SIM_Object& object, Monitor* monitor) {
    const auto* drawn = SIM_DATA_GETCONST(object, kGuideData, SIM_Geometry);
    if (!drawn) return;
    const Geometry geometry = read(drawn, monitor);
    if (const Attribute* texts = geometry.points.find("sunderguide"); texts && texts->isString())
        for (const std::string& text : *texts->as<std::string>())
            if (!text.empty()) body.guides.push_back(guideFromText(text, "sunderguide of " + body.name));
    for (DrawnGuide& guide : drawnGuides(geometry)) {
        const std::string file = format("guide %zu of %s", body.guides.size() + 1, body.name.c_str());
        to.files[file] = std::move(guide.geometry);
        guide.guide.shape = FileSource{file};
        body.guides.push_back(std::move(guide.guide));
    }
}

/// Pins, targets and glue of the last body of a scene.
void addConstraints(Scene& to, const SIM_Object& object) {
    for (int i = 0; i < kMostOfAKind; ++i)
        if (const auto* constraint = SIM_DATA_GETCONST(object, dataName(SIM_SunderConstraint::dataName(), i).c_str(), SIM_SunderConstraint)) constraint->addTo(to);
}

void addBody(ObjectScene& to, const SIM_Object& object, Monitor* monitor) {
    Geometry geometry = geometryOf(object, monitor);
    if (geometry.countOf(PrimitiveKind::kTet) == 0) throw Error("its geometry has no tets", "fill its surface with the node Sunder Tetrahedralize first");
    const auto* material = SIM_DATA_GETCONST(object, SIM_SunderMaterial::dataName(), SIM_SunderMaterial);
    SceneBody body = material ? material->body() : SceneBody();
    body.name = nameOf(object);
    body.materialFromGeometry = material && material->isFromGeometry();
    if (body.materialFromGeometry && !namesMaterials(geometry)) throw Error("its geometry carries no material", "add the node Sunder Material, or switch 'materialFromGeometry' off");
    body.source = FileSource{body.name};
    addGuides(to, body, object, monitor);
    to.files[body.name] = std::move(geometry);
    to.scene.bodies.push_back(std::move(body));
    addConstraints(to.scene, object);
}

Geometry colliderSurface(const SIM_Object& object, Monitor* monitor) {
    try {
        return surfaceOf(object, monitor);
    } catch (const Error& e) {
        throw Error(format("collider '%s': %s", nameOf(object).c_str(), e.what()), e.remedy());
    }
}

void addColliders(ObjectScene& to, const std::vector<SIM_Object*>& objects, const std::vector<SIM_Object*>& late, Monitor* monitor) {
    for (const SIM_Object* object : objects) {
        SIM_ObjectArray affectors;
        hdk::compat::findColliders(*object, affectors);
        for (int i = 0; i < affectors.entries(); ++i) {
            const SIM_Object& other = *affectors(i);
            const auto isOther = [&](const SIM_Object* o) { return o->getObjectId() == other.getObjectId(); };
            const std::string file = "collider " + nameOf(other);
            if (std::any_of(objects.begin(), objects.end(), isOther) || std::any_of(late.begin(), late.end(), isOther) || to.files.count(file) > 0) continue;
            Geometry geometry = colliderSurface(other, monitor);
            if (geometry.primitiveCount() == 0) {
                if (monitor) monitor->warn(format("the collider '%s' has no polygons and is left out. Give it a surface", nameOf(other).c_str()));
                continue;
            }
            to.files[file] = std::move(geometry);
            const auto* data = SIM_DATA_GETCONST(other, SIM_SunderCollider::dataName(), SIM_SunderCollider);
            SceneCollider collider = data ? data->collider() : SceneCollider();
            collider.name = nameOf(other);
            collider.source = FileSource{file};
            collider.visible = false;  // it is an object of its own
            to.scene.colliders.push_back(std::move(collider));
        }
    }
}

/// Bodies that a running simulation has already, without their shapes: colliders number contact groups as they did at the start.
void addContacts(ObjectScene& to, const std::vector<SIM_Object*>& objects) {
    for (const SIM_Object* object : objects)
        if (const auto* material = SIM_DATA_GETCONST(*object, SIM_SunderMaterial::dataName(), SIM_SunderMaterial)) to.scene.bodies.emplace_back().contact = material->body().contact;
}
}  // namespace

GeometryLoader ObjectScene::loader() const {
    const auto read = [this](const std::string& path, Monitor*) {
        const auto place = files.find(path);
        if (place == files.end()) throw Error(format("there is no geometry '%s'", path.c_str()), "give the object geometry");
        return place->second;
    };
    return {read, materialFromText};
}

Geometry geometryOf(const SIM_Object& object, Monitor* monitor) {
    return read(object.getGeometry(), monitor);
}

Geometry geometryOf(const SIM_Object& object, Monitor* monitor, const char* dataName) {
    return read(SIM_DATA_GETCONST(object, dataName, SIM_Geometry), monitor);
}

Geometry motionOf(const SIM_Object& object, Monitor* monitor) {
    return readLocked(object.getGeometry(), [&](const GU_Detail& detail) { return hdk::motionFromDetail(detail, monitor, namesOfFrames()); });
}

void addSurroundings(ObjectScene& to, const std::vector<SIM_Object*>& objects, Monitor* monitor, const std::vector<SIM_Object*>& late) {
    to.scene.folder = "";
    if (to.scene.bodies.empty()) addContacts(to, objects);
    for (const SIM_Object* object : objects)
        for (int i = 0; i < kMostOfAKind; ++i) {
            const auto* data = SIM_DATA_GETCONST(*object, dataName(SIM_SunderBlast::dataName(), i).c_str(), SIM_SunderBlast);
            if (!data) continue;
            const Blast blast = data->blast();
            std::vector<Blast>& all = to.scene.settings.blasts;
            if (std::none_of(all.begin(), all.end(), [&](const Blast& b) { return sameBlast(b, blast); })) all.push_back(blast);
        }
    addColliders(to, objects, late, monitor);
}

namespace {
void addBodies(ObjectScene& to, const std::vector<SIM_Object*>& objects, Monitor* monitor) {
    for (const SIM_Object* object : objects) {
        try {
            addBody(to, *object, monitor);
        } catch (const Error& e) {
            throw Error(format("object '%s': %s", nameOf(*object).c_str(), e.what()), e.remedy());
        }
    }
}
}  // namespace

void addLate(ObjectScene& to, const std::vector<SIM_Object*>& running, const std::vector<SIM_Object*>& late, Monitor* monitor) {
    for (const SIM_Object* object : running) {
        SceneBody& body = to.scene.bodies.emplace_back();
        const auto* material = SIM_DATA_GETCONST(*object, SIM_SunderMaterial::dataName(), SIM_SunderMaterial);
        if (material) body.contact = material->body().contact;
        body.name = nameOf(*object);
        body.source = FileSource{body.name};
    }
    addBodies(to, late, monitor);
}

void addObjects(ObjectScene& to, const std::vector<SIM_Object*>& objects, Monitor* monitor) {
    addBodies(to, objects, monitor);
    addSurroundings(to, objects, monitor);
}

std::optional<WorldBody> renewed(const WorldBody& body, const SIM_Object& object, const ObjectScene& surroundings, double time) {
    const auto* data = SIM_DATA_GETCONST(object, SIM_SunderMaterial::dataName(), SIM_SunderMaterial);
    Scene own;
    own.bodies.push_back(data ? data->body() : SceneBody());
    own.bodies[0].name = nameOf(object);
    addConstraints(own, object);
    const Material& material = own.bodies[0].material;
    const Material* before = body.body->ownMaterial();
    const bool changes = before && data && !data->isFromGeometry() && materialToText(material) != materialToText(*before);
    const ContactSurface contact = data ? buildContactSurface(surroundings.scene, own.bodies[0].contact) : body.body->contact;
    return renewBody(body, {changes ? &material : nullptr, contact, own.bodies[0].pins, own.bodies[0].targets}, time);
}

}  // namespace sunder::dop
