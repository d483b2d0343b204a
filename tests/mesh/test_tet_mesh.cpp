#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/support/builders.h"

namespace sunder {

namespace {
const Vec3 kRegular[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
}

TEST(TetMesh, QualityAndAnglesOfTheRegularTet) {
    EXPECT_NEAR(tetQuality(kRegular[0], kRegular[2], kRegular[1], kRegular[3]), 1, 1e-14);
    EXPECT_NEAR(tetQuality(kRegular[0], kRegular[1], kRegular[2], kRegular[3]), -1, 1e-14);
    const DihedralRange range = dihedralRange(kRegular[0], kRegular[2], kRegular[1], kRegular[3]);
    EXPECT_NEAR(range.smallest, std::acos(1.0 / 3), 1e-14);
    EXPECT_NEAR(range.largest, std::acos(1.0 / 3), 1e-14);
}

TEST(TetMesh, FacesPointOutward) {
    const Vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Vec3 centre(0.25, 0.25, 0.25);
    for (const auto& f : kTetFaces) EXPECT_LT(signedVolume(p[f[0]], p[f[1]], p[f[2]], centre), 0);
}

TEST(TetMesh, ValidateNamesWhatIsWrong) {
    const TetMesh good = testing::makeBox(2, 2, 2, Vec3(1, 1, 1));
    validate(good);
    const auto expectError = [](TetMesh mesh, const std::string& part) {
        try {
            validate(mesh);
            FAIL() << part;
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
        }
    };
    TetMesh bad = good;
    bad.rest[5].y() = std::nan("");
    expectError(bad, "vertex 5");
    bad = good;
    std::swap(bad.tets[7][0], bad.tets[7][1]);
    expectError(bad, "tet 7");
    bad = good;
    bad.tets[3][2] = 1000;
    expectError(bad, "tet 3");
    bad = good;
    bad.tets[4][1] = bad.tets[4][0];
    expectError(bad, "twice");
}

TEST(TetMesh, GeometryThereAndBackKeepsAttributesAndDropsUnusedPoints) {
    TetMesh mesh = testing::makeBox(2, 1, 1, Vec3(2, 1, 1));
    MeshAttributes attributes;
    auto& paint = attributes.vertices.add<float>("paint", mesh.vertexCount());
    for (std::size_t i = 0; i < paint.size(); ++i) paint[i] = static_cast<float>(i) * 0.1f;
    attributes.tets.add<std::int32_t>("part", mesh.tetCount()).back() = 3;
    Geometry geometry = geometryFromTetMesh(mesh, attributes);
    geometry.validate();
    geometry.positions.emplace_back(9, 9, 9);
    geometry.points.find("paint")->as<float>()->push_back(7);
    MeshAttributes back;
    const TetMesh again = tetMeshFromGeometry(geometry, back);
    EXPECT_EQ(again.rest, mesh.rest);
    EXPECT_EQ(again.tets, mesh.tets);
    EXPECT_EQ(*back.vertices.find("paint")->as<float>(), paint);
    EXPECT_EQ(back.tets.find("part")->as<std::int32_t>()->back(), 3);
}

TEST(TriMesh, CutsPolygonsIntoTrianglesOfTheSameArea) {
    // an L: the fan from its first corner would leave it
    Geometry geometry;
    geometry.positions = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    const std::vector<std::int32_t> l = {3, 4, 5, 0, 1, 2};
    geometry.addPrimitive(PrimitiveKind::kPolygon, l);
    const TriMesh mesh = triMeshFromGeometry(geometry);
    ASSERT_EQ(mesh.triangleCount(), 4u);
    double area = 0;
    for (const Tri& t : mesh.triangles) {
        const Vec3 a = mesh.positions[static_cast<std::size_t>(t[0])], b = mesh.positions[static_cast<std::size_t>(t[1])],
                   c = mesh.positions[static_cast<std::size_t>(t[2])];
        const double signedArea = 0.5 * ((b - a).x() * (c - a).y() - (b - a).y() * (c - a).x());
        EXPECT_GT(signedArea, 0);
        area += signedArea;
    }
    EXPECT_NEAR(area, 3, 1e-15);
}

}  // namespace sunder
