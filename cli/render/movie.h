#pragma once

#include <sys/types.h>

#include <string>

#include "cli/render/image.h"

namespace sunder::render {

/// An MP4 that ffmpeg makes in a process of its own, fed with raw frames. Nothing is left at `path` unless
/// finish() was reached.
class MovieWriter {
  public:
    /// Throws Error if ffmpeg cannot be run.
    MovieWriter(std::string path, int width, int height, double framesPerSecond);
    /// Ends ffmpeg and removes the unfinished file.
    ~MovieWriter();
    MovieWriter(const MovieWriter&) = delete;
    MovieWriter& operator=(const MovieWriter&) = delete;

    /// Throws WriteError with ffmpeg's own words if it gave up.
    void add(const Image& image);
    void finish();

  private:
    int waitForEnd();
    [[noreturn]] void throwFailed();

    std::string path_, partial_, log_;
    int width_, height_;
    int feed_ = -1;  ///< our end of the pair of sockets
    pid_t child_ = -1;
};

/// Throws Error with the remedy if there is no ffmpeg in the path.
void requireFfmpeg();

}  // namespace sunder::render
