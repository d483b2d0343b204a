#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mesh/adjacency.h"
#include "core/sim/constraint_geometry.h"
#include "core/sim/constraint_track.h"
#include "core/sim/glue_parts.h"
#include "core/sim/scene_build.h"
#include "core/spatial/bvh.h"

namespace sunder {

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::string nameOf(std::int32_t point) { return format("point %d of the constraint geometry", point); }

/// Vertices of a body by where they are now.
class VertexFinder {
  public:
    explicit VertexFinder(const WorldBody& from) : x_(from.state->x), mesh_(from.body->mesh) {
        std::vector<Aabb> boxes;
        for (const Vec3& p : x_) boxes.push_back({p, p});
        tree_ = Bvh(boxes);
    }
    struct Nearest {
        std::int32_t vertex = -1;
        double distance = 0;
    };
    Nearest nearest(const Vec3& p) const {
        double boundSq = HUGE_VAL;
        const std::int32_t v =
            tree_.nearest(p, boundSq, [&](std::int32_t i) { return (x_[at(i)] - p).squaredNorm(); });
        return {v, std::sqrt(boundSq)};
    }
    /// Ascending.
    std::vector<std::int32_t> within(const Vec3& p, double radius) const {
        std::vector<std::int32_t> found;
        const double most = radius * (1 + 1e-9);
        tree_.query({p - Vec3::Constant(most), p + Vec3::Constant(most)}, [&](std::int32_t i) {
            if ((x_[at(i)] - p).norm() <= most) found.push_back(i);
        });
        std::sort(found.begin(), found.end());
        return found;
    }
    /// Whether a place is as near to its nearest vertex as the edges there are long.
    bool isNear(const Nearest& n) const { return n.distance <= edges()[at(n.vertex)]; }

  private:
    /// The longest edge at every vertex, m.
    const std::vector<double>& edges() const {
        if (!longest_.empty()) return longest_;
        longest_.assign(x_.size(), 0.0);
        for (const Tet& t : mesh_.tets)
            for (const std::int32_t a : t)
                for (const std::int32_t b : t)
                    longest_[at(a)] = std::max(longest_[at(a)], (x_[at(b)] - x_[at(a)]).norm());
        return longest_;
    }
    const std::vector<Vec3>& x_;
    const TetMesh& mesh_;
    Bvh tree_;
    mutable std::vector<double> longest_;  ///< empty until asked for
};

class Binder {
  public:
    Binder(const WorldState& world, std::size_t number, const Geometry& drawn)
        : world_(world),
          number_(number),
          drawn_(drawn),
          body_(*world.bodies[number].body),
          x_(world.bodies[number].state->x) {
        track_.body = static_cast<std::int32_t>(number);
        track_.firstHard = static_cast<std::int32_t>(body_.constraints.hard.size());
        track_.firstSoft = static_cast<std::int32_t>(body_.constraints.soft.size());
        track_.start = track_.last = std::make_shared<const std::vector<Vec3>>(drawn.positions);
    }

    ConstraintTrack run(WorldState& world) {
        for (const DrawnConstraint& c : readConstraints(drawn_))
            std::visit([&](const auto& what) { add(c, what); }, c.what);
        if (!track_.hardPoint.empty() || !track_.softPoint.empty())
            world.bodies[number_].body = buildBody(std::move(body_));
        world.glue.insert(world.glue.end(), bonds_.begin(), bonds_.end());
        return std::move(track_);
    }

  private:
    template <class Target, class What>
    void hold(const DrawnConstraint& c, const What& what, Target& target) const {
        target.name = "drawn " + (what.name.empty()
                                      ? std::string("constraint")
                                      : what.name);  // no group or attribute has a name with a blank in it
        target.vertices = verticesOf(c);
        for (const std::int32_t v : target.vertices) target.anchor.push_back(x_[at(v)]);
        target.releaseTime = c.active ? what.releaseTime : kSwitchedOff;
        target.releaseForce = what.releaseForce;
    }
    void add(const DrawnConstraint& c, const ScenePin& pin) {
        HardTarget target;
        hold(c, pin, target);
        target.releaseStress = pin.releaseStress;
        body_.constraints.hard.push_back(std::move(target));
        track_.hardPoint.push_back(c.point);
    }
    void add(const DrawnConstraint& c, const SceneTarget& soft) {
        SoftTarget target;
        hold(c, soft, target);
        target.strength = soft.strength;
        target.damping = soft.damping;
        if (const Attribute* painted = body_.attributes.vertices.find("targetstrength"))
            for (const std::int32_t v : target.vertices) target.weight.push_back(painted->number(at(v)));
        body_.constraints.soft.push_back(std::move(target));
        track_.softPoint.push_back(c.point);
    }
    void add(const DrawnConstraint& c, const SceneGlue& glue) {
        if (!c.active) return;
        if (world_.time > 0)
            throw Error(format("glue '%s' of '%s' is drawn on what appears late", glue.name.c_str(),
                               body_.name.c_str()),
                        "create it in the same frame as what it is glued to, or do without glue");
        const GluePart a = glue.a.empty() ? partAt(c.point) : partNamed(glue.a),
                       b = glue.b.empty() ? partAt(c.other) : partNamed(glue.b);
        if (a.body == b.body && a.tets == b.tets)
            throw Error(format("both ends of glue '%s' are on the same part of '%s'", glue.name.c_str(),
                               a.name.c_str()),
                        "draw its line from one part to the other, or give both of its points a `name`");
        GlueReach reach{drawn_.positions[at(c.point)], drawn_.positions[at(c.other)]};
        if (c.radius > 0) reach.radius = c.radius;
        const std::vector<GlueBond> bonds = buildBonds(glue, a, b, reach, world_);
        bonds_.insert(bonds_.end(), bonds.begin(), bonds.end());
    }

