#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/geometry_io.h"
#include "core/io/manifest.h"
#ifdef SUNDER_WITH_EMBREE
#include "cli/render/sequence.h"
#endif

namespace sunder::cli {

#ifdef SUNDER_WITH_EMBREE
namespace {
struct Options {
    std::string folder, out, frames, attribute, unit, map = "sequential", movie = "movie.mp4";
    std::vector<double> range, camera;
    std::vector<int> size = {960, 540};
    double azimuth = 34, elevation = 17, fieldOfView = 29, fps = 0;
    int samples = 8, threads = 0;
    bool flat = false, wire = false, noMovie = false, noCaption = false, noGround = false, noLegend = false;
};

constexpr const char* kRenderHelp =
    R"(Draws every frame of a folder that 'sunder simulate' has filled: PNG pictures beside the frames, and an MP4.
Angles are in degrees, lengths in metres.

examples:
  sunder render out/demo
  sunder render out/demo --color stress --range 0 20000
  sunder render out/demo --frames 10-20 --wire --flat --size 1920 1080 --out out/close
  sunder render out/demo --camera 2 1 3 0 0.5 0 --no-movie)";

constexpr double kDegree = M_PI / 180;

/// Bar or lines for pictures, of which core reports only the share that is done.
class RenderMonitor : public CommandMonitor {
  public:
    RenderMonitor(Progress& progress, std::size_t count)
        : CommandMonitor(progress), bar_(progress), count_(count) {}
    void progress(double fraction) override {
        const auto done = static_cast<std::int64_t>(fraction * static_cast<double>(count_));
        if (done > 0 && done > done_)
            bar_.frameDone(done, format("picture %lld/%zu", static_cast<long long>(done), count_), "");
        done_ = std::max(done_, done);
    }

  private:
    Progress& bar_;
    std::size_t count_;
    std::int64_t done_ = 0;
};

std::vector<std::int64_t> frameNumbers(const OutputFolder& folder, const std::string& frames) {
    std::vector<std::int64_t> numbers = folder.frameNumbers();
    if (!frames.empty()) {
        const FrameRange range = parseFrameRange(frames);
        numbers.erase(std::remove_if(numbers.begin(), numbers.end(),
                                     [&](std::int64_t n) { return n < range.first || n > range.last; }),
                      numbers.end());
    }
    if (numbers.empty())
        throw Error(format("there are no frames to draw in '%s'", folder.path().c_str()),
                    "simulate into it first, or check --frames");
    return numbers;
}

/// What the pictures need to know of the simulation; a folder without a manifest has the usual rate and
/// starts with its first frame.
Manifest recordOf(const OutputFolder& folder, std::int64_t firstFrame) {
    Manifest record;
    record.startFrame = firstFrame;
    if (std::filesystem::exists(folder.manifest())) record = readManifest(folder.manifest());
    return record;
}

std::string unitOf(const Options& o) {
    if (!o.unit.empty()) return o.unit;
    static const std::map<std::string, std::string> kUnits = {
        {"stress", "Pa"}, {"v", "m/s"}, {"accel", "m/s2"}};
    const auto it = kUnits.find(o.attribute);
    return it == kUnits.end() ? "" : it->second;
}

render::RenderOptions pictureOptions(const Options& o) {
    render::RenderOptions p;
    p.width = o.size[0];
    p.height = o.size[1];
    p.samples = o.samples;
    p.shading = o.flat ? render::Shading::kFlat : render::Shading::kSmooth;
    p.wire = o.wire;
    p.attribute = o.attribute;
    p.unit = unitOf(o);
    p.colorMap = render::colorMapNamed(o.map);
    p.legend = !o.noLegend;
    p.ground = !o.noGround;
    p.azimuth = o.azimuth * kDegree;
    p.elevation = o.elevation * kDegree;
    p.fieldOfView = o.fieldOfView * kDegree;
    if (!o.range.empty()) p.range = render::ValueRange{o.range[0], o.range[1]};
    if (!o.camera.empty())
        p.camera = render::Camera{Vec3(o.camera[0], o.camera[1], o.camera[2]),
                                  Vec3(o.camera[3], o.camera[4], o.camera[5]), p.fieldOfView};
    return p;
}

void run(const Options& o) {
    if (!std::filesystem::is_directory(o.folder))
        throw Error(format("'%s' is not a folder", o.folder.c_str()),
                    "name the folder that 'sunder simulate' has written");
    setThreadCount(o.threads);
    const OutputFolder folder(o.folder);
    const std::vector<std::int64_t> numbers = frameNumbers(folder, o.frames);
    render::RenderCommand command;
    command.count = numbers.size();
    command.frame = [&](std::size_t i) { return readGeometry(folder.frame(numbers[i])); };
    command.frameNumber = [&](std::size_t i) { return static_cast<int>(numbers[i]); };
    command.folder = o.out.empty() ? o.folder : o.out;
    command.movie = o.noMovie ? "" : o.movie;
    const Manifest record = recordOf(folder, numbers[0]);
    command.framesPerSecond = o.fps > 0 ? o.fps : record.fps;
    command.frameTime = [&](std::size_t i) {
        return static_cast<double>(numbers[i] - record.startFrame) / record.fps;
    };
    command.caption = !o.noCaption;
    command.options = pictureOptions(o);
    Progress progress(chooseProgressStyle(false));
    RenderMonitor monitor(progress, command.count);
    progress.begin(1, static_cast<std::int64_t>(command.count));
    const render::RenderReport report = render::renderSequence(command, &monitor);
    progress.end();
    std::cout << format("%zu pictures in %s", report.pictures, command.folder.c_str());
    if (!report.movie.empty()) std::cout << ", movie " << report.movie;
    std::cout << format(", %.1f s\n", report.seconds);
}
}  // namespace

