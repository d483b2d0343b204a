#pragma once
// Provenance: see GA_Handle.h.
#include <GA/GA_Handle.h>
