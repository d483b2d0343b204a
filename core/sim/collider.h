#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/collider_mesh.h"

namespace sunder {

/// A surface from outside that bodies collide with and that goes where it is led: by a motion, by its shape at several times, or both.
/// Between two times with the same topology its vertices go straight; where the topology changes, the surface stands still until then.
struct Collider {
    struct Key {
        double time = 0;  ///< s
        ColliderSurface surface;
    };
    std::string name;
    ContactSurface contact;
    std::vector<Key> keys;  ///< ascending; one for a surface that does not change its shape
    Motion motion;          ///< applied to all of them
    bool visible = true;    ///< frames show it
    std::int32_t earlier = 0;     ///< topologies before that of the first key, of a collider that is handed over step by step (collider_track.h)
    std::size_t knownKeys = 0;    ///< the first keys, of whose moves nothing is to be said

    // made by buildCollider from the above
    /// Keys of one topology.
    struct Stretch {
        std::vector<double> time;
        std::vector<std::vector<Vec3>> vertices;  ///< of the slab, at each time
        ColliderSlab slab;
        ContactShape shape;
    };
    std::vector<Stretch> stretches;
    std::vector<std::string> warnings;  ///< what was odd about its surfaces

    /// The stretch in force at a time, and from then on.
    std::size_t stretchAt(double time) const;
    /// Places and velocities of a stretch's vertices in a step that began at `since`. At the time of a key the way that ends there counts, but at the start of the step
    /// the one that begins: what a step sees does not depend on keys behind its end.
    void place(std::size_t stretch, double time, double since, std::vector<Vec3>& x, std::vector<Vec3>& v) const;
    /// The surface as it was given, at a time: number of the key with its triangles, places and velocities of its vertices.
    std::size_t placeSurface(double time, std::vector<Vec3>& x, std::vector<Vec3>& v) const;
    bool moves() const { return motion.moves() || keys.size() > 1; }
};

/// Checks the input (throws Error with a remedy) and makes the layers of tets that bodies meet.
std::shared_ptr<const Collider> buildCollider(Collider input);

}  // namespace sunder
