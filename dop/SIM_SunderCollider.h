#pragma once

#include <SIM/SIM_Data.h>
#include <SIM/SIM_OptionsUser.h>

#include "core/sim/scene.h"

/// How an object that others collide with meets them. Affectors without it have the defaults.
class SIM_SunderCollider : public SIM_Data, public SIM_OptionsUser {
  public:
    /// All but name and surface. Throws Error for values out of range.
    sunder::SceneCollider collider() const;
    static const char* dataName() { return "SunderCollider"; }

  protected:
    explicit SIM_SunderCollider(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}

  private:
    static const SIM_DopDescription* description();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_SunderCollider, SIM_Data, "Sunder Collider", description());
};
