#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/geometry.h"

namespace sunder::testing {

/// Two tets, a quad, a triangle and a curve, with attributes of every storage and class, strings and groups.
/// `withNan` adds numbers that only the binary formats keep to the bit. Positions fit in single precision.
Geometry sampleGeometry(bool withNan);
/// Some 8000 tets, more than two blocks of the seekable container.
Geometry largeGeometry();

/// Empty if two geometries are the same to the bit, otherwise what differs first.
std::string difference(const Geometry& a, const Geometry& b);

std::vector<std::uint8_t> bytesOf(const std::string& text);
std::string textOf(const std::vector<std::uint8_t>& bytes);

/// Keeps what was warned of.
class WarningLog : public Monitor {
  public:
    void warn(const std::string& text) override { all += text + "\n"; }
    std::string all;
};

/// An empty folder that is gone, with all that is in it, when the object is.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }
    /// How many files and folders are in it.
    std::size_t entryCount() const;

  private:
    std::string path_;
};

}  // namespace sunder::testing