void addRender(CLI::App& app, Invocation& invocation) {
    auto o = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("render", "Draw the frames of a simulation as pictures and a movie");
    command->add_option("DIR", o->folder, "folder with frame.NNNN.bgeo.sc")->required();
    command->add_option("--out", o->out, "folder for the pictures, DIR itself by default")->type_name("DIR");
    command->add_option("--frames", o->frames, "frames to draw")->type_name("A-B");
    command
        ->add_option("--color", o->attribute,
                     "attribute drawn as colour: stress, strain, quality, detF, v ...")
        ->type_name("ATTRIBUTE");
    command->add_option("--range", o->range, "values of the first and the last colour")->expected(2);
    command->add_option("--unit", o->unit, "unit in the legend");
    command->add_option("--map", o->map, "sequential, heat, diverging or categories")->capture_default_str();
    command->add_option("--size", o->size, "width and height in pixels")->expected(2)->capture_default_str();
    command->add_option("--samples", o->samples, "rays a pixel")->capture_default_str();
    command
        ->add_option("--camera", o->camera,
                     "position and target, six numbers; otherwise all frames are framed")
        ->expected(6);
    command->add_option("--azimuth", o->azimuth, "of the framing camera, 0 looks along -z")
        ->capture_default_str();
    command->add_option("--elevation", o->elevation, "of the framing camera")->capture_default_str();
    command->add_option("--fov", o->fieldOfView, "field of view of the picture's height")
        ->capture_default_str();
    command->add_option("--movie", o->movie, "name of the MP4")->capture_default_str();
    command->add_option("--fps", o->fps, "frames a second of the movie; the scene's by default");
    command->add_option("--threads", o->threads, "threads to use, 0 for all")->check(CLI::Range(0, 4096));
    command->add_flag("--flat", o->flat, "every face by itself in place of smooth shading");
    command->add_flag("--wire", o->wire, "edges of the surface");
    command->add_flag("--no-movie", o->noMovie, "pictures only");
    command->add_flag("--no-caption", o->noCaption, "without frame number and time");
    command->add_flag("--no-ground", o->noGround, "without a floor");
    command->add_flag("--no-legend", o->noLegend, "without a legend");
    command->footer(kRenderHelp);
    command->callback([o, &invocation] { invocation.run = [o] { run(*o); }; });
}

#else

void addRender(CLI::App& app, Invocation& invocation) {
    CLI::App* command = app.add_subcommand("render", "Draw frames (this build has no Embree)");
    command->allow_extras();
    command->callback([&invocation] {
        invocation.run = [] {
            throw Error("this build cannot draw pictures", "build it with SUNDER_WITH_EMBREE=ON");
        };
    });
}

#endif

}  // namespace sunder::cli
