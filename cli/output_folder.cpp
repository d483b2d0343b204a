#include "cli/output_folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/file.h"

namespace sunder::cli {

namespace {
namespace fs = std::filesystem;

bool parseWhole(const std::string& text, std::int64_t& value) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty();
}

bool isFrameName(const std::string& name) {
    constexpr const char* kPrefix = "frame.";
    constexpr const char* kSuffix = ".bgeo.sc";
    if (name.size() <= 14 || name.compare(0, 6, kPrefix) != 0 ||
        name.compare(name.size() - 8, 8, kSuffix) != 0)
        return false;
    return std::all_of(name.begin() + 6, name.end() - 8, [](char c) { return c >= '0' && c <= '9'; });
}

bool isResult(const std::string& name) {
    return name == "manifest.json" || name == "checkpoint.sunder" || isFrameName(name);
}
}  // namespace

FrameRange parseFrameRange(const std::string& text) {
    FrameRange range;
    const std::size_t dash = text.find('-');
    const bool single = dash == std::string::npos;
    const bool valid = parseWhole(text.substr(0, dash), range.first) &&
                       (single || parseWhole(text.substr(dash + 1), range.last));
    if (!valid)
        throw UsageError(format("--frames '%s' is not a range of frames", text.c_str()),
                         "write it as 1-48, or 24 for one frame");
    if (single) range.last = range.first;
    if (range.last < range.first)
        throw UsageError(format("--frames '%s' runs backwards", text.c_str()),
                         format("write it as %lld-%lld", static_cast<long long>(range.last),
                                static_cast<long long>(range.first)));
    return range;
}

std::string OutputFolder::frameName(std::int64_t frame) {
    return format("frame.%04lld.bgeo.sc", static_cast<long long>(frame));
}

void OutputFolder::prepare() const {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error)
        throw WriteError(
            format("cannot make the output folder '%s': %s", path_.c_str(), error.message().c_str()),
            "choose another --out, or change the permissions of the folder above it");
    const std::string probe = path_ + "/.sunder-probe";
    writeFileAtomic(probe, std::string("probe"));
    fs::remove(probe, error);
    removeLeftovers(path_);
}

std::vector<std::string> OutputFolder::results() const {
    std::vector<std::string> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_, error))
        if (isResult(entry.path().filename().string())) found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::int64_t> OutputFolder::frameNumbers() const {
    std::vector<std::int64_t> numbers;
    for (const std::string& path : results()) {
        const std::string name = fs::path(path).filename().string();
        if (isFrameName(name)) numbers.push_back(std::stoll(name.substr(6)));
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

void OutputFolder::removeResults() const {
    for (const std::string& file : results()) {
        std::error_code error;
        fs::remove(file, error);
        if (error) throw WriteError(format("cannot remove '%s': %s", file.c_str(), error.message().c_str()));
    }
}

}  // namespace sunder::cli
