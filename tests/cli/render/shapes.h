#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/mesh/tet_mesh.h"
#include "core/mesh/tri_mesh.h"
#include "tests/support/builders.h"

namespace sunder::testing {

inline Geometry sphereGeometry(int subdivisions, double radius = 1) {
    return geometryFromTriMesh(makeSphere(subdivisions, radius));
}

inline Geometry tetGeometry(const TetMesh& mesh) { return geometryFromTetMesh(mesh, {}); }

/// One square in the plane z = 0, counter-clockwise seen from +z.
inline Geometry squareGeometry(double half) {
    Geometry g;
    g.positions = {{-half, -half, 0}, {half, -half, 0}, {half, half, 0}, {-half, half, 0}};
    g.addPrimitive(PrimitiveKind::kPolygon, std::vector<std::int32_t>{0, 1, 2, 3});
    return g;
}

/// Points and faces of a Wavefront file, no more: enough for pictures of the shared models.
inline Geometry readPlainObj(const std::string& path) {
    Geometry g;
    std::ifstream file(path);
    for (std::string line, word; std::getline(file, line);) {
        std::istringstream words(line);
        words >> word;
        if (word == "v") {
            Vec3 p;
            words >> p.x() >> p.y() >> p.z();
            g.positions.push_back(p);
        } else if (word == "f") {
            std::vector<std::int32_t> points;
            while (words >> word) points.push_back(std::stoi(word) - 1);
            g.addPrimitive(PrimitiveKind::kPolygon, points);
        }
    }
    return g;
}

inline void transform(Geometry& g, const Mat3& turn, const Vec3& shift) {
    for (Vec3& p : g.positions) p = turn * p + shift;
}

}  // namespace sunder::testing
