#include "core/sim/scene.h"

#include <Eigen/Geometry>
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
}  // namespace

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
}

}  // namespace sunder
