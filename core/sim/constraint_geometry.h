#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/mesh/geometry.h"
#include "core/sim/scene.h"

namespace sunder {

/// One constraint that is drawn: a point that holds vertices, or a line that glues. What it does is a
/// ScenePin, SceneTarget or SceneGlue without their places and motions, which are those of the points.
struct DrawnConstraint {
    std::variant<ScenePin, SceneTarget, SceneGlue> what;
    std::int32_t point = 0;   ///< that leads it; of glue the first end
    std::int32_t other = -1;  ///< of glue the second end
    bool active = true;
    double radius = 0;  ///< m, `constraint_radius`: vertices this near are held, and glue is within it of its
                        ///< line; 0: the nearest vertex, and all of the glue
    std::string group;  ///< point group or attribute of the tets that is held, in place of what is near
    std::int32_t vertex = -1;  ///< `tetpoint`: number of the vertex that is held, in place of what is near
};

/// Constraints of a geometry. An attribute counts if it is on the primitive, else on the point, else on the
/// whole, and an empty string as if it were not there:
/// - `constraint_type`: `pin` (the default), `target` or `glue`; `constraint_name` is for people
/// - `constraint_radius`, or else `pscale` (of points); `group`; `tetpoint`; `active` (0 holds nothing)
/// - values in the words and units of scene files: pins releaseTime, releaseForce, releaseStress; targets
/// strength, damping, releaseTime,
///   releaseForce; glue strength, distance, stiffnessScale; points of glue `name`
/// Points are pins and targets one by one, and each once for its first primitive of a kind (of one with a
/// `group` the first point alone); glue is a line of two points. Order: that of the primitives, then loose
/// points. Throws Error with a remedy for what makes no sense.
std::vector<DrawnConstraint> readConstraints(const Geometry& drawn);

}  // namespace sunder
