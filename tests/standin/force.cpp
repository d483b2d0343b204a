#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_ForceGravity.h>
#include <standin/standin.h>

void SIM_Force::getForce(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& velocity, const UT_Vector3& angularVelocity, fpreal mass, UT_Vector3& force,
                         UT_Vector3& torque) const {
    if (force != UT_Vector3() || torque != UT_Vector3()) standin::violation("getForce was given what is not zero");
    getForceSubclass(object, position, velocity, angularVelocity, mass, force, torque);
}

const SIM_DopDescription* SIM_ForceGravity::description() {
    static const PRM_TemplateBuilder templates(
        UT_StringHolder("gravity"),
        R"({ name gravity parm { name "force" label "Force" type vector size 3 default { "0" "-9.80665" "0" } help "h" } })");
    static const SIM_DopDescription made(false, "gravity", "Gravity Force", "Gravity", classname(), templates.templates());
    return &made;
}

void SIM_ForceGravity::getForceSubclass(const SIM_Object&, const UT_Vector3&, const UT_Vector3&, const UT_Vector3&, fpreal mass, UT_Vector3& force, UT_Vector3&) const {
    const UT_Vector3 gravity = getGravity();
    for (int c = 0; c < 3; ++c) force[c] = static_cast<float>(mass * gravity[c]);
}
