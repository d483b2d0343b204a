#pragma once

#include "core/io/scene_json_field.h"
#include "core/sim/scene.h"

/// What is held and how it moves, for the visitors of scene_json_schema.h.
namespace sunder {

template <class V>
void describe(V& v, GroupRegion& r) {
    v.title("group", "Vertices of a point group, or those where a point attribute of that name is not zero.");
    v.text({"name", "name of the group or attribute", kPlain, kAny, true}, r.name);
}

template <class V>
void describe(V& v, BoxRegion& r) {
    v.title("box region", "Vertices inside a box, its faces included.");
    v.vector({"min", "lower corner", kLength, kAny, true}, r.min);
    v.vector({"max", "upper corner", kLength, kAny, true}, r.max);
}

template <class V>
void describe(V& v, SphereRegion& r) {
    v.title("sphere region", "Vertices inside a ball.");
    v.vector({"center", "centre", kLength, kAny, true}, r.center);
    v.number({"radius", "radius", kLength, kPositive, true}, r.radius);
}

template <class V>
void describe(V& v, NearestRegion& r) {
    v.title("nearest", "The vertices nearest to a point.");
    v.vector({"point", "the point", kLength, kAny, true}, r.point);
    v.integer({"count", "how many vertices", kPlain, kAtLeastOne}, r.count);
}

template <class V>
void describe(V& v, AllRegion&) {
    v.title("all", "Every vertex of the body; write `{\"all\": {}}`.");
}

template <class V>
void describe(V& v, Motion::Key& k) {
    v.title("key", "Where the held vertices, or a collider, are at one time.");
    v.number({"time", "time since the start frame", kTime, kAny, true}, k.time);
    v.vector({"translation", "translation since the start", kLength}, k.translation);
    v.vector({"rotation",
              "rotation since the start: the direction is the axis, the length the angle, full turns count",
              kAngle},
             k.rotation);
}

template <class V>
void describe(V& v, Motion& m) {
    v.title(
        "motion",
        "A rigid motion by keys, linear between them; it holds still before the first and after the last.");
    v.list({"keys", "keys in the order of time"}, m.keys);
    v.vector({"pivot", "point about which it rotates, moving along with it", kLength}, m.pivot);
    v.flag({"smooth", "ease in and out of every key"}, m.smooth);
}

template <class V>
void describeWhere(V& v, Region& region) {
    v.variant({"where", "which vertices, by their positions at the start", kPlain, kAny, true}, region,
              {"group", "box", "sphere", "nearest", "all"});
}

template <class V>
void describe(V& v, ScenePin& p) {
    v.title("pin",
            "Vertices that follow a motion exactly; without a motion they are nailed where they start.");
    v.text({"name", "name in messages"}, p.name);
    describeWhere(v, p.where);
    v.object({"motion", "how they move"}, p.motion);
    v.number({"releaseTime", "time since the start frame at which they are let go", kTime, kNotNegative},
             p.releaseTime);
    v.number({"releaseForce", "force of a vertex above which it is let go for good", kForce, kPositive}, p.releaseForce);
    v.number({"releaseStress", "the same as a stress: force over the area of the surface around the vertex that is held", kPressure, kPositive}, p.releaseStress);
}

template <class V>
void describe(V& v, SceneTarget& t) {
    v.title("target",
            "Vertices that a spring and a damper each draw towards a motion. A painted point attribute "
            "`targetstrength` multiplies both.");
    v.text({"name", "name in messages"}, t.name);
    describeWhere(v, t.where);
    v.object({"motion", "how the targets move"}, t.motion);
    v.number({"strength", "spring of each vertex", kStrength, kPositive}, t.strength);
    v.number({"damping", "damper of each vertex", kSpringDamping, kNotNegative}, t.damping);
    v.number({"releaseTime", "time since the start frame at which they are let go", kTime, kNotNegative},
             t.releaseTime);
    v.number({"releaseForce", "force of a spring above which it lets go for good", kForce, kPositive}, t.releaseForce);
}

}  // namespace sunder
