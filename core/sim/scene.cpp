#include "core/sim/scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"

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

void validateBody(const SceneBody& body) {
    for (const ScenePin& pin : body.pins) validateMotion(pin.motion, body.name + "/" + pin.name);
    for (const SceneTarget& target : body.targets)
        validateMotion(target.motion, body.name + "/" + target.name);
    if (const auto* torus = std::get_if<TorusShape>(&body.source))
        if (!(torus->tubeRadius < torus->ringRadius))
            throw Error(format("the torus '%s' has a tube of radius %g m in a ring of radius %g m",
                               body.name.c_str(), torus->tubeRadius, torus->ringRadius),
                        "make tubeRadius smaller than ringRadius");
}
bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string didYouMean(const std::string& name, const std::vector<std::string>& known) {
    const std::string nearest = nearestWord(name, known);
    return nearest.empty() ? "" : format("did you mean '%s'? ", nearest.c_str());
}

void validateGroups(const Scene& scene) {
    const std::vector<std::string> groups = contactGroups(scene);
    if (groups.size() > 32)
        throw Error(format("the bodies name %zu contact groups", groups.size()),
                    "use at most 32, 'default' among them");
    if (contains(groups, "all"))
        throw Error("a contact group has the name 'all', which stands for every group", "give it another name");
    for (const SceneBody& body : scene.bodies)
        for (const std::string& name : body.contact.collidesWith)
            if (name != "all" && !contains(groups, name))
                throw Error(format("body '%s' collides with the group '%s', to which no body belongs",
                                   body.name.c_str(), name.c_str()),
                            didYouMean(name, groups) + "Name the group in `groups` of another body's contact");
}

void validatePairs(const Scene& scene) {
    std::vector<std::string> names;
    for (const SceneBody& body : scene.bodies)
        for (const std::string& name : {body.name, body.material.name})
            if (!name.empty() && !contains(names, name)) names.push_back(name);
    for (const FrictionPair& pair : scene.settings.contactPairs)
        for (const std::string& name : {pair.a, pair.b})
            if (!contains(names, name))
                throw Error(format("contactPairs names '%s', which is no body and no body's preset", name.c_str()),
                            didYouMean(name, names) + "Use the names of bodies, or of the presets they are made of");
}
}  // namespace

std::vector<std::string> contactGroups(const Scene& scene) {
    std::vector<std::string> names = {"default"};
    for (const SceneBody& body : scene.bodies)
        for (const std::string& name : body.contact.groups)
            if (!contains(names, name)) names.push_back(name);
    return names;
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
    std::set<std::string> names;
    for (const SceneBody& body : scene.bodies) {
        if (!names.insert(body.name).second)
            throw Error(format("two bodies have the name '%s'", body.name.c_str()),
                        "give every body its own name");
        validateBody(body);
    }
    validateGroups(scene);
    validatePairs(scene);
}

}  // namespace sunder
