#include <gtest/gtest.h>

#include <sys/types.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/render/movie.h"
#include "cli/render/sequence.h"
#include "tests/cli/render/shapes.h"

namespace sunder::render {
namespace {

namespace fs = std::filesystem;
using sunder::testing::sphereGeometry;

/// A folder of its own that goes away with the test.
class Sequence : public ::testing::Test {
  protected:
    Sequence() : folder_(fs::temp_directory_path() / ("sunder_render_" + std::to_string(getpid()))) {
        fs::remove_all(folder_);
    }
    ~Sequence() override { fs::remove_all(folder_); }

    RenderCommand fall(std::size_t count) const {
        RenderCommand c;
        c.count = count;
        c.folder = folder_.string();
        c.options.width = 97;  // odd on purpose: movies need even sizes
        c.options.height = 55;
        c.options.samples = 1;
        c.options.edgeSamples = 1;
        c.frame = [](std::size_t i) {
            Geometry g = sphereGeometry(2);
            sunder::testing::transform(g, Mat3::Identity(), Vec3(0, 3 - 0.5 * static_cast<double>(i), 0));
            return g;
        };
        return c;
    }
    std::size_t filesEndingIn(const std::string& ending) const {
        std::size_t n = 0;
        for (const auto& entry : fs::directory_iterator(folder_)) {
            const std::string name = entry.path().filename().string();
            n += name.size() >= ending.size() &&
                 name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
        }
        return n;
    }

    fs::path folder_;
};

/// Cancels after a number of progress reports.
class Stopper : public Monitor {
  public:
    explicit Stopper(int after) : left_(after) {}
    bool cancelled() override { return left_ <= 0; }
    void progress(double fraction) override {
        EXPECT_GE(fraction, last_);
        EXPECT_LE(fraction, 1 + 1e-12);
        last_ = fraction;
        --left_;
    }
    double last() const { return last_; }

