#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sunder::cli {

struct FrameRange {
    std::int64_t first = 0, last = 0;
};
/// "A-B" or one number. Throws UsageError for text that is no range and for one that runs backwards.
FrameRange parseFrameRange(const std::string& text);

/// The folder of one simulation, and the names of what sunder puts into it.
class OutputFolder {
  public:
    explicit OutputFolder(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    std::string manifest() const { return path_ + "/manifest.json"; }
    std::string checkpoint() const { return path_ + "/checkpoint.sunder"; }
    /// frame.0001.bgeo.sc
    static std::string frameName(std::int64_t frame);
    std::string frame(std::int64_t number) const { return path_ + "/" + frameName(number); }

    /// Makes the folder, with all above it, ready for results: half a file that a killed run left there is removed. Throws WriteError if
    /// that fails or nothing can be written there.
    void prepare() const;
    /// Frames, manifest and checkpoint of an earlier run.
    std::vector<std::string> results() const;
    /// Numbers of the frames among them, ascending.
    std::vector<std::int64_t> frameNumbers() const;
    void removeResults() const;

  private:
    std::string path_;
};

}  // namespace sunder::cli
