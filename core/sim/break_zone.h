#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/body/constraints.h"

namespace sunder {

class ActivePlaces;
struct Collider;

struct ZoneSphere {
    Vec3 center = Vec3::Zero();  ///< m
    double radius = 0.1;         ///< m
};
struct ZoneBox {
    Vec3 min = Vec3::Zero(), max = Vec3::Zero();  ///< m
};
/// Near the surface of a collider, wherever it is.
struct ZoneCollider {
    std::string name;
    double distance = 0.1;  ///< m
};

/// Where and when bodies may break. A body that some zone is for breaks inside its zones only, and while they last.
struct BreakZone {
    std::string name;
    std::vector<std::string> bodies;  ///< none: all
    std::variant<ZoneSphere, ZoneBox, ZoneCollider> where = ZoneSphere{};
    Motion motion;                    ///< of a sphere or box
    double start = 0, end = 1e300;    ///< s
};

/// Throws Error with a remedy for a zone without size, or that ends before it starts.
void validate(const BreakZone& zone);

/// The places where a body may break at a time; null: everywhere.
std::unique_ptr<const ActivePlaces> findActivePlaces(const std::vector<BreakZone>& zones, const std::string& body, double time,
                                                     const std::vector<std::shared_ptr<const Collider>>& colliders);

}  // namespace sunder
