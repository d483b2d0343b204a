// Stays inside the part of the format that other readers are known to take: long key names, one pack an
// attribute, no constant pages, groups as a byte an element.
#include "core/io/houdini_writer.h"

#include <unordered_map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/houdini_format.h"
#include "core/io/json_writer.h"
#include "core/io/number_text.h"

namespace sunder {

namespace houdini {
namespace {
constexpr std::int64_t kPageSize = 1024;

const char* storageName(const Attribute::Values& values) {
    constexpr const char* kNames[] = {"fpreal32", "fpreal64", "int32", "int64", "uint8", "int32"};
    return kNames[values.index()];
}

/// Vertex of the geometry that each vertex of the file is.
std::vector<std::int32_t> fileOrder(const Geometry& geometry) {
    std::vector<std::int32_t> order;
    order.reserve(geometry.vertexCount());
    for (std::size_t p = 0; p < geometry.primitiveCount(); ++p) {
        const std::int32_t first = geometry.primitiveFirstVertex[p],
                           last = geometry.primitiveFirstVertex[p + 1];
        const bool turn = isTurned(geometry.primitiveKind[p]);
        for (std::int32_t v = first; v < last; ++v)
            order.push_back(turn && v > first ? last - (v - first) : v);
    }
    return order;
}

class GeometryWriter {
  public:
    GeometryWriter(json::Writer& out, const Geometry& geometry, const WriteOptions& options)
        : out_(out), geometry_(geometry), options_(options), order_(fileOrder(geometry)) {}

    void write() {
        out_.beginArray();
        out_.pair("fileversion", "20.5.278");
        out_.string("hasindex");
        out_.boolean(false);
        out_.pair("pointcount", static_cast<std::int64_t>(geometry_.pointCount()));
        out_.pair("vertexcount", static_cast<std::int64_t>(geometry_.vertexCount()));
        out_.pair("primitivecount", static_cast<std::int64_t>(geometry_.primitiveCount()));
        writeInfo();
        writeTopology();
        writeAttributes();
        writePrimitives();
        writeGroups("pointgroups", geometry_.points.groups, false);
        writeGroups("vertexgroups", geometry_.vertices.groups, true);
        writeGroups("primitivegroups", geometry_.primitives.groups, false);
        out_.endArray();
    }

  private:
    void writeInfo() {
        out_.string("info");
        out_.beginMap();
        out_.pair("software", "Sunder");
        out_.endMap();
    }

    template <class T>
    std::vector<T> inFileOrder(const std::vector<T>& values, std::size_t width) const {
        std::vector<T> out;
        out.reserve(values.size());
        for (const std::int32_t v : order_)
            for (std::size_t c = 0; c < width; ++c)
                out.push_back(values[static_cast<std::size_t>(v) * width + c]);
        return out;
    }

    void writeTopology() {
        out_.string("topology");
        out_.beginArray();
        out_.string("pointref");
        out_.beginArray();
        out_.string("indices");
        out_.numbers(inFileOrder(geometry_.vertexPoint, 1));
        out_.endArray();
        out_.endArray();
    }

    void writeAttributes() {
        out_.string("attributes");
        out_.beginArray();
        writeSet("vertexattributes", geometry_.vertices, true);
        out_.string("pointattributes");
        out_.beginArray();
        writePositions();
        for (const Attribute& a : geometry_.points.attributes) writeAttribute(a, false);
        out_.endArray();
        writeSet("primitiveattributes", geometry_.primitives, false);
        writeSet("globalattributes", geometry_.detail, false);
        out_.endArray();
    }

    void writeSet(const char* key, const AttributeSet& set, bool ofVertices) {
        if (set.attributes.empty()) return;
        out_.string(key);
        out_.beginArray();
        for (const Attribute& a : set.attributes) writeAttribute(a, ofVertices);
        out_.endArray();
    }

    void writePositions() {
        const auto& positions = geometry_.positions;
        out_.beginArray();
        writeDefinition("P", "numeric", AttributeMeaning::kPoint);
        if (options_.doublePositions) {
            std::vector<double> flat;
            flat.reserve(3 * positions.size());
            for (const Vec3& p : positions) flat.insert(flat.end(), p.data(), p.data() + 3);
            writeNumeric(flat, 3, "fpreal64");
        } else {
            std::vector<float> flat;
            flat.reserve(3 * positions.size());
            for (const Vec3& p : positions)
                flat.insert(flat.end(), {narrow(p.x()), narrow(p.y()), narrow(p.z())});
            writeNumeric(flat, 3, "fpreal32");
        }
        out_.endArray();
    }

    void writeAttribute(const Attribute& attribute, bool ofVertices) {
        out_.beginArray();
        writeDefinition(attribute.name, attribute.isString() ? "string" : "numeric", attribute.meaning);
        std::visit(
            [&](const auto& values) {
                const auto width = static_cast<std::size_t>(attribute.tupleSize);
                writeData(ofVertices ? inFileOrder(values, width) : values, width,
                          storageName(attribute.values));
            },
            attribute.values);
        out_.endArray();
    }

    void writeDefinition(const std::string& name, const char* type, AttributeMeaning meaning) {
        out_.beginArray();
        out_.pair("scope", "public");
        out_.pair("type", type);
        out_.pair("name", name);
        out_.string("options");
        out_.beginMap();
        if (!meaningName(meaning).empty()) {
            out_.string("type");
            out_.beginMap();
            out_.pair("type", "string");
            out_.pair("value", meaningName(meaning));
            out_.endMap();
        }
        out_.endMap();
        out_.endArray();
    }

