#pragma once
// Provenance: see GA_Attribute.h.
#include <GA/GA_Attribute.h>
