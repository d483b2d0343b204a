#pragma once
// Provenance: see GA_Range.h.
#include <GA/GA_Range.h>
