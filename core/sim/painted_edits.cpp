#include "core/sim/painted_edits.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/material_rows.h"

namespace sunder {

namespace {
/// What bodies are made of. All else that is painted is carried along.
constexpr const char* kPainted[] = {"stiffness", "massdensity", "dampingratio", "yieldscale", "fracturethreshold", "friction", "collide", "active", "breaktime", "fracturepart", "orient", "force", "targetstrength"};
/// What frames show of the state: theirs, whoever has written to it.
constexpr const char* kOfFrames[] = {"v", "accel", "id", "parent", "parentweight", "restP", "mass", "damage", "radius", "name", "stress", "strain", "quality", "detF", "plasticstrain", "insidefaces", "contactdepth", kMaterialAttribute};

template <class Names>
bool isOf(const Names& names, const std::string& name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

using SetOf = AttributeSet MeshAttributes::*;

bool sameKind(const Attribute& a, const Attribute& b) { return a.tupleSize == b.tupleSize && a.values.index() == b.values.index(); }

/// What an artist was shown of an attribute: that of the body, or zeros where another body of the world has one, of its kind alone where the two differ in that.
struct Shown {
    const Attribute* own = nullptr;
    bool zeros = false;

    Shown(const WorldState& world, std::size_t number, SetOf set, const std::string& name) : own((world.bodies[number].body->attributes.*set).find(name)) {
        for (const WorldBody& b : world.bodies) {
            const Attribute* first = (b.body->attributes.*set).find(name);
            if (!first) continue;
            zeros = !own || !sameKind(*own, *first);
            return;
        }
    }
};

/// The same number, or its float image.
bool isSame(double before, double now) { return now == before || now == static_cast<double>(static_cast<float>(before)) || (std::isnan(before) && std::isnan(now)); }

bool sameNumbers(const Attribute* before, const Attribute& now) {
    const std::size_t count = now.elementCount();
    for (std::size_t i = 0; i < count; ++i)
        for (int c = 0; c < now.tupleSize; ++c)
            if (!isSame(before ? before->number(i, c) : 0, now.number(i, c))) return false;
    return true;
}
/// `before` may be null: nothing, or zeros.
bool isSame(const Attribute* before, const Attribute& now) {
    if (before && before->values == now.values && before->tupleSize == now.tupleSize) return true;
    if (before && (before->tupleSize != now.tupleSize || before->isString() != now.isString())) return false;
    if (before && !now.isFloat() && sameKind(*before, now)) return false;  // large numbers are not all doubles
    if (!now.isString()) return sameNumbers(before, now);
    const auto& texts = *now.as<std::string>();
    return !before && std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); });
}

bool isEdited(const Shown& before, const Attribute* now) {
    if (!now) return before.own != nullptr;
    if (before.zeros && isSame(nullptr, *now)) return false;
    return !before.own || !isSame(before.own, *now);
}

/// Members of a group, or none.
bool sameMembers(const Group* before, const Group* now) {
    if (before && now) return before->members == now->members;
    const Group* one = before ? before : now;
    return !one || one->count() == 0;
}

void put(AttributeSet& to, const std::string& name, const Attribute* now) {
    Attribute* there = to.find(name);
    if (!now)
        to.erase(name);
    else if (there)
        *there = *now;
    else
        to.attributes.push_back(*now);
}

/// Whose vertices a pin or target holds.
struct Members {
    const Group* group;
    const Attribute* attribute;

    Members(const AttributeSet& set, const std::string& name) : group(set.findGroup(name)), attribute(group ? nullptr : set.find(name)) {}
    bool none() const { return !group && !attribute; }
    bool has(std::size_t i) const { return group ? group->members[i] != 0 : attribute && attribute->number(i) != 0; }
};

void putMembers(AttributeSet& to, const AttributeSet& from, const std::string& name) {
    const Group* now = from.findGroup(name);
    Group* there = to.findGroup(name);
    if (now && there)
        there->members = now->members;
    else if (now && now->count() > 0)
        to.groups.push_back(*now);
    else if (!now && there)
        std::fill(there->members.begin(), there->members.end(), std::uint8_t{0});
    if (const Attribute* numbers = from.find(name); numbers || to.find(name)) put(to, name, numbers);
}

std::vector<std::string> heldNames(const Body& body) {
    std::vector<std::string> names;
    for (const HardTarget& t : body.constraints.hard) names.push_back(t.name);
    for (const SoftTarget& t : body.constraints.soft) names.push_back(t.name);
    return names;
}

