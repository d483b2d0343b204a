#include "core/io/describe.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/mesh/tet_mesh.h"
#include "core/mesh/tri_mesh.h"

namespace sunder {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

AttributeInfo describeAttribute(const Attribute& attribute, ElementClass elementClass) {
    constexpr const char* kStorages[] = {"float32", "float64", "int32", "int64", "uint8", "string"};
    AttributeInfo info;
    info.name = attribute.name;
    info.elementClass = elementClass;
    info.storage = kStorages[attribute.values.index()];
    info.meaning = attribute.meaning;
    info.tupleSize = attribute.tupleSize;
    if (const auto* strings = attribute.as<std::string>()) {
        info.distinctStrings = std::unordered_set<std::string>(strings->begin(), strings->end()).size();
        return info;
    }
    double smallest = kInfinity, largest = -kInfinity;
    for (std::size_t e = 0; e < attribute.elementCount(); ++e)
        for (int c = 0; c < attribute.tupleSize; ++c) {
            const double value = attribute.number(e, c);
            if (!std::isfinite(value)) {
                ++info.notFiniteCount;
                continue;
            }
            smallest = std::min(smallest, value);
            largest = std::max(largest, value);
        }
    if (smallest <= largest) info.smallest = smallest, info.largest = largest;
    return info;
}

void describeSet(const AttributeSet& set, ElementClass elementClass, GeometryInfo& info) {
    for (const Attribute& a : set.attributes) info.attributes.push_back(describeAttribute(a, elementClass));
    for (const Group& g : set.groups)
        info.groups.push_back({g.name, elementClass, g.count(), g.members.size()});
}

void describeBounds(const Geometry& geometry, GeometryInfo& info) {
    Vec3 smallest = Vec3::Constant(kInfinity), largest = Vec3::Constant(-kInfinity);
    for (const Vec3& p : geometry.positions) {
        if (!p.allFinite()) {
            ++info.notFinitePointCount;
            continue;
        }
        smallest = smallest.cwiseMin(p);
        largest = largest.cwiseMax(p);
    }
    if (smallest.x() <= largest.x()) info.smallest = smallest, info.largest = largest;
}

void describeTets(const Geometry& geometry, GeometryInfo& info) {
    info.smallestDihedral = kInfinity;
    for (std::size_t p = 0; p < geometry.primitiveCount(); ++p) {
        if (geometry.primitiveKind[p] != PrimitiveKind::kTet) continue;
        const auto q = geometry.primitivePoints(p);
        const auto at = [&](std::size_t k) -> const Vec3& {
            return geometry.positions[static_cast<std::size_t>(q[k])];
        };
        const double volume = signedVolume(at(0), at(1), at(2), at(3));
        const DihedralRange range = dihedralRange(at(0), at(1), at(2), at(3));
        info.volume += volume;
        if (!(volume > 0)) ++info.invertedTetCount;
        info.smallestDihedral = std::min(info.smallestDihedral, range.smallest);
        info.largestDihedral = std::max(info.largestDihedral, range.largest);
    }
}

/// Signed volumes of the cones from the middle of the bounds to every triangle.
double enclosedVolume(const Geometry& geometry, const Vec3& middle) {
    const TriMesh mesh = triMeshFromGeometry(geometry);
    double volume = 0;
    for (const Tri& t : mesh.triangles)
        volume += signedVolume(middle, mesh.positions[static_cast<std::size_t>(t[0])],
                               mesh.positions[static_cast<std::size_t>(t[1])],
                               mesh.positions[static_cast<std::size_t>(t[2])]);
    return volume;
}

const char* className(ElementClass elementClass) {
    constexpr const char* kNames[] = {"point", "vertex", "primitive", "detail"};
    return kNames[static_cast<std::size_t>(elementClass)];
}

const char* meaningText(AttributeMeaning meaning) {
    constexpr const char* kNames[] = {"none",  "point",      "hpoint", "vector",      "normal",
                                      "color", "quaternion", "matrix", "texturecoord"};
    return kNames[static_cast<std::size_t>(meaning)];
}

nlohmann::ordered_json attributeJson(const AttributeInfo& a) {
    nlohmann::ordered_json j{{"name", a.name},
                             {"class", className(a.elementClass)},
                             {"storage", a.storage},
                             {"size", a.tupleSize},
                             {"type", meaningText(a.meaning)}};
    if (a.storage == "string") {
        j["distinct"] = a.distinctStrings;
    } else {
        j["min"] = a.smallest;
        j["max"] = a.largest;
        j["not_finite"] = a.notFiniteCount;
    }
    return j;
}
}  // namespace

GeometryInfo describeGeometry(const Geometry& geometry) {
    GeometryInfo info;
    info.pointCount = geometry.pointCount();
    info.vertexCount = geometry.vertexCount();
    info.primitiveCount = geometry.primitiveCount();
    info.polygonCount = geometry.countOf(PrimitiveKind::kPolygon);
    info.curveCount = geometry.countOf(PrimitiveKind::kCurve);
    info.tetCount = geometry.countOf(PrimitiveKind::kTet);
    describeBounds(geometry, info);
    if (info.tetCount > 0)
        describeTets(geometry, info);
    else
        info.volume = enclosedVolume(geometry, (info.smallest + info.largest) / 2);
    describeSet(geometry.points, ElementClass::kPoint, info);
    describeSet(geometry.vertices, ElementClass::kVertex, info);
    describeSet(geometry.primitives, ElementClass::kPrimitive, info);
    describeSet(geometry.detail, ElementClass::kDetail, info);
    return info;
}

std::string toJson(const GeometryInfo& info) {
    nlohmann::ordered_json j{{"points", info.pointCount},
                             {"vertices", info.vertexCount},
                             {"primitives", info.primitiveCount},
                             {"polygons", info.polygonCount},
                             {"curves", info.curveCount},
                             {"tets", info.tetCount},
                             {"points_not_finite", info.notFinitePointCount},
                             {"bounds",
                              {{"min", {info.smallest.x(), info.smallest.y(), info.smallest.z()}},
                               {"max", {info.largest.x(), info.largest.y(), info.largest.z()}}}},
                             {"volume", info.volume}};
    if (info.tetCount > 0) {
        j["inverted_tets"] = info.invertedTetCount;
        j["smallest_dihedral_degrees"] = info.smallestDihedral * 180 / M_PI;
        j["largest_dihedral_degrees"] = info.largestDihedral * 180 / M_PI;
    }
    j["attributes"] = nlohmann::ordered_json::array();
    for (const AttributeInfo& a : info.attributes) j["attributes"].push_back(attributeJson(a));
    j["groups"] = nlohmann::ordered_json::array();
    for (const GroupInfo& g : info.groups)
        j["groups"].push_back({{"name", g.name},
                               {"class", className(g.elementClass)},
                               {"count", g.count},
                               {"of", g.elementCount}});
    return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace sunder
