#pragma once

namespace sunder::testing {

// Small files by hand, in forms that our writers do not use.

/// Pages of two elements, packing 2 + 1, constant pages, short names of runs, groups in runs and in order.
inline constexpr char kPagedGeo[] =
    R"(["fileversion","19.5.303","hasindex",false,"pointcount",5,"vertexcount",8,"primitivecount",3,
"info",{"software":"elsewhere","bounds":[0,1,0,1,0,1],"nested":{"a":[{"b":null}]}},
"topology",["pointref",["indices",[0,1,2,3, 4,3,2, 1]]],
"attributes",["pointattributes",[
  [["scope","public","type","numeric","name","P","options",{"type":{"type":"string","value":"hpoint"}}],
   ["size",4,"storage","fpreal32","defaults",["size",4,"storage","fpreal64","values",[0,0,0,1]],
    "values",["size",4,"storage","fpreal32","packing",[3,1],"pagesize",2,"constantpageflags",[[false,true,false],[true,true,true]],
     "rawpagedata",[0,0,0, 1,0,0, 1,  7,7,7, 1,  0,0,1, 1]]]],
  [["scope","public","type","numeric","name","three","options",{}],
   ["size",3,"storage","fpreal64","values",["size",3,"storage","fpreal64","packing",[1,2],"pagesize",2,"constantpageflags",[[],[false,false,true]],
     "rawpagedata",[1,2,10,11,20,21, 3,4,30,31,40,41, 5,50,51]]]],
  [["scope","public","type","string","name","label","options",{}],
   ["size",1,"storage","int32","strings",["left","ri\u0067ht \"\/\\"],"indices",["size",1,"storage","int32","arrays",[[0,1,-1,0,1]]]]],
  [["scope","public","type","arraydata","name","weights","options",{}],["size",1,"unknown",[1,2,3]]]
 ],"globalattributes",[
  [["scope","public","type","numeric","name","pair","options",{}],
   ["size",2,"storage","int16","values",["size",2,"storage","int16","arrays",[[-5],[6]]]]]]],
"primitives",[[["type","p_r"],["s_v",0,"n_p",2,"r_v",[4,1,3,1]]],[["type","PackedGeometry"],["parameters",{},"vertex",7]]],
"pointgroups",[[["name","runs"],["selection",["defaults",["size",1],"unordered",["boolRLE",[2,true,3,false]]]]],
 [["name","ordered"],["selection",["ordered",[4,0]]]]],
"edgegroups",[],"sharedprimitivedata",["PackedGeometry",["gu:embeddedgeo","embed:0",["pointcount",0]]]]
)";

/// Tuples, the generic run of Houdini 12, single primitives.
inline constexpr char kOldGeo[] = R"([
"pointcount",4,"vertexcount",13,"primitivecount",4,
"topology",["pointref",["indices",[0,1,2,2,1,3,0,1,2,3,3,2,1]]],
"attributes",["pointattributes",[[["scope","public","type","numeric","name","P","options",{}],
 ["size",3,"storage","fpreal32","values",["size",3,"storage","fpreal32","tuples",[[0,0,0],[1,0,0],[0,1,0],[0,0,1.5e0]]]]]],
 "vertexattributes",[[["scope","public","type","numeric","name","n","options",{"type":{"type":"string","value":"nonarithmetic_integer"}}],
 ["size",1,"storage","int8","values",["size",1,"storage","int8","arrays",[[0,1,2,3,4,5,6,7,8,9,10,11,12]]]]]]],
"primitives",[
 [["type","run","runtype","Poly","varyingfields",["vertex"],"uniformfields",{"closed":true}],[[[0,1,2]],[[3,4,5]]]],
 [["type","Tetrahedron"],["vertex",[6,7,8,9]]],
 [["type","Poly"],["vertex",[12,11,10],"closed",false]]]]
)";

inline constexpr char kObj[] =
    "# a cube's corner\nmtllib none.mtl\no corner\nv 0 0 0\nv 1 0 0 0.5 0.25 1\nv 1 1 0 1.0\nv 0 1.5e0 "
    "-0.0\nvt 0 0\nvt 1 0\nvt 1 1 0.5\n"
    "vn 0 0 1\ng front big\nusemtl red\ns 1\nf 1/1/1 2/2/1 3/3/1\nf -4//-1 -2//-1 -1//-1\ng\nf 1 2 \\\n 3 "
    "4\nl 1 2 3\ng big\nf 1/1 2/2 3/3\nvp 1 2\n";

inline constexpr char kPly[] =
    "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\nproperty "
    "float z\nproperty float nx\n"
    "property float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\nproperty uchar "
    "blue\nproperty uchar alpha\n"
    "property int id\nproperty double quality\nelement face 2\nproperty list uchar int "
    "vertex_indices\nproperty ushort part\n"
    "property list uchar float texcoord\nelement edge 1\nproperty int vertex1\nproperty int "
    "vertex2\nend_header\n"
    "0 0 0 0 0 1 255 0 51 255 7 0.1\n1 0 0 0 0 1 0 255 0 0 -8 1e-300\n1 1 0 0 0 1 0 0 255 1 9 2\n0 1 0 0 0 1 "
    "0 0 0 2 10 inf\n"
    "3 0 1 2 65535 0\n4 0 1 2 3 1 2 0.5 0.5\n0 1\n";

inline constexpr char kStl[] =
    "solid first part\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 1 1 "
    "0\n  endloop\n endfacet\n"
    "endsolid first part\nsolid\n facet normal 0 0 1\n  outer loop\n   vertex -0 0 0\n   vertex 1 1 0\n   "
    "vertex 0 1e0 0\n  endloop\n"
    " endfacet\nendsolid\n";

}  // namespace sunder::testing
