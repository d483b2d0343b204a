#pragma once

#include <cassert>

/// For our own mistakes; the user's mistakes throw sunder::Error.
#define SUNDER_ASSERT(condition) assert(condition)
