#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/obj.h"
#include "core/io/text_scanner.h"

namespace sunder {

namespace {
/// A name that holds from here to the next one, kept as one number a primitive.
struct RunningName {
    std::map<std::string, std::int32_t, std::less<>> numbers;
    std::vector<std::string> names;
    std::int32_t current = -1;
    std::vector<std::int32_t> ofPrimitive;

    void set(std::string_view name) {
        const auto [it, isNew] =
            numbers.try_emplace(std::string(name), static_cast<std::int32_t>(names.size()));
        if (isNew) names.emplace_back(name);
        current = it->second;
    }
};

class ObjReader {
  public:
    ObjReader(const Source& source, Monitor* monitor, const ReadLimits& limits)
        : scanner_(source),
          source_(source),
          monitor_(monitor),
          budget_(Budget::forArrays(source.name, limits, source.bytes.size())) {}

    Geometry read() {
        for (std::size_t line = 0; !scanner_.atEnd(); ++line, scanner_.nextLine()) {
            if (line % 65536 == 0) throwIfCancelled(monitor_);
            readLine();
        }
        checkIndices();
        addColors();
        addCorners("uv", AttributeMeaning::kTextureCoord, texture_, cornerTexture_);
        addCorners("N", AttributeMeaning::kNormal, normals_, cornerNormal_);
        addNames("name", object_);
        addNames("shop_materialpath", material_);
        addGroups();
        warnOfIgnored();
        geometry_.validate();
        return std::move(geometry_);
    }

  private:
    using Triple = std::array<float, 3>;
    struct LargestIndex {
        std::int64_t value = -1;
        std::size_t offset = 0;
    };
    struct GroupRange {
        std::size_t firstPrimitive;
        std::vector<std::size_t> groups;
    };

    void readLine() {
        const std::string_view keyword = scanner_.word();
        if (keyword.empty() || keyword == "s" || keyword == "mtllib" || keyword == "p") return;
        if (keyword == "v")
            readPoint();
        else if (keyword == "vt")
            readTriple(texture_, 1);
        else if (keyword == "vn")
            readTriple(normals_, 3);
        else if (keyword == "f")
            readPrimitive(PrimitiveKind::kPolygon);
        else if (keyword == "l")
            readPrimitive(PrimitiveKind::kCurve);
        else if (keyword == "g")
            readGroupNames();
        else if (keyword == "o")
            object_.set(scanner_.rest());
        else if (keyword == "usemtl")
            material_.set(scanner_.rest());
        else if (ignored_.size() < 16)
            ignored_.insert(std::string(keyword.substr(0, 32)));
    }

    void readPoint() {
        std::array<double, 7> numbers{};
        std::array<float, 7> singles{};
        std::size_t count = 0;
        for (; count < numbers.size() && !scanner_.atLineEnd(); ++count)
            if (!scanner_.number(numbers[count], singles[count]))
                scanner_.fail("a coordinate is expected here");
        if (count != 3 && count != 4 && count != 6 && count != 7)
            scanner_.fail(format("a point with %zu numbers is unknown", count));
        geometry_.positions.emplace_back(numbers[0], numbers[1], numbers[2]);
        if ((count == 4 || count == 7) && numbers[3] != 1) hasWeight_ = true;
        hasColor_ = hasColor_ || count >= 6;
        Triple color{1, 1, 1};
        if (count >= 6)
            std::copy(singles.begin() + static_cast<std::ptrdiff_t>(count) - 3,
                      singles.begin() + static_cast<std::ptrdiff_t>(count), color.begin());
        if (hasColor_) {
            colors_.resize(geometry_.positions.size() - 1, Triple{1, 1, 1});
            colors_.push_back(color);
        }
    }

    void readTriple(std::vector<Triple>& out, std::size_t least) {
        Triple triple{};
        std::size_t count = 0;
        while (count < 3 && !scanner_.atLineEnd())
            if (!scanner_.number(triple[count++])) scanner_.fail("a number is expected here");
        if (count < least) scanner_.fail("there are too few numbers here");
        out.push_back(triple);
    }

    /// One index of a corner: from 1 upward, or back from the last with a minus.
    std::int32_t readIndex(std::size_t count, LargestIndex& largest) {
        std::int64_t index = 0;
        const std::size_t offset = scanner_.offset();
        if (!scanner_.number(index) || index == 0)
            scanner_.fail("an index from 1 upward, or a negative one, is expected here");
        const std::int64_t resolved = index > 0 ? index - 1 : static_cast<std::int64_t>(count) + index;
        if (resolved < 0 || resolved > 0x7ffffffe)
            scanner_.fail(format("index %lld does not exist", static_cast<long long>(index)));
        if (resolved > largest.value) largest = {resolved, offset};
        return static_cast<std::int32_t>(resolved);
    }

