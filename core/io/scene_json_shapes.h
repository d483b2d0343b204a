#pragma once

#include "core/io/scene_json_field.h"
#include "core/sim/scene.h"

/// The sources of bodies and colliders, for the visitors of scene_json_schema.h.
namespace sunder {

template <class V>
void describe(V& v, FileSource& s) {
    v.title("file",
            "A geometry file: `.bgeo.sc`, `.bgeo`, `.geo`, `.obj`, `.ply` or `.stl`. Tets are taken as they "
            "are; a model "
            "without tets is filled with them. Of a collider the polygons count, or else the boundary of the tets.");
    v.text({"path", "the file, relative to the scene file", kPlain, kAny, true}, s.path);
}

template <class V>
void describeSeed(V& v, std::uint64_t& seed) {
    v.natural({"seed", "draws the places of the vertices"}, seed);
}

template <class V>
void describeJitter(V& v, double& jitter, std::uint64_t& seed) {
    v.number({"jitter", "share of the shortest edge by which vertices are moved at random, those of the surface within it, so that cracks find no "
                        "regular direction; less where a tet would become poor",
              kPlain, Range{0, 0.5, false, false, ""}},
             jitter);
    describeSeed(v, seed);
}

inline constexpr Range kCellsAcross{4, 1000, false, false, ""};
inline constexpr Range kLayers{1, 100, false, false, ""};

template <class V>
void describe(V& v, BoxShape& s) {
    v.title("box", "A box of equal cells, centred on the origin.");
    v.vector({"size", "length of the edges", kLength, kPositive, false, true}, s.size);
    v.integers({"cells", "cells along each edge", kPlain, Range{1, 1000, false, false, ""}, false, true},
               s.cells);
    v.choice({"pattern", "`six` tets a cell, all around the same diagonal, or `centred`, about twelve around a vertex in the middle, which "
                         "favours no direction of cracks"},
             s.pattern, Choices<CellPattern>{{"six", CellPattern::kSix}, {"centred", CellPattern::kCentred}});
    describeJitter(v, s.jitter, s.seed);
}

template <class V>
void describe(V& v, SphereShape& s) {
    v.title("sphere", "A ball of bent cells, six tets each, centred on the origin.");
    v.number({"radius", "radius", kLength, kPositive}, s.radius);
    v.integer({"cells", "cells across the diameter", kPlain, Range{2, 1000, false, false, ""}}, s.cells);
    describeJitter(v, s.jitter, s.seed);
}

template <class V>
void describe(V& v, TorusShape& s) {
    v.title("torus", "A ring around the y axis, six tets a cell.");
    v.number({"ringRadius", "centre of the ring to middle of the tube", kLength, kPositive}, s.ringRadius);
    v.number({"tubeRadius", "radius of the tube, below `ringRadius`", kLength, kPositive}, s.tubeRadius);
    v.integer({"around", "cells around the ring", kPlain, Range{3, 10000, false, false, ""}}, s.around);
    v.integer({"across", "cells across the tube", kPlain, Range{1, 1000, false, false, ""}}, s.across);
}

template <class V>
void describe(V& v, TapirShape& s) {
    v.title("tapir",
            "Sunder's own soft animal, standing on the ground with its nose along +z. It is a surface, "
            "filled with tets like a file. Its point groups are `nose`, `ears`, `feet` and `tail`.");
    v.number({"length", "nose to tail", kLength, kPositive}, s.length);
    v.integer({"cells", "surface cells along the length", kPlain, Range{40, 400, false, false, ""}}, s.cells);
}

template <class V>
void describe(V& v, BowlShape& s) {
    v.title("bowl",
            "A part of a spherical shell, standing on y = 0 and open at the top; its rim points to the centre of the sphere. Irregular "
            "triangles with layers of tets behind them. Its point groups are `inner`, `outer` and `rim`.");
    v.number({"radius", "outer radius of the sphere", kLength, kPositive}, s.radius);
    v.number({"depth", "bottom to outer edge of the rim, below two radii", kLength, kPositive}, s.depth);
    v.number({"thickness", "of the wall, below `radius`", kLength, kPositive}, s.thickness);
    v.integer({"cells", "edges across the diameter of the sphere", kPlain, kCellsAcross}, s.cells);
    v.integer({"layers", "layers of tets through the wall", kPlain, kLayers}, s.layers);
    describeSeed(v, s.seed);
}

template <class V>
void describe(V& v, TrayShape& s) {
    v.title("tray",
            "A round dish, standing on y = 0: a flat base with an upright rim. Irregular triangles with layers of tets behind them. Its "
            "point groups are `inner`, `outer`, `rim` (its top) and `bottom`.");
    v.number({"radius", "outer radius", kLength, kPositive}, s.radius);
    v.number({"height", "height of the rim, base included", kLength, kPositive}, s.height);
    v.number({"thickness", "of base and rim, below `radius` and `height`", kLength, kPositive}, s.thickness);
    v.integer({"cells", "edges across the diameter", kPlain, kCellsAcross}, s.cells);
    v.integer({"layers", "layers of tets through base and rim", kPlain, kLayers}, s.layers);
    describeSeed(v, s.seed);
}

template <class V>
void describe(V& v, HollowSphereShape& s) {
    v.title("hollowSphere",
            "A spherical shell, centred on the origin. Irregular triangles with layers of tets behind them. Its point groups are `inner` and "
            "`outer`.");
    v.number({"radius", "outer radius", kLength, kPositive}, s.radius);
    v.number({"thickness", "of the wall, below `radius`", kLength, kPositive}, s.thickness);
    v.integer({"cells", "edges across the diameter", kPlain, kCellsAcross}, s.cells);
    v.integer({"layers", "layers of tets through the wall", kPlain, kLayers}, s.layers);
    describeSeed(v, s.seed);
}

template <class V>
void describe(V& v, CylinderShape& s) {
    v.title("cylinder", "A solid cylinder along the y axis, centred on the origin. Its point groups are `bottom`, `top` and `side`.");
    v.number({"radius", "radius", kLength, kPositive}, s.radius);
    v.number({"height", "height", kLength, kPositive}, s.height);
    v.integer({"cells", "edges across the diameter, and as long along the height", kPlain, Range{3, 1000, false, false, ""}}, s.cells);
    describeJitter(v, s.jitter, s.seed);
}

template <class V>
void describe(V& v, TubeShape& s) {
    v.title("tube",
            "A hollow cylinder along the y axis, open at both ends, centred on the origin. Irregular triangles with layers of tets behind "
            "them. Its point groups are `inner`, `outer`, `bottom` and `top`.");
    v.number({"radius", "outer radius", kLength, kPositive}, s.radius);
    v.number({"height", "height, below 100 radii", kLength, kPositive}, s.height);
    v.number({"thickness", "of the wall, below `radius`", kLength, kPositive}, s.thickness);
    v.integer({"cells", "edges across the diameter", kPlain, Range{3, 1000, false, false, ""}}, s.cells);
    v.integer({"layers", "layers of tets through the wall", kPlain, kLayers}, s.layers);
    describeSeed(v, s.seed);
}

template <class V>
void describe(V& v, NotchedBlockShape& s) {
    v.title("notchedBlock",
            "The block of O'Brien 2000, figure 4.12, centred on the origin: flat along z, cut at half height from the left side (-x) on, with "
            "a round hole in the middle of its lower half. The two sides of the cut touch, and share no point but at its end. Its point groups "
            "are `bottom`, `top`, `hole` and `cut`.");
    v.vector({"size", "length of the edges", kLength, kPositive, false, true}, s.size);
    v.number({"cut", "length of the cut", kLength, kPositive}, s.cut);
    v.number({"holeRadius", "radius of the hole", kLength, kPositive}, s.holeRadius);
    v.number({"holeHeight", "centre of the hole above the bottom", kLength, kPositive}, s.holeHeight);
    v.integer({"cells", "edges along x", kPlain, Range{6, 1000, false, false, ""}}, s.cells);
    v.integer({"layers", "layers of tets along z", kPlain, kLayers}, s.layers);
    describeSeed(v, s.seed);
}

template <class V>
void describe(V& v, PlaneShape& s) {
    v.title("plane", "A rectangle across the y axis, centred on the origin. Both sides collide.");
    v.vector({"size", "length along x and z", kLength, kPositive, false, true}, s.size);
}

template <class V>
void describe(V& v, FramesSource& s) {
    v.title("frames",
            "Geometry files, one a frame, of a surface that changes its shape. Between two frames with the same points and polygons the "
            "points go straight; where these change, what touches the collider is let go and found anew. Before the first and after the "
            "last file the surface stands still.");
    v.text({"path", "the files, relative to the scene file, with the number of the frame as `####`, `%04d` or `$F4`", kPlain, kAny, true},
           s.path);
    v.integer({"first", "frame of the scene that the first file is of", kPlain, Range{0, 1e9, false, false, ""}, true}, s.first);
    v.integer({"last", "frame that the last file is of", kPlain, Range{0, 1e9, false, false, ""}, true}, s.last);
}

}  // namespace sunder
