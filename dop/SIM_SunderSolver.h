#pragma once

#include <SIM/SIM_OptionsUser.h>
#include <SIM/SIM_Solver.h>

#include <memory>

#include "core/sim/scene.h"
#include "core/sim/stepper.h"
#include "hdk/host_monitor.h"

/// Steps all objects that affect each other as one world. Objects need tets as geometry, and may have a SunderMaterial, SunderConstraints, geometries
/// GuideGeometry and ConstraintGeometry, and colliders as affectors; blasts are those of all objects.
class SIM_SunderSolver : public SIM_Solver, public SIM_OptionsUser {
  protected:
    explicit SIM_SunderSolver(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}
    SIM_Result solveObjectsSubclass(SIM_Engine& engine, SIM_ObjectArray& objects, SIM_ObjectArray& newObjects, SIM_ObjectArray& feedback,
                                    const SIM_Time& timestep) override;

  private:
    void solve(const std::vector<SIM_Object*>& objects, double timestep, sunder::hdk::HostMonitor& monitor);
    sunder::Scene scene() const;
    static const SIM_DopDescription* description();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_SunderSolver, SIM_Solver, "Sunder Solver", description());
};
