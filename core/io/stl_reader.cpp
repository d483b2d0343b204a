#include "core/io/stl_reader.h"

#include <array>
#include <cstring>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/io/text_scanner.h"

namespace sunder {

namespace {
constexpr std::size_t kHeaderBytes = 84, kTriangleBytes = 50;

using Bits = std::array<std::uint64_t, 3>;
struct BitsHash {
    std::size_t operator()(const Bits& bits) const { return hashBytes(bits.data(), sizeof bits); }
};

/// Collects triangles and gives corners of equal coordinates one point.
class Welder {
  public:
    void reserve(std::size_t triangles) {
        geometry.vertexPoint.reserve(3 * triangles);
        geometry.primitiveKind.reserve(triangles);
        geometry.primitiveFirstVertex.reserve(triangles + 1);
    }
    void addCorner(const Vec3& position) {
        // adding 0 makes one of the two zeros, which are the same place
        const Vec3 key = position.array() + 0.0;
        Bits bits;
        std::memcpy(bits.data(), key.data(), sizeof bits);
        const auto [it, isNew] =
            points_.try_emplace(bits, static_cast<std::int32_t>(geometry.positions.size()));
        if (isNew) geometry.positions.push_back(position);
        geometry.vertexPoint.push_back(it->second);
    }
    void closeTriangle() {
        geometry.primitiveKind.push_back(PrimitiveKind::kPolygon);
        geometry.primitiveFirstVertex.push_back(static_cast<std::int32_t>(geometry.vertexPoint.size()));
    }

    Geometry geometry;

  private:
    std::unordered_map<Bits, std::int32_t, BitsHash> points_;
};

std::uint64_t announcedTriangles(const Source& source) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < 4; ++i) count |= static_cast<std::uint32_t>(source.bytes[80 + i]) << 8 * i;
    return count;
}

bool isBinary(const Source& source) {
    if (source.bytes.size() < kHeaderBytes) return false;
    if (source.bytes.size() == kHeaderBytes + kTriangleBytes * announcedTriangles(source)) return true;
    TextScanner scanner(source);
    scanner.skipSpace();
    return scanner.word() != "solid";
}

Geometry readBinary(const Source& source, Monitor* monitor) {
    const std::uint64_t count = announcedTriangles(source);
    const std::size_t room = (source.bytes.size() - kHeaderBytes) / kTriangleBytes;
    if (count > room)
        source.fail(source.bytes.size(), format("%llu triangles are announced, there is room for %zu",
                                                static_cast<unsigned long long>(count), room));
    if (count > 0x7fffffff / 3) source.fail(80, "there are more than 2^31 vertices", "split the geometry");
    Welder welder;
    welder.reserve(count);
    std::vector<std::int32_t> spare(count);
    bool hasSpare = false;
    for (std::size_t t = 0; t < count; ++t) {
        if (t % 65536 == 0) throwIfCancelled(monitor);
        const std::uint8_t* const p = source.bytes.data() + kHeaderBytes + kTriangleBytes * t;
        float numbers[12];
        std::memcpy(numbers, p, sizeof numbers);
        for (int corner = 1; corner < 4; ++corner)
            welder.addCorner(
                {widen(numbers[3 * corner]), widen(numbers[3 * corner + 1]), widen(numbers[3 * corner + 2])});
        welder.closeTriangle();
        spare[t] = p[48] | p[49] << 8;
        hasSpare = hasSpare || spare[t] != 0;
    }
    if (hasSpare) welder.geometry.primitives.add<std::int32_t>("stl_attribute", count) = std::move(spare);
    if (count < room && monitor)
        monitor->warn("'" + source.name + "': there is something behind the last triangle");
    return std::move(welder.geometry);
}

class TextReader {
  public:
    TextReader(const Source& source, Monitor* monitor, const ReadLimits& limits)
        : scanner_(source),
          monitor_(monitor),
          budget_(Budget::forArrays(source.name, limits, source.bytes.size())) {}

    Geometry read() {
        for (std::size_t line = 0; !scanner_.atEnd(); ++line, scanner_.nextLine()) {
            if (line % 65536 == 0) throwIfCancelled(monitor_);
            readLine();
        }
        if (corners_ != 0) scanner_.fail("the file ends in the middle of a triangle");
        if (isOpen_) scanner_.fail("the file ends before 'endsolid'");
        if (hasNames_) addNames();
        return std::move(welder_.geometry);
    }

  private:
    void readLine() {
        const std::string_view keyword = scanner_.word();
        if (keyword.empty() || keyword == "outer" || keyword == "endloop") return;
        if (keyword == "vertex") return readCorner();
        if (keyword == "facet" || keyword == "endfacet") return checkTriangle();
        if (keyword == "solid") {
            isOpen_ = true;
            names_.emplace_back(scanner_.rest());
            hasNames_ = hasNames_ || !names_.back().empty();
        } else if (keyword == "endsolid") {
            isOpen_ = false;
        } else {
            scanner_.fail("this line is unknown");
        }
    }

    void readCorner() {
        Vec3 position;
        for (int c = 0; c < 3; ++c)
            if (scanner_.atLineEnd() || !scanner_.number(position[c]))
                scanner_.fail("a coordinate is expected here");
        if (corners_ == 3) scanner_.fail("a facet has more than three corners");
        if (welder_.geometry.vertexPoint.size() > 0x7ffffff0)
            scanner_.fail("there are more than 2^31 vertices");
        welder_.addCorner(position);
        if (++corners_ == 3) {
            welder_.closeTriangle();
            solid_.push_back(names_.size());
        }
    }

    void checkTriangle() {
        if (corners_ != 0 && corners_ != 3) scanner_.fail("a facet has fewer than three corners");
        corners_ = 0;
    }

    void addNames() {
        budget_.take(solid_.size(), sizeof(std::string), "names");
        auto& out = welder_.geometry.primitives.add<std::string>("name", solid_.size());
        for (std::size_t t = 0; t < out.size(); ++t) {
            if (solid_[t] == 0) continue;
            budget_.take(names_[solid_[t] - 1].size(), 1, "bytes of names");
            out[t] = names_[solid_[t] - 1];
        }
    }

    TextScanner scanner_;
    Monitor* monitor_;
    Budget budget_;
    Welder welder_;
    int corners_ = 0;  ///< of the facet at hand
    bool hasNames_ = false, isOpen_ = false;
    std::vector<std::string> names_;
    std::vector<std::size_t> solid_;  ///< of every triangle, from 1
};
}  // namespace

Geometry readStl(const Source& source, Monitor* monitor, const ReadLimits& limits) {
    if (isBinary(source)) return readBinary(source, monitor);
    Source text = source;
    text.isText = true;
    return TextReader(text, monitor, limits).read();
}

}  // namespace sunder
