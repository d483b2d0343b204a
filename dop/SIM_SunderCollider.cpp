#include "dop/SIM_SunderCollider.h"

#include "hdk/compat.h"
#include "hdk/options_source.h"

namespace {
// the object has a name, a place and a display of its own
const std::vector<std::string> kColliderWithout = {"name", "transform", "motion", "visible"};
}  // namespace

const SIM_DopDescription* SIM_SunderCollider::description() {
    static const std::string script = [] {
        sunder::hdk::DialogWriter dialog("sundercollider");
        for (const std::string& name : kColliderWithout) dialog.without(name);
        dialog.add(sunder::SceneCollider());
        return dialog.script();
    }();
    static const SIM_DopDescription made(true, "sundercollider", "Sunder Collider", dataName(), classname(), sunder::hdk::compat::makeTemplates(script, "sundercollider"));
    return &made;
}

sunder::SceneCollider SIM_SunderCollider::collider() const {
    const sunder::hdk::OptionsSource source(getOptions());
    sunder::SceneCollider collider;
    sunder::hdk::ParmReader reader(source);
    for (const std::string& name : kColliderWithout) reader.without(name);
    reader.read(collider);
    return collider;
}
