"""A small network around every node of the plugin and every asset, which its help page names as its example: build("sunder::pieces::1.0").

Nodes that make something of frames read those of `sunder simulate SCENE --out $HIP/sunder`, or of any cache of the solver's tets under the same names.
"""
from typing import Callable, Dict, Optional, Tuple

import hou

from . import nodes, setups

FRAMES = "$HIP/sunder"
LAST_FRAME = 48
GUIDE, PIECES, SURFACE, CONSTANT, QUICK = ("sunder::%s::1.0" % name for name in ("guide", "pieces", "surface", "constanttopology", "fracture_quick"))

Builder = Callable[[hou.OpNode], hou.OpNode]


def build(type_name: str, parent: Optional[hou.OpNode] = None) -> hou.OpNode:
    """Makes the example of a node type in a network of objects, and returns the node of that type."""
    if type_name not in EXAMPLES:
        raise nodes.SetupError("there is no example of '%s'; there are %s" % (type_name, ", ".join(sorted(EXAMPLES))))
    label = type_name.split("::")[1] if "::" in type_name else type_name
    network = nodes.create(nodes.network(parent), "geo", "example_" + label)
    node = EXAMPLES[type_name](network)
    nodes.lay_out(network)
    return node


def _tets(network: hou.OpNode) -> hou.OpNode:
    model = nodes.create(network, "box", "model", {"t": [0, 1, 0]})
    return nodes.create(network, setups.TETRAHEDRALIZE, "tets", {"targetTets": 2000}, [model])


def _solid(network: hou.OpNode) -> hou.OpNode:
    return nodes.create(network, setups.MATERIAL, "material", {"preset": "glass", "fracture_enabled": 1}, [_tets(network)])


def _frame(network: hou.OpNode, name: str, number: str) -> hou.OpNode:
    return nodes.create(network, "file", name, {"file": "%s/frame.%s.bgeo.sc" % (FRAMES, number)})


def _guide(network: hou.OpNode) -> hou.OpNode:
    lines = ['int p[];', 'append(p, addpoint(0, {-0.5, 1, 0.5}));', 'append(p, addpoint(0, {0, 1.2, 0.5}));', 'append(p, addpoint(0, {0.5, 1, 0.5}));', 'addprim(0, "polyline", p);']
    drawn = nodes.create(network, "attribwrangle", "curve", {"class": 0, "snippet": "\n".join(lines)})
    return nodes.create(network, GUIDE, "seam", {"name": "seam", "strength": 0.3}, [drawn])


def _constraints(network: hou.OpNode, solid: hou.OpNode) -> hou.OpNode:
    """Pins on the top of a solid that lift it, and let go where it pulls too hard."""
    lines = ['for (int i = 0; i < npoints(1); i++) {', '    vector p = point(1, "P", i);', '    if (p.y > getbbox_max(1).y - 1e-3) addpoint(0, p + set(0, 0.01 * (@Frame - 1), 0));', '}',
             's@constraint_type = "pin";', 'f@releaseStress = 1e6;']
    return nodes.create(network, "attribwrangle", "pins", {"class": 0, "snippet": "\n".join(lines)}, [None, solid])


def _solver(network: hou.OpNode) -> hou.OpNode:
    solid = _solid(network)
    return nodes.create(network, setups.SOLVER, "solver", {"ground_enabled": 1}, [solid, _constraints(network, solid), None, _guide(network)])


def _pieces(network: hou.OpNode) -> hou.OpNode:
    """Packed pieces for the Bullet solver, and debris from where cracks have opened since the frame before."""
    now, last, before = _frame(network, "now", "$F4"), _frame(network, "last", "%04d" % LAST_FRAME), _frame(network, "before", "`padzero(4, $F - 1)`")
    nodes.create(network, PIECES, "debris", {"output": "debris", "density": 5000, "speed": 0.5}, [now, last, before])
    return nodes.create(network, PIECES, "pieces", {"output": "packed"}, [now, last])


