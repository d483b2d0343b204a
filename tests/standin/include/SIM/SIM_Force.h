#pragma once
// Provenance: getForce of the public class page of SIM_Force; getForceSubclass as SideFX's permissively licensed sample SIM_ForceOrbit overrides it. Own code. Whether getForce adds to
// what it is given is not said there: the stand-in refuses anything but zeros.
#include <SIM/SIM_Object.h>
#include <UT/UT_Vector3.h>

#define SIM_FORCES_DATANAME "Forces"

class SIM_Force : public SIM_Data {
  public:
    explicit SIM_Force(const SIM_DataFactory* f) : SIM_Data(f) {}
    void getForce(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& velocity, const UT_Vector3& angularVelocity, fpreal mass, UT_Vector3& force,
                  UT_Vector3& torque) const;
    static const char* classname() { return "SIM_Force"; }
    void* standinCast(const char* name) override { return std::strcmp(name, classname()) == 0 ? static_cast<void*>(this) : SIM_Data::standinCast(name); }

  protected:
    virtual void getForceSubclass(const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& velocity, const UT_Vector3& angularVelocity, const fpreal mass, UT_Vector3& force,
                                  UT_Vector3& torque) const = 0;
};
