#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/mesh/geometry.h"

namespace sunder::testing {

/// Positions and faces of an OBJ file: as much as the models need, so that meshing tests depend on no reader.
inline Geometry loadObj(const std::string& path) {
    Geometry geometry;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string key, word;
        words >> key;
        if (key == "v") {
            Vec3 p;
            words >> p[0] >> p[1] >> p[2];
            geometry.positions.push_back(p);
        } else if (key == "f") {
            std::vector<std::int32_t> polygon;
            while (words >> word) {
                const int number = std::atoi(word.c_str());
                polygon.push_back(number > 0 ? number - 1
                                             : static_cast<std::int32_t>(geometry.pointCount()) + number);
            }
            geometry.addPrimitive(PrimitiveKind::kPolygon, polygon);
        }
    }
    return geometry;
}

}  // namespace sunder::testing
