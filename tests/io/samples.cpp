#include "tests/io/samples.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "core/base/random.h"
#include "core/base/text.h"
#include "tests/support/builders.h"

namespace sunder::testing {

namespace {
template <class T, class Bits>
T fromBits(Bits bits) {
    T value;
    static_assert(sizeof(T) == sizeof(Bits));
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T>
void fillRandom(std::vector<T>& values, std::uint64_t seed) {
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(randomRange(-100, 100, seed, i));
}

void addAllStorages(AttributeSet& set, std::size_t count, std::uint64_t seed) {
    fillRandom(set.add<float>("f", count), seed);
    fillRandom(set.add<float>("vel", count, 3, AttributeMeaning::kVector), seed + 1);
    fillRandom(set.add<double>("d2", count, 2), seed + 2);
    for (std::int32_t& i : set.add<std::int32_t>("i32", count))
        i = static_cast<std::int32_t>(randomBits(seed + 3, count));
    for (std::int64_t& i : set.add<std::int64_t>("i64", count))
        i = static_cast<std::int64_t>(randomBits(seed + 4, count));
    auto& bytes = set.add<std::uint8_t>("u8", count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(randomBits(seed + 5, i));
    auto& strings = set.add<std::string>("s", count);
    for (std::size_t i = 0; i < count; ++i)
        strings[i] = i % 3 == 0 ? "" : "text \"" + std::to_string(i % 3) + "\"\\\n\xc3\xa9";
}

void addGroups(AttributeSet& set, std::size_t count) {
    Group& odd = set.addGroup("odd", count);
    for (std::size_t i = 0; i < count; ++i) odd.members[i] = i % 2;
    set.addGroup("none", count);
}

template <class T>
std::string compareBits(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return "length";
    if constexpr (std::is_same_v<T, std::string>)
        return a == b ? "" : "strings";
    else
        return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0 ? "" : "bits";
}

std::string compareSets(const AttributeSet& a, const AttributeSet& b, const char* what) {
    if (a.attributes.size() != b.attributes.size()) return format("%s: number of attributes", what);
    if (a.groups.size() != b.groups.size()) return format("%s: number of groups", what);
    for (std::size_t i = 0; i < a.attributes.size(); ++i) {
        const Attribute &x = a.attributes[i], &y = b.attributes[i];
        std::string found;
        if (x.name != y.name || x.tupleSize != y.tupleSize || x.meaning != y.meaning) found = "definition";
        if (found.empty() && x.values.index() != y.values.index()) found = "storage";
        if (found.empty())
            found = std::visit(
                [&](const auto& v) { return compareBits(v, std::get<std::decay_t<decltype(v)>>(y.values)); },
                x.values);
        if (!found.empty()) return format("%s: %s of '%s'", what, found.c_str(), x.name.c_str());
    }
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (a.groups[i].name != b.groups[i].name || a.groups[i].members != b.groups[i].members)
            return format("%s: group '%s'", what, a.groups[i].name.c_str());
    return {};
}
}  // namespace

Geometry sampleGeometry(bool withNan) {
    Geometry g;
    g.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.75, 0.75, 0.75}, {-0.0, 0.1f, 1e-30f},
                   {3, 4, 5}};
    const std::int32_t tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}}, quad[] = {0, 1, 4, 2},
                       triangle[] = {3, 2, 1}, curve[] = {5, 6, 0, 3, 1};
    g.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(tets[0], 4));
    g.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(tets[1], 4));
    g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(quad, 4));
    g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(triangle, 3));
    g.addPrimitive(PrimitiveKind::kCurve, Span<const std::int32_t>(curve, 5));
    std::uint64_t seed = 1;
    for (const auto& [set, count] : {std::pair<AttributeSet*, std::size_t>{&g.points, g.pointCount()},
                                     {&g.vertices, g.vertexCount()},
                                     {&g.primitives, g.primitiveCount()},
                                     {&g.detail, 1}})
        addAllStorages(*set, count, seed += 100);
    for (const auto& [set, count] : {std::pair<AttributeSet*, std::size_t>{&g.points, g.pointCount()},
                                     {&g.vertices, g.vertexCount()},
                                     {&g.primitives, g.primitiveCount()}})
        addGroups(*set, count);
    fillRandom(g.points.add<float>("Cd", g.pointCount(), 3, AttributeMeaning::kColor), 7);
    fillRandom(g.points.add<float>("orient", g.pointCount(), 4, AttributeMeaning::kQuaternion), 8);
    fillRandom(g.vertices.add<float>("N", g.vertexCount(), 3, AttributeMeaning::kNormal), 9);
    fillRandom(g.vertices.add<float>("uv", g.vertexCount(), 3, AttributeMeaning::kTextureCoord), 10);
    auto& extremes = g.detail.add<float>("extremes", 1, 5);
    extremes = {-0.0f, 1e-45f, std::numeric_limits<float>::max(), 0.1f, std::numeric_limits<float>::min()};
    g.detail.add<double>("extremes64", 1, 4) = {-0.0, 5e-324, std::numeric_limits<double>::max(), 0.1};
    g.detail.add<std::int64_t>("limits", 1, 2) = {std::numeric_limits<std::int64_t>::min(),
                                                  std::numeric_limits<std::int64_t>::max()};
    if (!withNan) return g;
    g.detail.add<float>("nan", 1, 4) = {fromBits<float>(0x7fc12345u), fromBits<float>(0xffa00001u),
                                        std::numeric_limits<float>::infinity(),
                                        -std::numeric_limits<float>::infinity()};
    g.detail.add<double>("nan64", 1, 2) = {fromBits<double>(0x7ff8000000abcdefull),
                                           fromBits<double>(0xfff0000000000001ull)};
    // the payload lies in the part of a double that single precision has too
    g.positions[6].y() = fromBits<double>(std::uint64_t{0x7ff} << 52 | std::uint64_t{0x212345} << 29);
    g.positions[6].z() = -std::numeric_limits<double>::infinity();
    return g;
}

