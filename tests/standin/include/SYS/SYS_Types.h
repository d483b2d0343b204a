#pragma once
// Provenance: type names as used in openly licensed callers (OpenVDB's openvdb_houdini, Apache-2.0; elrnv/hdkrs, MIT). Own code.
#include <cstddef>
#include <cstdint>

using int8 = std::int8_t;
using uint8 = std::uint8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using uint32 = std::uint32_t;
using int64 = std::int64_t;
using uint64 = std::uint64_t;
using exint = std::int64_t;
using exuint = std::uint64_t;
using fpreal32 = float;
using fpreal64 = double;
using fpreal = double;
