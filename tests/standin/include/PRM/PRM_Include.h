#pragma once
// Provenance: see PRM_Template.h.
#include <PRM/PRM_Template.h>
