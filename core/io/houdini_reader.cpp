#include "core/io/houdini_reader.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/text.h"
#include "core/io/compress.h"
#include "core/io/houdini_format.h"
#include "core/io/number_text.h"

namespace sunder {

namespace houdini {
namespace {
using Source32 = std::vector<std::int32_t>;

/// Element i of the result is element source[i] of the old, to the bit.
template <class T>
std::vector<T> gathered(const std::vector<T>& from, const Source32& source, std::size_t width) {
    std::vector<T> to;
    to.reserve(source.size() * width);
    for (const std::int32_t s : source) {
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(s) * width);
        to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    return to;
}

bool isIdentity(const Source32& source, std::size_t oldCount) {
    if (source.size() != oldCount) return false;
    for (std::size_t i = 0; i < source.size(); ++i)
        if (static_cast<std::size_t>(source[i]) != i) return false;
    return true;
}

class GeometryReader {
  public:
    GeometryReader(const ReadContext& context, const json::Value& root) : context_(context), root_(root) {}

    Geometry read() {
        checkRoot();
        readTopology();
        throwIfCancelled(context_.monitor);
        readAttributes("pointattributes", pointCount_, geometry_.points);
        readAttributes("vertexattributes", vertexCount_, geometry_.vertices);
        readAttributes("primitiveattributes", primitiveCount_, geometry_.primitives);
        readAttributes("globalattributes", 1, geometry_.detail);
        throwIfCancelled(context_.monitor);
        readGroups("pointgroups", pointCount_, geometry_.points);
        readGroups("vertexgroups", vertexCount_, geometry_.vertices);
        readGroups("primitivegroups", primitiveCount_, geometry_.primitives);
        warnOfEdgeGroups();
        takePositions();
        follow(geometry_.vertices, table_.fileVertex, vertexCount_);
        follow(geometry_.primitives, table_.filePrimitive, primitiveCount_);
        assemble();
        geometry_.validate();
        return std::move(geometry_);
    }

  private:
    void checkRoot() const {
        if (root_.kind != json::Kind::kArray && root_.kind != json::Kind::kMap)
            context_.fail(root_, "this is not a geometry");
        if (root_.items().size() % 2 != 0)
            context_.fail(root_, "the geometry is not a list of keys and values");
    }

    std::size_t countOf(const char* key) const {
        const json::Value* value = json::find(root_, key);
        return value ? context_.count(*value) : 0;
    }

    void readTopology() {
        pointCount_ = context_.count(context_.need(root_, "pointcount"));
        vertexCount_ = countOf("vertexcount");
        primitiveCount_ = countOf("primitivecount");
        if (const json::Value* topology = json::find(root_, "topology"))
            vertexPoint_ = context_.numbers<std::int32_t>(
                context_.need(context_.need(*topology, "pointref"), "indices"));
        if (vertexPoint_.size() != vertexCount_)
            context_.fail(root_, format("%zu vertices are listed where %zu are announced",
                                        vertexPoint_.size(), vertexCount_));
        for (std::size_t v = 0; v < vertexCount_; ++v)
            if (vertexPoint_[v] < 0 || static_cast<std::size_t>(vertexPoint_[v]) >= pointCount_)
                context_.fail(
                    root_, format("vertex %zu refers to point %d of %zu", v, vertexPoint_[v], pointCount_));
        if (const json::Value* primitives = json::find(root_, "primitives"))
            table_ = readPrimitives(context_, *primitives, vertexCount_);
        if (table_.fileCount != primitiveCount_)
            context_.fail(root_, format("%zu primitives are listed where %zu are announced", table_.fileCount,
                                        primitiveCount_));
    }

    void readAttributes(const char* key, std::size_t count, AttributeSet& set) {
        const json::Value* all = json::find(root_, "attributes");
        const json::Value* list = all ? json::find(*all, key) : nullptr;
        if (!list) return;
        names_.clear();
        for (const json::Value& item : list->items()) {
            const auto parts = item.items();
            if (parts.size() != 2) context_.fail(item, "an attribute is not a pair of definition and data");
            readAttribute(parts[0], parts[1], count, set);
        }
    }

    void readAttribute(const json::Value& definition, const json::Value& data, std::size_t count,
                       AttributeSet& set) {
        Attribute attribute;
        attribute.name = context_.text(context_.need(definition, "name"));
        const std::string_view type = context_.text(context_.need(definition, "type"));
        if (!names_.insert(attribute.name).second)
            context_.fail(definition, "the attribute '" + attribute.name + "' comes twice");
        readMeaning(definition, attribute);
        const std::size_t size =
            type == "numeric" || type == "string" ? context_.count(context_.need(data, "size")) : 0;
        if (type == "numeric" && size > 0) {
            attribute.tupleSize = static_cast<int>(size);
            const std::string_view storage = context_.text(context_.need(data, "storage"));
            attribute.values = readValues(context_, context_.need(data, "values"), storage, count, size);
        } else if (type == "string" && size == 1) {
            attribute.values = readStrings(data, count);
        } else {
            return context_.warn(
                format("the attribute '%s' is left out: type '%s' of size %zu is not supported",
                       attribute.name.c_str(), std::string(type).c_str(), size));
        }
        set.attributes.push_back(std::move(attribute));
    }