  private:
    int left_;
    double last_ = 0;
};

bool hasFfmpeg() {
    try {
        requireFfmpeg();
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::string probe(const std::string& path) {
    const std::string command =
        "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
        "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 '" +
        path + "'";
    FILE* pipe = popen(command.c_str(), "r");
    char line[256] = "";
    if (pipe && !std::fgets(line, sizeof line, pipe)) line[0] = 0;
    if (pipe) pclose(pipe);
    std::string text = line;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

TEST_F(Sequence, writesEveryPictureAndAMovieOfAllFrames) {
    if (!hasFfmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
    const RenderCommand c = fall(7);
    Stopper monitor(1000);
    const RenderReport report = renderSequence(c, &monitor);
    EXPECT_EQ(report.pictures, 7u);
    EXPECT_EQ(monitor.last(), 1);
    EXPECT_EQ(filesEndingIn(".png"), 7u);
    EXPECT_EQ(filesEndingIn(".part") + filesEndingIn(".log"), 0u);
    EXPECT_TRUE(fs::exists(folder_ / "frame.0001.png"));
    const std::string seen = probe(report.movie);
    EXPECT_TRUE(seen == "h264,98,56,yuv420p,24/1,7" || seen == "mpeg4,98,56,yuv420p,24/1,7") << seen;
}

TEST_F(Sequence, cameraDoesNotMove) {
    RenderCommand c = fall(4);
    const View all = fitView(c, nullptr);
    const RenderCommand first = fall(1);
    EXPECT_NE(fitView(first, nullptr).camera.position, all.camera.position);
    EXPECT_DOUBLE_EQ(all.groundHeight, 3 - 1.5 - 1);
}

TEST_F(Sequence, allGivenMeansOneLook) {
    RenderCommand c = fall(5);
    std::size_t asked = 0;
    const auto make = c.frame;
    c.frame = [&](std::size_t i) {
        ++asked;
        return make(i);
    };
    c.options.camera = Camera{Vec3(0, 0, 9), Vec3::Zero(), 0.5};
    c.options.groundHeight = 0;
    fitView(c, nullptr);
    EXPECT_EQ(asked, 1u);
}

TEST_F(Sequence, cancelKeepsFinishedPicturesAndNoMovie) {
    RenderCommand c = fall(9);
    if (!hasFfmpeg()) c.movie.clear();
    Stopper monitor(9 + 3);
    EXPECT_THROW(renderSequence(c, &monitor), Cancelled);
    EXPECT_EQ(filesEndingIn(".png"), 3u);
    EXPECT_EQ(filesEndingIn(".mp4") + filesEndingIn(".part") + filesEndingIn(".log"), 0u);
    EXPECT_EQ(readPng(picturePath(c, 2)).width, 97);
}

TEST_F(Sequence, missingFfmpegIsToldBeforeTheWork) {
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nonexistent", 1);
    std::ostringstream errors;
    const int status = runRenderCommand(fall(2), nullptr, errors);
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(status, 1);
    EXPECT_NE(errors.str().find("install ffmpeg"), std::string::npos) << errors.str();
    EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Sequence, failingMovieSaysWhatFfmpegSaid) {
    if (!hasFfmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
    RenderCommand c = fall(2);
    c.movie = "no/such/folder.mp4";
    std::ostringstream errors;
    EXPECT_EQ(runRenderCommand(c, nullptr, errors), 1);
    EXPECT_NE(errors.str().find("folder.mp4"), std::string::npos) << errors.str();
}

TEST_F(Sequence, errorNamesTheFrame) {
    RenderCommand c = fall(5);
    c.movie.clear();
    c.frameNumber = [](std::size_t i) { return static_cast<int>(i) + 1001; };
    const auto make = c.frame;
    c.frame = [make](std::size_t i) { return i == 3 ? Geometry() : make(i); };
    std::ostringstream errors;
    EXPECT_EQ(runRenderCommand(c, nullptr, errors), 1);
    EXPECT_NE(errors.str().find("frame 1004"), std::string::npos) << errors.str();
}

TEST_F(Sequence, noFramesIsAnError) { EXPECT_THROW(renderSequence(fall(0)), Error); }

TEST_F(Sequence, onlyMoviesBoundTheRate) {
    RenderCommand c = fall(2);
    c.framesPerSecond = 1920;
    std::ostringstream errors;
    EXPECT_EQ(runRenderCommand(c, nullptr, errors), 1);
    EXPECT_NE(errors.str().find("--no-movie"), std::string::npos) << errors.str();
    EXPECT_FALSE(fs::exists(folder_));
    c.movie.clear();
    EXPECT_EQ(renderSequence(c).pictures, 2u);
    EXPECT_EQ(filesEndingIn(".png"), 2u);
    for (const double none : {0.0, -24.0, std::nan("")}) {
        c.framesPerSecond = none;
        EXPECT_THROW(renderSequence(c), Error) << none;
    }
}

TEST_F(Sequence, captionsAndNames) {
    RenderCommand c = fall(3);
    EXPECT_EQ(captionOf(c, 2), "frame 3   0.08 s");
    c.frameNumber = [](std::size_t i) { return static_cast<int>(i) + 1001; };
    EXPECT_EQ(captionOf(c, 0), "frame 1001   0.00 s");
    EXPECT_EQ(fs::path(picturePath(c, 1)).filename(), "frame.1002.png");
    c.frameTime = [](std::size_t) { return 2.5; };
    EXPECT_EQ(captionOf(c, 0), "frame 1001   2.50 s");
}

TEST_F(Sequence, picturesComeBackAsTheyWereWritten) {
    fs::create_directories(folder_);
    Image image(5, 3);
    for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<std::uint8_t>(17 * i);
    const std::string path = (folder_ / "p.png").string();
    writePng(path, image);
    EXPECT_EQ(readPng(path).rgb, image.rgb);
    EXPECT_THROW(writePng((folder_ / "none" / "p.png").string(), image), WriteError);
    EXPECT_EQ(filesEndingIn(".part"), 0u);
}

}  // namespace
}  // namespace sunder::render
