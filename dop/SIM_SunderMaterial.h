#pragma once

#include <SIM/SIM_Data.h>
#include <SIM/SIM_OptionsUser.h>

#include "core/sim/scene.h"

/// What an object is made of, how it meets others, and how it starts.
class SIM_SunderMaterial : public SIM_Data, public SIM_OptionsUser {
  public:
    /// All but name and shape. Throws Error for values out of range.
    sunder::SceneBody body() const;
    /// The material that the SOP `sunder::material` left on the geometry counts, in place of the parameters.
    bool isFromGeometry() const { return getOptions().getOptionB("materialFromGeometry"); }
    static const char* dataName() { return "SunderMaterial"; }

  protected:
    explicit SIM_SunderMaterial(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}

  private:
    static const SIM_DopDescription* description();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_SunderMaterial, SIM_Data, "Sunder Material", description());
};