    void readMeaning(const json::Value& definition, Attribute& attribute) {
        const json::Value* options = json::find(definition, "options");
        const json::Value* type = options ? json::find(*options, "type") : nullptr;
        const json::Value* value = type ? json::find(*type, "value") : nullptr;
        if (value && !meaningFromName(context_.text(*value), attribute.meaning))
            context_.warn("the type info '" + std::string(value->text()) + "' of the attribute '" +
                          attribute.name + "' is not kept");
    }

    std::vector<std::string> readStrings(const json::Value& data, std::size_t count) {
        const json::Value& table = context_.need(data, "strings");
        const auto strings = table.items();
        const std::vector<std::int32_t> indices =
            readIndices(context_, context_.need(data, "indices"), count);
        context_.budget.take(count, sizeof(std::string), "strings");
        std::vector<std::string> out(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (indices[i] == -1) continue;
            if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= strings.size())
                context_.fail(table, format("string %d of %zu does not exist", indices[i], strings.size()));
            const std::string_view text = context_.text(strings[static_cast<std::size_t>(indices[i])]);
            context_.budget.take(text.size(), 1, "bytes of strings");
            out[i] = text;
        }
        return out;
    }

    void readGroups(const char* key, std::size_t count, AttributeSet& set) {
        const json::Value* list = json::find(root_, key);
        if (!list) return;
        names_.clear();
        for (const json::Value& item : list->items()) {
            const auto parts = item.items();
            if (parts.size() != 2) context_.fail(item, "a group is not a pair of name and selection");
            const std::string name(context_.text(context_.need(parts[0], "name")));
            if (!names_.insert(name).second) context_.fail(item, "the group '" + name + "' comes twice");
            context_.budget.take(count, 1, "group members");
            set.groups.push_back({name, std::vector<std::uint8_t>(count)});
            readMembers(context_.need(parts[1], "selection"), set.groups.back());
        }
    }

    void readMembers(const json::Value& selection, Group& group) {
        if (const json::Value* ordered = json::find(selection, "ordered"))
            return readOrdered(*ordered, group);
        const auto parts = context_.need(selection, "unordered").items();
        if (parts.size() != 2)
            context_.fail(selection, "this selection is not a pair of encoding and members");
        const std::string_view encoding = context_.text(parts[0]);
        if (encoding == "boolRLE") return readRuns(parts[1], group);
        if (encoding != "i8")
            context_.fail(parts[0], "the encoding '" + std::string(encoding) + "' of a group is unknown");
        const auto flags = context_.numbers<std::int32_t>(parts[1]);
        if (flags.size() != group.members.size())
            context_.fail(parts[1], format("the group '%s' has %zu members of %zu", group.name.c_str(),
                                           flags.size(), group.members.size()));
        for (std::size_t i = 0; i < flags.size(); ++i) group.members[i] = flags[i] != 0;
    }

    void readOrdered(const json::Value& list, Group& group) {
        const auto members = context_.numbers<std::int32_t>(list);
        for (const std::int32_t member : members) {
            if (member < 0 || static_cast<std::size_t>(member) >= group.members.size())
                context_.fail(list, format("element %d of %zu does not exist", member, group.members.size()));
            group.members[static_cast<std::size_t>(member)] = 1;
        }
        if (!std::is_sorted(members.begin(), members.end()))
            context_.warn("the order of the group '" + group.name + "' is not kept");
    }

    void readRuns(const json::Value& list, Group& group) {
        const auto runs = context_.numbers<std::int64_t>(list);
        std::size_t next = 0;
        for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
            if (runs[i] < 0 || static_cast<std::uint64_t>(runs[i]) > group.members.size() - next)
                context_.fail(list,
                              "the runs of the group '" + group.name + "' are longer than the elements");
            std::fill_n(group.members.begin() + static_cast<std::ptrdiff_t>(next), runs[i],
                        std::uint8_t(runs[i + 1] != 0));
            next += static_cast<std::size_t>(runs[i]);
        }
        if (runs.size() % 2 != 0 || next != group.members.size())
            context_.fail(list, "the runs of the group '" + group.name + "' do not cover the elements");
    }

    void warnOfEdgeGroups() const {
        const json::Value* edges = json::find(root_, "edgegroups");
        if (edges && !edges->items().empty())
            context_.warn(format("%zu edge groups are left out", edges->items().size()));
    }

