#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/io/file.h"
#include "core/io/geometry_io.h"
#include "tests/io/samples.h"

namespace sunder::testing {
namespace {

constexpr GeometryFormat kBinaryFormats[] = {GeometryFormat::kBgeo, GeometryFormat::kBgeoGz,
                                             GeometryFormat::kBgeoSc};

Geometry throughMemory(const Geometry& geometry, GeometryFormat format, bool doublePositions = false) {
    return decodeGeometry(encodeGeometry(geometry, format, {doublePositions}), format, "memory");
}

TEST(HoudiniRoundTrip, TextKeepsEveryFiniteBit) {
    const Geometry geometry = sampleGeometry(false);
    EXPECT_EQ(difference(geometry, throughMemory(geometry, GeometryFormat::kGeo)), "");
    EXPECT_EQ(difference(geometry, throughMemory(geometry, GeometryFormat::kGeo, true)), "");
}

TEST(HoudiniRoundTrip, BinaryKeepsEveryBit) {
    const Geometry geometry = sampleGeometry(true);
    for (const GeometryFormat format : kBinaryFormats) {
        EXPECT_EQ(difference(geometry, throughMemory(geometry, format)), "");
        EXPECT_EQ(difference(geometry, throughMemory(geometry, format, true)), "");
    }
}

TEST(HoudiniRoundTrip, SeveralBlocksOfTheContainer) {
    const Geometry geometry = largeGeometry();
    ASSERT_GT(encodeBgeo(geometry).size(), std::size_t{2} << 20);
    EXPECT_EQ(difference(geometry, throughMemory(geometry, GeometryFormat::kBgeoSc)), "");
    EXPECT_EQ(difference(geometry, throughMemory(geometry, GeometryFormat::kBgeoGz)), "");
}

TEST(HoudiniRoundTrip, DoublePositionsOnRequest) {
    Geometry geometry = sampleGeometry(false);
    geometry.positions[0] = {0.1, 1e-300, 1.0 / 3};
    EXPECT_EQ(difference(geometry, throughMemory(geometry, GeometryFormat::kBgeo, true)), "");
    EXPECT_EQ(difference(geometry, throughMemory(geometry, GeometryFormat::kGeo, true)), "");
    const Geometry single = throughMemory(geometry, GeometryFormat::kBgeo);
    EXPECT_EQ(single.positions[0].x(), static_cast<double>(0.1f));
}

TEST(HoudiniRoundTrip, TextKeepsThatANumberIsNone) {
    Geometry geometry = sampleGeometry(true);
    const Geometry back = throughMemory(geometry, GeometryFormat::kGeo);
    const Attribute* a = back.detail.find("nan");
    ASSERT_TRUE(a);
    EXPECT_TRUE(std::isnan(a->number(0, 0)) && std::isnan(a->number(0, 1)));
    EXPECT_EQ(a->number(0, 2), std::numeric_limits<double>::infinity());
    EXPECT_EQ(a->number(0, 3), -std::numeric_limits<double>::infinity());
}

TEST(HoudiniRoundTrip, EmptyAndPointsOnly) {
    Geometry empty, points;
    points.positions = {{1, 2, 3}, {4, 5, 6}};
    for (const GeometryFormat format :
         {GeometryFormat::kGeo, GeometryFormat::kBgeo, GeometryFormat::kBgeoGz, GeometryFormat::kBgeoSc}) {
        EXPECT_EQ(difference(empty, throughMemory(empty, format)), "");
        EXPECT_EQ(difference(points, throughMemory(points, format)), "");
    }
}

TEST(HoudiniRoundTrip, EqualGeometriesGiveEqualBytes) {
    for (const GeometryFormat format :
         {GeometryFormat::kGeo, GeometryFormat::kBgeo, GeometryFormat::kBgeoGz, GeometryFormat::kBgeoSc})
        EXPECT_EQ(encodeGeometry(largeGeometry(), format), encodeGeometry(largeGeometry(), format));
}

TEST(HoudiniRoundTrip, FileIsInHoudinisOrientation) {
    Geometry g;
    g.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::int32_t tet[] = {0, 1, 2, 3}, quad[] = {0, 1, 2, 3}, curve[] = {0, 1, 2};
    g.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(tet, 4));
    g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(quad, 4));
    g.addPrimitive(PrimitiveKind::kCurve, Span<const std::int32_t>(curve, 3));
    std::string text = textOf(encodeGeometry(g, GeometryFormat::kGeo));
    text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
    // the first vertex stays, the others are reversed: det of the tet becomes negative, the quad clockwise;
    // the curve stays
    EXPECT_NE(text.find("\"indices\",[0,3,2,1,0,3,2,1,0,1,2]"), std::string::npos) << text;
    EXPECT_NE(text.find("\"Tetrahedron_run\"],[\"startvertex\",0,\"nprimitives\",1]"), std::string::npos)
        << text;
    EXPECT_NE(text.find("\"Polygon_run\"],[\"startvertex\",4,\"nprimitives\",1,\"nvertices_rle\",[4,1]]"),
              std::string::npos)
        << text;
}

TEST(HoudiniRoundTrip, ThroughFiles) {
    const TemporaryFolder folder;
    const Geometry geometry = sampleGeometry(true);
    for (const char* name : {"a.bgeo", "a.bgeo.gz", "a.bgeo.sc", "A.BGEO.SC"}) {
        writeGeometry(folder / name, geometry);
        EXPECT_EQ(difference(geometry, readGeometry(folder / name)), "") << name;
    }
    // content decides among Houdini's four, whatever the name says
    writeFileAtomic(folder / "b.bgeo", encodeGeometry(geometry, GeometryFormat::kBgeoSc));
    EXPECT_EQ(difference(geometry, readGeometry(folder / "b.bgeo")), "");
}

TEST(HoudiniRoundTrip, RefusesWhatTheFormatCannotHold) {
    Geometry named = sampleGeometry(false);
    named.points.add<float>("P", named.pointCount(), 3);
    EXPECT_THROW(encodeBgeo(named), Error);
    Geometry grouped = sampleGeometry(false);
    grouped.detail.addGroup("whole", 1);
    EXPECT_THROW(encodeBgeo(grouped), Error);
    Geometry broken = sampleGeometry(false);
    broken.vertexPoint[0] = 1000;
    EXPECT_THROW(encodeBgeo(broken), Error);
    EXPECT_THROW(writeGeometry("x.unknown", broken), Error);
    EXPECT_THROW(encodeGeometry(sampleGeometry(false), GeometryFormat::kStl), Error);
}

}  // namespace
}  // namespace sunder::testing
