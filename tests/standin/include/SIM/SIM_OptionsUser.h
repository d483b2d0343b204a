#pragma once
// Provenance: see SIM_Options.h.
#include <SIM/SIM_Options.h>
