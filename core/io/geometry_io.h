#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/base/span.h"
#include "core/io/read_limits.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// Files of geometry. All numbers survive writing and reading bit for bit, except: positions in Houdini's
/// files are single precision unless WriteOptions asks for double, and a NaN in .geo or .obj comes back as
/// some NaN. What a reader cannot hold is reported through Monitor::warn, never dropped in silence. Houdini's
/// int8, int16 and fpreal16 come back as int32 and float.
enum class GeometryFormat { kGeo, kBgeo, kBgeoGz, kBgeoSc, kObj, kPly, kStl };

struct WriteOptions {
    bool doublePositions = false;  ///< P as fpreal64 in Houdini's files
};

/// By the end of the name; throws Error for one that is not known.
GeometryFormat formatOfPath(const std::string& path);

/// Reads any of the formats. Houdini's four are told apart by their content, the others by the name.
Geometry readGeometry(const std::string& path, Monitor* monitor = nullptr, const ReadLimits& limits = {});
/// The same from memory; `name` stands for the file in messages.
Geometry decodeGeometry(Span<const std::uint8_t> bytes, GeometryFormat format, const std::string& name,
                        Monitor* monitor = nullptr, const ReadLimits& limits = {});

/// Writes Houdini's formats and .obj, whole or not at all (see writeFileAtomic).
void writeGeometry(const std::string& path, const Geometry& geometry, const WriteOptions& options = {});
/// The same into memory. Equal geometries give equal bytes.
std::vector<std::uint8_t> encodeGeometry(const Geometry& geometry, GeometryFormat format,
                                         const WriteOptions& options = {});
std::vector<std::uint8_t> encodeBgeo(const Geometry& geometry, const WriteOptions& options = {});

}  // namespace sunder