def _surface(network: hou.OpNode) -> hou.OpNode:
    model = nodes.create(network, "file", "render_mesh", {"file": "$HIP/model.bgeo.sc"})
    return nodes.create(network, SURFACE, "surface", {}, [model, _frame(network, "now", "$F4")])


def _constant(network: hou.OpNode) -> hou.OpNode:
    return nodes.create(network, CONSTANT, "constanttopology", {}, [_frame(network, "now", "$F4"), _frame(network, "last", "%04d" % LAST_FRAME)])


def _quick(network: hou.OpNode) -> hou.OpNode:
    model = nodes.create(network, "box", "model", {"t": [0, 1, 0]})
    return nodes.create(network, QUICK, "fracture_quick", {"preset": "glass"}, [model])


def build_dops(network: hou.OpNode) -> Dict[str, hou.OpNode]:
    """A DOP network with one of each of the plugin's data: a solid that is pinned and stands beside a blast, over a static floor. By type."""
    solid = nodes.create(network, "attribwrangle", "pinned", {"class": 2, "snippet": "i@group_pinned = @P.y > 1.45;"}, [_solid(network)])
    floor = nodes.create(network, "box", "floor", {"size": [4, 0.2, 4], "t": [0, -0.1, 0]})
    dops = nodes.create(network, "dopnet", "simulation", {"startframe": 1})
    static = nodes.create(dops, "staticobject", "static", {"soppath": floor.path(), "object_name": "floor"})
    collider = nodes.create(dops, "sundercollider", "collider", {"contact_friction": 0.6}, [static])
    empty = nodes.create(dops, "emptyobject", "empty", {"objname": "solid"})
    geometry = nodes.create(dops, "sopgeo", "geometry", {"dataname": "Geometry", "usesoppath": 1, "soppath": solid.path()}, [empty])
    material = nodes.create(dops, "sundermaterial", "material", {"materialFromGeometry": 1}, [geometry])
    constraint = nodes.create(dops, "sunderconstraint", "constraint", {"group": "pinned", "releaseForce": 50}, [material])
    blast = nodes.create(dops, "sunderblast", "blast", {"center": [2, 1, 0], "charge": 0.05, "time": 0.1}, [constraint])
    both = nodes.create(dops, "merge", "merge", {"affectortype": 1}, [collider, blast])  # left affects right
    solver = nodes.create(dops, "sundersolvercore", "solver", {"substeps": 2}, [both])
    nodes.create(dops, "output", "output", {}, [solver])
    nodes.lay_out(dops)
    return {node.type().name(): node for node in (collider, material, constraint, blast, solver)}


def _data(type_name: str) -> Builder:
    return lambda network: build_dops(network)[type_name]


def _asset_dops(network: hou.OpNode) -> Tuple[hou.OpNode, hou.OpNode]:
    """The same with the assets: an object of a SOP, and its solver."""
    dops = nodes.create(network, "dopnet", "simulation", {"startframe": 1})
    model = _solid(network)
    solid = nodes.create(dops, "sunderobject", "solid", {"soppath": model.path(), "constraintpath": _constraints(network, model).path(), "object_name": "solid"})
    solver = nodes.create(dops, "sundersolver", "solver", {"ground_enabled": 1}, [solid])
    nodes.create(dops, "output", "output", {}, [solver])
    nodes.lay_out(dops)
    return solid, solver


EXAMPLES: Dict[str, Builder] = {
    setups.TETRAHEDRALIZE: _tets,
    setups.MATERIAL: _solid,
    GUIDE: _guide,
    PIECES: _pieces,
    SURFACE: _surface,
    CONSTANT: _constant,
    setups.SOLVER: _solver,
    QUICK: _quick,
    "sunderobject": lambda network: _asset_dops(network)[0],
    "sundersolver": lambda network: _asset_dops(network)[1],
    **{name: _data(name) for name in ("sundersolvercore", "sundermaterial", "sunderconstraint", "sunderblast", "sundercollider")},
}
