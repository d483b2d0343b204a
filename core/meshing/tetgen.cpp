#include "core/meshing/tetgen.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/meshing/child_process.h"
#include "core/meshing/helper/protocol.h"

namespace sunder {

namespace {
constexpr const char* kHelperName = "sunder-tetgen";

std::string folderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

bool isExecutable(const std::string& path) { return !path.empty() && access(path.c_str(), X_OK) == 0; }

std::string runningProgram() {
    char buffer[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", buffer, sizeof buffer);
    return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : std::string();
}

/// The shared library (or program) that this code was linked into.
std::string thisLibrary() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&tetgenAvailable), &info) == 0 || !info.dli_fname) return {};
    char buffer[PATH_MAX];
    return realpath(info.dli_fname, buffer) ? std::string(buffer) : std::string(info.dli_fname);
}

std::string switchesFor(const TetgenOptions& options) {
    std::string s = options.keepBoundary ? "pYQ" : "pQ";
    s += format("q%.6g/%.6g", options.radiusEdgeRatio, options.minDihedral);
    if (!options.sizes.empty()) s += "m";
    if (options.maxVolume > 0) s += format("a%.17g", options.maxVolume);
    return s;
}

tetgen::Request makeRequest(const TriMesh& surface, const TetgenOptions& options) {
    tetgen::Request request;
    request.switches = switchesFor(options);
    for (const Vec3& p : surface.positions) request.points.insert(request.points.end(), {p[0], p[1], p[2]});
    for (const Tri& t : surface.triangles)
        request.triangles.insert(request.triangles.end(), t.begin(), t.end());
    request.sizes = options.sizes;
    request.memoryLimit = static_cast<std::uint64_t>(options.memoryLimit);
    return request;
}

bool readResponse(const ScratchFile& file, tetgen::Response& response) {
    const std::vector<char> bytes = file.read();
    tetgen::Reader reader(bytes.data(), bytes.size());
    std::uint64_t magic = 0, trailer = 0;
    reader.value(magic);
    visit(reader, response);
    reader.value(trailer);
    return !reader.failed() && magic == tetgen::kResponseMagic && trailer == tetgen::kResponseMagic;
}

/// The last line that TetGen printed, for the message.
std::string lastWords(const ScratchFile& log) {
    const std::vector<char> bytes = log.read(65536);
    std::string text(bytes.begin(), bytes.end());
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    return text.empty() ? text : " (it said: " + text.substr(0, 200) + ")";
}

[[noreturn]] void throwFailure(const ChildOutcome& outcome, const std::string& helper,
                               const TetgenOptions& options, const std::string& said) {
    if (!outcome.started)
        throw Error("cannot start the TetGen helper " + helper + ": " + std::strerror(outcome.code),
                    "check the path of sunder-tetgen");
    if (outcome.timedOut)
        throw Error(format("TetGen took longer than %g s and was stopped", options.timeLimit),
                    "raise the time limit, ask for lower quality or larger tets, or use the lattice method");
    if (outcome.signalled)
        throw Error(format("TetGen crashed (signal %d, %s)", outcome.code, strsignal(outcome.code)) + said,
                    "use the lattice method");
    throw Error(format("the TetGen helper ended with code %d and no result", outcome.code) + said,
                "use the lattice method");
}

void throwUnlessDone(const tetgen::Response& response, const TetgenOptions& options,
                     const std::string& said) {
    switch (response.status) {
        case tetgen::Status::kDone:
            break;
        case tetgen::Status::kOutOfMemory:
            throw Error(format("TetGen needed more than %.3g GB", options.memoryLimit / 1e9),
                        "ask for larger tets or raise the memory limit");
        case tetgen::Status::kRejected:
            throw Error(format("TetGen rejected the surface (its error %d)", response.code) + said,
                        response.code == 3 ? "remove self-intersections or use the lattice method"
                                           : "use the lattice method");
        case tetgen::Status::kBadRequest:
            throw Error("the TetGen helper could not read its request", "install one build of Sunder");
    }
    if (response.tets.empty())
        throw Error("TetGen made no tetrahedra" + said, "close the surface or use the lattice method");
}

TetMesh meshFrom(const tetgen::Response& response) {
    TetMesh mesh;
    for (std::size_t i = 0; i + 2 < response.points.size(); i += 3)
        mesh.rest.emplace_back(response.points[i], response.points[i + 1], response.points[i + 2]);
    for (std::size_t i = 0; i + 3 < response.tets.size(); i += 4) {
        Tet t{response.tets[i], response.tets[i + 1], response.tets[i + 2], response.tets[i + 3]};
        if (signedVolume(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]) < 0)
            std::swap(t[2], t[3]);
        mesh.tets.push_back(t);
    }
    return mesh;
}
}  // namespace

bool tetgenAvailable() {
    try {
        findTetgenHelper();
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::string findTetgenHelper(const std::string& explicitPath) {
    if (!explicitPath.empty()) {
        if (isExecutable(explicitPath)) return explicitPath;
        throw Error("the TetGen helper " + explicitPath + " does not exist or cannot be run",
                    "correct the helper path or leave it empty");
    }
    std::vector<std::string> places;
    const char* variable = std::getenv("SUNDER_TETGEN_HELPER");
    const std::string remedy =
        "use the lattice method, or install sunder-tetgen (of a build with SUNDER_WITH_TETGEN) and name it in the "
        "variable SUNDER_TETGEN_HELPER";
    if (variable && std::string(variable) == "none") throw Error("TetGen is switched off: SUNDER_TETGEN_HELPER is 'none'", remedy);
    if (variable) places.emplace_back(variable);
    for (const std::string& neighbor : {runningProgram(), thisLibrary()})
        for (const char* side : {"", "../bin/", "../libexec/"})
            if (!neighbor.empty()) places.push_back(folderOf(neighbor) + side + kHelperName);
#ifdef SUNDER_TETGEN_BUILD_PATH
    places.emplace_back(SUNDER_TETGEN_BUILD_PATH);
#endif
    std::string tried;
    for (const std::string& place : places) {
        if (isExecutable(place)) return place;
        tried += (tried.empty() ? "" : ", ") + place;
    }
    throw Error("the TetGen helper was not found; tried " + tried, remedy);
}

TetMesh meshTetgen(const TriMesh& surface, const TetgenOptions& options, Monitor* monitor) {
    throwIfCancelled(monitor);
    const std::string helper = findTetgenHelper(options.helperPath);
    ScratchFile requestFile, responseFile, log;
    tetgen::Request request = makeRequest(surface, options);
    tetgen::Writer<ScratchFile> writer(requestFile);
    writer.value(tetgen::kRequestMagic);
    visit(writer, request);
    writer.value(tetgen::kRequestMagic);
    const ChildOutcome outcome =
        runChild(helper, requestFile, responseFile, log, {options.timeLimit}, monitor);
    tetgen::Response response;
    const bool complete =
        outcome.started && !outcome.timedOut && !outcome.signalled && readResponse(responseFile, response);
    if (!complete) throwFailure(outcome, helper, options, lastWords(log));
    throwUnlessDone(response, options, lastWords(log));
    return meshFrom(response);
}

}  // namespace sunder
