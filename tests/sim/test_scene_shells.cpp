#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mesh/adjacency.h"
#include "core/meshing/tet_improve.h"
#include "core/sim/scene_shapes.h"
#include "core/surface/boundary_surface.h"

namespace sunder {
namespace {

// What a shape promises: quality of the worst tet (1 for a regular one) and its smallest dihedral angle.
struct Promise {
    double quality, degrees;
};

/// Volumes are positive, faces have one or two tets, the surface is closed, no vertex is unused, and the quality is as promised.
void expectGoodSolid(const Solid& solid, const Promise& promise, const std::string& what) {
    SCOPED_TRACE(what);
    validate(solid.mesh);
    const MeshQuality quality = measureQuality(solid.mesh);
    EXPECT_GT(quality.smallestQuality, promise.quality);
    EXPECT_GT(quality.smallestDihedral * 180 / M_PI, promise.degrees);
    const Adjacency adjacency = buildAdjacency(solid.mesh);  // throws where a face has three tets
    std::map<std::pair<int, int>, int> edges;
    for (const BoundaryFace& face : adjacency.boundary)
        for (std::size_t c = 0; c < 3; ++c) ++edges[{face.vertices[c], face.vertices[(c + 1) % 3]}];
    for (const auto& [edge, count] : edges) {
        ASSERT_EQ(count, 1);
        ASSERT_EQ(edges.count({edge.second, edge.first}), 1u);
    }
    for (std::size_t v = 0; v < solid.mesh.vertexCount(); ++v) ASSERT_GT(adjacency.vertexTets[v].size(), 0u) << v;
    solid.attributes.vertices.validate(solid.mesh.vertexCount(), "vertices");
    for (const Group& group : solid.attributes.vertices.groups) EXPECT_GT(group.count(), 4u) << group.name;
}

double filledVolume(const TetMesh& mesh) { return measureQuality(mesh).volume; }
std::size_t pieces(const TetMesh& mesh) {
    const std::vector<std::int32_t> label = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
    return static_cast<std::size_t>(1 + *std::max_element(label.begin(), label.end()));
}
template <class Check>
void forEachMember(const Solid& solid, const char* name, Check check) {
    const Group* group = solid.attributes.vertices.findGroup(name);
    ASSERT_NE(group, nullptr) << name;
    for (std::size_t v = 0; v < solid.mesh.vertexCount(); ++v)
        if (group->members[v]) check(solid.mesh.rest[v]);
}
/// Share of a disc that a polygon of n corners covers.
double polygonShare(double n) { return std::sin(2 * M_PI / n) / (2 * M_PI / n); }

// Flat triangles on a sphere lack a share of its volume that falls with the square of the edge; the shell between two such spheres likewise.
TEST(SceneShells, BowlApproachesAShellInSecondOrder) {
    BowlShape shape;
    const double inner = shape.radius - shape.thickness;
    const double whole = 2 * M_PI / 3 * (std::pow(shape.radius, 3) - std::pow(inner, 3)) * shape.depth / shape.radius;
    double before = 0;
    for (const int cells : {12, 24, 48}) {
        shape.cells = cells;
        const Solid bowl = makeShape(shape);
        expectGoodSolid(bowl, {0.07, 5}, format("%d cells", cells));
        EXPECT_EQ(pieces(bowl.mesh), 1u);
        const double missing = 1 - filledVolume(bowl.mesh) / whole;
        EXPECT_GT(missing, 0);
        EXPECT_LT(missing, 2.5 * std::pow(2.0 / cells, 2)) << cells;
        if (before > 0) {
            EXPECT_NEAR(before / missing, 4, 0.8) << cells;
        }
        before = missing;
        forEachMember(bowl, "outer", [&](const Vec3& p) { EXPECT_NEAR((p - Vec3(0, shape.radius, 0)).norm(), shape.radius, 1e-14); });
        forEachMember(bowl, "inner", [&](const Vec3& p) { EXPECT_NEAR((p - Vec3(0, shape.radius, 0)).norm(), inner, 1e-14); });
        forEachMember(bowl, "rim", [&](const Vec3& p) {
            const Vec3 d = p - Vec3(0, shape.radius, 0);
            EXPECT_NEAR(d.y() / d.norm(), shape.depth / shape.radius - 1, 1e-12);
        });
    }
}

// Its circles are polygons and nothing else is rounded off, so the volume is that of the dish over the polygon.
TEST(SceneShells, TrayIsADishOverAPolygon) {
    for (const int layers : {1, 2}) {
        TrayShape shape;
        shape.layers = layers;
        shape.cells = 20 * layers;
        const Solid tray = makeShape(shape);
        expectGoodSolid(tray, {0.07, 5}, format("%d layers", layers));
        EXPECT_EQ(pieces(tray.mesh), 1u);
        const double r = shape.radius, t = shape.thickness;
        const double whole = M_PI * (r * r * t + (r * r - (r - t) * (r - t)) * (shape.height - t));
        const double around = std::lround(2 * M_PI * (r - t / 2) / (2 * r / shape.cells));
        // triangles across the wall cut off chords between corners of different height: at most as much again as the polygon does
        const double lost = 1 - polygonShare(around);
        EXPECT_NEAR(filledVolume(tray.mesh) / whole, 1 - lost, lost) << layers;
        forEachMember(tray, "bottom", [&](const Vec3& p) { EXPECT_EQ(p.y(), 0); });
        forEachMember(tray, "rim", [&](const Vec3& p) { EXPECT_NEAR(p.y(), shape.height, 1e-15); });
        forEachMember(tray, "outer", [&](const Vec3& p) { EXPECT_TRUE(p.y() == 0 || std::abs(std::hypot(p.x(), p.z()) - r) < 1e-14); });
    }
}

TEST(SceneShells, HollowSphereApproachesAShellInSecondOrder) {
    HollowSphereShape shape;
    const double whole = 4 * M_PI / 3 * (std::pow(shape.radius, 3) - std::pow(shape.radius - shape.thickness, 3));
    double before = 0;
    for (const int cells : {10, 20, 40}) {
        shape.cells = cells;
        const Solid ball = makeShape(shape);
        expectGoodSolid(ball, {0.07, 5}, format("%d cells", cells));
        const double missing = 1 - filledVolume(ball.mesh) / whole;
        EXPECT_LT(missing, 2.5 * std::pow(2.0 / cells, 2)) << cells;
        if (before > 0) {
            EXPECT_NEAR(before / missing, 4, 0.8) << cells;
        }
        before = missing;
        // two closed spheres: Euler's number of the boundary is 4
        const BoundarySurface skin = extractBoundary(ball.mesh);
        EXPECT_EQ(2 * skin.vertices.size(), skin.triangles.size() + 8);
    }
}

TEST(SceneShells, CylinderIsAPrismOverAPolygon) {
    CylinderShape shape;
    for (const double jitter : {0.0, 0.15}) {
        shape.jitter = jitter;
        const Solid cylinder = makeShape(shape);
        expectGoodSolid(cylinder, {jitter > 0 ? 0.09 : 0.2, jitter > 0 ? 4.0 : 15.0}, format("jitter %g", jitter));
        const double share = filledVolume(cylinder.mesh) / (M_PI * shape.radius * shape.radius * shape.height), lost = 1 - polygonShare(25);
        if (jitter == 0) {
            EXPECT_NEAR(share, 1 - lost, 1e-12);
        }
        EXPECT_NEAR(share, 1 - lost, 0.3 * lost);
        forEachMember(cylinder, "top", [&](const Vec3& p) { EXPECT_NEAR(p.y(), shape.height / 2, 1e-15); });
        forEachMember(cylinder, "bottom", [&](const Vec3& p) { EXPECT_NEAR(p.y(), -shape.height / 2, 1e-15); });
        forEachMember(cylinder, "side", [&](const Vec3& p) { EXPECT_NEAR(std::hypot(p.x(), p.z()), shape.radius, 1e-15); });
    }
}

TEST(SceneShells, TubeIsOpenAtBothEnds) {
    TubeShape shape;
    shape.cells = 20;
    const Solid tube = makeShape(shape);
    expectGoodSolid(tube, {0.07, 5}, "tube");
    EXPECT_EQ(pieces(tube.mesh), 1u);
    const double r = shape.radius, whole = M_PI * (r * r - std::pow(r - shape.thickness, 2)) * shape.height;
    const double lost = 1 - polygonShare(std::lround(2 * M_PI * (r - shape.thickness / 2) / (2 * r / shape.cells)));
    EXPECT_NEAR(filledVolume(tube.mesh) / whole, 1 - lost, lost);
    const BoundarySurface skin = extractBoundary(tube.mesh);
    EXPECT_EQ(2 * skin.vertices.size(), skin.triangles.size());  // a torus
    forEachMember(tube, "top", [&](const Vec3& p) { EXPECT_NEAR(p.y(), shape.height / 2, 1e-15); });
    forEachMember(tube, "inner", [&](const Vec3& p) { EXPECT_NEAR(std::hypot(p.x(), p.z()), r - shape.thickness, 1e-15); });
}

TEST(SceneShells, NotchedBlockHasATrueCutAndAHole) {
    for (const int cells : {12, 20, 33}) {
        NotchedBlockShape shape;
        shape.cells = cells;
        shape.layers = cells / 10;
        const Solid block = makeShape(shape);
        expectGoodSolid(block, {0.1, 8}, format("%d cells", cells));
        EXPECT_EQ(pieces(block.mesh), 1u) << "joined to the right of the cut";
        const double n = std::max(8.0, std::round(2 * M_PI * shape.holeRadius / (shape.size.x() / cells)));
        EXPECT_NEAR(filledVolume(block.mesh), shape.size.z() * (1 - polygonShare(n) * M_PI * std::pow(shape.holeRadius, 2)), 1e-12);
        // on the cut every place but its end has two vertices
        std::map<std::pair<double, double>, int> places;
        forEachMember(block, "cut", [&](const Vec3& p) {
            EXPECT_EQ(p.y(), 0);
            ++places[{p.x(), p.z()}];
        });
        for (const auto& [place, count] : places)
            EXPECT_EQ(count, std::abs(place.first - (shape.cut - shape.size.x() / 2)) < 1e-12 ? 1 : 2) << place.first;
        // no tet joins both sides of the cut
        const Group& cut = *block.attributes.vertices.findGroup("cut");
        for (const Tet& t : block.mesh.tets) {
            bool above = false, below = false, left = false;
            for (const std::int32_t v : t) {
                const Vec3& p = block.mesh.rest[static_cast<std::size_t>(v)];
                above |= p.y() > 0;
                below |= p.y() < 0;
                left |= cut.members[static_cast<std::size_t>(v)] && p.x() < shape.cut - shape.size.x() / 2 - 1e-12;
            }
            EXPECT_FALSE(left && above && below);
        }
        const Vec3 hole(0, shape.holeHeight - shape.size.y() / 2, 0);
        forEachMember(block, "hole", [&](const Vec3& p) { EXPECT_NEAR((p - hole).head<2>().norm(), shape.holeRadius, 1e-14); });
        forEachMember(block, "top", [&](const Vec3& p) { EXPECT_EQ(p.y(), shape.size.y() / 2); });
    }
}

TEST(SceneShells, CentredBoxFillsItsVolume) {
    BoxShape shape;
    shape.size = Vec3(2, 3, 0.5);
    shape.cells = {4, 6, 1};
    shape.pattern = CellPattern::kCentred;
    const Solid box{makeShape(shape), {}};
    expectGoodSolid(box, {0.6, 44}, "centred");
    EXPECT_NEAR(filledVolume(box.mesh), 3, 1e-13);
    EXPECT_EQ(box.mesh.vertexCount(), 5u * 7 * 2 + 4 * 6);
}

// Vertices of faces, edges and corners stay in them, so that the volume stays to the last digit, and others move.
TEST(SceneShells, JitterKeepsTheFacesOfABox) {
    for (const CellPattern pattern : {CellPattern::kSix, CellPattern::kCentred}) {
        BoxShape shape;
        shape.cells = {6, 5, 4};
        shape.pattern = pattern;
        const TetMesh even = makeShape(shape);
        shape.jitter = 0.25;
        const Solid moved{makeShape(shape), {}};
        expectGoodSolid(moved, {0.5 * measureQuality(even).smallestQuality, 3}, "jitter");
        EXPECT_NEAR(filledVolume(moved.mesh), 1, 1e-13);
        std::size_t stayed = 0;
        for (std::size_t v = 0; v < even.vertexCount(); ++v) {
            stayed += even.rest[v] == moved.mesh.rest[v];
            for (int c = 0; c < 3; ++c)
                if (std::abs(even.rest[v][c]) == 0.5) {
                    EXPECT_EQ(moved.mesh.rest[v][c], even.rest[v][c]);
                }
        }
        EXPECT_EQ(stayed, 8u) << "the corners";
        EXPECT_EQ(makeShape(shape).rest, moved.mesh.rest) << "the same seed, the same mesh";
        shape.seed = 1;
        EXPECT_NE(makeShape(shape).rest, moved.mesh.rest);
    }
}

TEST(SceneShells, JitterKeepsASphereRound) {
    SphereShape shape;
    const TetMesh even = makeShape(shape);
    shape.jitter = 0.2;
    const Solid moved{makeShape(shape), {}};
    expectGoodSolid(moved, {0.5 * measureQuality(even).smallestQuality, 3}, "jitter");
    for (std::size_t v = 0; v < even.vertexCount(); ++v)
        if (even.rest[v].norm() > 0.5 - 1e-12) {
            EXPECT_NEAR(moved.mesh.rest[v].norm(), 0.5, 1e-15);
        }
}

// All sizes of mesh that scenes might ask for, with walls about as thick as edges are long; thinner walls make flatter tets.
TEST(SceneShells, ManySizesAndSeeds) {
    std::map<std::string, Promise> worst;
    const auto check = [&](const std::string& kind, const Solid& solid, const Promise& promise, const std::string& what) {
        expectGoodSolid(solid, promise, kind + ", " + what);
        const MeshQuality quality = measureQuality(solid.mesh);
        Promise& w = worst.try_emplace(kind, Promise{1, 90}).first->second;
        w = {std::min(w.quality, quality.smallestQuality), std::min(w.degrees, quality.smallestDihedral * 180 / M_PI)};
    };
    for (std::uint64_t seed = 0; seed < 6; ++seed)
        for (const int cells : {4, 7, 13, 30}) {
            const std::string what = format("seed %d, %d cells", static_cast<int>(seed), cells);
            const double thickness = 0.12 / cells;
            check("bowl", makeShape(BowlShape{0.15, 0.2, thickness, cells, 1, seed}), {0.25, 13}, what);
            check("tray", makeShape(TrayShape{0.15, 0.06, thickness, cells, 1, seed}), {0.2, 10}, what);
            check("hollowSphere", makeShape(HollowSphereShape{0.15, thickness, cells, 1, seed}), {0.3, 15}, what);
            check("tube", makeShape(TubeShape{0.15, 0.5, thickness, cells, 1, seed}), {0.18, 12}, what);
            check("cylinder", makeShape(CylinderShape{0.15, 0.3, cells, 0.15, seed}), {0.2, 10}, what);
            if (cells >= 12) check("notchedBlock", makeShape(NotchedBlockShape{Vec3(1, 1, 0.6 / cells), 0.5, 0.1, 0.25, cells, 1, seed}), {0.3, 15}, what);
        }
    for (const auto& [kind, w] : worst) {
        std::printf("    %s: smallest quality %.3f, smallest dihedral angle %.1f degrees\n", kind.c_str(), w.quality, w.degrees);
        RecordProperty(kind, format("%.3f %.1f", w.quality, w.degrees));
    }
}

// A hollow ball: the volume of the wall, to the chords of both surfaces.
TEST(SceneShells, HollowSurfaceKeepsAWall) {
    const auto ball = [](const Vec3& p) { return p.norm() - 0.5; };
    Geometry surface = geometryFromTriMesh(surfaceOf(ball, Vec3::Constant(-0.7), Vec3::Constant(0.7), 0.05));
    std::vector<float>& painted = surface.points.add<float>("side", surface.pointCount());
    for (std::size_t i = 0; i < painted.size(); ++i) painted[i] = surface.positions[i].x() > 0 ? 1.f : 2.f;
    const Geometry hollow = hollowSurface(surface, 0.1);
    hollow.validate();
    ASSERT_GT(hollow.pointCount(), surface.pointCount());
    double volume = 0;
    const TriMesh mesh = triMeshFromGeometry(hollow);
    for (const Tri& t : mesh.triangles) {
        const auto p = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
        volume += signedVolume(Vec3::Zero(), p(0), p(1), p(2));
    }
    const double wall = 4 * M_PI / 3 * (std::pow(0.5, 3) - std::pow(0.4, 3));
    EXPECT_NEAR(volume / wall, 1, 0.03);
    for (std::size_t i = surface.pointCount(); i < hollow.pointCount(); ++i) {
        EXPECT_NEAR(hollow.positions[i].norm(), 0.4, 0.003) << "chords of the outer surface cut in by that much";
        if (std::abs(hollow.positions[i].x()) > 0.06) {
            EXPECT_EQ(hollow.points.find("side")->number(i), hollow.positions[i].x() > 0 ? 1 : 2);
        }
    }
    EXPECT_THROW(hollowSurface(surface, 0.6), Error);
}

void expectRefused(const BodySource& source, const std::string& message, const std::string& remedy) {
    try {
        validateShape(source, "thing");
        ADD_FAILURE() << "accepted: " << message;
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.remedy()).find(remedy), std::string::npos) << e.remedy();
    }
}