void addName(std::vector<std::string>& names, const std::string& name) {
    if (!isOf(names, name)) names.push_back(name);
}
/// Of attributes that a body or what is shown of it has, those that no body is made of.
std::vector<std::string> otherNames(const Body& body, SetOf set, const AttributeSet& shown) {
    const std::vector<std::string> held = heldNames(body);
    std::vector<std::string> names;
    for (const AttributeSet* all : {&(body.attributes.*set), &shown})
        for (const Attribute& a : all->attributes)
            if (!isOf(kPainted, a.name) && !isOf(kOfFrames, a.name) && !isOf(held, a.name)) addName(names, a.name);
    return names;
}
std::vector<std::string> otherGroups(const Body& body, SetOf set, const AttributeSet& shown) {
    const std::vector<std::string> held = set == &MeshAttributes::vertices ? heldNames(body) : std::vector<std::string>();
    std::vector<std::string> names;
    for (const AttributeSet* all : {&(body.attributes.*set), &shown})
        for (const Group& g : all->groups)
            if (!isOf(held, g.name)) addName(names, g.name);
    return names;
}

class Repainter {
  public:
    Repainter(const WorldState& world, std::size_t number, const Geometry& shown)
        : world_(world), number_(number), shown_(shown), body_(*world.bodies[number].body), state_(*world.bodies[number].state) {}

    /// False if nothing has been changed.
    bool run() {
        rebuilds_ = takeTargets();
        for (const char* name : kPainted) {
            rebuilds_ |= takeAttribute(&MeshAttributes::vertices, shown_.points, name);
            rebuilds_ |= takeAttribute(&MeshAttributes::tets, shown_.primitives, name);
        }
        bool changed = takeOthers(&MeshAttributes::vertices, shown_.points);
        changed |= takeOthers(&MeshAttributes::tets, shown_.primitives);
        return changed || rebuilds_;
    }

    WorldBody made() {
        if (!rebuilds_) return {std::make_shared<const Body>(std::move(body_)), world_.bodies[number_].state};
        if (body_.origin.empty()) body_.smallestAltitude = body_.shortestStep = 0;  // of the whole body, as it is now
        std::fill(state_.a.begin(), state_.a.end(), Vec3::Zero());                  // of forces that are no more
        state_.sleep = {};
        return {buildBody(std::move(body_)), std::make_shared<const BodyState>(std::move(state_))};
    }

  private:
    bool takeAttribute(SetOf set, const AttributeSet& from, const std::string& name) {
        const Shown before(world_, number_, set, name);
        const Attribute* now = from.find(name);
        if (!isEdited(before, now)) return false;
        if (set == &MeshAttributes::vertices && name == "force") takeForces(before.own, now);
        if (set == &MeshAttributes::vertices && name == "targetstrength") takeWeights(before.own, now);
        put(body_.attributes.*set, name, now);
        return true;
    }

    /// What no body is made of.
    bool takeOthers(SetOf set, const AttributeSet& from) {
        bool changed = false;
        for (const std::string& name : otherNames(body_, set, from)) changed |= takeAttribute(set, from, name);
        for (const std::string& name : otherGroups(body_, set, from)) {
            AttributeSet& to = body_.attributes.*set;
            const Group *now = from.findGroup(name), *there = to.findGroup(name);
            if (sameMembers(there, now)) continue;
            changed = true;
            to.groups.erase(std::remove_if(to.groups.begin(), to.groups.end(), [&](const Group& g) { return g.name == name; }), to.groups.end());
            if (now) to.groups.push_back(*now);
        }
        return changed;
    }

    /// The forces of a body are those painted and its share of what pulls at the whole, which stays.
    void takeForces(const Attribute* before, const Attribute* now) {
        for (const Attribute* a : {before, now})
            if (a && (a->isString() || a->tupleSize != 3))
                throw Error(format("the point attribute 'force' of '%s' was painted anew and is no vector", body_.name.c_str()), "paint vectors of three numbers, in N, while it runs");
        body_.force.resize(body_.mesh.vertexCount(), Vec3::Zero());
        const auto at = [](const Attribute* a, std::size_t i) { return a ? Vec3(a->number(i, 0), a->number(i, 1), a->number(i, 2)) : Vec3(Vec3::Zero()); };
        for (std::size_t i = 0; i < body_.force.size(); ++i)
            if (const Vec3 was = at(before, i), is = at(now, i); was != is) body_.force[i] += is - was;
    }

    /// Copies that cracks have made share the spring of the vertex that they were, so weights change in proportion.
    void takeWeights(const Attribute* before, const Attribute* now) {
        for (SoftTarget& t : body_.constraints.soft) {
            if (t.weight.empty()) t.weight.assign(t.vertices.size(), 1.0);
            for (std::size_t k = 0; k < t.vertices.size(); ++k) {
                const auto v = static_cast<std::size_t>(t.vertices[k]);
                const double was = before ? before->number(v) : 1, is = now ? now->number(v) : 1;
                if (was != is) t.weight[k] = was != 0 ? t.weight[k] * is / was : is;
            }
        }
    }

