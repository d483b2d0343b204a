// io_samples corpus FOLDER: the seeds of the fuzzers.  io_samples bgeo FOLDER: files for read_bgeo.py, with
// what it must find.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/file.h"
#include "core/io/geometry_io.h"
#include "core/io/number_text.h"
#include "tests/io/samples.h"
#include "tests/io/variants.h"

namespace sunder::testing {
namespace {

using Json = nlohmann::ordered_json;

/// Reals as their bits, so that a comparison is exact.
Json valueJson(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
Json valueJson(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
template <class T>
Json valueJson(const T& value) {
    return value;
}

template <class T>
Json arrayJson(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& v : values) list.push_back(valueJson(v));
    return list;
}

Json setJson(const AttributeSet& set) {
    constexpr const char* kStorages[] = {"fpreal32", "fpreal64", "int32", "int64", "uint8", "string"};
    constexpr const char* kMeanings[] = {"",      "point",      "hpoint", "vector",      "normal",
                                         "color", "quaternion", "matrix", "texturecoord"};
    Json attributes = Json::object(), groups = Json::object();
    for (const Attribute& a : set.attributes)
        attributes[a.name] = {{"storage", kStorages[a.values.index()]},
                              {"size", a.tupleSize},
                              {"type", kMeanings[static_cast<std::size_t>(a.meaning)]},
                              {"values", std::visit([](const auto& v) { return arrayJson(v); }, a.values)}};
    for (const Group& g : set.groups) groups[g.name] = g.members;
    return {{"attributes", attributes}, {"groups", groups}};
}

Json geometryJson(const Geometry& g) {
    constexpr const char* kKinds[] = {"polygon", "curve", "tet"};
    std::vector<float> positions;
    for (const Vec3& p : g.positions)
        positions.insert(positions.end(), {narrow(p.x()), narrow(p.y()), narrow(p.z())});
    Json primitives = Json::array();
    for (std::size_t p = 0; p < g.primitiveCount(); ++p) {
        const auto points = g.primitivePoints(p);
        primitives.push_back({{"kind", kKinds[static_cast<std::size_t>(g.primitiveKind[p])]},
                              {"points", std::vector<std::int32_t>(points.begin(), points.end())}});
    }
    return {{"positions", arrayJson(positions)},  {"primitives", primitives},
            {"point", setJson(g.points)},         {"vertex", setJson(g.vertices)},
            {"primitive", setJson(g.primitives)}, {"detail", setJson(g.detail)}};
}

void writeBgeoSamples(const std::string& folder) {
    const struct {
        const char* name;
        Geometry geometry;
        std::vector<const char*> extensions;
    } samples[] = {{"sample", sampleGeometry(false), {".geo", ".bgeo", ".bgeo.gz", ".bgeo.sc"}},
                   {"nan", sampleGeometry(true), {".bgeo", ".bgeo.gz", ".bgeo.sc"}},
                   {"large", largeGeometry(), {".bgeo.sc"}}};
    for (const auto& sample : samples) {
        const std::string path = folder + "/" + sample.name;
        writeFileAtomic(path + ".json", geometryJson(sample.geometry).dump());
        for (const char* extension : sample.extensions) writeGeometry(path + extension, sample.geometry);
    }
}

std::vector<std::uint8_t> binaryPly(bool bigEndian) {
    std::string out =
        std::string("ply\nformat ") + (bigEndian ? "binary_big_endian" : "binary_little_endian") +
        " 1.0\nelement vertex 3\nproperty double x\nproperty float y\nproperty float z\nproperty short id\n"
        "element face 1\nproperty list uchar uint vertex_index\nend_header\n";
    const auto append = [&](auto value) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        if (bigEndian) std::reverse(bytes, bytes + sizeof value);
        out.append(bytes, sizeof value);
    };
    for (int i = 0; i < 3; ++i)
        append(0.1 * i), append(static_cast<float>(i % 2)), append(0.5f),
            append(static_cast<std::int16_t>(-i));
    append(std::uint8_t{3});
    for (std::uint32_t i = 0; i < 3; ++i) append(i);
    return bytesOf(out);
}

std::vector<std::uint8_t> binaryStl() {
    std::string out(80, ' ');
    const std::uint32_t count = 2;
    out.append(reinterpret_cast<const char*>(&count), 4);
    const float triangles[2][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0},
                                    {0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0}};
    for (const auto& t : triangles) out.append(reinterpret_cast<const char*>(t), sizeof t).append("\0\7", 2);
    return bytesOf(out);
}

void writeCorpus(const std::string& folder) {
    Geometry small;
    small.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::int32_t tet[] = {0, 1, 2, 3};
    small.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(tet, 4));
    small.vertices.add<float>("N", 4, 3, AttributeMeaning::kNormal);
    const auto put = [&](const std::string& name, const std::vector<std::uint8_t>& bytes) {
        std::filesystem::create_directories(folderOf(folder + "/" + name));
        writeFileAtomic(folder + "/" + name, bytes);
    };
    put("bgeo/sample.bgeo", encodeGeometry(sampleGeometry(true), GeometryFormat::kBgeo));
    put("bgeo/small.bgeo", encodeGeometry(small, GeometryFormat::kBgeo));
    put("bgeo/small.bgeo.gz", encodeGeometry(small, GeometryFormat::kBgeoGz));
    put("bgeo/small.bgeo.sc", encodeGeometry(small, GeometryFormat::kBgeoSc));
    put("geo/sample.geo", encodeGeometry(sampleGeometry(true), GeometryFormat::kGeo));
    put("geo/small.geo", encodeGeometry(small, GeometryFormat::kGeo));
    put("geo/paged.geo", bytesOf(kPagedGeo));
    put("geo/old.geo", bytesOf(kOldGeo));
    put("obj/hand.obj", bytesOf(kObj));
    put("ply/hand.ply", bytesOf(kPly));
    put("ply/little.ply", binaryPly(false));
    put("ply/big.ply", binaryPly(true));
    put("stl/hand.stl", bytesOf(kStl));
    put("stl/binary.stl", binaryStl());
}

}  // namespace
}  // namespace sunder::testing

int main(int argc, char** argv) {
    const std::string what = argc == 3 ? argv[1] : "";
    try {
        if (what == "corpus") return sunder::testing::writeCorpus(argv[2]), 0;
        if (what == "bgeo") return sunder::testing::writeBgeoSamples(argv[2]), 0;
    } catch (const std::exception& error) {
        return std::fprintf(stderr, "%s\n", error.what()), 1;
    }
    return std::fprintf(stderr, "use: io_samples corpus|bgeo FOLDER\n"), 2;
}
