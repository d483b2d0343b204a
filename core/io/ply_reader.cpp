#include "core/io/ply_reader.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/number_text.h"
#include "core/io/ply_format.h"

namespace sunder {

namespace ply {
namespace {
/// Properties that belong together and the attribute that they make.
struct Known {
    const char* attribute;
    AttributeMeaning meaning;
    int tupleSize;
    bool isColor;  ///< whole numbers are fractions of the largest one
    std::vector<std::string> properties;
};

const std::vector<Known>& knownProperties() {
    static const std::vector<Known> known = {
        {"N", AttributeMeaning::kNormal, 3, false, {"nx", "ny", "nz"}},
        {"Cd", AttributeMeaning::kColor, 3, true, {"red", "green", "blue"}},
        {"Cd", AttributeMeaning::kColor, 3, true, {"r", "g", "b"}},
        {"Cd", AttributeMeaning::kColor, 3, true, {"diffuse_red", "diffuse_green", "diffuse_blue"}},
        {"Alpha", AttributeMeaning::kNone, 1, true, {"alpha"}},
        {"uv", AttributeMeaning::kTextureCoord, 3, false, {"s", "t"}},
        {"uv", AttributeMeaning::kTextureCoord, 3, false, {"u", "v"}},
        {"uv", AttributeMeaning::kTextureCoord, 3, false, {"texture_u", "texture_v"}}};
    return known;
}

double largest(Type type) {
    constexpr double kLargest[] = {127, 255, 32767, 65535, 2147483647.0, 4294967295.0, 1, 1};
    return kLargest[static_cast<std::size_t>(type)];
}

class GeometryReader {
  public:
    GeometryReader(const Source& source, Monitor* monitor, const ReadLimits& limits)
        : source_(source),
          monitor_(monitor),
          budget_(Budget::forArrays(source.name, limits, source.bytes.size())) {}

    Geometry read() {
        const Header header = readHeader(source_);
        source_.isText = header.encoding == Encoding::kText;
        TableReader reader(source_, header, budget_);
        bool hasPoints = false;
        for (const Element& element : header.elements) {
            throwIfCancelled(monitor_);
            if (element.name == "vertex" && !hasPoints) {
                hasPoints = true;
                readPoints(element, reader);
            } else if (element.name == "face" && geometry_.primitiveCount() == 0) {
                readFaces(element, reader);
            } else {
                reader.read(element, {}, false);
                if (element.count > 0)
                    warn(format("%llu of '%s' are left out", static_cast<unsigned long long>(element.count),
                                element.name.c_str()));
            }
        }
        if (!hasPoints) source_.fail(header.bytes, "there is no element 'vertex'");
        checkIndices(header.bytes);
        geometry_.validate();
        return std::move(geometry_);
    }

  private:
    static std::size_t indexOf(const Element& element, const std::string& name) {
        const Property* p = element.find(name);
        return p && !p->isList ? static_cast<std::size_t>(p - element.properties.data())
                               : element.properties.size();
    }

    void readPoints(const Element& element, TableReader& reader) {
        const Table table = reader.read(element, {}, true);
        const std::size_t x = indexOf(element, "x"), y = indexOf(element, "y"), z = indexOf(element, "z");
        if (std::max({x, y, z}) == element.properties.size())
            source_.fail(0, "the vertices have no x, y and z");
        budget_.take(element.count, sizeof(Vec3), "points");
        for (std::size_t i = 0; i < element.count; ++i)
            geometry_.positions.emplace_back(table.scalars[x][i], table.scalars[y][i], table.scalars[z][i]);
        std::vector<bool> isUsed(element.properties.size(), false);
        isUsed[x] = isUsed[y] = isUsed[z] = true;
        addAttributes(element, table, isUsed, geometry_.points);
    }

    void readFaces(const Element& element, TableReader& reader) {
        const std::string name = element.find("vertex_index") ? "vertex_index" : "vertex_indices";
        const Property* corners = element.find(name);
        if (!corners || !corners->isList) source_.fail(0, "the faces have no list 'vertex_indices'");
        const Table table = reader.read(element, name, true);
        std::vector<bool> isUsed(element.properties.size(), false);
        const auto index = static_cast<std::size_t>(corners - element.properties.data());
        isUsed[index] = true;
        budget_.take(table.list.size(), 4, "vertices");
        for (const double point : table.list) {
            const bool isIndex = point >= 0 && point < 0x1p31 && point == std::floor(point);
            geometry_.vertexPoint.push_back(isIndex ? static_cast<std::int32_t>(point) : -1);
        }
        std::int64_t end = 0;
        for (const std::int32_t length : table.lengths[index]) {
            end += length;
            if (end > 0x7fffffff) source_.fail(0, "there are more than 2^31 vertices");
            geometry_.primitiveKind.push_back(PrimitiveKind::kPolygon);
            geometry_.primitiveFirstVertex.push_back(static_cast<std::int32_t>(end));
        }
        addAttributes(element, table, isUsed, geometry_.primitives);
    }

