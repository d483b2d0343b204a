#include "core/io/read_limits.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
std::uint64_t saturatingProduct(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}
}  // namespace

Budget::Budget(std::string name, const ReadLimits& limits, std::uint64_t fileBytes, std::uint64_t bytesEach)
    : name_(std::move(name)) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - limits.freeBytes;
    whole_ = limits.freeBytes + std::min(room, saturatingProduct(fileBytes, bytesEach));
    whole_ = left_ = std::min(whole_, limits.maxBytes);
}

Budget Budget::forInflation(const std::string& name, const ReadLimits& limits,
                            std::uint64_t compressedBytes) {
    return {name, limits, compressedBytes, limits.maxInflation};
}

Budget Budget::forArrays(const std::string& name, const ReadLimits& limits, std::uint64_t rawBytes) {
    return {name, limits, rawBytes, limits.maxExpansion};
}

void Budget::take(std::uint64_t count, std::uint64_t bytesEach, const char* what) {
    const std::uint64_t bytes = saturatingProduct(count, bytesEach);
    if (bytes > left_)
        throw Error(
            format("'%s' asks for %llu %s, more than a file of its size may unfold to (%llu bytes in all)",
                   name_.c_str(), static_cast<unsigned long long>(count), what,
                   static_cast<unsigned long long>(whole_)),
            "the file is damaged or hostile; if it is neither, raise the limits of reading");
    left_ -= bytes;
}

}  // namespace sunder
