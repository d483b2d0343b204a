["fileversion","19.5.303","hasindex",false,"pointcount",5,"vertexcount",8,"primitivecount",3,
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
