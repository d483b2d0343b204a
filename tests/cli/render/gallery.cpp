// Pictures to be looked at by a person: render_gallery FOLDER [NAME] writes one PNG for each look.
#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>

#include "cli/render/renderer.h"
#include "core/base/timer.h"
#include "tests/cli/render/shapes.h"

namespace {
using namespace sunder;
using namespace sunder::render;

struct Picture {
    Geometry geometry;
    RenderOptions options;
};

Geometry model(const std::string& name) {
    const std::string path = testing::modelPath(name);
    return path.empty() ? testing::sphereGeometry(5) : testing::readPlainObj(path);
}

Geometry standingTorus(int around, int across) {
    Geometry g = testing::tetGeometry(testing::makeTorus(around, across, 0.7, 0.28));
    testing::transform(g, Eigen::AngleAxisd(-0.35 * M_PI, Vec3::UnitX()).toRotationMatrix(), Vec3(0, 0.9, 0));
    return g;
}

void addHeight(Geometry& g, const std::string& name, double scale) {
    auto& v = g.points.add<float>(name, g.pointCount());
    for (std::size_t i = 0; i < v.size(); ++i)
        v[i] = static_cast<float>(scale * (std::sin(3 * g.positions[i].x()) + g.positions[i].y()));
}

Picture coloured(Geometry g, const std::string& name, double scale, const std::string& unit, ColorMap map) {
    Picture p{std::move(g), {}};
    addHeight(p.geometry, name, scale);
    p.options.attribute = name;
    p.options.unit = unit;
    p.options.colorMap = map;
    return p;
}

Picture pieces() {
    Picture p{testing::tetGeometry(testing::makeBox(6, 6, 6, Vec3(1, 1, 1))), {}};
    auto& v = p.geometry.primitives.add<std::int32_t>("piece", p.geometry.primitiveCount());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<std::int32_t>(i / 130);
    p.options.attribute = "piece";
    p.options.colorMap = ColorMap::kCategories;
    return p;
}

Picture withNan() {
    Picture p = coloured(testing::sphereGeometry(4), "strain", 0.02, "", ColorMap::kSequential);
    auto& v = *p.geometry.points.find("strain")->as<float>();
    for (std::size_t i = 0; i < v.size(); ++i)
        if (p.geometry.positions[i].z() > 0.7) v[i] = std::nanf("");
    return p;
}

Picture wired(Geometry g, Shading shading) {
    Picture p{std::move(g), {}};
    p.options.wire = true;
    p.options.shading = shading;
    return p;
}

/// A row of boxes: hard edges, contact shadows, a deep scene.
Picture boxes() {
    Picture p;
    for (int k = 0; k < 5; ++k) {
        Geometry box = testing::tetGeometry(testing::makeBox(2, 2, 2, Vec3(1, 0.5 + 0.3 * k, 1)));
        const auto first = static_cast<std::int32_t>(p.geometry.pointCount());
        for (const Vec3& q : box.positions) p.geometry.positions.push_back(q + Vec3(1.4 * k, 0, -0.6 * k));
        for (std::int32_t& v : box.vertexPoint) v += first;
        for (std::size_t t = 0; t < box.primitiveCount(); ++t)
            p.geometry.addPrimitive(PrimitiveKind::kTet, box.primitivePoints(t));
    }
    return p;
}

Picture darkStudio() {
    Picture p = coloured(model("stanford-bunny.obj"), "speed", 3, "m/s", ColorMap::kHeat);
    p.options.backgroundTop = {0.10, 0.11, 0.13};
    p.options.backgroundBottom = {0.24, 0.25, 0.27};
    return p;
}

const std::map<std::string, std::function<Picture()>>& gallery() {
    static const std::map<std::string, std::function<Picture()>> all = {
        {"spot",
         [] {
             return Picture{model("spot.obj"), {}};
         }},
        {"bunny",
         [] {
             return Picture{model("stanford-bunny.obj"), {}};
         }},
        {"suzanne",
         [] {
             return Picture{model("suzanne.obj"), {}};
         }},
        {"teapot",
         [] {
             return Picture{model("teapot.obj"), {}};
         }},
        {"rocker",
         [] {
             return Picture{model("rocker-arm.obj"), {}};
         }},
        {"torus",
         [] {
             return Picture{standingTorus(60, 8), {}};
         }},
        {"torus_tets",
         [] {
             return Picture{standingTorus(400, 32), {}};
         }},  // 2.5 million tets, 102,400 boundary faces
        {"torus_flat_wire", [] { return wired(standingTorus(36, 5), Shading::kFlat); }},
        {"spot_wire", [] { return wired(model("spot.obj"), Shading::kSmooth); }},
        {"spot_stress",
         [] { return coloured(model("spot.obj"), "stress", 2.7e6, "Pa", ColorMap::kSequential); }},
        {"rocker_diverging",
         [] { return coloured(model("rocker-arm.obj"), "pressure", 400, "Pa", ColorMap::kDiverging); }},
        {"bunny_dark", darkStudio},
        {"pieces", pieces},
        {"nan", withNan},
        {"boxes", boxes},
        {"coarse",
         [] {
             return Picture{testing::sphereGeometry(1), {}};
         }},
        {"dense",
         [] {
             return Picture{testing::sphereGeometry(6), {}};
         }},
    };
    return all;
}

void renderOne(const std::string& folder, const std::string& name, const Picture& picture) {
    const std::clock_t start = std::clock();
    const Timer timer;
    RenderScene scene = buildScene(picture.geometry, picture.options);
    scene.caption = name;
    const double built = timer.seconds();
    const Image image = renderPicture(scene, picture.options);
    const double rendered = timer.seconds();
    writePng(folder + "/" + name + ".png", image);
    std::printf("%-18s %7zu triangles  build %.2f s  render %.2f s  png %.2f s  cpu %.2f s\n", name.c_str(),
                scene.surface.triangleCount(), built, rendered - built, timer.seconds() - rendered,
                static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
}
}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: render_gallery FOLDER [NAME]\n");
        return 2;
    }
    std::filesystem::create_directories(argv[1]);
    for (const auto& [name, make] : gallery())
        if (argc < 3 || name == argv[2]) renderOne(argv[1], name, make());
    return 0;
}
