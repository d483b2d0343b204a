"""Points of the checklist with several objects in a DOP network, for python/hython_smoke.py."""
from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

import hou

from smoke_networks import START, expect, geo, geometry_of, height, positions, tets
from sunder_houdini import nodes, setups

MUTUAL = 2  # of the menu Affector Relationship


class Block(NamedTuple):
    """A block of tets, a metre wide, as an Empty Object."""

    name: str
    height: float = 1.0
    data: Sequence[Tuple[str, Mapping[str, Any]]] = ()  # nodes behind its material
    pinned: bool = False
    created: int = START


def blocks(name: str, listed: Sequence[Block], settings: Optional[Mapping[str, Any]] = None, mutual: bool = True) -> Dict[str, hou.OpNode]:
    """The blocks in a DOP network without a ground, and what SOPs get back of each, by its name."""
    parent = geo(name)
    dops = nodes.create(parent, "dopnet", "dops", {"startframe": START})
    ends = []
    for block in listed:
        source = tets(parent, block.height)
        if block.pinned:
            source = nodes.create(parent, "attribwrangle", block.name + "_held", {"class": 2, "snippet": "i@group_held = 1;"}, [source])
        end = nodes.create(dops, "emptyobject", block.name, {"objname": block.name})
        nodes.reference(end, "activation", "$SF == %d" % (block.created - START + 1))
        end = nodes.create(dops, "sopgeo", block.name + "_geometry", {"dataname": "Geometry", "usesoppath": 1, "soppath": source.path()}, [end])
        end = nodes.create(dops, "sundermaterial", block.name + "_material", {"youngs": 1e6}, [end])
        if block.pinned:
            end = nodes.create(dops, "sunderconstraint", block.name + "_pins", {"group": "held"}, [end])
        for kind, parms in block.data:
            end = nodes.create(dops, kind, "%s_%s" % (block.name, kind), parms, [end])
        ends.append(end)
    merged = nodes.create(dops, "merge", "merge", {"affectortype": MUTUAL if mutual else 0}, ends)
    solver = nodes.create(dops, "sundersolvercore", "solver", {"ground_enabled": 0, "integrator": "implicit", "substeps": 2, **(settings or {})}, [merged])
    nodes.create(dops, "output", "output", {}, [solver])
    return {block.name: nodes.create(parent, "dopimport", block.name, {"doppath": dops.path(), "objpattern": block.name}) for block in listed}


def gravity_counts_once() -> None:
    fall = {}
    for name, data, solvers in (("solver", [], -9.81), ("node", [("gravity", {"force": [0, -9.81, 0]})], -9.81), ("half", [("gravity", {"force": [0, -4.905, 0]})], -9.81)):
        made = blocks("gravity_" + name, [Block("solid", data=data)], {"gravity": [0, solvers, 0]})["solid"]
        fall[name] = height(made, START) - height(made, START + 5)
    expect(fall["solver"] > 0.01 and abs(fall["node"] / fall["solver"] - 1) < 1e-3, "it fell by %s" % fall)
    expect(abs(fall["half"] / fall["solver"] - 0.5) < 1e-3, "gravity of the solver counts beside that of a node: %s" % fall)


def glue_holds() -> None:
    """Each block weighs 1000 kg/m3 x 9.81 m/s2 x 1 m = 9.8 kPa of the face that it hangs from."""
    below = {}
    for name, strength in (("strong", 1e6), ("weak", 10.0)):
        glue = ("sunderconstraint", {"type": "glue", "glue_b": "upper", "glue_strength": strength, "glue_distance": 0.05})
        made = blocks("glue_" + name, [Block("upper", 2.0, pinned=True), Block("lower", 1.0, [glue])])
        below[name] = height(made["lower"], START) - height(made["lower"], START + 12)
    expect(abs(below["strong"]) < 0.1, "it should hang and fell by %g" % below["strong"])
    expect(below["weak"] > 0.5, "it should fall and fell by %g" % below["weak"])


def late_object() -> None:
    later = START + 9
    alone, both = blocks("late_without", [Block("first")]), blocks("late_with", [Block("first"), Block("second", 3.0, created=later)])
    for frame in (START, START + 4, later):
        expect(positions(alone["first"], frame) == positions(both["first"], frame), "frame %d of the first differs" % frame)
    ids = geometry_of(both["first"], later).pointIntAttribValues("id")
    expect(ids == geometry_of(both["first"], START).pointIntAttribValues("id"), "ids of the first have changed")
    expect(abs(height(both["second"], later) - 3.0) < 1e-3, "the second does not show its start in frame %d" % later)
    expect(height(both["second"], later + 5) < 2.99, "the second does not fall")


def skin_of_the_solver() -> None:
    parent = geo("skin")
    material = nodes.create(parent, setups.MATERIAL, "material", {"youngs": 1e6}, [tets(parent)])
    solver = nodes.create(parent, setups.SOLVER, "solver", {"ground_enabled": 0, "substeps": 2}, [material])
    skin, solid = (nodes.create(parent, "null", name, {}, [(solver, output)]) for name, output in (("skin", 0), ("solid", 3)))
    for frame in (START, START + 5):
        a, b = geometry_of(skin, frame), geometry_of(solid, frame)
        expect(len(a.prims()) > 0 and all(isinstance(prim, hou.Face) for prim in a.prims()), "output 1 has no polygons in frame %d" % frame)
        expect((a.boundingBox().center() - b.boundingBox().center()).length() < 1e-3, "the skin does not follow the tets in frame %d" % frame)
    expect(height(solid, START + 5) < height(solid, START) - 0.01, "it does not fall")
