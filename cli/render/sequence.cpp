#include "cli/render/sequence.h"

#include <filesystem>
#include <memory>
#include <ostream>

#include "cli/render/movie.h"
#include "core/base/text.h"
#include "core/base/timer.h"

namespace sunder::render {

namespace {
constexpr double kFitShare = 0.1;  ///< of the progress, for looking at the frames beforehand
constexpr double kMostInMovie = 1000;  ///< frames a second

/// Gives a part of the whole's progress to one step and passes all else on.
class PartMonitor : public Monitor {
  public:
    PartMonitor(Monitor* whole, double from, double to) : whole_(whole), from_(from), to_(to) {}
    bool cancelled() override { return whole_ && whole_->cancelled(); }
    void progress(double fraction) override {
        if (whole_) whole_->progress(from_ + fraction * (to_ - from_));
    }
    void warn(const std::string& text) override {
        if (whole_) whole_->warn(text);
    }

  private:
    Monitor* whole_;
    double from_, to_;
};

int numberOf(const RenderCommand& command, std::size_t index) {
    return command.frameNumber ? command.frameNumber(index) : static_cast<int>(index) + 1;
}

/// The i-th frame's surface; an error says which frame it was.
Surface surfaceOf(const RenderCommand& command, std::size_t index) {
    try {
        return buildSurface(command.frame(index), command.options);
    } catch (const Error& e) {
        throw Error(format("frame %d: %s", numberOf(command, index), e.what()), e.remedy());
    }
}

void validate(const RenderCommand& command) {
    render::validate(command.options);
    if (command.count == 0 || !command.frame)
        throw Error("there are no frames to draw", "simulate first, or check the folder");
    if (!(command.framesPerSecond > 0))
        throw Error(format("%g frames per second cannot be shown", command.framesPerSecond), "choose 1 to 1000");
    if (!command.movie.empty() && command.framesPerSecond > kMostInMovie)
        throw Error(format("a movie cannot show %g frames per second", command.framesPerSecond), "give it a rate with --fps, such as 24, or draw pictures alone with --no-movie");
}

void makeFolder(const std::string& folder) {
    std::error_code failure;
    if (!folder.empty()) std::filesystem::create_directories(folder, failure);
    if (failure)
        throw WriteError("the folder " + folder + " could not be made: " + failure.message(),
                         "choose another folder");
}

std::string inFolder(const RenderCommand& command, const std::string& name) {
    return (std::filesystem::path(command.folder) / name).string();
}

std::unique_ptr<MovieWriter> openMovie(const RenderCommand& command) {
    if (command.movie.empty()) return nullptr;
    return std::make_unique<MovieWriter>(inFolder(command, command.movie), command.options.width,
                                         command.options.height, command.framesPerSecond);
}

Image drawFrame(const RenderCommand& command, std::size_t index, const View& view, Monitor* monitor) {
    RenderScene scene;
    scene.surface = surfaceOf(command, index);
    scene.view = view;
    if (command.caption) scene.caption = captionOf(command, index);
    return renderPicture(scene, command.options, monitor);
}

void drawFrames(const RenderCommand& command, MovieWriter* movie, Monitor& monitor, RenderReport& report) {
    for (std::size_t i = 0; i < command.count; ++i) {
        throwIfCancelled(&monitor);
        const Image image = drawFrame(command, i, report.view, &monitor);
        writePng(picturePath(command, i), image);
        ++report.pictures;
        if (movie) movie->add(image);
        monitor.progress(static_cast<double>(i + 1) / static_cast<double>(command.count));
    }
}
}  // namespace

std::string picturePath(const RenderCommand& command, std::size_t index) {
    return inFolder(command, command.name + format(".%04d.png", numberOf(command, index)));
}

std::string captionOf(const RenderCommand& command, std::size_t index) {
    const int frame = numberOf(command, index);
    const double seconds = command.frameTime ? command.frameTime(index)
                                             : (frame - numberOf(command, 0)) / command.framesPerSecond;
    return format("frame %d   %.2f s", frame, seconds);
}

View fitView(const RenderCommand& command, Monitor* monitor) {
    ViewFit fit(command.options);
    const std::size_t looks = fit.isNeeded() ? command.count : 1;
    for (std::size_t i = 0; i < looks; ++i) {
        throwIfCancelled(monitor);
        fit.add(surfaceOf(command, i));
        if (monitor) monitor->progress(static_cast<double>(i + 1) / static_cast<double>(looks));
    }
    return fit.view();
}

RenderReport renderSequence(const RenderCommand& command, Monitor* monitor) {
    const Timer timer;
    validate(command);
    if (!command.movie.empty()) requireFfmpeg();
    makeFolder(command.folder);
    RenderReport report;
    PartMonitor fitting(monitor, 0, kFitShare), drawing(monitor, kFitShare, 1);
    report.view = fitView(command, &fitting);
    const std::unique_ptr<MovieWriter> movie = openMovie(command);
    drawFrames(command, movie.get(), drawing, report);
    if (movie) {
        movie->finish();
        report.movie = inFolder(command, command.movie);
    }
    report.seconds = timer.seconds();
    return report;
}

int runRenderCommand(const RenderCommand& command, Monitor* monitor, std::ostream& errors) {
    try {
        renderSequence(command, monitor);
        return 0;
    } catch (const Cancelled&) {
        errors << "stopped; the pictures drawn so far are complete\n";
        return 130;
    } catch (const Error& e) {
        errors << "error: " << e.what() << '\n';
        if (!e.remedy().empty()) errors << "  " << e.remedy() << '\n';
        return 1;
    }
}

}  // namespace sunder::render
