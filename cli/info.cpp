#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/io/checkpoint.h"
#include "core/io/describe.h"
#include "core/io/geometry_io.h"
#include "core/io/manifest.h"
#include "core/io/scene_json.h"

namespace sunder::cli {

namespace {
using Json = nlohmann::ordered_json;

const char* className(ElementClass c) {
    switch (c) {
        case ElementClass::kPoint:
            return "point";
        case ElementClass::kVertex:
            return "vertex";
        case ElementClass::kPrimitive:
            return "primitive";
        case ElementClass::kDetail:
            return "detail";
    }
    return "";
}

std::string attributeLine(const AttributeInfo& a) {
    std::string line =
        format("  %-9s %-20s %s", className(a.elementClass), a.name.c_str(), a.storage.c_str());
    if (a.tupleSize > 1) line += format("[%d]", a.tupleSize);
    line += a.storage == "string" ? format("  %zu distinct", a.distinctStrings)
                                  : format("  %g to %g", a.smallest, a.largest);
    if (a.notFiniteCount > 0) line += format("  %zu NOT FINITE", a.notFiniteCount);
    return line + "\n";
}

void printGeometry(const GeometryInfo& i) {
    std::cout << format(
        "points      %zu\nvertices    %zu\nprimitives  %zu (%zu polygons, %zu curves, %zu tets)\n",
        i.pointCount, i.vertexCount, i.primitiveCount, i.polygonCount, i.curveCount, i.tetCount);
    const Vec3 size = i.largest - i.smallest;
    std::cout << format(
        "bounds      (%g, %g, %g) to (%g, %g, %g) m\nsize        %g x %g x %g m\nvolume      %g m3\n",
        i.smallest.x(), i.smallest.y(), i.smallest.z(), i.largest.x(), i.largest.y(), i.largest.z(), size.x(),
        size.y(), size.z(), i.volume);
    if (i.notFinitePointCount > 0) std::cout << format("NOT FINITE  %zu points\n", i.notFinitePointCount);
    if (i.tetCount > 0)
        std::cout << format("dihedral    %.1f to %.1f degrees\ninverted    %zu tets\n",
                            i.smallestDihedral * 180 / M_PI, i.largestDihedral * 180 / M_PI,
                            i.invertedTetCount);
    if (!i.attributes.empty()) std::cout << "attributes\n";
    for (const AttributeInfo& a : i.attributes) std::cout << attributeLine(a);
    if (!i.groups.empty()) std::cout << "groups\n";
    for (const GroupInfo& g : i.groups)
        std::cout << format("  %-9s %-20s %zu of %zu\n", className(g.elementClass), g.name.c_str(), g.count,
                            g.elementCount);
}

Json describeCheckpoint(const Checkpoint& c) {
    Json bodies = Json::array();
    for (const WorldBody& b : c.world.bodies)
        bodies.push_back({{"name", b.body->name},
                          {"vertices", b.body->mesh.vertexCount()},
                          {"tets", b.body->mesh.tetCount()}});
    return {
        {"kind", "checkpoint"}, {"version", kCheckpointVersion}, {"frame", c.frame},
        {"time", c.world.time}, {"steps", c.world.stepCount},    {"sceneIdentity", hashText(c.sceneIdentity)},
        {"bodies", bodies}};
}

Json describeManifest(const Manifest& m) {
    double smallest = 1;
    for (const FrameRecord& r : m.frames) smallest = std::min(smallest, r.smallestDetF);
    return {{"kind", "manifest"},
            {"status", m.status},
            {"message", m.message},
            {"version", m.build.version},
            {"commit", m.build.commit},
            {"seed", m.seed},
            {"frames", m.frames.size()},
            {"firstFrame", m.frames.empty() ? 0 : m.frames.front().frame},
            {"lastFrame", m.frames.empty() ? 0 : m.frames.back().frame},
            {"smallestDetF", smallest}};
}

Json describeScene(const Scene& s) {
    Json bodies = Json::array();
    for (const SceneBody& b : s.bodies) bodies.push_back(b.name);
    Json colliders = Json::array();
    for (const SceneCollider& c : s.colliders) colliders.push_back(c.name);
    return {{"kind", "scene"},        {"name", s.name}, {"fps", s.fps},     {"startFrame", s.startFrame},
            {"endFrame", s.endFrame}, {"seed", s.seed}, {"bodies", bodies}, {"colliders", colliders}};
}

void printPairs(const Json& json) {
    for (const auto& [key, value] : json.items())
        std::cout << format("%-14s", key.c_str())
                  << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
}

bool endsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Scenes and manifests share the ending .json; a manifest has a known name.
Json describeOther(const std::string& path) {
    if (endsWith(path, ".sunder")) return describeCheckpoint(readCheckpoint(path));
    if (endsWith(path, "manifest.json")) return describeManifest(readManifest(path));
    return describeScene(readScene(path));
}

void printInfo(const std::string& given, bool json) {
    const std::string path = std::filesystem::is_directory(given) ? given + "/manifest.json" : given;
    if (endsWith(path, ".sunder") || endsWith(path, ".json")) {
        const Json info = describeOther(path);
        if (json)
            std::cout << info.dump(2) << '\n';
        else
            printPairs(info);
        return;
    }
    const GeometryInfo info = describeGeometry(readGeometry(path));
    if (json)
        std::cout << toJson(info) << '\n';
    else
        printGeometry(info);
}
}  // namespace

void addInfo(CLI::App& app, Invocation& invocation) {
    struct Options {
        std::string file;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "info", "Tell what a file holds: geometry, scene, manifest, checkpoint or output folder");
    command
        ->add_option("FILE", options->file,
                     "geometry (.bgeo.sc .bgeo .geo .obj .ply .stl), .json, .sunder or a folder")
        ->required();
    command->add_flag("--json", options->json, "as JSON");
    command->footer(
        "examples:\n  sunder info bunny.obj\n  sunder info out/demo/frame.0010.bgeo.sc --json\n  sunder info "
        "out/demo");
    command->callback([options, &invocation] {
        invocation.json = options->json;
        invocation.run = [options] { printInfo(options->file, options->json); };
    });
}

}  // namespace sunder::cli
