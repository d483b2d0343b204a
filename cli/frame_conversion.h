#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output_folder.h"
#include "core/sim/cache_departed.h"
#include "core/sim/cache_frame.h"

namespace sunder::cli {

/// What all commands ask for that turn the frames of a simulation into other frames.
struct ConversionOptions {
    std::string in, out;
    bool overwrite = false;
    int threads = 0;
};
void addConversionOptions(CLI::App& command, ConversionOptions& options);

/// The frames of one folder, one after the other, into another.
class FrameConversion {
  public:
    /// Throws Error if the folder is missing, has no frames or not all of them, or if the other one holds frames already.
    explicit FrameConversion(const ConversionOptions& options);

    /// The last frame; with what has left as particles by then, for which all frames are read.
    CacheFrame readLast() const;
    /// Beside the frames, whole or not at all.
    void write(const std::string& name, const Geometry& geometry) const;
    /// Writes what `convert` makes of every frame, in their order, with a line of progress each.
    void run(const std::function<Geometry(CacheFrame)>& convert);

  private:
    /// What left before it is known from the frames before.
    CacheFrame read(std::int64_t number, DepartedPieces& departed) const;

    OutputFolder in_, out_;
    std::vector<std::int64_t> numbers_;
};

}  // namespace sunder::cli