    void addAttributes(const Element& element, const Table& table, std::vector<bool>& isUsed,
                       AttributeSet& set) {
        for (const Known& known : knownProperties()) addKnown(known, element, table, isUsed, set);
        for (std::size_t i = 0; i < element.properties.size(); ++i) {
            const Property& p = element.properties[i];
            if (p.isList && !isUsed[i])
                warn("the list '" + p.name + "' of '" + element.name + "' is left out");
            if (p.isList || isUsed[i]) continue;
            budget_.take(table.scalars[i].size(), 8, "values");
            if (set.find(p.name))
                warn("the property '" + p.name + "' of '" + element.name + "' replaces another of that name");
            addScalar(p, table.scalars[i], set);
        }
    }

    void addKnown(const Known& known, const Element& element, const Table& table, std::vector<bool>& isUsed,
                  AttributeSet& set) {
        std::vector<std::size_t> columns;
        for (const std::string& name : known.properties) columns.push_back(indexOf(element, name));
        for (const std::size_t c : columns)
            if (c == element.properties.size() || isUsed[c]) return;
        if (set.find(known.attribute)) return;
        bool isDouble = false;
        for (const std::size_t c : columns) {
            isUsed[c] = true;
            isDouble = isDouble || element.properties[c].type == Type::kFloat64;
        }
        if (isDouble)
            fillKnown<double>(known, element, table, columns, set);
        else
            fillKnown<float>(known, element, table, columns, set);
    }

    template <class T>
    void fillKnown(const Known& known, const Element& element, const Table& table,
                   const std::vector<std::size_t>& columns, AttributeSet& set) {
        const auto width = static_cast<std::size_t>(known.tupleSize);
        budget_.take(element.count * width, sizeof(T), "values");
        std::vector<T>& out = set.add<T>(known.attribute, element.count, known.tupleSize, known.meaning);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const double scale = known.isColor ? largest(element.properties[columns[k]].type) : 1;
            for (std::size_t i = 0; i < element.count; ++i)
                out[i * width + k] = converted<T>(table.scalars[columns[k]][i], scale);
        }
    }

    template <class T>
    static T converted(double value, double scale) {
        if constexpr (std::is_same_v<T, float>)
            return scale == 1 ? narrow(value) : static_cast<float>(value / scale);
        else
            return scale == 1 ? value : value / scale;
    }

    void addScalar(const Property& property, const std::vector<double>& values, AttributeSet& set) {
        switch (property.type) {
            case Type::kFloat64:
                set.add<double>(property.name, values.size()) = values;
                break;
            case Type::kFloat32: {
                std::vector<float>& out = set.add<float>(property.name, values.size());
                std::transform(values.begin(), values.end(), out.begin(), narrow);
                break;
            }
            case Type::kUint8:
                fillIntegers(values, set.add<std::uint8_t>(property.name, values.size()));
                break;
            case Type::kUint32:
                fillIntegers(values, set.add<std::int64_t>(property.name, values.size()));
                break;
            default:
                fillIntegers(values, set.add<std::int32_t>(property.name, values.size()));
        }
    }

    template <class T>
    static void fillIntegers(const std::vector<double>& values, std::vector<T>& out) {
        std::transform(values.begin(), values.end(), out.begin(),
                       [](double value) { return static_cast<T>(value); });
    }

    void checkIndices(std::size_t offset) const {
        for (std::size_t v = 0; v < geometry_.vertexCount(); ++v)
            if (geometry_.vertexPoint[v] < 0 ||
                static_cast<std::size_t>(geometry_.vertexPoint[v]) >= geometry_.pointCount())
                source_.fail(offset,
                             format("corner %zu of the faces refers to a vertex that does not exist", v));
    }

    void warn(const std::string& text) const {
        if (monitor_) monitor_->warn("'" + source_.name + "': " + text);
    }

    Source source_;
    Monitor* monitor_;
    Budget budget_;
    Geometry geometry_;
};
}  // namespace
}  // namespace ply

Geometry readPly(const Source& source, Monitor* monitor, const ReadLimits& limits) {
    Source header = source;
    header.isText = true;
    return ply::GeometryReader(header, monitor, limits).read();
}

}  // namespace sunder
