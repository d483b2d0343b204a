#include "dop/SIM_SunderMaterial.h"

#include "hdk/compat.h"
#include "hdk/options_source.h"

namespace {
// the object has a name, a shape and a place of its own, and says by itself whether its geometry names its materials
const std::vector<std::string> kBodyWithout = {"name", "hollow", "meshing", "transform", "material", "contact", "materialFromGeometry"};
}  // namespace

const SIM_DopDescription* SIM_SunderMaterial::description() {
    static const std::string script = [] {
        sunder::hdk::DialogWriter dialog("sundermaterial");
        dialog.own("toggle", "materialFromGeometry", "Material from Geometry", "0",
                   "takes the material that the node Sunder Material left on the geometry, as the object is created, in place of the parameters");
        dialog.add(sunder::Material());
        dialog.add(sunder::SceneContact(), "contact");
        for (const std::string& name : kBodyWithout) dialog.without(name);
        dialog.add(sunder::SceneBody());
        return dialog.script();
    }();
    static const SIM_DopDescription made(true, "sundermaterial", "Sunder Material", dataName(), classname(), sunder::hdk::compat::makeTemplates(script, "sundermaterial"));
    return &made;
}

sunder::SceneBody SIM_SunderMaterial::body() const {
    const sunder::hdk::OptionsSource source(getOptions());
    sunder::SceneBody body;
    sunder::hdk::ParmReader reader(source);
    reader.read(body.material);
    reader.read(body.contact, "contact");
    for (const std::string& name : kBodyWithout) reader.without(name);
    reader.read(body);
    return body;
}
