#include "core/io/scene_json.h"

#include <filesystem>

#include "core/base/hash.h"
#include "core/io/file.h"
#include "core/io/scene_json_reader.h"
#include "core/io/scene_json_writer.h"

namespace sunder {

namespace {
constexpr std::uint64_t kMaxSceneBytes = std::uint64_t{64} << 20;

void nameAll(Scene& scene) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        if (scene.bodies[b].name.empty()) scene.bodies[b].name = format("body%zu", b + 1);
    for (std::size_t c = 0; c < scene.colliders.size(); ++c)
        if (scene.colliders[c].name.empty()) scene.colliders[c].name = format("collider%zu", c + 1);
    for (SceneBody& body : scene.bodies)
        for (std::size_t g = 0; g < body.guides.size(); ++g)
            if (body.guides[g].name.empty()) body.guides[g].name = format("guide%zu", g + 1);
    for (std::size_t g = 0; g < scene.glue.size(); ++g)
        if (scene.glue[g].name.empty()) scene.glue[g].name = format("glue%zu", g + 1);
}

/// The files that a scene refers to, in its order.
std::vector<std::string> modelFiles(const Scene& scene) {
    std::vector<std::string> files;
    for (const SceneBody& body : scene.bodies) {
        if (const auto* file = std::get_if<FileSource>(&body.source)) files.push_back(file->path);
        for (const SceneGuide& guide : body.guides)
            if (const auto* file = std::get_if<FileSource>(&guide.shape)) files.push_back(file->path);
    }
    for (const SceneCollider& collider : scene.colliders) {
        if (const auto* file = std::get_if<FileSource>(&collider.source)) files.push_back(file->path);
        if (const auto* frames = std::get_if<FramesSource>(&collider.source))
            for (std::int64_t f = frames->first; f <= frames->last; ++f) files.push_back(frameFile(frames->path, f));
    }
    return files;
}
}  // namespace

Scene parseScene(const std::string& text, const std::string& name, const std::string& folder) {
    const JsonNode root = parseJson(text, name);
    Scene scene;
    scene.folder = folder;
    ObjectReader(root, "", name).read(scene);
    nameAll(scene);
    try {
        validate(scene);
    } catch (const Error& e) {
        throw Error(format("%s: %s", name.c_str(), e.what()), e.remedy());
    }
    return scene;
}

Scene readScene(const std::string& path) {
    const std::vector<std::uint8_t> bytes = readFile(path, kMaxSceneBytes);
    return parseScene(std::string(bytes.begin(), bytes.end()), path, folderOf(path));
}

std::string sceneToJson(const Scene& scene) {
    Scene copy = scene;
    return ObjectWriter::write(copy).dump(2);
}

std::uint64_t sceneIdentity(const Scene& scene) {
    Scene copy = scene;
    copy.endFrame = copy.startFrame;
    const std::string json = sceneToJson(copy);
    std::uint64_t hash = hashBytes(json.data(), json.size());
    for (const std::string& file : modelFiles(scene))
        hash = hashVector(readFile((std::filesystem::path(scene.folder) / file).string()), hash);
    return hash;
}

}  // namespace sunder
