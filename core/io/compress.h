#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/read_limits.h"
#include "core/io/source.h"

namespace sunder {

bool isGzip(Span<const std::uint8_t> bytes);
/// Houdini's seekable container of Blosc blocks, the ".sc" of .bgeo.sc.
bool isSeekable(Span<const std::uint8_t> bytes);

/// Both directions give the same bytes on every machine and for any number of threads.
std::vector<std::uint8_t> compressGzip(Span<const std::uint8_t> raw);
std::vector<std::uint8_t> compressSeekable(Span<const std::uint8_t> raw);

std::vector<std::uint8_t> decompressGzip(const Source& source, const ReadLimits& limits);
std::vector<std::uint8_t> decompressSeekable(const Source& source, const ReadLimits& limits);

}  // namespace sunder
