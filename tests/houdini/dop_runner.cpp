// Scenes on the stand-in's DOP engine, as a process of its own:
//   dop_runner bake SCENE.json FOLDER [--merge]   the scene with files for shapes, for `sunder simulate` and for the rest; all bodies in one
//   dop_runner play FOLDER LAST [OPTIONS]         plays to a frame
//     --load FRAME FILE     starts from a saved simulation
//     --save FRAME FILE     leaves one behind
//     --frames DIR          compares every frame with those that `sunder simulate` has left there, bit for bit
//     --reload              destroys all data at every step and loads it from its bytes
//     --scrub FRAME         goes back to that frame at the end and plays once more
//     --threads COUNT       of the core and of the host's loops
//     --key FRAME OPERATION OPTION VALUE   keys a number of all materials at a frame; OPERATION is always or initial. Frames may then differ
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/file.h"
#include "core/io/geometry_io.h"
#include "core/io/scene_json.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

struct Options {
    std::string folder, frames, loadFile, saveFile;
    int last = 0, loadFrame = -1, saveFrame = -1, scrub = -1, threads = 0;
    bool reload = false;
    int keyFrame = -1;
    standin::ParmOperation keyOperation = standin::ParmOperation::kSetAlways;
    std::string keyOption;
    double keyValue = 0;
};

standin::ParmOperation operationOf(const std::string& word) {
    if (word == "always") return standin::ParmOperation::kSetAlways;
    if (word == "initial") return standin::ParmOperation::kSetInitial;
    throw std::runtime_error("unknown operation " + word);
}

Options parse(const std::vector<std::string>& words) {
    Options o;
    o.folder = words.at(1);
    o.last = std::stoi(words.at(2));
    for (std::size_t i = 3; i < words.size(); ++i) {
        if (words[i] == "--reload") {
            o.reload = true;
        } else if (words[i] == "--frames") {
            o.frames = words.at(++i);
        } else if (words[i] == "--load" || words[i] == "--save") {
            const bool load = words[i] == "--load";
            (load ? o.loadFrame : o.saveFrame) = std::stoi(words.at(++i));
            (load ? o.loadFile : o.saveFile) = words.at(++i);
        } else if (words[i] == "--scrub") {
            o.scrub = std::stoi(words.at(++i));
        } else if (words[i] == "--threads") {
            o.threads = std::stoi(words.at(++i));
        } else if (words[i] == "--key") {
            o.keyFrame = std::stoi(words.at(++i));
            o.keyOperation = operationOf(words.at(++i));
            o.keyOption = words.at(++i);
            o.keyValue = std::stod(words.at(++i));
        } else {
            throw std::runtime_error("unknown word " + words[i]);
        }
    }
    return o;
}

/// How many bodies of a frame differ from those of the command line.
int differences(const DopNetwork& net, int bodies, int frame, const std::string& folder) {
    std::vector<Geometry> shown;
    for (int b = 0; b < bodies; ++b) shown.push_back(readDetail(net.geometry(frame, b)));
    const std::vector<Geometry> expected = splitFrame(readGeometry(folder + format("/frame.%04d.bgeo.sc", frame)), shown);
    if (expected.empty()) return bodies;
    int count = 0;
    for (std::size_t b = 0; b < shown.size(); ++b) count += bytesOf(shown[b]) == bytesOf(expected[b]) ? 0 : 1;
    return count;
}

/// Plays on to the last frame and tells of every one. How many bodies of them differ.
int playFrom(DopNetwork& net, int first, int bodies, const Options& o) {
    int wrong = 0;
    for (int frame = first; frame <= o.last; ++frame) {
        if (!net.play(frame)) throw std::runtime_error(trouble(net));
        const int different = o.frames.empty() ? 0 : differences(net, bodies, frame, o.frames);
        wrong += different;
        GA_Size tets = 0;
        for (int b = 0; b < bodies; ++b) tets += net.geometry(frame, b).getNumPrimitives();
        std::printf("{\"frame\": %d, \"bodies\": %d, \"tets\": %lld, \"different\": %d}\n", frame, bodies, static_cast<long long>(tets), different);
        std::fflush(stdout);
    }
    return wrong;
}

int play(const Options& o) {
    const GeometryScene scene(o.folder);
    if (o.threads > 0) {
        setThreadCount(o.threads);
        standin::setThreads(o.threads);
    }
    DopNetwork net = scene.network();
    net.reloadEveryStep = o.reload;
    if (o.keyFrame >= 0) net.set("SunderMaterial", o.keyOption, o.keyValue, o.keyOperation, o.keyFrame);
    const int bodies = static_cast<int>(scene.scene.bodies.size());
    int first = static_cast<int>(scene.scene.startFrame);
    if (o.loadFrame >= 0) {
        const std::vector<std::uint8_t> bytes = readFile(o.loadFile);
        if (!net.load(o.loadFrame, std::string(bytes.begin(), bytes.end()))) throw std::runtime_error("the saved simulation cannot be loaded");
        first = o.loadFrame;
    }
    int wrong = playFrom(net, first, bodies, o);
    if (o.scrub >= 0) {
        net.scrub(o.scrub);
        wrong += playFrom(net, o.scrub + 1, bodies, o);
    }
    if (o.saveFrame >= 0) {
        const std::string bytes = net.save(o.saveFrame);
        writeFileAtomic(o.saveFile, std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
    }
    return wrong == 0 || o.keyFrame >= 0 ? 0 : 1;
}
}  // namespace

int run(const std::vector<std::string>& words) {
    if (words.size() >= 3 && words[0] == "bake") {
        const GeometryScene scene(readScene(words[1]));
        (words.size() > 3 && words[3] == "--merge" ? scene.mergedToOne() : scene).save(words[2]);
        return 0;
    }
    if (words.size() >= 3 && words[0] == "play") return play(parse(words));
    throw std::runtime_error("use: bake SCENE FOLDER [--merge], or play FOLDER LAST [--load FRAME FILE] [--save FRAME FILE] [--frames DIR] [--reload] [--scrub FRAME] [--threads COUNT] [--key FRAME OPERATION OPTION VALUE]");
}

}  // namespace sunder::test

int main(int argc, char** argv) {
    try {
        return sunder::test::run(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "dop_runner: %s\n", e.what());
        return 2;
    }
}
