#include "core/io/obj.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/describe.h"
#include "core/io/geometry_io.h"
#include "tests/io/samples.h"
#include "tests/io/variants.h"
#include "tests/support/builders.h"

namespace sunder::testing {
namespace {

Geometry readText(const std::string& text, Monitor* monitor = nullptr) {
    return decodeGeometry(bytesOf(text), GeometryFormat::kObj, "hand.obj", monitor);
}

std::string complaint(const std::string& text) {
    try {
        readText(text);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(Obj, AllFormsOfIndicesAndNames) {
    WarningLog log;
    const Geometry g = readText(kObj, &log);
    ASSERT_EQ(g.pointCount(), 4u);
    EXPECT_EQ(g.positions[3], Vec3(0, 1.5, 0));
    EXPECT_EQ(g.vertexPoint, (std::vector<std::int32_t>{0, 1, 2, 0, 2, 3, 0, 1, 2, 3, 0, 1, 2, 0, 1, 2}));
    using Kind = PrimitiveKind;
    EXPECT_EQ(g.primitiveKind, (std::vector<Kind>{Kind::kPolygon, Kind::kPolygon, Kind::kPolygon,
                                                  Kind::kCurve, Kind::kPolygon}));
    EXPECT_EQ(g.primitives.findGroup("front")->members, (std::vector<std::uint8_t>{1, 1, 0, 0, 0}));
    EXPECT_EQ(g.primitives.findGroup("big")->members, (std::vector<std::uint8_t>{1, 1, 0, 0, 1}));
    EXPECT_EQ((*g.primitives.find("name")->as<std::string>())[0], "corner");
    EXPECT_EQ((*g.primitives.find("shop_materialpath")->as<std::string>())[4], "red");
    const std::vector<float> colors = {1, 1, 1, 0.5f, 0.25f, 1, 1, 1, 1, 1, 1, 1};
    EXPECT_EQ(*g.points.find("Cd")->as<float>(), colors);
    const auto& uv = *g.vertices.find("uv")->as<float>();
    EXPECT_EQ(std::vector<float>(uv.begin(), uv.begin() + 12),
              (std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0.5f, 0, 0, 0}));
    const auto& normals = *g.vertices.find("N")->as<float>();
    EXPECT_EQ(normals[3 * 5 + 2], 1.0f);
    EXPECT_NE(log.all.find("vp"), std::string::npos) << log.all;
    EXPECT_NE(log.all.find("have no uv"), std::string::npos) << log.all;
}

TEST(Obj, WindowsLineEndsAndNoLastOne) {
    const Geometry g = readText("v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\n# end\r\nf 1 2 3");
    EXPECT_EQ(g.pointCount(), 3u);
    EXPECT_EQ(g.primitiveSize(0), 3);
}

TEST(Obj, ErrorsNameTheLine) {
    EXPECT_NE(complaint("v 0 0\n").find("line 1"), std::string::npos);
    EXPECT_NE(complaint("v 0 0 0\nv 0 x 0\n").find("'hand.obj', line 2"), std::string::npos);
    EXPECT_NE(complaint("v 0 0 0\n\nf 1 1 7\nf 1 1 2\n").find("line 3: point 7 of 1"), std::string::npos);
    EXPECT_NE(complaint("v 0 0 0\nf 1 1 -2\n").find("index -2"), std::string::npos);
    EXPECT_NE(complaint("v 0 0 0\nf 0 1 1\n").find("line 2"), std::string::npos);
    EXPECT_NE(complaint("v 0 0 0\nf 1/2 1/2 1/2\n").find("texture coordinate 2 of 0"), std::string::npos);
    EXPECT_NE(complaint("v 0 0 0\nf\n").find("without vertices"), std::string::npos);
    EXPECT_NE(complaint("v 0 0 0\nf 1/ 1/ 1/\n").find("line 2"), std::string::npos);
}

TEST(Obj, WritesWhatItReads) {
    const Geometry once = readText(kObj);
    const Geometry twice = decodeGeometry(writeObj(once), GeometryFormat::kObj, "again.obj");
    EXPECT_EQ(difference(once, twice), "");
    EXPECT_THROW(writeObj(sampleGeometry(false)), Error);
}

TEST(Obj, PositionsKeepEveryBit) {
    Geometry g;
    g.positions = {{0.1, -0.0, 1e-310}, {1.0 / 3, 1e300, -2}, {5, 6, 7}};
    const std::int32_t triangle[] = {2, 0, 1};
    g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(triangle, 3));
    EXPECT_EQ(difference(g, decodeGeometry(writeObj(g), GeometryFormat::kObj, "again.obj")), "");
}

TEST(Obj, Models) {
    const std::string path = modelPath("stanford-bunny.obj");
    if (path.empty()) GTEST_SKIP() << "the shared models are not here";
    const Geometry g = readGeometry(path);
    EXPECT_GT(g.pointCount(), 1000u);
    EXPECT_GT(describeGeometry(g).volume, 0.0);  // counter-clockwise seen from outside, as core wants it
}

}  // namespace
}  // namespace sunder::testing
