#include "core/sim/break_zone.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/fracture/separation.h"
#include "core/sim/collider.h"
#include "core/spatial/triangle_tree.h"

namespace sunder {

namespace {
bool isFor(const BreakZone& zone, const std::string& body) {
    return zone.bodies.empty() || std::find(zone.bodies.begin(), zone.bodies.end(), body) != zone.bodies.end();
}

/// A sphere or box where its motion has it.
class MovedPlaces : public ActivePlaces {
  public:
    MovedPlaces(const BreakZone& zone, double time) : zone_(zone) {
        origin_ = zone.motion.apply(Vec3::Zero(), time);
        for (int k = 0; k < 3; ++k) axes_.col(k) = zone.motion.apply(Vec3::Unit(k), time) - origin_;
    }
    bool contains(const Vec3& x) const override {
        const Vec3 p = axes_.transpose() * (x - origin_);
        if (const auto* ball = std::get_if<ZoneSphere>(&zone_.where)) return (p - ball->center).squaredNorm() <= ball->radius * ball->radius;
        const auto& box = std::get<ZoneBox>(zone_.where);
        return (p.array() >= box.min.array()).all() && (p.array() <= box.max.array()).all();
    }

  private:
    const BreakZone& zone_;
    Vec3 origin_;
    Mat3 axes_;
};

class ColliderPlaces : public ActivePlaces {
  public:
    ColliderPlaces(const Collider& collider, double distance, double time) : distanceSq_(distance * distance) {
        std::vector<Vec3> unused;
        triangles_ = collider.keys[collider.placeSurface(time, x_, unused)].surface.triangles;
        tree_ = TriangleTree(x_, triangles_);
    }
    bool contains(const Vec3& x) const override { return tree_.closest(x, distanceSq_).triangle >= 0; }

  private:
    double distanceSq_;
    std::vector<Vec3> x_;
    std::vector<Tri> triangles_;
    TriangleTree tree_;
};

/// Inside one of them; nowhere if there is none.
class AnyPlaces : public ActivePlaces {
  public:
    std::vector<std::unique_ptr<const ActivePlaces>> places;
    bool contains(const Vec3& x) const override {
        return std::any_of(places.begin(), places.end(), [&](const auto& place) { return place->contains(x); });
    }
};
}  // namespace

void validate(const BreakZone& zone) {
    const auto complain = [&](const char* what, const char* remedy) { throw Error(format("the active zone '%s' %s", zone.name.c_str(), what), remedy); };
    if (!(zone.end > zone.start)) complain("ends before it starts", "make end later than start");
    if (const auto* ball = std::get_if<ZoneSphere>(&zone.where); ball && !(ball->radius > 0)) complain("has a radius that is not above 0", "give it a radius in m");
    if (const auto* box = std::get_if<ZoneBox>(&zone.where); box && !(box->min.array() <= box->max.array()).all())
        complain("has a box whose min is above its max", "swap them");
    if (const auto* near = std::get_if<ZoneCollider>(&zone.where); near && !(near->distance > 0)) complain("has a distance that is not above 0", "give it a distance in m");
}

std::unique_ptr<const ActivePlaces> findActivePlaces(const std::vector<BreakZone>& zones, const std::string& body, double time,
                                                     const std::vector<std::shared_ptr<const Collider>>& colliders) {
    auto all = std::make_unique<AnyPlaces>();
    bool any = false;
    for (const BreakZone& zone : zones) {
        if (!isFor(zone, body)) continue;
        any = true;
        if (time < zone.start || time > zone.end) continue;
        const auto* near = std::get_if<ZoneCollider>(&zone.where);
        if (!near) all->places.push_back(std::make_unique<MovedPlaces>(zone, time));
        for (const auto& collider : colliders)
            if (near && collider->name == near->name) all->places.push_back(std::make_unique<ColliderPlaces>(*collider, near->distance, time));
    }
    if (!any) return nullptr;
    return all;
}

}  // namespace sunder
