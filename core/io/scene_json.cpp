#include "core/io/scene_json.h"

#include <filesystem>

#include "core/base/hash.h"
#include "core/io/file.h"
#include "core/io/scene_json_reader.h"
#include "core/io/scene_json_writer.h"

namespace sunder {

namespace {
constexpr std::uint64_t kMaxSceneBytes = std::uint64_t{64} << 20;

void nameBodies(Scene& scene) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        if (scene.bodies[b].name.empty()) scene.bodies[b].name = format("body%zu", b + 1);
}
}  // namespace

Scene parseScene(const std::string& text, const std::string& name, const std::string& folder) {
    const JsonNode root = parseJson(text, name);
    Scene scene;
    scene.folder = folder;
    ObjectReader(root, "", name).read(scene);
    nameBodies(scene);
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
    for (const SceneBody& body : scene.bodies)
        if (const auto* file = std::get_if<FileSource>(&body.source)) {
            const auto bytes = readFile((std::filesystem::path(scene.folder) / file->path).string());
            hash = hashVector(bytes, hash);
        }
    return hash;
}

}  // namespace sunder
