#pragma once
// Provenance: getGravity of the public class page of SIM_ForceGravity, and its callers in HinaPE-Houdini (MPL-2.0). Own code.
#include <SIM/SIM_Force.h>
#include <SIM/SIM_OptionsUser.h>

class SIM_ForceGravity : public SIM_Force, public SIM_OptionsUser {
  public:
    UT_Vector3 getGravity() const { return UT_Vector3(getOptions().getOptionV3("force")); }

  protected:
    explicit SIM_ForceGravity(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}
    void getForceSubclass(const SIM_Object&, const UT_Vector3&, const UT_Vector3&, const UT_Vector3&, fpreal mass, UT_Vector3& force, UT_Vector3& torque) const override;

  private:
    static const SIM_DopDescription* description();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_ForceGravity, SIM_Force, "Gravity Force", description());
};