    void takePositions() {
        const Attribute* p = geometry_.points.find("P");
        if (!p && pointCount_ == 0) return;
        if (!p || !p->isFloat() || (p->tupleSize != 3 && p->tupleSize != 4))
            context_.fail(root_, "the points have no attribute P of three or four reals");
        context_.budget.take(pointCount_, sizeof(Vec3), "points");
        geometry_.positions.resize(pointCount_);
        std::visit([&](const auto& values) { copyPositions(values, *p); }, p->values);
        geometry_.points.erase("P");
    }

    template <class T>
    void copyPositions(const std::vector<T>& values, const Attribute& p) {
        if constexpr (std::is_floating_point_v<T>) {
            const auto width = static_cast<std::size_t>(p.tupleSize);
            bool isWeighted = false;
            for (std::size_t i = 0; i < pointCount_; ++i) {
                for (std::size_t c = 0; c < 3; ++c)
                    geometry_.positions[i][static_cast<Eigen::Index>(c)] = asDouble(values[i * width + c]);
                isWeighted = isWeighted || (width == 4 && values[i * width + 3] != T(1));
            }
            if (isWeighted && !geometry_.points.find("Pw")) keepWeights(std::vector<T>(values));
        }
    }
    static double asDouble(double value) { return value; }
    static double asDouble(float value) { return widen(value); }

    /// The fourth coordinate under the name that Houdini gives it where it stands alone.
    template <class T>
    void keepWeights(const std::vector<T>& values) {
        std::vector<T>& weights = geometry_.points.add<T>("Pw", pointCount_);
        for (std::size_t i = 0; i < pointCount_; ++i) weights[i] = values[4 * i + 3];
    }

    /// Rearranges what was read in the file's order.
    void follow(AttributeSet& set, const Source32& source, std::size_t oldCount) {
        if (isIdentity(source, oldCount)) return;
        for (Attribute& a : set.attributes)
            std::visit(
                [&](auto& values) {
                    const auto width = static_cast<std::size_t>(a.tupleSize);
                    context_.budget.take(source.size() * width, sizeof(values[0]), "numbers");
                    values = gathered(values, source, width);
                },
                a.values);
        for (Group& g : set.groups) {
            context_.budget.take(source.size(), 1, "group members");
            g.members = gathered(g.members, source, 1);
        }
    }

    void assemble() {
        geometry_.vertexPoint = gathered(vertexPoint_, table_.fileVertex, 1);
        geometry_.primitiveKind = std::move(table_.kind);
        geometry_.primitiveFirstVertex = std::move(table_.firstVertex);
        std::vector<std::uint8_t> isUsed(vertexCount_, 0);
        for (const std::int32_t v : table_.fileVertex) isUsed[static_cast<std::size_t>(v)] = 1;
        const auto unused = std::count(isUsed.begin(), isUsed.end(), 0);
        if (unused > 0) context_.warn(format("%td vertices that no primitive uses are left out", unused));
    }

    const ReadContext& context_;
    const json::Value& root_;
    std::size_t pointCount_ = 0, vertexCount_ = 0, primitiveCount_ = 0;
    std::vector<std::int32_t> vertexPoint_;
    PrimitiveTable table_;
    std::unordered_set<std::string> names_;  ///< of the attributes or groups read last
    Geometry geometry_;
};

bool startsWith(Span<const std::uint8_t> bytes, std::string_view word) {
    return bytes.size() >= word.size() && std::equal(word.begin(), word.end(), bytes.begin());
}
}  // namespace
}  // namespace houdini

Geometry readHoudini(const Source& source, Monitor* monitor, const ReadLimits& limits) {
    if (isGzip(source.bytes) || isSeekable(source.bytes)) {
        const std::vector<std::uint8_t> raw =
            isGzip(source.bytes) ? decompressGzip(source, limits) : decompressSeekable(source, limits);
        if (isGzip(raw) || isSeekable(raw))
            source.fail(0, "the file is compressed twice", "decompress it once");
        return readHoudini({source.name, raw, false}, monitor, limits);
    }
    if (houdini::startsWith(source.bytes, "PGEOMETRY") || houdini::startsWith(source.bytes, "Bgeo"))
        source.fail(0, "this geometry is in the format of Houdini 11 and older",
                    "save it again with Houdini 12 or later");
    throwIfCancelled(monitor);
    const json::Document document = json::parse(source, limits);
    Budget budget = Budget::forArrays(source.name, limits, source.bytes.size());
    const houdini::ReadContext context{document.source, budget, monitor};
    throwIfCancelled(monitor);
    return houdini::GeometryReader(context, document.root).read();
}

}  // namespace sunder
