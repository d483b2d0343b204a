#include "core/io/describe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/io/samples.h"
#include "tests/support/builders.h"

namespace sunder::testing {
namespace {

TEST(Describe, BoxOfTets) {
    const GeometryInfo info = describeGeometry(geometryFromTetMesh(makeBox(2, 3, 4, Vec3(1, 2, 3)), {}));
    EXPECT_EQ(info.tetCount, 6u * 24);
    EXPECT_EQ(info.invertedTetCount, 0u);
    EXPECT_NEAR(info.volume, 6.0, 1e-13);  // a sum of 144 volumes, each right to round-off
    EXPECT_EQ(info.largest, Vec3(1, 2, 3));
    const GeometryInfo cube = describeGeometry(geometryFromTetMesh(makeBox(1, 1, 1, Vec3(1, 1, 1)), {}));
    // Kuhn's tet of a cube: 45, 60 and 90 degrees
    EXPECT_NEAR(cube.smallestDihedral, M_PI / 4, 1e-15);
    EXPECT_NEAR(cube.largestDihedral, M_PI / 2, 1e-15);
}

TEST(Describe, InvertedTet) {
    Geometry g;
    g.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::int32_t tet[] = {0, 2, 1, 3};
    g.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(tet, 4));
    EXPECT_EQ(describeGeometry(g).invertedTetCount, 1u);
}

TEST(Describe, ClosedSurfaceAwayFromTheOrigin) {
    TriMesh sphere = makeSphere(1, 1.0);
    const double volume = describeGeometry(geometryFromTriMesh(sphere)).volume;
    for (Vec3& p : sphere.positions) p += Vec3(100, 200, 300);
    EXPECT_NEAR(describeGeometry(geometryFromTriMesh(sphere)).volume, volume, 1e-12);
}

TEST(Describe, AttributesAndGroups) {
    Geometry g = sampleGeometry(true);
    const GeometryInfo info = describeGeometry(g);
    EXPECT_EQ(info.notFinitePointCount, 1u);
    const auto find = [&](const std::string& name, ElementClass c) {
        for (const AttributeInfo& a : info.attributes)
            if (a.name == name && a.elementClass == c) return a;
        return AttributeInfo();
    };
    EXPECT_EQ(find("nan", ElementClass::kDetail).notFiniteCount, 4u);
    EXPECT_EQ(find("s", ElementClass::kPoint).distinctStrings, 3u);
    EXPECT_EQ(find("vel", ElementClass::kVertex).tupleSize, 3);
    EXPECT_EQ(find("u8", ElementClass::kPrimitive).storage, "uint8");
    EXPECT_EQ(find("extremes", ElementClass::kDetail).largest,
              static_cast<double>(std::numeric_limits<float>::max()));
    ASSERT_EQ(info.groups.size(), 6u);
    EXPECT_EQ(info.groups[0].count, 3u);
    const auto json = nlohmann::json::parse(toJson(info));
    EXPECT_EQ(json["tets"], 2);
    EXPECT_EQ(json["groups"][0]["name"], "odd");
    EXPECT_EQ(json["attributes"].size(), info.attributes.size());
}

TEST(Describe, Empty) {
    const GeometryInfo info = describeGeometry(Geometry());
    EXPECT_EQ(info.volume, 0);
    EXPECT_EQ(nlohmann::json::parse(toJson(info))["points"], 0);
}

}  // namespace
}  // namespace sunder::testing
