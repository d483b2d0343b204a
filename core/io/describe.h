#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/mesh/geometry.h"

namespace sunder {

enum class ElementClass { kPoint, kVertex, kPrimitive, kDetail };

struct AttributeInfo {
    std::string name;
    ElementClass elementClass = ElementClass::kPoint;
    std::string storage;  ///< float32, float64, int32, int64, uint8 or string
    AttributeMeaning meaning = AttributeMeaning::kNone;
    int tupleSize = 1;
    double smallest = 0, largest = 0;  ///< over all finite components; 0 if there are none
    std::size_t notFiniteCount = 0;    ///< components that are infinite or not a number
    std::size_t distinctStrings = 0;
};

struct GroupInfo {
    std::string name;
    ElementClass elementClass = ElementClass::kPoint;
    std::size_t count = 0, elementCount = 0;
};

/// What `sunder info` tells about a geometry.
struct GeometryInfo {
    std::size_t pointCount = 0, vertexCount = 0, primitiveCount = 0;
    std::size_t polygonCount = 0, curveCount = 0, tetCount = 0;
    std::size_t notFinitePointCount = 0;
    Vec3 smallest = Vec3::Zero(), largest = Vec3::Zero();  ///< bounds of the finite points, m
    /// Of the tets if there are any, otherwise enclosed by the polygons (which means something if they are
    /// closed), m3.
    double volume = 0;
    std::size_t invertedTetCount = 0;                  ///< volume <= 0
    double smallestDihedral = 0, largestDihedral = 0;  ///< over all tets, radians; 0 without tets
    std::vector<AttributeInfo> attributes;
    std::vector<GroupInfo> groups;
};

GeometryInfo describeGeometry(const Geometry& geometry);
/// One JSON object, indented; angles in degrees.
std::string toJson(const GeometryInfo& info);

}  // namespace sunder