TEST(SceneShells, RefusesMeasuresThatContradict) {
    expectRefused(BowlShape{0.1, 0.21, 0.01, 20, 1, 0}, "a depth of 0.21 m", "smaller than twice the radius");
    expectRefused(BowlShape{0.1, 0.1, 0.1, 20, 1, 0}, "a wall of 0.1 m", "smaller than radius");
    expectRefused(TrayShape{0.1, 0.01, 0.01, 20, 1, 0}, "a rim of 0.01 m", "larger than thickness");
    expectRefused(HollowSphereShape{0.1, 0.2, 16, 1, 0}, "a wall of 0.2 m", "smaller than radius");
    expectRefused(TubeShape{0.1, 20, 0.01, 12, 1, 0}, "a height of 20 m", "100 radii");
    expectRefused(TubeShape{0.1, 1, 0.01, 2, 1, 0}, "cells = 2", "at least 3");
    expectRefused(CylinderShape{0.1, 0, 8, 0, 0}, "height = 0", "larger than 0");
    expectRefused(CylinderShape{0.1, 1, 8, 0.7, 0}, "jitter = 0.7", "from 0 to 0.5");
    expectRefused(NotchedBlockShape{Vec3(1, 1, 0.1), 0.99, 0.1, 0.25, 20, 1, 0}, "a cut of 0.99 m", "leave one");
    expectRefused(NotchedBlockShape{Vec3(1, 1, 0.1), 0.5, 0.1, 0.4, 20, 1, 0}, "a hole of radius 0.1 m", "middle of the lower half");
}

}  // namespace
}  // namespace sunder