    template <class T>
    void writeData(const std::vector<T>& values, std::size_t width, const char* storage) {
        writeNumeric(values, width, storage);
    }
    void writeData(const std::vector<std::string>& values, std::size_t, const char*) { writeStrings(values); }

    template <class T>
    void writeNumeric(const std::vector<T>& values, std::size_t width, const char* storage) {
        out_.beginArray();
        out_.pair("size", static_cast<std::int64_t>(width));
        out_.pair("storage", storage);
        out_.string("defaults");
        out_.beginArray();
        out_.pair("size", 1);
        out_.pair("storage", "fpreal64");
        out_.string("values");
        out_.numbers(std::vector<double>{0});
        out_.endArray();
        out_.string("values");
        writePages(values, width, storage);
        out_.endArray();
    }

    template <class T>
    void writePages(const std::vector<T>& values, std::size_t width, const char* storage) {
        out_.beginArray();
        out_.pair("size", static_cast<std::int64_t>(width));
        out_.pair("storage", storage);
        out_.string("packing");
        out_.numbers(std::vector<std::int32_t>{static_cast<std::int32_t>(width)});
        out_.pair("pagesize", kPageSize);
        out_.string("rawpagedata");
        out_.numbers(values);
        out_.endArray();
    }

    void writeStrings(const std::vector<std::string>& values) {
        std::unordered_map<std::string, std::int32_t> number;
        std::vector<const std::string*> table;
        std::vector<std::int32_t> indices;
        for (const std::string& text : values) {
            const auto [it, isNew] = number.try_emplace(text, static_cast<std::int32_t>(table.size()));
            if (text.empty()) it->second = -1;
            if (isNew && !text.empty()) table.push_back(&text);
            indices.push_back(it->second);
        }
        out_.beginArray();
        out_.pair("size", 1);
        out_.pair("storage", "int32");
        out_.string("strings");
        out_.beginArray();
        for (const std::string* text : table) out_.string(*text);
        out_.endArray();
        out_.string("indices");
        writePages(indices, 1, "int32");
        out_.endArray();
    }

    void writePrimitives() {
        out_.string("primitives");
        out_.beginArray();
        for (std::size_t first = 0; first < geometry_.primitiveCount();) {
            std::size_t last = first;
            while (last < geometry_.primitiveCount() &&
                   geometry_.primitiveKind[last] == geometry_.primitiveKind[first])
                ++last;
            writeRun(first, last);
            first = last;
        }
        out_.endArray();
    }

    void writeRun(std::size_t first, std::size_t last) {
        constexpr const char* kTypes[] = {"Polygon_run", "PolygonCurve_run", "Tetrahedron_run"};
        const PrimitiveKind kind = geometry_.primitiveKind[first];
        out_.beginArray();
        out_.beginArray();
        out_.pair("type", kTypes[static_cast<std::size_t>(kind)]);
        out_.endArray();
        out_.beginArray();
        out_.pair("startvertex", geometry_.primitiveFirstVertex[first]);
        out_.pair("nprimitives", static_cast<std::int64_t>(last - first));
        if (kind != PrimitiveKind::kTet) writeSizes(first, last);
        out_.endArray();
        out_.endArray();
    }

    void writeSizes(std::size_t first, std::size_t last) {
        std::vector<std::int32_t> pairs;
        for (std::size_t p = first; p < last; ++p) {
            const std::int32_t size = geometry_.primitiveSize(p);
            if (pairs.empty() || pairs[pairs.size() - 2] != size) pairs.insert(pairs.end(), {size, 0});
            ++pairs.back();
        }
        out_.string("nvertices_rle");
        out_.numbers(pairs);
    }

    void writeGroups(const char* key, const std::vector<Group>& groups, bool ofVertices) {
        if (groups.empty()) return;
        out_.string(key);
        out_.beginArray();
        for (const Group& g : groups) {
            out_.beginArray();
            out_.beginArray();
            out_.pair("name", g.name);
            out_.endArray();
            writeSelection(ofVertices ? inFileOrder(g.members, 1) : g.members);
            out_.endArray();
        }
        out_.endArray();
    }

    void writeSelection(const std::vector<std::uint8_t>& members) {
        out_.beginArray();
        out_.string("selection");
        out_.beginArray();
        out_.string("unordered");
        out_.beginArray();
        out_.string("i8");
        out_.flags(members);
        out_.endArray();
        out_.endArray();
        out_.endArray();
    }

    json::Writer& out_;
    const Geometry& geometry_;
    const WriteOptions& options_;
    std::vector<std::int32_t> order_;
};

void checkWritable(const Geometry& geometry) {
    geometry.validate();
    if (geometry.points.find("P"))
        throw Error("a point attribute is called P, which is the name of the positions", "rename it");
    if (!geometry.detail.groups.empty())
        throw Error("the group '" + geometry.detail.groups[0].name +
                        "' belongs to the whole geometry, which Houdini's files cannot hold",
                    "make it a detail attribute");
    for (const AttributeSet* set :
         {&geometry.points, &geometry.vertices, &geometry.primitives, &geometry.detail})
        for (const Attribute& a : set->attributes)
            if (a.isString() && a.tupleSize != 1)
                throw Error("the string attribute '" + a.name + "' has a tuple size above 1", "split it");
}
}  // namespace
}  // namespace houdini

std::vector<std::uint8_t> writeHoudini(const Geometry& geometry, bool binary, const WriteOptions& options) {
    houdini::checkWritable(geometry);
    const std::unique_ptr<json::Writer> writer = binary ? json::makeBinaryWriter() : json::makeTextWriter();
    houdini::GeometryWriter(*writer, geometry, options).write();
    return writer->take();
}

}  // namespace sunder
