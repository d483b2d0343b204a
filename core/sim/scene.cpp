#include "core/sim/scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/scene_shapes.h"
#include "core/sim/stepper.h"

namespace sunder {

namespace {
void validateMotion(const Motion& motion, const std::string& owner) {
    for (std::size_t k = 1; k < motion.keys.size(); ++k)
        if (!(motion.keys[k].time > motion.keys[k - 1].time))
            throw Error(
                format("the keys of '%s' are not in the order of time: key %zu is at %g s, key %zu at %g s",
                       owner.c_str(), k - 1, motion.keys[k - 1].time, k, motion.keys[k].time),
                "sort the keys and give each its own time");
}

void validateFrames(const FramesSource& frames, const std::string& owner) {
    if (frames.last < frames.first)
        throw Error(format("the frames of collider '%s' run backwards, from %lld to %lld", owner.c_str(),
                           static_cast<long long>(frames.first), static_cast<long long>(frames.last)),
                    "make last at least first");
    try {
        frameFile(frames.path, frames.first);
    } catch (const Error& e) {
        throw Error(format("collider '%s': %s", owner.c_str(), e.what()), e.remedy());
    }
}

void validateCollider(const SceneCollider& collider) {
    validateMotion(collider.motion, collider.name);
    if (const auto* torus = std::get_if<TorusShape>(&collider.source)) validateShape(*torus, collider.name);
    if (const auto* frames = std::get_if<FramesSource>(&collider.source)) validateFrames(*frames, collider.name);
}

void validateBody(const SceneBody& body) {
    for (const ScenePin& pin : body.pins) validateMotion(pin.motion, body.name + "/" + pin.name);
    for (const SceneTarget& target : body.targets)
        validateMotion(target.motion, body.name + "/" + target.name);
    validateShape(body.source, body.name);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string didYouMean(const std::string& name, const std::vector<std::string>& known) {
    const std::string nearest = nearestWord(name, known);
    return nearest.empty() ? "" : format("did you mean '%s'? ", nearest.c_str());
}

void validateCollidesWith(const std::string& owner, const SceneContact& contact, const std::vector<std::string>& groups) {
    for (const std::string& name : contact.collidesWith)
        if (name != "all" && !contains(groups, name))
            throw Error(format("%s collides with the group '%s', to which nothing belongs", owner.c_str(), name.c_str()),
                        didYouMean(name, groups) + "Name the group in `groups` of another body's contact");
}

void validateGroups(const Scene& scene) {
    const std::vector<std::string> groups = contactGroups(scene);
    if (groups.size() > 32)
        throw Error(format("the scene names %zu contact groups", groups.size()),
                    "use at most 32, 'default' among them");
    if (contains(groups, "all"))
        throw Error("a contact group has the name 'all', which stands for every group", "give it another name");
    for (const SceneBody& body : scene.bodies) validateCollidesWith("body '" + body.name + "'", body.contact, groups);
    for (const SceneCollider& collider : scene.colliders)
        validateCollidesWith("collider '" + collider.name + "'", collider.contact, groups);
}

void validatePairs(const Scene& scene) {
    std::vector<std::string> ofBodies;
    for (const SceneBody& body : scene.bodies)
        for (const std::string& name : {body.name, body.material.name})
            if (!name.empty() && !contains(ofBodies, name)) ofBodies.push_back(name);
    std::vector<std::string> names = ofBodies;
    for (const SceneCollider& collider : scene.colliders) names.push_back(collider.name);
    for (const ContactPair& pair : scene.settings.contactPairs) {
        for (const std::string& name : {pair.a, pair.b})
            if (!contains(names, name))
                throw Error(format("contactPairs names '%s', which is no body, no body's preset and no collider", name.c_str()),
                            didYouMean(name, names) + "Use the names of bodies, of the presets they are made of, or of colliders");
        if (!contains(ofBodies, pair.a) && !contains(ofBodies, pair.b))
            throw Error(format("contactPairs names '%s' and '%s', which are colliders and do not meet", pair.a.c_str(), pair.b.c_str()),
                        "name a body, or a preset that bodies are made of, as one of the two");
    }
}

/// Names of bodies, or of colliders, that settings refer to.
void requireNamed(const std::string& name, const std::vector<std::string>& known, const std::string& who, const char* what) {
    if (!contains(known, name)) throw Error(format("%s names '%s', which is no %s", who.c_str(), name.c_str(), what), didYouMean(name, known) + format("Name a %s of the scene", what));
}

void validateLead(const Scene& scene) {
    std::vector<std::string> bodies, colliders;
    for (const SceneBody& body : scene.bodies) bodies.push_back(body.name);
    for (const SceneCollider& collider : scene.colliders) colliders.push_back(collider.name);
    for (const BreakZone& zone : scene.settings.fracture.zones) {
        validateMotion(zone.motion, zone.name);
        for (const std::string& name : zone.bodies) requireNamed(name, bodies, "the active zone '" + zone.name + "'", "body");
        if (const auto* near = std::get_if<ZoneCollider>(&zone.where)) requireNamed(near->name, colliders, "the active zone '" + zone.name + "'", "collider");
    }
    for (const SceneGlue& glue : scene.glue)
        for (const std::string& name : {glue.a, glue.b}) requireNamed(name, bodies, "glue '" + glue.name + "'", "body");
    if (!scene.glue.empty() && scene.settings.integrator == Integrator::kRkf45)
        throw Error("rkf45 steps every body for itself and takes no glue", "use the integrator explicit, implicit or newmark");
}

void validateNames(const Scene& scene) {
    std::set<std::string> names;
    for (const SceneBody& body : scene.bodies)
        if (!names.insert(body.name).second)
            throw Error(format("two bodies have the name '%s'", body.name.c_str()), "give every body its own name");
    for (const SceneCollider& collider : scene.colliders)
        if (!names.insert(collider.name).second)
            throw Error(format("the name '%s' of a collider is that of a body or of another collider", collider.name.c_str()),
                        "give every body and every collider its own name");
}

/// Where the number of a frame stands in a pattern: how long that is, 0 if it does not stand at `at`, and the digits it asks for.
struct NumberField {
    std::size_t length = 0;
    int digits = 0;
};
NumberField numberFieldAt(const std::string& text, std::size_t at) {
    const auto digitAt = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    if (text[at] == '#') {
        const std::size_t end = std::min(text.find_first_not_of('#', at), text.size());
        return {end - at, static_cast<int>(end - at)};
    }
    if (text.compare(at, 2, "$F") == 0)
        return digitAt(at + 2) ? NumberField{3, text[at + 2] - '0'} : NumberField{2, 1};
    if (text.compare(at, 2, "%d") == 0) return {2, 1};
    if (text.compare(at, 2, "%0") == 0 && digitAt(at + 2) && text.compare(at + 3, 1, "d") == 0)
        return {4, text[at + 2] - '0'};
    return {};
}
}  // namespace

std::vector<std::string> contactGroups(const Scene& scene) {
    std::vector<std::string> names = {"default"};
    for (const SceneBody& body : scene.bodies)
        for (const std::string& name : body.contact.groups)
            if (!contains(names, name)) names.push_back(name);
    for (const SceneCollider& collider : scene.colliders)
        for (const std::string& name : collider.contact.groups)
            if (!contains(names, name)) names.push_back(name);
    return names;
}

std::string frameFile(const std::string& pattern, std::int64_t frame) {
    std::string file;
    int found = 0;
    for (std::size_t at = 0; at < pattern.size();) {
        const NumberField place = numberFieldAt(pattern, at);
        if (place.length > 0)
            file += format("%0*lld", place.digits, static_cast<long long>(frame));
        else
            file += pattern[at];
        found += place.length > 0 ? 1 : 0;
        at += std::max<std::size_t>(place.length, 1);
    }
    if (found != 1)
        throw Error(format(found == 0 ? "'%s' has no place for the number of the frame" : "'%s' has more than one place for the number of the frame",
                           pattern.c_str()),
                    "write #### where the number stands, as in cloth.####.obj");
    return file;
}

Vec3 Transform::apply(const Vec3& p) const {
    const Mat3 turn =
        (Eigen::AngleAxisd(rotate.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rotate.y(), Vec3::UnitY()) *
         Eigen::AngleAxisd(rotate.x(), Vec3::UnitX()))
            .toRotationMatrix();
    return turn * scale.cwiseProduct(p) + translate;
}

void validate(const Scene& scene) {
    if (scene.endFrame < scene.startFrame)
        throw Error(format("the frame range runs backwards: startFrame is %lld, endFrame is %lld",
                           static_cast<long long>(scene.startFrame), static_cast<long long>(scene.endFrame)),
                    "make endFrame at least startFrame");
    if (!(scene.fps > 0)) throw Error(format("fps is %g", scene.fps), "write a value above 0, such as 24");
    if (scene.bodies.empty()) throw Error("the scene has no bodies", "add at least one to the list 'bodies'");
    validate(scene.settings);
    validateNames(scene);
    for (const SceneBody& body : scene.bodies) {
        validateBody(body);
        if (body.rigid && scene.settings.integrator == Integrator::kRkf45)
            throw Error(format("body '%s' is rigid, and rkf45 steps vertices only", body.name.c_str()),
                        "use the integrator explicit, implicit or newmark");
    }
    for (const SceneCollider& collider : scene.colliders) validateCollider(collider);
    validateGroups(scene);
    validatePairs(scene);
    validateLead(scene);
}

}  // namespace sunder
