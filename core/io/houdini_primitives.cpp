// Primitive records of Houdini's files: runs with long or short names, the older generic run, and single
// primitives.
#include <map>

#include "core/base/text.h"
#include "core/io/houdini_format.h"

namespace sunder::houdini {

namespace {
class PrimitiveReader {
  public:
    PrimitiveReader(const ReadContext& context, std::size_t vertexCount)
        : context_(context), vertexCount_(vertexCount) {}

    PrimitiveTable read(const json::Value& primitives) {
        for (const json::Value& record : primitives.items()) readRecord(record);
        for (const auto& [type, count] : skipped_)
            context_.warn(
                format("%zu primitives of type '%s' are left out: only polygons, open curves and tetrahedra "
                       "are read",
                       count, type.c_str()));
        return std::move(table_);
    }

  private:
    void readRecord(const json::Value& record) {
        const auto parts = record.items();
        if (parts.size() != 2) context_.fail(record, "a primitive is not a pair of type and data");
        const std::string_view type = context_.text(context_.need(parts[0], "type"));
        if (type == "Tetrahedron_run")
            readTets(parts[1]);
        else if (type == "Polygon_run" || type == "p_r")
            readPolygons(PrimitiveKind::kPolygon, parts[1]);
        else if (type == "PolygonCurve_run" || type == "c_r")
            readPolygons(PrimitiveKind::kCurve, parts[1]);
        else if (type == "run")
            readGenericRun(parts[0], parts[1]);
        else if (type == "Poly" || type == "Tetrahedron")
            addListed(type, context_.need(parts[1], "vertex"), json::find(parts[1], "closed"));
        else
            skip(record, type, parts[1]);
    }

    void readTets(const json::Value& data) {
        std::size_t next = context_.count(context_.need(data, "startvertex", "s_v"));
        const std::size_t count = context_.count(context_.need(data, "nprimitives", "n_p"));
        if (next > vertexCount_ || count > (vertexCount_ - next) / 4)
            context_.fail(data, "these tetrahedra need more vertices than there are");
        for (std::size_t i = 0; i < count; ++i) addConsecutive(PrimitiveKind::kTet, next, 4);
    }

    void readPolygons(PrimitiveKind kind, const json::Value& data) {
        std::size_t next = context_.count(context_.need(data, "startvertex", "s_v"));
        const std::size_t count = context_.count(context_.need(data, "nprimitives", "n_p")),
                          before = table_.kind.size();
        if (const json::Value* rle = json::find(data, "nvertices_rle", "r_v")) {
            const auto pairs = context_.numbers<std::int64_t>(*rle);
            if (pairs.size() % 2 != 0) context_.fail(*rle, "these counts of vertices are not pairs");
            for (std::size_t i = 0; i < pairs.size(); i += 2)
                addRepeated(kind, next, pairs[i], pairs[i + 1], *rle, before + count);
        } else {
            const json::Value& sizes = context_.need(data, "nvertices", "n_v");
            for (const std::int64_t size : context_.numbers<std::int64_t>(sizes))
                addRepeated(kind, next, size, 1, sizes, before + count);
        }
        if (table_.kind.size() != before + count)
            context_.fail(data, format("%zu primitives are listed where %zu are announced",
                                       table_.kind.size() - before, count));
    }

    void addRepeated(PrimitiveKind kind, std::size_t& next, std::int64_t size, std::int64_t times,
                     const json::Value& place, std::size_t limit) {
        const auto announced = static_cast<std::int64_t>(limit - table_.kind.size());
        if (size < 0 || times < 0 || times > announced)
            context_.fail(place, "these counts of vertices do not fit the primitives");
        const auto left = static_cast<std::int64_t>(vertexCount_ - next);
        if (size > 0 && times > left / size)
            context_.fail(place, "these primitives need more vertices than there are");
        for (std::int64_t i = 0; i < times; ++i) addConsecutive(kind, next, static_cast<std::size_t>(size));
    }