    void readPrimitive(PrimitiveKind kind) {
        while (!scanner_.atLineEnd()) {
            geometry_.vertexPoint.push_back(readIndex(geometry_.positions.size(), largestPoint_));
            std::int32_t texture = -1, normal = -1;
            if (scanner_.skip('/')) {
                if (!scanner_.skip('/')) {
                    texture = readIndex(texture_.size(), largestTexture_);
                    if (scanner_.skip('/')) normal = readIndex(normals_.size(), largestNormal_);
                } else {
                    normal = readIndex(normals_.size(), largestNormal_);
                }
            }
            cornerTexture_.push_back(texture);
            cornerNormal_.push_back(normal);
        }
        if (geometry_.vertexPoint.size() == static_cast<std::size_t>(geometry_.primitiveFirstVertex.back()))
            scanner_.fail("a face or a line without vertices");
        if (geometry_.vertexPoint.size() > 0x7fffffff) scanner_.fail("there are more than 2^31 vertices");
        geometry_.primitiveKind.push_back(kind);
        geometry_.primitiveFirstVertex.push_back(static_cast<std::int32_t>(geometry_.vertexPoint.size()));
        object_.ofPrimitive.push_back(object_.current);
        material_.ofPrimitive.push_back(material_.current);
    }

    void readGroupNames() {
        GroupRange range{geometry_.primitiveCount(), {}};
        for (std::string_view name = scanner_.word(); !name.empty(); name = scanner_.word())
            range.groups.push_back(
                groupNumber_.try_emplace(std::string(name), groupNumber_.size()).first->second);
        ranges_.push_back(std::move(range));
    }

    void checkIndices() const {
        check(largestPoint_, geometry_.positions.size(), "point");
        check(largestTexture_, texture_.size(), "texture coordinate");
        check(largestNormal_, normals_.size(), "normal");
    }
    void check(const LargestIndex& largest, std::size_t count, const char* what) const {
        if (largest.value >= static_cast<std::int64_t>(count))
            source_.fail(largest.offset, format("%s %lld of %zu does not exist", what,
                                                static_cast<long long>(largest.value + 1), count));
    }

    void addColors() {
        if (!hasColor_) return;
        std::vector<float>& out =
            geometry_.points.add<float>("Cd", geometry_.pointCount(), 3, AttributeMeaning::kColor);
        for (std::size_t i = 0; i < colors_.size(); ++i)
            std::copy(colors_[i].begin(), colors_[i].end(), out.begin() + static_cast<std::ptrdiff_t>(3 * i));
    }

    void addCorners(const char* name, AttributeMeaning meaning, const std::vector<Triple>& values,
                    const std::vector<std::int32_t>& corners) {
        const auto missing = std::count(corners.begin(), corners.end(), -1);
        if (static_cast<std::size_t>(missing) == corners.size()) return;
        std::vector<float>& out = geometry_.vertices.add<float>(name, corners.size(), 3, meaning);
        for (std::size_t v = 0; v < corners.size(); ++v)
            for (std::size_t c = 0; c < 3 && corners[v] >= 0; ++c)
                out[3 * v + c] = values[static_cast<std::size_t>(corners[v])][c];
        if (missing > 0) warn(format("%td vertices have no %s; zeros stand in", missing, name));
    }

    void addNames(const char* attribute, const RunningName& running) {
        if (running.names.empty()) return;
        budget_.take(running.ofPrimitive.size(), sizeof(std::string), "names");
        auto& out = geometry_.primitives.add<std::string>(attribute, geometry_.primitiveCount());
        for (std::size_t p = 0; p < out.size(); ++p) {
            if (running.ofPrimitive[p] < 0) continue;
            const std::string& name = running.names[static_cast<std::size_t>(running.ofPrimitive[p])];
            budget_.take(name.size(), 1, "bytes of names");
            out[p] = name;
        }
    }

    void addGroups() {
        budget_.take(groupNumber_.size(), sizeof(Group) + geometry_.primitiveCount(), "groups");
        geometry_.primitives.groups.resize(groupNumber_.size());
        for (const auto& [name, number] : groupNumber_)
            geometry_.primitives.groups[number] = {name,
                                                   std::vector<std::uint8_t>(geometry_.primitiveCount())};
        for (std::size_t r = 0; r < ranges_.size(); ++r) {
            const std::size_t last =
                r + 1 < ranges_.size() ? ranges_[r + 1].firstPrimitive : geometry_.primitiveCount();
            const std::size_t first = ranges_[r].firstPrimitive;
            for (const std::size_t g : ranges_[r].groups)
                std::fill_n(
                    geometry_.primitives.groups[g].members.begin() + static_cast<std::ptrdiff_t>(first),
                    last - first, std::uint8_t{1});
        }
    }

    void warn(const std::string& text) const {
        if (monitor_) monitor_->warn("'" + source_.name + "': " + text);
    }
    void warnOfIgnored() const {
        if (hasWeight_) warn("weights of rational points are not kept");
        std::string list;
        for (const std::string& keyword : ignored_) list += (list.empty() ? "" : ", ") + keyword;
        if (!list.empty()) warn("lines of an unknown kind are left out: " + list);
    }

    TextScanner scanner_;
    const Source& source_;
    Monitor* monitor_;
    Budget budget_;
    Geometry geometry_;
    std::vector<Triple> colors_, texture_, normals_;
    std::vector<std::int32_t> cornerTexture_, cornerNormal_;
    LargestIndex largestPoint_, largestTexture_, largestNormal_;
    RunningName object_, material_;
    std::map<std::string, std::size_t, std::less<>> groupNumber_;
    std::vector<GroupRange> ranges_;
    std::set<std::string> ignored_;
    bool hasColor_ = false, hasWeight_ = false;
};
}  // namespace

Geometry readObj(const Source& source, Monitor* monitor, const ReadLimits& limits) {
    Source text = source;
    text.isText = true;
    return ObjReader(text, monitor, limits).read();
}

}  // namespace sunder
