#include "dop/SIM_SunderConstraint.h"

#include "core/base/error.h"
#include "hdk/compat.h"
#include "hdk/options_source.h"

namespace {
enum ConstraintType { kHard, kSoft, kGlue };
const std::vector<std::string> kGlueWithout = {"glue_name", "glue_a"};  // the object itself
}

const SIM_DopDescription* SIM_SunderConstraint::description() {
    static const std::string script = [] {
        sunder::hdk::DialogWriter dialog("sunderconstraint");
        dialog.own("string", "group", "Group", "pintoanimation", "point group that is held, or a point attribute that is not zero there");
        dialog.own("ordinal", "type", "Type", "0", "hard holds points exactly, soft by a spring and a damper each; glue sticks the object to another where they are near each other at the start",
                   {"hard", "Hard", "soft", "Soft", "glue", "Glue"});
        dialog.own("float", "strength", "Strength", "100", "of the spring of a point (N/m)");
        dialog.own("float", "damping", "Damping", "0", "of the damper of a point (N s/m)");
        dialog.own("float", "releaseTime", "Release Time", "1e300", "when the points are let go, since the start (s)");
        dialog.own("float", "releaseForce", "Release Force", "1e300", "a point that is pulled harder is let go (N)");
        dialog.own("float", "releaseStress", "Release Stress", "1e300", "hard: or harder than this times its area (Pa)");
        for (const std::string& name : kGlueWithout) dialog.without(name);
        dialog.disableWhen("type != glue").add(sunder::SceneGlue(), "glue");
        return dialog.script();
    }();
    static const SIM_DopDescription made(true, "sunderconstraint", "Sunder Constraint", dataName(), classname(), sunder::hdk::compat::makeTemplates(script, "sunderconstraint"));
    return &made;
}

void SIM_SunderConstraint::addTo(sunder::Scene& scene) const {
    const sunder::hdk::OptionsSource source(getOptions());
    sunder::SceneBody& body = scene.bodies.back();
    if (source.integer("type") == kGlue) {
        sunder::SceneGlue glue;
        sunder::hdk::ParmReader reader(source);
        for (const std::string& name : kGlueWithout) reader.without(name);
        reader.read(glue, "glue");
        glue.name = body.name + " to " + glue.b;
        glue.a = body.name;
        if (glue.b.empty()) throw sunder::Error("glue names no other object", "name the object that it sticks to in 'glue_b'");
        scene.glue.push_back(glue);
        return;
    }
    const std::string group = source.text("group");
    if (group.empty()) throw sunder::Error("a constraint names no group", "name the point group that is to be held");
    const auto number = [&](const char* name) { return source.number(name, 0); };
    if (source.integer("type") == kHard) {
        sunder::ScenePin pin;
        pin.name = group;
        pin.where = sunder::GroupRegion{group};
        pin.releaseTime = number("releaseTime");
        pin.releaseForce = number("releaseForce");
        pin.releaseStress = number("releaseStress");
        body.pins.push_back(pin);
        return;
    }
    sunder::SceneTarget target;
    target.name = group;
    target.where = sunder::GroupRegion{group};
    target.strength = number("strength");
    target.damping = number("damping");
    target.releaseTime = number("releaseTime");
    target.releaseForce = number("releaseForce");
    body.targets.push_back(target);
}
