#pragma once

#include <functional>
#include <iosfwd>

#include "cli/render/renderer.h"

namespace sunder::render {

/// A sequence to be drawn. Frames are asked for one at a time, in order, and once more if camera, ground or
/// range must first be fitted to all of them.
struct RenderCommand {
    std::function<Geometry(std::size_t)> frame;  ///< the i-th frame, i < count
    std::size_t count = 0;
    std::function<int(std::size_t)> frameNumber;  ///< for file names and captions; empty: 1, 2, 3, ...
    std::function<double(std::size_t)>
        frameTime;                    ///< s, for captions; empty: frames since the first over the rate
    std::string folder;               ///< made if it is not there
    std::string name = "frame";       ///< NAME.0001.png
    std::string movie = "movie.mp4";  ///< in the same folder; empty: pictures only
    double framesPerSecond = 24;
    bool caption = true;  ///< frame number and time
    RenderOptions options;
};

struct RenderReport {
    std::size_t pictures = 0;
    std::string movie;  ///< path, empty if none was made
    View view;
    double seconds = 0;  ///< wall
};

std::string picturePath(const RenderCommand& command, std::size_t index);
std::string captionOf(const RenderCommand& command, std::size_t index);

/// Looks at all frames as far as the options leave something open.
View fitView(const RenderCommand& command, Monitor* monitor);
/// Writes all pictures and the movie. Pictures that are done stay when it is cancelled or fails; half a movie
/// does not.
RenderReport renderSequence(const RenderCommand& command, Monitor* monitor = nullptr);
/// The same for a command line: messages and remedies go to `errors`. Returns 0, 1 after an Error, 130 when
/// cancelled.
int runRenderCommand(const RenderCommand& command, Monitor* monitor, std::ostream& errors);

}  // namespace sunder::render
