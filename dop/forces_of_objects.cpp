#include "dop/forces_of_objects.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "hdk/compat.h"

namespace sunder::dop {

namespace {
constexpr std::size_t kPoll = 4096;  // vertices

Vec3 vectorOf(const UT_Vector3& v) { return {v.x(), v.y(), v.z()}; }
UT_Vector3 vectorOf(const Vec3& v) { return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())}; }

/// What nodes have put on one object.
struct ObjectForces {
    Vec3 gravity = Vec3::Zero();  ///< m/s2
    std::vector<const SIM_Force*> others;
};

ObjectForces forcesOf(const SIM_Object& object, const Vec3& solverGravity) {
    SIM_ConstDataArray found;
    hdk::compat::findForces(object, found);
    ObjectForces forces;
    bool falls = false;
    for (int i = 0; i < found.entries(); ++i)
        if (const auto* gravity = SIM_DATA_CASTCONST(found(i), SIM_ForceGravity)) {
            forces.gravity += vectorOf(hdk::compat::gravityOf(*gravity));
            falls = true;
        } else if (const auto* other = SIM_DATA_CASTCONST(found(i), SIM_Force)) {
            forces.others.push_back(other);
        }
    if (!falls) forces.gravity = solverGravity;
    return forces;
}

/// Forces as they are at the body's present places and velocities.
void ask(const SIM_Force& from, const SIM_Object& object, const WorldBody& body, Monitor& monitor, std::vector<Vec3>& push) {
    for (std::size_t i = 0; i < push.size(); ++i) {
        if (i % kPoll == 0) throwIfCancelled(&monitor);
        push[i] += vectorOf(hdk::compat::forceAt(from, object, vectorOf(body.state->x[i]), vectorOf(body.state->v[i]), body.body->mass[i]));
        if (!push[i].allFinite())
            throw Error(format("a force on point %zu of object '%s' is not a number", i, object.getName().c_str()), "look at the force nodes of the object");
    }
}
}  // namespace

void addForces(const std::vector<SIM_Object*>& objects, const std::vector<std::size_t>& numbers, WorldState& world, StepSettings& settings, Monitor& monitor) {
    std::vector<ObjectForces> all;
    for (const SIM_Object* object : objects) all.push_back(forcesOf(*object, settings.gravity));
    settings.gravity = all[0].gravity;
    for (std::size_t k = 0; k < objects.size(); ++k) {
        WorldBody& body = world.bodies[numbers[k]];
        const Vec3 rest = all[k].gravity - settings.gravity;
        if (all[k].others.empty() && rest.isZero(0)) continue;
        std::vector<Vec3> push;
        for (const double mass : body.body->mass) push.push_back(mass * rest);
        for (const SIM_Force* force : all[k].others) ask(*force, *objects[k], body, monitor, push);
        body.push = std::make_shared<const std::vector<Vec3>>(std::move(push));
    }
}

}  // namespace sunder::dop
