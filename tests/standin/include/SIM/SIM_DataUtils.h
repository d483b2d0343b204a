#pragma once
// Provenance: see SIM_Data.h.
#include <SIM/SIM_Data.h>
