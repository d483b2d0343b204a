#pragma once
// Provenance: see SIM_Geometry.h.
#include <SIM/SIM_Geometry.h>
