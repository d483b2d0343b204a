#pragma once

#include "core/io/manifest.h"

namespace sunder::cli {

/// Version, commit, compiler and flags of this program.
BuildInfo buildInfo();
/// Optional parts that are in: "tetgen cholmod embree".
const char* buildFeatures();

}  // namespace sunder::cli
