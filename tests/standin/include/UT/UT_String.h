#pragma once
// Provenance: see UT_StringHolder.h.
#include <UT/UT_StringHolder.h>