    std::vector<std::int32_t> verticesOf(const DrawnConstraint& c) const {
        const Vec3& p = drawn_.positions[at(c.point)];
        if (!c.group.empty())
            return selectVertices(GroupRegion{c.group}, x_, body_.attributes.vertices, nameOf(c.point));
        if (c.vertex >= 0) {
            if (at(c.vertex) < x_.size()) return {c.vertex};
            throw Error(format("%s has the tetpoint %d, but '%s' has %zu points", nameOf(c.point).c_str(),
                               c.vertex, body_.name.c_str(), x_.size()),
                        "number points of the tets from 0 on");
        }
        const VertexFinder& own = finder(number_);
        const VertexFinder::Nearest nearest = own.nearest(p);
        if (c.radius > 0) {
            std::vector<std::int32_t> found = own.within(p, c.radius);
            if (!found.empty()) return found;
        } else if (own.isNear(nearest)) {
            return {nearest.vertex};
        }
        throw Error(
            format("%s holds nothing: the nearest point of '%s' is %g m away", nameOf(c.point).c_str(),
                   body_.name.c_str(), nearest.distance),
            format("move it to the tets, or give it a `constraint_radius` of %g or more", nearest.distance));
    }

    const VertexFinder& finder(std::size_t body) const {
        return finders_.try_emplace(body, world_.bodies[body]).first->second;
    }
    /// Of every tet of a body the number of its connected part.
    const std::vector<std::int32_t>& labels(std::size_t body) const {
        std::vector<std::int32_t>& known = labels_[body];
        const TetMesh& mesh = world_.bodies[body].body->mesh;
        if (known.empty()) known = labelComponents(buildTetNeighbors(mesh.tets, mesh.vertexCount()));
        return known;
    }
    /// The connected part of a body that the end of a line of glue is at.
    GluePart partAt(std::int32_t point) const {
        std::size_t body = 0;
        VertexFinder::Nearest nearest;
        for (std::size_t b = 0; b < world_.bodies.size(); ++b) {
            const VertexFinder::Nearest n = finder(b).nearest(drawn_.positions[at(point)]);
            if (b == 0 || n.distance < nearest.distance) body = b, nearest = n;
        }
        if (!finder(body).isNear(nearest))
            throw Error(format("%s, an end of glue, is %g m away from what it could stick to",
                               nameOf(point).c_str(), nearest.distance),
                        "move it to what it shall hold, or give both ends a `name`");
        const TetMesh& mesh = world_.bodies[body].body->mesh;
        const std::vector<std::int32_t>& label = labels(body);
        const auto holder = std::find_if(mesh.tets.begin(), mesh.tets.end(), [&](const Tet& t) {
            return std::find(t.begin(), t.end(), nearest.vertex) != t.end();
        });
        const std::int32_t own = label[static_cast<std::size_t>(holder - mesh.tets.begin())];
        return partWhere(body, world_.bodies[body].body->name,
                         [&](std::size_t t) { return label[t] == own; });
    }
    /// A body of that name, or tets with that primitive attribute `name`, those of the own body first.
    GluePart partNamed(const std::string& name) const {
        for (std::size_t b = 0; b < world_.bodies.size(); ++b)
            if (world_.bodies[b].body->name == name) return {b, std::vector<std::uint8_t>(), name};
        for (std::size_t k = 0; k <= world_.bodies.size(); ++k) {
            const std::size_t b = k == 0 ? number_ : k - 1;
            const Attribute* a = world_.bodies[b].body->attributes.tets.find("name");
            if (!a || !a->isString()) continue;
            const std::vector<std::string>& names = *a->as<std::string>();
            if (std::find(names.begin(), names.end(), name) != names.end())
                return partWhere(b, name, [&](std::size_t t) { return names[t] == name; });
        }
        throw Error(format("an end of glue has the name '%s', which no object and no tet has", name.c_str()),
                    "name objects, or values of the primitive attribute `name` of the tets");
    }
    template <class Inside>
    GluePart partWhere(std::size_t body, const std::string& name, const Inside& inside) const {
        GluePart part{body, std::vector<std::uint8_t>(world_.bodies[body].body->mesh.tetCount(), 0), name};
        for (std::size_t t = 0; t < part.tets.size(); ++t) part.tets[t] = inside(t) ? 1 : 0;
        return part;
    }

    const WorldState& world_;
    std::size_t number_;
    const Geometry& drawn_;
    Body body_;
    const std::vector<Vec3>& x_;
    mutable std::map<std::size_t, VertexFinder> finders_;  ///< of bodies that were asked for
    mutable std::map<std::size_t, std::vector<std::int32_t>> labels_;
    ConstraintTrack track_;
    std::vector<GlueBond> bonds_;
};
}  // namespace

ConstraintTrack bindConstraints(WorldState& world, std::size_t body, const Geometry& drawn) {
    return Binder(world, body, drawn).run(world);
}

}  // namespace sunder
