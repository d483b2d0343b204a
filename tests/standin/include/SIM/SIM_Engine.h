#pragma once
// Provenance: public class page of SIM_Engine. Own code.
#include <SYS/SYS_Types.h>

using SIM_Time = fpreal;

class SIM_Engine {
  public:
    fpreal getSimulationTime() const { return standinTime; }
    fpreal standinTime = 0;
};
