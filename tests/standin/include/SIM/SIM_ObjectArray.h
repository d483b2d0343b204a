#pragma once
// Provenance: see SIM_Object.h.
#include <SIM/SIM_Object.h>
