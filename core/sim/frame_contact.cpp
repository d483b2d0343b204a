#include "core/sim/frame_contact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <utility>

#include "core/sim/collider.h"

namespace sunder {

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class Depths {
  public:
    explicit Depths(const WorldState& world) : world_(world) {}

    std::vector<std::vector<float>> run() {
        for (std::size_t b = 0; b < world_.bodies.size(); ++b) {
            const ContactMemory& memory = world_.bodies[b].state->contact;
            for (const ContactEntry& e : memory.entries) mark(b, e.vertex, depthOf(e));
            for (const ContactEntry& e : memory.ledEntries)
                for (const std::int32_t corner : e.corners) mark(b, corner, depthOf(e));
        }
        return std::move(depths_);
    }

  private:
    /// Below the plane of the face, beyond what is free; 0 for colliders that are not there, as in a world that was just loaded.
    double depthOf(const ContactEntry& e) {
        const std::size_t all = world_.bodies.size() + world_.colliders.size();
        if (at(e.other) >= all || at(e.body) >= all) return 0;
        const auto &x = places(e.other, e.stretch), &own = places(e.body, e.stretch);
        const Vec3 &a = x[at(e.corners[0])], &b = x[at(e.corners[1])], &c = x[at(e.corners[2])];
        return -(b - a).cross(c - a).normalized().dot(own[at(e.vertex)] - a) - e.free;
    }

    const std::vector<Vec3>& places(std::int32_t body, std::int32_t stretch) {
        if (at(body) < world_.bodies.size()) return world_.bodies[at(body)].state->x;
        const auto [place, isNew] = led_.try_emplace({body, stretch});
        std::vector<Vec3> v;
        const Collider& collider = *world_.colliders[at(body) - world_.bodies.size()];
        if (isNew) collider.place(at(stretch - collider.earlier), world_.time, world_.time, place->second, v);
        return place->second;
    }

    void mark(std::size_t body, std::int32_t vertex, double depth) {
        if (!(depth > 0)) return;
        depths_.resize(world_.bodies.size());
        std::vector<float>& list = depths_[body];
        list.resize(world_.bodies[body].state->x.size(), 0.0f);
        list[at(vertex)] = std::max(list[at(vertex)], static_cast<float>(depth));
    }

    const WorldState& world_;
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Vec3>> led_;
    std::vector<std::vector<float>> depths_;
};
}  // namespace

std::vector<std::vector<float>> contactDepths(const WorldState& world) { return Depths(world).run(); }

}  // namespace sunder
