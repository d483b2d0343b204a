#pragma once

#include "core/io/scene_json_held.h"
#include "core/sim/scene.h"

/// What leads cracks, for the visitors of scene_json_schema.h.
namespace sunder {

template <class V>
void describe(V& v, PlaneGuide& g) {
    v.title("plane guide", "An infinite plane.");
    v.vector({"point", "a point of it", kLength}, g.point);
    v.vector({"normal", "its normal, of any length but zero"}, g.normal);
}

template <class V>
void describe(V& v, SphereGuide& g) {
    v.title("sphere guide", "The surface of a ball.");
    v.vector({"center", "centre", kLength}, g.center);
    v.number({"radius", "radius", kLength, kPositive}, g.radius);
}

template <class V>
void describe(V& v, CurveGuide& g) {
    v.title("curve guide",
            "A line through points. Cracks near it contain its direction; with `sweep` it is the surface that the line leaves behind when it is "
            "moved along `sweep` both ways, such as a line drawn on a plate and swept through it.");
    v.points({"points", "at least two points", kLength, kAny, true}, g.points);
    v.flag({"closed", "the last point is joined to the first"}, g.closed);
    v.vector({"sweep", "how far the line is swept to both sides; zero for a line", kLength}, g.sweep);
}

inline constexpr const char* kPatternJitter = "how irregular it is; 0 is regular, random numbers go by `seed` of the scene";

template <class V>
void describe(V& v, GrainPattern& g) {
    v.title("grain", "Splinters along an axis: columns with irregular cross sections, cut into lengths at a slant. With `jitter` 0, square planks.");
    v.vector({"axis", "direction of the grain, of any length but zero"}, g.axis);
    v.number({"size", "across a splinter", kLength, kPositive}, g.size);
    v.number({"length", "along a splinter; 0 for no ends", kLength, kNotNegative}, g.length);
    v.number({"jitter", kPatternJitter, kPlain, kShare}, g.jitter);
}

template <class V>
void describe(V& v, BrickPattern& g) {
    v.title("brick", "Bricks along x, in courses along y, every other one shifted by half a brick, in leaves along z. A corner lies at the origin of its `transform`.");
    v.vector({"size", "of a brick, from the middle of a joint to that of the next; 0 along z for a single leaf", kLength, kNotNegative}, g.size);
    v.number({"mortar", "thickness of the joints, all of which is weak", kLength, kNotNegative}, g.mortar);
}

template <class V>
void describe(V& v, RadialPattern& g) {
    v.title("radial", "Rays and rings around an axis through a point, as of an impact. Rings are broken at the rays.");
    v.vector({"center", "where the rays meet", kLength}, g.center);
    v.vector({"axis", "across the rings, of any length but zero"}, g.axis);
    v.integer({"rays", "how many rays", kPlain, Range{2, 1000, false, false, ""}}, g.rays);
    v.number({"ring", "radius of the first ring; 0 for none", kLength, kNotNegative}, g.ring);
    v.number({"growth", "of the distance from ring to ring", kPlain, Range{1, 100, false, false, ""}}, g.growth);
    v.number({"radius", "where the pattern ends; 0 for nowhere", kLength, kNotNegative}, g.radius);
    v.number({"jitter", kPatternJitter, kPlain, kShare}, g.jitter);
}

template <class V>
void describe(V& v, VoronoiPattern& g) {
    v.title("voronoi", "Irregular cells, one for each cube of a grid.");
    v.number({"size", "of a cell", kLength, kPositive}, g.size);
    v.number({"jitter", kPatternJitter, kPlain, kShare}, g.jitter);
}

template <class V>
void describe(V& v, SceneGuide& g) {
    v.title("guide",
            "A weak surface or line in a body, where it starts: drawn, from a file, or a pattern of many. Toughness there is multiplied by `strength`, "
            "and cracks turn into its plane. Where several guides are near, the weakest counts. A file's polygons are surfaces and its curves lines.");
    v.text({"name", "name in messages"}, g.name);
    v.variant({"shape", "the surface, line or pattern", kPlain, kAny, true}, g.shape,
              {"file", "plane", "sphere", "curve", "grain", "brick", "radial", "voronoi"});
    v.object({"transform", "places it in the world, where the body starts; patterns take no scale"}, g.transform);
    v.number({"strength", "share of the toughness that is left", kPlain, Range{0, 1, true, false, "paint `fracturethreshold` to make places tougher"}}, g.strength);
    v.number({"width", "over which toughness rises to its full value, beyond the cells that the guide goes through", kLength, kNotNegative}, g.width);
    v.number({"follow", "1: cracks run along it, and elsewhere through it only at full toughness; 0: it is weak in all directions", kPlain, kShare}, g.follow);
    v.flag({"parts", "patterns: nothing breaks inside a cell, see `fracturepart`"}, g.parts);
}

template <class V>
void describe(V& v, ZoneSphere& z) {
    v.title("sphere zone", "Inside a ball.");
    v.vector({"center", "centre", kLength, kAny, true}, z.center);
    v.number({"radius", "radius", kLength, kPositive, true}, z.radius);
}

template <class V>
void describe(V& v, ZoneBox& z) {
    v.title("box zone", "Inside a box.");
    v.vector({"min", "lower corner", kLength, kAny, true}, z.min);
    v.vector({"max", "upper corner", kLength, kAny, true}, z.max);
}

template <class V>
void describe(V& v, ZoneCollider& z) {
    v.title("collider zone", "Near the surface of a collider, wherever it is led.");
    v.text({"name", "name of the collider", kPlain, kAny, true}, z.name);
    v.number({"distance", "how near", kLength, kPositive}, z.distance);
}

template <class V>
void describe(V& v, BreakZone& z) {
    v.title("active zone",
            "Where and when bodies may break: a body that some zone is for breaks inside its zones only, and while they last. A painted point or primitive "
            "attribute `active` of 0 keeps places whole for good.");
    v.text({"name", "name in messages"}, z.name);
    v.texts({"bodies", "the bodies that it is for; none for all"}, z.bodies);
    v.variant({"where", "which places, as the bodies are then", kPlain, kAny, true}, z.where, {"sphere", "box", "collider"});
    v.object({"motion", "how a sphere or box moves"}, z.motion);
    v.number({"start", "time since the start frame from which on it counts", kTime}, z.start);
    v.number({"end", "time until which it counts", kTime}, z.end);
}

template <class V>
void describe(V& v, SceneBreak& b) {
    v.title("break",
            "Vertices that break once at a time, whatever the stress: along a guide, else across what pulls, else in a random direction. Before and after, "
            "stress breaks them as everything. A painted `breaktime` on points or primitives does the same, in s; 0 there for never.");
    v.text({"name", "name in messages"}, b.name);
    describeWhere(v, b.where);
    v.number({"time", "time since the start frame", kTime, kPositive, true}, b.time);
}

template <class V>
void describe(V& v, SceneGlue& g) {
    v.title("glue",
            "Holds two bodies together where they are near each other at the start: every vertex of the one, of the two the body with more of them there, is "
            "stuck to its place in the other, and lets go for good when it pulls too hard. Where glue holds, contact does not push. rkf45 takes none.");
    v.text({"name", "name in messages"}, g.name);
    v.text({"a", "a body", kPlain, kAny, true}, g.a);
    v.text({"b", "the other one", kPlain, kAny, true}, g.b);
    v.number({"distance", "of a vertex of one from the surface of the other", kLength, kPositive}, g.distance);
    v.number({"strength", "stress at which it lets go", kPressure, kPositive}, g.strength);
    v.number({"stiffnessScale", "multiplies its stiffness, which is that of a layer of the softer body one cell thick", kPlain, kPositive}, g.stiffnessScale);
}

}  // namespace sunder