    void addConsecutive(PrimitiveKind kind, std::size_t& next, std::size_t size) {
        numbers_.resize(size);
        for (std::size_t k = 0; k < size; ++k) numbers_[k] = static_cast<std::int32_t>(next + k);
        next += size;
        add(kind);
    }

    void readGenericRun(const json::Value& head, const json::Value& data) {
        const std::string_view type = context_.text(context_.need(head, "runtype"));
        if (type != "Poly" && type != "Tetrahedron") return skipMany(type, data.items().size());
        const auto fields = context_.need(head, "varyingfields").items();
        const json::Value* uniform = json::find(head, "uniformfields");
        const json::Value* uniformClosed = uniform ? json::find(*uniform, "closed") : nullptr;
        for (const json::Value& primitive : data.items()) {
            const auto values = primitive.items();
            const json::Value *vertices = nullptr, *closed = uniformClosed;
            for (std::size_t f = 0; f < std::min(values.size(), fields.size()); ++f) {
                if (context_.text(fields[f]) == "vertex") vertices = &values[f];
                if (context_.text(fields[f]) == "closed") closed = &values[f];
            }
            if (!vertices) context_.fail(primitive, "this primitive lists no vertices");
            addListed(type, *vertices, closed);
        }
    }

    void addListed(std::string_view type, const json::Value& vertices, const json::Value* closed) {
        numbers_ = context_.numbers<std::int32_t>(vertices);
        for (const std::int32_t vertex : numbers_)
            if (vertex < 0 || static_cast<std::size_t>(vertex) >= vertexCount_)
                context_.fail(vertices, format("vertex %d of %zu does not exist", vertex, vertexCount_));
        if (type == "Tetrahedron" && numbers_.size() != 4)
            context_.fail(vertices, "a tetrahedron has not four vertices");
        const bool isOpen = closed && json::integer(context_.source, *closed) == 0;
        add(type == "Tetrahedron" ? PrimitiveKind::kTet
            : isOpen              ? PrimitiveKind::kCurve
                                  : PrimitiveKind::kPolygon);
    }

    /// Adds what numbers_ lists.
    void add(PrimitiveKind kind) {
        // attribute arrays follow, but those are booked when they are read
        context_.budget.take(2 + numbers_.size(), 8, "vertices and primitives");
        if (table_.fileVertex.size() + numbers_.size() > 0x7fffffff || table_.fileCount >= 0x7fffffff)
            throw Error("'" + context_.source.name + "' has more than 2^31 vertices or primitives",
                        "split the geometry");
        if (isTurned(kind) && numbers_.size() > 2) std::reverse(numbers_.begin() + 1, numbers_.end());
        table_.fileVertex.insert(table_.fileVertex.end(), numbers_.begin(), numbers_.end());
        table_.firstVertex.push_back(static_cast<std::int32_t>(table_.fileVertex.size()));
        table_.kind.push_back(kind);
        table_.filePrimitive.push_back(static_cast<std::int32_t>(table_.fileCount++));
    }

    void skip(const json::Value& record, std::string_view type, const json::Value& data) {
        const json::Value* count = json::find(data, "nprimitives", "n_p");
        const bool isRun = type.size() > 2 && type.substr(type.size() - 2) == "_r";
        if (!count && (isRun || (type.size() > 4 && type.substr(type.size() - 4) == "_run")))
            context_.fail(
                record, "a run of '" + std::string(type) + "' does not say how many primitives it has",
                "delete these primitives before saving; only polygons, open curves and tetrahedra are read");
        skipMany(type, count ? context_.count(*count) : 1);
    }

    void skipMany(std::string_view type, std::size_t count) {
        skipped_[std::string(type)] += count;
        table_.fileCount += count;
    }

    const ReadContext& context_;
    std::size_t vertexCount_;
    PrimitiveTable table_;
    std::vector<std::int32_t> numbers_;
    std::map<std::string, std::size_t> skipped_;
};
}  // namespace

PrimitiveTable readPrimitives(const ReadContext& context, const json::Value& primitives,
                              std::size_t vertexCount) {
    return PrimitiveReader(context, vertexCount).read(primitives);
}

}  // namespace sunder::houdini
