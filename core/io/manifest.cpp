#include "core/io/manifest.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/io/file.h"

namespace sunder {

namespace {
using Json = nlohmann::ordered_json;

const std::pair<const char*, double EnergyBooks::*> kEnergyKinds[] = {
    {"kinetic", &EnergyBooks::kinetic},   {"elastic", &EnergyBooks::elastic},
    {"gravity", &EnergyBooks::gravity},   {"contact", &EnergyBooks::contact},
    {"target", &EnergyBooks::target},     {"damped", &EnergyBooks::damped},
    {"friction", &EnergyBooks::friction}, {"targetDamped", &EnergyBooks::targetDamped},
    {"plastic", &EnergyBooks::plastic},   {"work", &EnergyBooks::work},
    {"glue", &EnergyBooks::glue},         {"glueBroken", &EnergyBooks::glueBroken}, {"departed", &EnergyBooks::departed},
    {"edits", &EnergyBooks::edits},       {"fracture", &EnergyBooks::fracture},
    {"numerical", &EnergyBooks::numerical},
};

Json toJson(const FrameRecord& r) {
    Json energy = Json::object(), seconds = Json::object(), broken = Json::object();
    for (const auto& [name, member] : kEnergyKinds) energy[name] = r.energy.*member;
    for (const auto& [stage, time] : r.seconds) seconds[stage] = time;
    for (const auto& [name, value] : r.broken) broken[name] = value;
    return {{"frame", r.frame},
            {"file", r.file},
            {"tets", r.tets},
            {"pieces", r.pieces},
            {"energy", std::move(energy)},
            {"smallestDetF", r.smallestDetF},
            {"steps", r.steps},
            {"rejected", r.rejected},
            {"newtonIterations", r.newtonIterations},
            {"linearIterations", r.linearIterations},
            {"held", r.held},
            {"broken", std::move(broken)},
            {"seconds", std::move(seconds)},
            {"hash", hashText(r.hash)}};
}

std::uint64_t hashFromText(const std::string& text) { return std::stoull(text, nullptr, 16); }

FrameRecord recordFromJson(const Json& j) {
    FrameRecord r;
    r.frame = j.at("frame").get<std::int64_t>();
    r.file = j.at("file").get<std::string>();
    r.tets = j.at("tets").get<std::uint64_t>();
    r.pieces = j.at("pieces").get<std::uint64_t>();
    for (const auto& [name, member] : kEnergyKinds) r.energy.*member = j.at("energy").value(name, 0.0);  // older ones have no `plastic`
    r.smallestDetF = j.at("smallestDetF").get<double>();
    r.steps = j.at("steps").get<std::int64_t>();
    r.rejected = j.at("rejected").get<std::int64_t>();
    r.newtonIterations = j.at("newtonIterations").get<std::int64_t>();
    r.linearIterations = j.at("linearIterations").get<std::int64_t>();
    r.held = j.value("held", std::int64_t{0});  // older ones have none
    for (const auto& [stage, time] : j.at("seconds").items())
        r.seconds.emplace_back(stage, time.get<double>());
    const Json broken = j.value("broken", Json::object());  // older ones have none
    for (const auto& [name, value] : broken.items()) r.broken.emplace_back(name, value.get<double>());
    r.hash = hashFromText(j.at("hash").get<std::string>());
    return r;
}

Manifest manifestFromJson(const Json& j) {
    Manifest m;
    m.status = j.at("status").get<std::string>();
    m.message = j.at("message").get<std::string>();
    m.parameters = j.at("parameters").dump(2);
    m.sceneIdentity = hashFromText(j.at("sceneIdentity").get<std::string>());
    m.seed = j.at("seed").get<std::uint64_t>();
    m.fps = j.at("fps").get<double>();
    m.startFrame = j.at("startFrame").get<std::int64_t>();
    const Json& build = j.at("build");
    m.build = {build.at("version"), build.at("commit"), build.at("compiler"), build.at("flags")};
    m.warnings = j.at("warnings").get<std::vector<std::string>>();
    for (const Json& record : j.at("frames")) m.frames.push_back(recordFromJson(record));
    return m;
}
}  // namespace

std::string frameRecordToJson(const FrameRecord& record) { return toJson(record).dump(); }

std::string manifestToJson(const Manifest& m) {
    Json frames = Json::array();
    for (const FrameRecord& record : m.frames) frames.push_back(toJson(record));
    const Json build = {{"version", m.build.version},
                        {"commit", m.build.commit},
                        {"compiler", m.build.compiler},
                        {"flags", m.build.flags}};
    const Json json = {{"status", m.status},
                       {"message", m.message},
                       {"seed", m.seed},
                       {"fps", m.fps},
                       {"startFrame", m.startFrame},
                       {"build", build},
                       {"sceneIdentity", hashText(m.sceneIdentity)},
                       {"parameters", Json::parse(m.parameters)},
                       {"warnings", m.warnings},
                       {"frames", std::move(frames)}};
    // text from files may hold bytes that are not UTF-8
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void writeManifest(const std::string& path, const Manifest& manifest) {
    writeFileAtomic(path, manifestToJson(manifest));
}

Manifest readManifest(const std::string& path) {
    constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
    const std::vector<std::uint8_t> bytes = readFile(path, kMaxBytes);
    try {
        return manifestFromJson(Json::parse(bytes));
    } catch (const std::exception& e) {
        throw Error(format("'%s' is not a manifest of sunder, or it is damaged: %s", path.c_str(), e.what()),
                    "delete it if its records of the frames are not needed");
    }
}

std::vector<std::string> differingParameters(const std::string& a, const std::string& b) {
    Json left = Json::parse(a), right = Json::parse(b);
    left.erase("endFrame");
    right.erase("endFrame");
    std::vector<std::string> places;
    for (const auto& change : nlohmann::json::diff(nlohmann::json(left), nlohmann::json(right)))
        places.push_back(change.at("path").get<std::string>());
    return places;
}

}  // namespace sunder
