#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/io/file.h"
#include "core/io/usda_writer.h"
#include "tests/io/samples.h"
#include "tests/support/builders.h"

namespace sunder::testing {
namespace {

Geometry movingTriangle(double height) {
    Geometry g;
    g.positions = {{0, 0, height}, {1, 0, height}, {0, 1, height}, {9, 9, 9}};
    const std::int32_t triangle[] = {0, 1, 2};
    g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(triangle, 3));
    auto& v = g.points.add<float>("v", 4, 3, AttributeMeaning::kVector);
    for (std::size_t i = 0; i < 4; ++i) v[3 * i + 2] = 24;
    g.points.add<float>("orient", 4, 4, AttributeMeaning::kQuaternion) = {1, 2, 3, 4, 1, 2, 3, 4,
                                                                          1, 2, 3, 4, 1, 2, 3, 4};
    g.vertices.add<float>("uv", 3, 3, AttributeMeaning::kTextureCoord) = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    g.primitives.add<std::int32_t>("part no", 1) = {5};
    g.primitives.add<double>("nine", 1, 9);
    g.detail.add<std::string>("note", 1) = {"a \"b\""};
    g.points.add<float>("part no", 4);
    return g;
}

std::string written(const std::vector<UsdaFrame>& frames) {
    const TemporaryFolder folder;
    writeUsdaSequence(folder / "a.usda", frames.size(), [&](std::size_t i) { return frames[i]; });
    EXPECT_EQ(folder.entryCount(), 1u);
    return textOf(readFile(folder / "a.usda"));
}

/// What stands behind "name = " or, for samples, between its braces; empty if it is not there.
std::string valueOf(const std::string& text, const std::string& declaration) {
    const std::size_t at = text.find("    " + declaration + " = ");
    if (at == std::string::npos) return {};
    const std::size_t start = at + declaration.size() + 7;
    const bool samples = text[start] == '{';
    return text.substr(start, text.find(samples ? "\n    }" : "\n", start) - start);
}

std::size_t countOf(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

TEST(Usda, StillTopologyOnceMovingPointsAsSamples) {
    const std::string text =
        written({{1, movingTriangle(0)}, {2, movingTriangle(0.5)}, {3, movingTriangle(1)}});
    EXPECT_EQ(text.rfind("#usda 1.0\n", 0), 0u);
    for (const char* line :
         {"metersPerUnit = 1\n", "upAxis = \"Y\"\n", "timeCodesPerSecond = 24\n", "startTimeCode = 1\n",
          "endTimeCode = 3\n", "uniform token orientation = \"rightHanded\"\n",
          "uniform token subdivisionScheme = \"none\"\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
    EXPECT_EQ(valueOf(text, "int[] faceVertexCounts"), "[3]");
    EXPECT_EQ(valueOf(text, "int[] faceVertexIndices"), "[0, 1, 2]");
    const std::string points = valueOf(text, "point3f[] points.timeSamples");
    EXPECT_EQ(points,
              "{\n        1: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],\n        2: [(0, 0, 0.5), (1, 0, 0.5), (0, "
              "1, 0.5)],\n"
              "        3: [(0, 0, 1), (1, 0, 1), (0, 1, 1)],");
    EXPECT_EQ(valueOf(text, "vector3f[] velocities"), "[(0, 0, 24), (0, 0, 24), (0, 0, 24)]");
    EXPECT_NE(valueOf(text, "float3[] extent.timeSamples").find("2: [(0, 0, 0.5), (1, 1, 0.5)]"),
              std::string::npos);
    EXPECT_EQ(countOf(text, "{"), countOf(text, "}"));
    EXPECT_EQ(countOf(text, "("), countOf(text, ")"));
}

TEST(Usda, PrimvarsWithTypesAndInterpolation) {
    const std::string text = written({{1, movingTriangle(0)}});
    EXPECT_EQ(valueOf(text, "texCoord2f[] primvars:st"), "[(0, 0), (1, 0), (0, 1)] (");
    EXPECT_EQ(valueOf(text, "quatf[] primvars:orient"), "[(4, 1, 2, 3), (4, 1, 2, 3), (4, 1, 2, 3)] (");
    EXPECT_EQ(valueOf(text, "float[] primvars:part_no"), "[0, 0, 0] (");
    EXPECT_EQ(valueOf(text, "int[] primvars:part_no_prim"), "[5] (");
    EXPECT_EQ(valueOf(text, "double[] primvars:nine"), "[0, 0, 0, 0, 0, 0, 0, 0, 0] (");
    EXPECT_EQ(valueOf(text, "string[] primvars:note"), "[\"a \\\"b\\\"\"] (");
    EXPECT_EQ(countOf(text, "interpolation = \"faceVarying\""), 1u);
    EXPECT_EQ(countOf(text, "interpolation = \"uniform\""), 2u);
    EXPECT_EQ(countOf(text, "interpolation = \"constant\""), 1u);
    EXPECT_EQ(countOf(text, "elementSize = 9"), 1u);
}

TEST(Usda, ChangingTopologyAndAttributesThatComeAndGo) {
    Geometry other = movingTriangle(0);
    const std::int32_t second[] = {0, 2, 3};
    other.points.erase("orient");
    other.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(second, 3));
    other.vertices = {};
    other.primitives = {};
    other.points.addGroup("tip", 4).members[3] = 1;
    const Geometry first = movingTriangle(0);
    const std::string text = written({{1, first}, {2, first}, {3, other}, {4, other}});
    EXPECT_EQ(valueOf(text, "int[] faceVertexIndices.timeSamples"),
              "{\n        1: [0, 1, 2],\n        3: [0, 1, 2, 0, 2, 3],");
    // points stand still over frames 1 and 2: both ends are there, since USD blends reals in between
    EXPECT_EQ(countOf(valueOf(text, "point3f[] points.timeSamples"), ": ["), 4u);
    EXPECT_NE(valueOf(text, "quatf[] primvars:orient.timeSamples").find("3: None"), std::string::npos);
    EXPECT_EQ(valueOf(text, "bool[] primvars:group:tip.timeSamples"),
              "{\n        1: None,\n        3: [0, 0, 0, 1],");
}

TEST(Usda, BoundaryOfTets) {
    const TetMesh box = makeBox(3, 3, 3, Vec3(1, 1, 1));
    const std::string text = written({{0, geometryFromTetMesh(box, {})}});
    const std::string counts = valueOf(text, "int[] faceVertexCounts");
    EXPECT_EQ(std::count(counts.begin(), counts.end(), '3'), 6 * 9 * 2);
    const std::string points = valueOf(text, "point3f[] points");
    EXPECT_EQ(std::count(points.begin(), points.end(), '('), 64 - 8);
}

TEST(Usda, Errors) {
    const TemporaryFolder folder;
    UsdaWriter writer(folder / "a.usda", {});
    Geometry g = movingTriangle(0);
    writer.addFrame(1, g);
    EXPECT_THROW(writer.addFrame(1, g), Error);
    g.detail.add<std::int32_t>("note", 1);
    EXPECT_THROW(writer.addFrame(2, g), Error);
    UsdaWriter nowhere(folder / "none/a.usda", {});
    nowhere.addFrame(1, movingTriangle(0));
    EXPECT_THROW(nowhere.finish(), WriteError);
    EXPECT_EQ(folder.entryCount(), 0u);
}

}  // namespace
}  // namespace sunder::testing
