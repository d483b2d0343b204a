#include "core/io/geometry_io.h"

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/compress.h"
#include "core/io/file.h"
#include "core/io/houdini_reader.h"
#include "core/io/houdini_writer.h"
#include "core/io/obj.h"
#include "core/io/ply_reader.h"
#include "core/io/stl_reader.h"

namespace sunder {

namespace {
struct Extension {
    const char* text;
    GeometryFormat format;
};
constexpr Extension kExtensions[] = {
    {".bgeo.sc", GeometryFormat::kBgeoSc}, {".bgeosc", GeometryFormat::kBgeoSc},
    {".bgeo.gz", GeometryFormat::kBgeoGz}, {".bgeogz", GeometryFormat::kBgeoGz},
    {".bgeo", GeometryFormat::kBgeo},      {".geo", GeometryFormat::kGeo},
    {".obj", GeometryFormat::kObj},        {".ply", GeometryFormat::kPly},
    {".stl", GeometryFormat::kStl}};

bool endsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}
}  // namespace

GeometryFormat formatOfPath(const std::string& path) {
    std::string lower = path;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const Extension& e : kExtensions)
        if (endsWith(lower, e.text)) return e.format;
    throw Error("the format of '" + path + "' is unknown",
                "use .geo, .bgeo, .bgeo.gz, .bgeo.sc, .obj, .ply or .stl");
}

Geometry readGeometry(const std::string& path, Monitor* monitor, const ReadLimits& limits) {
    const GeometryFormat format = formatOfPath(path);
    return decodeGeometry(readFile(path, limits.maxBytes), format, path, monitor, limits);
}

Geometry decodeGeometry(Span<const std::uint8_t> bytes, GeometryFormat format, const std::string& name,
                        Monitor* monitor, const ReadLimits& limits) {
    const Source source{name, bytes, false};
    if (bytes.empty()) throw Error("'" + name + "' is empty", "write it again");
    throwIfCancelled(monitor);
    switch (format) {
        case GeometryFormat::kObj:
            return readObj(source, monitor, limits);
        case GeometryFormat::kPly:
            return readPly(source, monitor, limits);
        case GeometryFormat::kStl:
            return readStl(source, monitor, limits);
        default:
            return readHoudini(source, monitor, limits);
    }
}

std::vector<std::uint8_t> encodeBgeo(const Geometry& geometry, const WriteOptions& options) {
    return writeHoudini(geometry, true, options);
}

std::vector<std::uint8_t> encodeGeometry(const Geometry& geometry, GeometryFormat format,
                                         const WriteOptions& options) {
    switch (format) {
        case GeometryFormat::kGeo:
            return writeHoudini(geometry, false, options);
        case GeometryFormat::kBgeo:
            return encodeBgeo(geometry, options);
        case GeometryFormat::kBgeoGz:
            return compressGzip(encodeBgeo(geometry, options));
        case GeometryFormat::kBgeoSc:
            return compressSeekable(encodeBgeo(geometry, options));
        case GeometryFormat::kObj:
            return writeObj(geometry);
        default:
            throw Error("this format is only read, not written",
                        "write .bgeo.sc, .bgeo.gz, .bgeo, .geo or .obj");
    }
}

void writeGeometry(const std::string& path, const Geometry& geometry, const WriteOptions& options) {
    writeFileAtomic(path, encodeGeometry(geometry, formatOfPath(path), options));
}

}  // namespace sunder
