#pragma once

#include <SIM/SIM_Data.h>
#include <SIM/SIM_OptionsUser.h>

#include "core/sim/scene.h"

/// Points of an object that are held, exactly or by springs, or glue to another object. An object may have several, under the data names SunderConstraint, SunderConstraint1, ...
class SIM_SunderConstraint : public SIM_Data, public SIM_OptionsUser {
  public:
    /// Adds what it holds to the last body of a scene.
    void addTo(sunder::Scene& scene) const;
    static const char* dataName() { return "SunderConstraint"; }

  protected:
    explicit SIM_SunderConstraint(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}

  private:
    static const SIM_DopDescription* description();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_SunderConstraint, SIM_Data, "Sunder Constraint", description());
};