    bool takeTargets() {
        bool changed = false;
        for (HardTarget& t : body_.constraints.hard) changed |= takeMembers(t, kReleasedPin);
        for (SoftTarget& t : body_.constraints.soft) changed |= takeMembers(t, kReleasedTarget);
        if (!changed) return false;
        for (const HardTarget& t : body_.constraints.hard) putMembers(body_.attributes.vertices, shown_.points, t.name);
        for (const SoftTarget& t : body_.constraints.soft) putMembers(body_.attributes.vertices, shown_.points, t.name);
        return true;
    }

    template <class Target>
    bool takeMembers(Target& t, std::uint8_t releasedBy) {
        const Members before(world_.bodies[number_].body->attributes.vertices, t.name), now(shown_.points, t.name);
        if (before.none() && now.none()) return false;
        std::vector<std::int32_t> gained, lost;
        for (std::size_t i = 0; i < state_.x.size(); ++i)
            if (before.has(i) != now.has(i)) (now.has(i) ? gained : lost).push_back(static_cast<std::int32_t>(i));
        if (gained.empty() && lost.empty()) return false;
        for (std::size_t k = t.vertices.size(); k-- > 0;)
            if (std::binary_search(lost.begin(), lost.end(), t.vertices[k])) drop(t, k);
        for (const std::int32_t v : gained)
            if (std::find(t.vertices.begin(), t.vertices.end(), v) == t.vertices.end()) hold(t, v, releasedBy);
        return true;
    }

    template <class Target>
    static void drop(Target& t, std::size_t k) {
        const auto place = static_cast<std::ptrdiff_t>(k);
        t.vertices.erase(t.vertices.begin() + place);
        t.anchor.erase(t.anchor.begin() + place);
        if constexpr (std::is_same_v<Target, SoftTarget>)
            if (!t.weight.empty()) t.weight.erase(t.weight.begin() + place);
    }

    template <class Target>
    void hold(Target& t, std::int32_t vertex, std::uint8_t releasedBy) {
        const auto v = static_cast<std::size_t>(vertex);
        if (!t.motion.keys.empty())
            throw Error(format("'%s' of '%s' follows a motion and was given more points to hold", t.name.c_str(), body_.name.c_str()), "hold them by a constraint that does not move");
        t.vertices.push_back(vertex);
        t.anchor.push_back(state_.x[v]);
        if (!state_.released.empty()) state_.released[v] &= static_cast<std::uint8_t>(~releasedBy);
        if constexpr (std::is_same_v<Target, SoftTarget>) {
            const Attribute* painted = world_.bodies[number_].body->attributes.vertices.find("targetstrength");
            if (!t.weight.empty() || painted) t.weight.resize(t.vertices.size() - 1, 1.0), t.weight.push_back(painted ? painted->number(v) : 1);
        }
    }

    const WorldState& world_;
    std::size_t number_;
    const Geometry& shown_;
    Body body_;
    BodyState state_;
    bool rebuilds_ = false;
};

bool othersLookTheSame(const WorldState& world, std::size_t number, SetOf set, const AttributeSet& shown) {
    const Body& body = *world.bodies[number].body;
    for (const std::string& name : otherNames(body, set, shown))
        if (isEdited(Shown(world, number, set, name), shown.find(name))) return false;
    for (const std::string& name : otherGroups(body, set, shown))
        if (!sameMembers((body.attributes.*set).findGroup(name), shown.findGroup(name))) return false;
    return true;
}

/// Whether there is any need to copy the body.
bool looksTheSame(const WorldState& world, std::size_t number, const Geometry& shown) {
    for (const char* name : kPainted)
        if (isEdited(Shown(world, number, &MeshAttributes::vertices, name), shown.points.find(name)) ||
            isEdited(Shown(world, number, &MeshAttributes::tets, name), shown.primitives.find(name)))
            return false;
    const Body& body = *world.bodies[number].body;
    const auto sameHeld = [&](const std::string& name) {
        const Members before(body.attributes.vertices, name), now(shown.points, name);
        if (before.none() && now.none()) return true;
        for (std::size_t i = 0; i < body.mesh.vertexCount(); ++i)
            if (before.has(i) != now.has(i)) return false;
        return true;
    };
    const std::vector<std::string> held = heldNames(body);
    return std::all_of(held.begin(), held.end(), sameHeld) && othersLookTheSame(world, number, &MeshAttributes::vertices, shown.points) &&
           othersLookTheSame(world, number, &MeshAttributes::tets, shown.primitives);
}
}  // namespace

std::vector<std::string> namesOfFrames() { return {std::begin(kOfFrames), std::end(kOfFrames)}; }

std::optional<WorldBody> takePaint(const WorldState& world, std::size_t number, const Geometry& shown) {
    if (looksTheSame(world, number, shown)) return {};
    Repainter repainter(world, number, shown);
    if (!repainter.run()) return {};
    return repainter.made();
}

}  // namespace sunder
