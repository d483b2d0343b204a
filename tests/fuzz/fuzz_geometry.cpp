// One fuzzer a format (SUNDER_FUZZ_FORMAT): whatever the bytes are, the reader gives a valid geometry or
// throws Error.
#include <cstdint>
#include <cstdlib>

#include "core/base/error.h"
#include "core/io/geometry_io.h"

namespace {
/// Nothing may be warned of with an empty text, and nothing is printed.
class SilentMonitor : public sunder::Monitor {
  public:
    void warn(const std::string& text) override {
        if (text.empty()) std::abort();
    }
};

/// What was read can be written, read and written again to the same bytes.
void checkRoundTrip(const sunder::Geometry& geometry, const sunder::ReadLimits& limits) {
    std::vector<std::uint8_t> once;
    try {
        once = sunder::encodeBgeo(geometry, {true});
    } catch (const sunder::Error&) {
        return;  // another format may hold what Houdini's cannot, such as a point attribute called P
    }
    const sunder::Geometry back =
        sunder::decodeGeometry(once, sunder::GeometryFormat::kBgeo, "again", nullptr, limits);
    if (sunder::encodeBgeo(back, {true}) != once) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sunder::ReadLimits limits;
    limits.maxBytes = std::uint64_t{8} << 20;
    limits.freeBytes = std::uint64_t{1} << 20;
    SilentMonitor monitor;
    try {
        const sunder::Geometry geometry = sunder::decodeGeometry(
            {data, size}, sunder::GeometryFormat::SUNDER_FUZZ_FORMAT, "fuzz", &monitor, limits);
        geometry.validate();
        checkRoundTrip(geometry, sunder::ReadLimits());
    } catch (const sunder::Error& error) {
        if (error.what()[0] == '\0') std::abort();
    }
    return 0;
}
