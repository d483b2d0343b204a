#pragma once

#include "core/io/geometry_io.h"
#include "core/sim/cache_frame.h"
#include "core/sim/scene_frame.h"
#include "tests/sim/contact_fixture.h"

namespace sunder::testing {

inline constexpr double kBarLength = 3.2;  // m

/// Frames of a world as it breaks.
struct BrokenFrames {
    std::vector<WorldState> worlds;
    std::vector<Geometry> frames;
};

/// A small box at rest, and beside it a bar along x whose ends are torn apart. All of it turned, so that no axis is special.
inline BrokenFrames makeBrokenFrames() {
    constexpr double kSpeed = 8;
    const Mat3 turn = Mat3(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
    Material material = elastic(1e6, 0.0, 1000);
    material.stiffnessDamping = 1e-3;
    Material brittle = material;
    brittle.fracture.enabled = true;
    brittle.fracture.stress = 5e4;
    TetMesh mesh = makeBox(8, 2, 2, Vec3(kBarLength, 0.8, 0.8));
    jitter(mesh, 0.1, 3);
    Body bar = makeBody(placed(mesh, Vec3::Zero(), turn), brittle);
    HardTarget left{"left", {}, {}, {}, 1e300}, right{"right", {}, {}, {}, 1e300};
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        HardTarget* target = mesh.rest[v].x() < 0.2 ? &left : mesh.rest[v].x() > 3 ? &right : nullptr;
        if (!target) continue;
        target->vertices.push_back(static_cast<std::int32_t>(v));
        target->anchor.push_back(bar.mesh.rest[v]);
    }
    right.motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, turn * Vec3(kSpeed, 0, 0), Vec3::Zero()}};
    bar.constraints.hard = {left, right};
    bar.attributes.vertices.add<float>("paint", bar.mesh.vertexCount());
    for (std::size_t v = 0; v < bar.mesh.vertexCount(); ++v) (*bar.attributes.vertices.find("paint")->as<float>())[v] = static_cast<float>(bar.mesh.rest[v].x());
    bar.attributes.vertices.add<float>("uv", bar.mesh.vertexCount(), 3, AttributeMeaning::kTextureCoord).assign(3 * bar.mesh.vertexCount(), 0.25f);
    WorldState world;
    addBody(world, makeBody(placed(makeBox(1, 1, 1, Vec3(0.2, 0.2, 0.2)), Vec3(0, 9, 0)), material));
    addBody(world, std::move(bar));
    BrokenFrames broken;
    StepSettings settings = spaceSettings(Integrator::kExplicit);
    settings.contact = false;  // every test is a process of its own, and contact would take most of its time
    Workspace workspace;
    for (int frame = 1; frame <= 14; ++frame) {
        broken.worlds.push_back(world);
        broken.frames.push_back(frameGeometry(world, frame));
        const StepReport report = step(world, 1.0 / 96, settings, workspace);
        EXPECT_FALSE(report.failed) << report.message;
    }
    return broken;
}

inline const BrokenFrames& brokenFrames() {
    static const BrokenFrames broken = makeBrokenFrames();
    return broken;
}

/// As a command has them: by way of a file's bytes.
inline const std::vector<CacheFrame>& cachedFrames() {
    static const std::vector<CacheFrame> cached = [] {
        std::vector<CacheFrame> frames;
        for (const Geometry& g : brokenFrames().frames)
            frames.push_back(makeCacheFrame(decodeGeometry(encodeGeometry(g, GeometryFormat::kBgeoSc), GeometryFormat::kBgeoSc, "frame")));
        return frames;
    }();
    return cached;
}

inline Vec3 vectorOf(const Attribute& attribute, std::size_t i) { return {attribute.number(i, 0), attribute.number(i, 1), attribute.number(i, 2)}; }

}  // namespace sunder::testing