Geometry largeGeometry() {
    TetMesh mesh = makeBox(11, 11, 11, Vec3(1, 1, 1));
    jitter(mesh, 0.1, 3);
    MeshAttributes attributes;
    fillRandom(attributes.tets.add<double>("stress", mesh.tetCount(), 9), 1);
    fillRandom(attributes.vertices.add<float>("v", mesh.vertexCount(), 3, AttributeMeaning::kVector), 2);
    Geometry g = geometryFromTetMesh(mesh, attributes);
    for (Vec3& p : g.positions) p = p.cast<float>().cast<double>();
    fillRandom(g.vertices.add<double>("w", g.vertexCount(), 8), 4);
    return g;
}

std::string difference(const Geometry& a, const Geometry& b) {
    if (a.pointCount() != b.pointCount()) return format("%zu and %zu points", a.pointCount(), b.pointCount());
    for (std::size_t i = 0; i < a.pointCount(); ++i)
        if (std::memcmp(a.positions[i].data(), b.positions[i].data(), 3 * sizeof(double)) != 0)
            return format("point %zu", i);
    if (a.vertexPoint != b.vertexPoint) return "vertices";
    if (a.primitiveKind != b.primitiveKind || a.primitiveFirstVertex != b.primitiveFirstVertex)
        return "primitives";
    for (const std::string& found :
         {compareSets(a.points, b.points, "points"), compareSets(a.vertices, b.vertices, "vertices"),
          compareSets(a.primitives, b.primitives, "primitives"), compareSets(a.detail, b.detail, "detail")})
        if (!found.empty()) return found;
    return {};
}

std::vector<std::uint8_t> bytesOf(const std::string& text) { return {text.begin(), text.end()}; }
std::string textOf(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sunder-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw Error("no temporary folder");
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::size_t TemporaryFolder::entryCount() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
}

}  // namespace sunder::testing
