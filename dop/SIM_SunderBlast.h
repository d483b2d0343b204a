#pragma once

#include <SIM/SIM_Data.h>
#include <SIM/SIM_OptionsUser.h>

#include "core/sim/blast.h"

/// An explosion whose pressure wave pushes at all objects of the solver. Several have the data names SunderBlast, SunderBlast1, ...
class SIM_SunderBlast : public SIM_Data, public SIM_OptionsUser {
  public:
    sunder::Blast blast() const;
    static const char* dataName() { return "SunderBlast"; }

  protected:
    explicit SIM_SunderBlast(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}

  private:
    static const SIM_DopDescription* description();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_SunderBlast, SIM_Data, "Sunder Blast", description());
};
