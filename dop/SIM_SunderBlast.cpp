#include "dop/SIM_SunderBlast.h"

#include "hdk/compat.h"
#include "hdk/options_source.h"

const SIM_DopDescription* SIM_SunderBlast::description() {
    static const std::string script = [] {
        sunder::hdk::DialogWriter dialog("sunderblast");
        dialog.add(sunder::Blast());
        return dialog.script();
    }();
    static const SIM_DopDescription made(true, "sunderblast", "Sunder Blast", dataName(), classname(), sunder::hdk::compat::makeTemplates(script, "sunderblast"));
    return &made;
}

sunder::Blast SIM_SunderBlast::blast() const {
    const sunder::hdk::OptionsSource source(getOptions());
    sunder::Blast blast;
    sunder::hdk::ParmReader(source).read(blast);
    validate(blast);
    return blast;
}
