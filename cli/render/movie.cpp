#include "cli/render/movie.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

extern char** environ;

namespace sunder::render {

namespace {
/// Runs a program found in PATH, without a shell. `input` and `output` become its standard streams; -1 is
/// /dev/null. Returns 0 or an error number.
int spawn(const std::vector<std::string>& words, int input, int output, int errors, pid_t& child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int streams[3] = {input, output, errors};
    for (int s = 0; s < 3; ++s) {
        if (streams[s] >= 0)
            posix_spawn_file_actions_adddup2(&actions, streams[s], s);
        else
            posix_spawn_file_actions_addopen(&actions, s, "/dev/null", O_RDWR, 0);
    }
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int status = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

int exitStatus(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// All that `ffmpeg -encoders` prints; empty if it cannot be run.
std::string encoderList() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return {};
    pid_t child = -1;
    const int status = spawn({"ffmpeg", "-hide_banner", "-encoders"}, -1, ends[1], -1, child);
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t n; status == 0 && (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(n));
    close(ends[0]);
    return status == 0 && exitStatus(child) == 0 ? text : std::string();
}

std::vector<std::string> codecWords(const std::string& encoders) {
    if (encoders.find(" libx264 ") != std::string::npos)
        return {"-c:v", "libx264", "-crf", "18", "-preset", "medium", "-x264-params", "aq-mode=3"};
    return {"-c:v", "mpeg4", "-q:v", "2"};
}

std::vector<std::string> ffmpegWords(const std::string& path, int width, int height, double rate,
                                     const std::string& encoders) {
    std::vector<std::string> words = {
        "ffmpeg", "-y", "-nostdin", "-hide_banner", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt",
        "rgb24", "-s", format("%dx%d", width, height), "-r", format("%.6g", rate), "-i", "pipe:0", "-an",
        "-vf",
        // colours halve in both directions, so odd sizes get a column or a row more
        "pad=ceil(iw/2)*2:ceil(ih/"
        "2)*2,scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_inp+bicubic"};
    const std::vector<std::string> codec = codecWords(encoders);
    words.insert(words.end(), codec.begin(), codec.end());
    for (const char* word :
         {"-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc",
          "iec61966-2-1", "-color_range", "tv", "-movflags", "+faststart", "-f", "mp4"})
        words.emplace_back(word);
    words.push_back(path);
    return words;
}

[[noreturn]] void throwMissing() {
    throw Error("ffmpeg could not be run, so there can be no movie",
                "install ffmpeg (scripts/deps.sh does), or ask for pictures only");
}
}  // namespace

void requireFfmpeg() {
    if (encoderList().empty()) throwMissing();
}

MovieWriter::MovieWriter(std::string path, int width, int height, double framesPerSecond)
    : path_(std::move(path)),
      partial_(path_ + ".part"),
      log_(path_ + ".log"),
      width_(width),
      height_(height) {
    const std::string encoders = encoderList();
    if (encoders.empty()) throwMissing();
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        throw Error("no channel to ffmpeg could be opened");
    const int log = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const int status =
        spawn(ffmpegWords(partial_, width, height, framesPerSecond, encoders), pair[1], -1, log, child_);
    close(pair[1]);
    if (log >= 0) close(log);
    feed_ = pair[0];
    if (status == 0) return;
    close(feed_);
    std::remove(log_.c_str());
    throwMissing();
}

MovieWriter::~MovieWriter() {
    waitForEnd();
    std::remove(partial_.c_str());
    std::remove(log_.c_str());
}

int MovieWriter::waitForEnd() {
    if (feed_ >= 0) close(std::exchange(feed_, -1));
    return child_ > 0 ? exitStatus(std::exchange(child_, -1)) : 0;
}

void MovieWriter::throwFailed() {
    waitForEnd();
    std::ifstream log(log_);
    const std::string words((std::istreambuf_iterator<char>(log)), {});
    throw WriteError(
        "ffmpeg could not make " + path_ + (words.empty() ? "" : ": " + words.substr(0, words.find('\n'))),
        "check that the folder may be written to and has space left; the pictures are complete");
}

void MovieWriter::add(const Image& image) {
    if (image.width != width_ || image.height != height_)
        throw Error("the pictures of a movie must all have one size");
    for (std::size_t done = 0; done < image.rgb.size();) {
        // a socket, unlike a pipe, can be told not to kill us when ffmpeg has gone
        const ssize_t n = send(feed_, &image.rgb[done], image.rgb.size() - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throwFailed();
        done += static_cast<std::size_t>(n);
    }
}

void MovieWriter::finish() {
    if (waitForEnd() != 0 || std::rename(partial_.c_str(), path_.c_str()) != 0) throwFailed();
}

}  // namespace sunder::render
