#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "core/io/scene_json_units.h"

namespace sunder {

/// Where a value may lie.
struct Range {
    double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
    bool openMin = false, openMax = false;  ///< the bound itself is outside
    const char* remedy = "";                ///< more than the bounds say

    bool contains(double v) const { return (openMin ? v > min : v >= min) && (openMax ? v < max : v <= max); }
};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr Range kAny{};
inline constexpr Range kPositive{0, kInfinity, true, false, ""};
inline constexpr Range kNotNegative{0, kInfinity, false, false, ""};
inline constexpr Range kShare{0, 1, false, false, ""};
inline constexpr Range kOwnOrShare{-1, 1, false, false, ""};
inline constexpr Range kAtLeastOne{1, 1e9, false, false, ""};

/// One key of an object of the scene file. Parser, writer and documentation see the same ones.
struct Field {
    const char* key;
    const char* meaning;
    Dimension dimension = kPlain;
    Range range = kAny;
    bool required = false;
    bool uniform = false;  ///< a vector that may be written as one number for all three
};

template <class Enum>
using Choices = std::vector<std::pair<const char*, Enum>>;

}  // namespace sunder
