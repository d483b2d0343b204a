#include "cli/frame_conversion.h"

#include <filesystem>
#include <iostream>

#include "cli/progress.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/geometry_io.h"
#include "core/sim/frame_particles.h"

namespace sunder::cli {

namespace {
std::vector<std::int64_t> allFrames(const OutputFolder& folder) {
    const std::string& path = folder.path();
    if (!std::filesystem::is_directory(path))
        throw Error(format("'%s' is not a folder", path.c_str()), "name the folder that 'sunder simulate' has written");
    const std::vector<std::int64_t> numbers = folder.frameNumbers();
    if (numbers.empty()) throw Error(format("there are no frames in '%s'", path.c_str()), "simulate into it first");
    for (std::size_t i = 1; i < numbers.size(); ++i)
        if (numbers[i] != numbers[i - 1] + 1)
            throw Error(format("frame %lld is missing in '%s'", static_cast<long long>(numbers[i - 1] + 1), path.c_str()),
                        "simulate it again, or remove the frames behind the gap");
    return numbers;
}
}  // namespace

void addConversionOptions(CLI::App& command, ConversionOptions& options) {
    command.add_option("DIR", options.in, "folder with the frames of a simulation")->required();
    command.add_option("--out", options.out, "folder for the new frames")->required()->type_name("DIR");
    command.add_flag("--overwrite", options.overwrite, "replace the frames in that folder");
    command.add_option("--threads", options.threads, "threads to use, 0 for all")->check(CLI::Range(0, 4096))->type_name("N");
}

FrameConversion::FrameConversion(const ConversionOptions& options) : in_(options.in), out_(options.out), numbers_(allFrames(in_)) {
    setThreadCount(options.threads);
    std::error_code ignored;
    if (std::filesystem::equivalent(options.in, options.out, ignored))
        throw Error(format("'%s' would be written over", options.out.c_str()), "choose another --out");
    out_.prepare();
    if (out_.results().empty()) return;
    if (!options.overwrite)
        throw Error(format("the folder '%s' holds frames already", options.out.c_str()), "add --overwrite to replace them, or choose another --out");
    if (std::filesystem::exists(out_.checkpoint()))
        throw Error(format("the folder '%s' holds a simulation", options.out.c_str()), "choose another --out");
}

CacheFrame FrameConversion::readLast() const {
    DepartedPieces departed;
    if (readGeometry(in_.frame(numbers_.back())).points.findGroup(kParticleGroup))
        for (std::size_t i = 0; i + 1 < numbers_.size(); ++i) read(numbers_[i], departed);
    return read(numbers_.back(), departed);
}

CacheFrame FrameConversion::read(std::int64_t number, DepartedPieces& departed) const {
    const Geometry geometry = readGeometry(in_.frame(number));
    try {
        return makeCacheFrame(departed.restore(geometry));
    } catch (const Error& e) {
        throw Error(format("'%s': %s", in_.frame(number).c_str(), e.what()), e.remedy());
    }
}

void FrameConversion::write(const std::string& name, const Geometry& geometry) const { writeGeometry(out_.path() + "/" + name, geometry); }

void FrameConversion::run(const std::function<Geometry(CacheFrame)>& convert) {
    Progress progress(chooseProgressStyle(false));
    CommandMonitor monitor(progress);
    progress.begin(numbers_.front(), numbers_.back());
    DepartedPieces departed;
    for (const std::int64_t number : numbers_) {
        throwIfCancelled(&monitor);
        const Geometry made = convert(read(number, departed));
        // only now, so that frames that cannot be converted leave earlier results alone
        if (number == numbers_.front()) out_.removeResults();
        write(OutputFolder::frameName(number), made);
        progress.frameDone(number,
                           format("frame %lld/%lld  points %zu  primitives %zu", static_cast<long long>(number),
                                  static_cast<long long>(numbers_.back()), made.pointCount(), made.primitiveCount()),
                           "");
    }
    progress.end();
    std::cout << format("%zu frames are in %s\n", numbers_.size(), out_.path().c_str());
}

}  // namespace sunder::cli
