#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "cli/render/renderer.h"
#include "cli/render/resolve.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "tests/cli/render/shapes.h"

namespace sunder::render {
namespace {

using sunder::testing::sphereGeometry;
using sunder::testing::squareGeometry;

Image render(const Geometry& g, const RenderOptions& o) { return renderPicture(buildScene(g, o), o); }

/// Colours as they are, white on black, seen along -z.
RenderOptions plain(double distance = 4) {
    RenderOptions o;
    o.width = 320;
    o.height = 240;
    o.lit = false;
    o.ground = false;
    o.clay = Color::Ones();
    o.backgroundTop = o.backgroundBottom = Color::Zero();
    o.camera = Camera{Vec3(0, 0, distance), Vec3::Zero(), 0.7};
    return o;
}

/// Side by side along x, one unit wide, values 0 to 1 on the primitives.
Geometry strip(int count) {
    Geometry g;
    for (int i = 0; i < count; ++i) {
        const double x = i - count / 2.0;
        const auto first = static_cast<std::int32_t>(g.pointCount());
        for (const Vec3& p : {Vec3(x, -0.5, 0), Vec3(x + 1, -0.5, 0), Vec3(x + 1, 0.5, 0), Vec3(x, 0.5, 0)})
            g.positions.push_back(p);
        g.addPrimitive(PrimitiveKind::kPolygon,
                       std::vector<std::int32_t>{first, first + 1, first + 2, first + 3});
    }
    auto& v = g.primitives.add<float>("value", g.primitiveCount());
    for (int i = 0; i < count; ++i)
        v[static_cast<std::size_t>(i)] = static_cast<float>(i) / static_cast<float>(count - 1);
    return g;
}

Color colorAtPoint(const Image& image, const RenderOptions& o, const Vec3& p) {
    const Vec3 q = Projection(*o.camera, o.width, o.height).project(p);
    return image.color(static_cast<int>(q.x()), static_cast<int>(q.y()));
}

TEST(Picture, silhouetteOfASphereHasTheFormulasArea) {
    const RenderOptions o = plain();
    const Image image = render(sphereGeometry(6), o);
    double area = 0;
    for (int y = 0; y < o.height; ++y)
        for (int x = 0; x < o.width; ++x) area += linearFromSrgb(image.color(x, y))[0];
    const double radius = std::tan(std::asin(1 / 4.0)) * (o.height / 2.0) / std::tan(0.35);
    // the polyhedron lacks 1e-4 of the area, some 550 edge pixels of 16 rays add 2e-4
    EXPECT_NEAR(area / (M_PI * radius * radius), 1, 1e-3);
}

TEST(Picture, edgesAreSmooth) {
    const RenderOptions o = plain();
    const Image image = render(sphereGeometry(5), o);
    int between = 0;
    for (int x = 0; x < o.width; ++x)
        for (int y = 0; y < o.height; ++y) between += image.pixel(x, y)[0] > 20 && image.pixel(x, y)[0] < 235;
    EXPECT_GT(between, 250);  // the outline is 550 pixels long
}

TEST(Picture, plateFacesTheLightOrTurnsAway) {
    RenderOptions o = plain();
    o.lit = true;
    o.clay = Color::Constant(0.7);
    o.light.domeStrength = 0;
    o.light.keyElevation = 0;
    o.light.keyStrength = 0.9;
    const double base = linearFromSrgb(o.clay)[1];
    const auto brightness = [&](double azimuth) {
        o.light.keyAzimuth = azimuth;
        return linearFromSrgb(render(squareGeometry(1), o).color(o.width / 2, o.height / 2))[1];
    };
    // Lambert's cosine; at these angles the gloss adds less than 0.02, and 8 bits are 0.004 of this
    // brightness
    for (const double azimuth : {0.9, -1.2})
        EXPECT_NEAR(brightness(azimuth), 0.9 * base * std::cos(azimuth), 0.025) << azimuth;
    EXPECT_GT(brightness(0), 0.9 * base);
    EXPECT_EQ(brightness(M_PI), 0);
    EXPECT_EQ(brightness(2.0), 0);
}

TEST(Picture, attributeColoursAreTheMapsColours) {
    RenderOptions o = plain(7);
    o.attribute = "value";
    o.range = ValueRange{0, 1};
    o.legend = false;
    for (const ColorMap map : {ColorMap::kSequential, ColorMap::kHeat, ColorMap::kDiverging}) {
        o.colorMap = map;
        const Image image = render(strip(5), o);
        for (int i = 0; i < 5; ++i) {
            const Color seen = colorAtPoint(image, o, Vec3(i - 2, 0, 0));
            EXPECT_LT((seen - colorAt(map, i / 4.0)).cwiseAbs().maxCoeff(), 1.01 / 255)
                << i;  // one step of 8 bits
        }
    }
}

TEST(Picture, pointValuesAreInterpolatedBeforeTheMap) {
    RenderOptions o = plain();
    o.attribute = "height";
    o.range = ValueRange{-1, 1};
    o.legend = false;
    Geometry g = squareGeometry(1);
    auto& v = g.points.add<float>("height", 4);
    for (std::size_t i = 0; i < 4; ++i) v[i] = static_cast<float>(g.positions[i].y());
    const Image image = render(g, o);
    for (const double y : {-0.6, 0.0, 0.45}) {
        const Color seen = colorAtPoint(image, o, Vec3(0.1, y, 0));
        // the pixel's middle is up to half a pixel (0.006 of the range) from y
        EXPECT_LT((seen - colorAt(o.colorMap, (y + 1) / 2)).cwiseAbs().maxCoeff(), 0.02) << y;
    }
}

TEST(Picture, categoriesHaveOneColourEach) {
    RenderOptions o = plain(7);
    o.attribute = "piece";
    o.colorMap = ColorMap::kCategories;
    o.legend = false;
    Geometry g = strip(4);
    auto& piece = g.primitives.add<std::int32_t>("piece", 4);
    piece = {3, -1, 4094 + 12, 3};
    const Image image = render(g, o);
    for (int i = 0; i < 4; ++i)
        EXPECT_LT(
            (colorAtPoint(image, o, Vec3(i - 1.5, 0, 0)) - categoryColor(piece[static_cast<std::size_t>(i)]))
                .norm(),
            0.01);
}

TEST(Picture, wireRunsAlongPolygonEdgesOnly) {
    RenderOptions o = plain();
    o.wire = true;
    o.wireWidth = 3;
    const Image image = render(squareGeometry(1), o);
    const double pixel = 2 * std::tan(0.35) * 4 / o.height;
    EXPECT_LT(colorAtPoint(image, o, Vec3(-1 + 0.6 * pixel, 0.3, 0))[0], 0.5);
    EXPECT_LT(colorAtPoint(image, o, Vec3(0.2, 1 - 0.6 * pixel, 0))[0], 0.5);
    for (const double s : {-0.5, 0.0, 0.5}) {  // both diagonals and the middle stay clean
        EXPECT_EQ(colorAtPoint(image, o, Vec3(s, s, 0))[0], 1);
        EXPECT_EQ(colorAtPoint(image, o, Vec3(s, -s, 0))[0], 1);
    }
    EXPECT_EQ(colorAtPoint(image, o, Vec3(-1 + 4 * pixel, 0.3, 0))[0], 1);
}

TEST(Picture, valuesThatAreNoNumberGetTheWarningColour) {
    RenderOptions o = plain(7);
    o.attribute = "value";
    o.legend = true;
    Geometry g = strip(3);
    auto& v = *g.primitives.find("value")->as<float>();
    v[0] = std::nanf("");
    v[2] = std::numeric_limits<float>::infinity();
    const Image image = render(g, o);
    EXPECT_EQ(colorAtPoint(image, o, Vec3(-1, 0, 0)), Color(1, 0, 204 / 255.0));
    EXPECT_EQ(colorAtPoint(image, o, Vec3(1, 0, 0)), Color(1, 0, 204 / 255.0));
    EXPECT_NE(colorAtPoint(image, o, Vec3(0, 0, 0)), Color(1, 0, 204 / 255.0));
    v[1] = v[0];
    EXPECT_NO_THROW(render(g, o));
}

TEST(Picture, openFloorHasTheWallsColourAndTheContactIsDark) {
    RenderOptions o;
    o.width = 320;
    o.height = 180;
    o.camera = Camera{Vec3(0, 3, 9), Vec3(0, 0, 0), 0.5};
    const Image image = render(sphereGeometry(4), o);
    RenderOptions none = o;
    none.ground = false;
    const Image wall = render(sphereGeometry(4), none);
    const auto at = [&](const Image& i, const Vec3& p) { return linearFromSrgb(colorAtPoint(i, o, p))[1]; };
    const Vec3 open(-3.2, -1, 0.5), contact(0.15, -1, 0.5);
    EXPECT_NEAR(at(image, open), at(wall, open),
                0.06 * at(wall, open));  // the sphere hides a few hundredths of the dome
    EXPECT_LT(at(image, contact), 0.5 * at(image, open));
}

TEST(Picture, sheetOnTheFloorIsSeen) {
    Geometry g = squareGeometry(1);
    sunder::testing::transform(g, Eigen::AngleAxisd(-M_PI / 2, Vec3::UnitX()).toRotationMatrix(),
                               Vec3::Zero());
    RenderOptions o;
    o.width = 160;
    o.height = 90;
    o.clay = Color(0.8, 0.1, 0.1);
    o.groundHeight = 0;
    o.camera = Camera{Vec3(0, 2, 4), Vec3::Zero(), 0.5};
    const Image image = render(g, o);
    for (const double x : {-0.7, 0.0, 0.7})
        for (const double z : {-0.7, 0.0, 0.7}) {
            const Color c = colorAtPoint(image, o, Vec3(x, 0, z));
            EXPECT_GT(c[0], 2 * c[1]) << x << " " << z;
        }
}

TEST(Picture, smoothSphereHasNoFacetsAtItsShadowEdge) {
    RenderOptions o;
    o.width = 240;
    o.height = 240;
    o.ground = false;
    o.light.domeStrength = 0;
    o.light.keyAzimuth = 1.2;
    o.light.keyElevation = 0.2;
    o.camera = Camera{Vec3(0, 0, 4), Vec3::Zero(), 0.6};
    const Projection projection(*o.camera, o.width, o.height);
    const Vec3 key(std::sin(1.2) * std::cos(0.2), std::sin(0.2), std::cos(1.2) * std::cos(0.2));
    const double strength = o.light.keyStrength * linearFromSrgb(o.clay)[1];
    const Image image = render(sphereGeometry(2), o);
    for (int y = 60; y < 180; ++y)
        for (int x = 60; x < 180; ++x) {
            const Vec3 d = projection.direction(x + 0.5, y + 0.5).normalized();
            const double middle = -d.dot(projection.position), below = middle * middle - 15;
            const Vec3 n = projection.position + (middle - std::sqrt(below)) * d;
            const double cosine = n.dot(key);
            if (cosine < 0.02 || cosine > 0.4) continue;  // near the shadow's edge, before the gloss begins
            // interpolated normals are a degree or two off; a facet that shades itself would be at 0
            EXPECT_NEAR(linearFromSrgb(image.color(x, y))[1], strength * cosine, 0.03 * strength + 0.005)
                << x << " " << y;
        }
}

TEST(Picture, sameBytesForAnyThreadCount) {
    // two spheres in one place: every ray meets two equally near triangles of different colours
    Geometry g = sphereGeometry(5);
    const Geometry once = g;
    for (std::size_t t = 0; t < once.primitiveCount(); ++t)
        g.addPrimitive(PrimitiveKind::kPolygon, once.primitivePoints(t));
    auto& v = g.primitives.add<float>("value", g.primitiveCount());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 97);
    RenderOptions o;
    o.width = 203;
    o.height = 117;
    o.wire = true;
    o.attribute = "value";
    const int before = threadCount();
    setThreadCount(1);
    const Image one = render(g, o);
    for (const int threads : {2, 7}) {
        setThreadCount(threads);
        EXPECT_EQ(render(g, o).rgb, one.rgb) << threads;
    }
    setThreadCount(before);
}

TEST(Picture, scaleAndPlaceDoNotMatter) {
    RenderOptions o;
    o.width = 160;
    o.height = 90;
    const Image near = render(sphereGeometry(3), o);
    for (const double scale : {1e-3, 1e3}) {
        Geometry g = sphereGeometry(3, scale);
        sunder::testing::transform(g, Mat3::Identity(), scale * Vec3(50, -20, 30));
        const Image other = render(g, o);
        int differing = 0;
        for (std::size_t i = 0; i < near.rgb.size(); ++i)
            differing += std::abs(near.rgb[i] - other.rgb[i]) > 12;
        EXPECT_LT(differing, static_cast<int>(near.rgb.size() / 200))
            << scale;  // single rays at edges may fall otherwise
    }
}

TEST(Picture, emptyGeometryIsAnError) {
    try {
        buildScene(Geometry(), {});
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("nothing to draw"), std::string::npos);
        EXPECT_FALSE(e.remedy().empty());
    }
}

TEST(Picture, triangleWithoutAreaDoesNoHarm) {
    Geometry g = squareGeometry(1);
    g.positions.push_back(g.positions[0]);
    g.addPrimitive(PrimitiveKind::kPolygon, std::vector<std::int32_t>{0, 4, 1});
    RenderOptions o = plain();
    o.lit = true;
    EXPECT_NO_THROW(render(g, o));
}

TEST(Picture, toneCurveIsSmoothAndRollsOff) {
    EXPECT_EQ(toneCurve(0.5f), 0.5f);
    for (float x = 0; x < 4; x += 0.01f) {
        EXPECT_LT(toneCurve(x), toneCurve(x + 0.01f));
        EXPECT_LE(toneCurve(x + 0.01f) - toneCurve(x), 0.0101f);
    }
    EXPECT_LT(toneCurve(10), 1.0001f);
}

}  // namespace
}  // namespace sunder::render
