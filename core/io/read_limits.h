#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sunder {

/// What one read may cost. A count in a file is never believed beyond what these allow and what the bytes can
/// hold.
struct ReadLimits {
    /// Most bytes of the file, of what it decompresses to, and of the arrays made from it, each counted
    /// apart.
    std::uint64_t maxBytes = std::uint64_t{16} << 30;
    /// What any file may unfold to, however small it is, bytes.
    std::uint64_t freeBytes = std::uint64_t{64} << 20;
    /// Decompressed bytes a compressed byte; geometry stays far below, a bomb of zeros reaches 1000 with
    /// gzip.
    std::uint64_t maxInflation = 250;
    /// Bytes of arrays a raw byte; one flag bit and one value can stand for a page of 1024 equal elements.
    std::uint64_t maxExpansion = 2048;
    /// Arrays inside arrays.
    int maxDepth = 128;
};

/// Counts what a reader allocates and throws Error when it is out of proportion to the file.
class Budget {
  public:
    Budget(std::string name, const ReadLimits& limits, std::uint64_t fileBytes, std::uint64_t bytesEach);
    static Budget forInflation(const std::string& name, const ReadLimits& limits,
                               std::uint64_t compressedBytes);
    static Budget forArrays(const std::string& name, const ReadLimits& limits, std::uint64_t rawBytes);
    /// Books count * bytesEach before they are allocated; `what` names them in the message.
    void take(std::uint64_t count, std::uint64_t bytesEach, const char* what);

  private:
    std::string name_;
    std::uint64_t left_ = 0;
    std::uint64_t whole_ = 0;
};

}  // namespace sunder
