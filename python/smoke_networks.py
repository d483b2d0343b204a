"""What python/hython_smoke.py builds and looks at: small networks, and numbers of what they cook."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))

import hou

from sunder_houdini import nodes, setups

START = 1


class Skipped(Exception):
    """What a point needs and this machine does not have."""


def expect(right: bool, text: str) -> None:
    if not right:
        raise AssertionError(text)


def geo(name: str) -> hou.OpNode:
    return nodes.create(nodes.network(None), "geo", "smoke_" + name)


def box(parent: hou.OpNode, name: str = "box", parms: Optional[Mapping[str, Any]] = None) -> hou.OpNode:
    return nodes.create(parent, "box", name, parms)


def tets(parent: hou.OpNode, height: float = 1.0) -> hou.OpNode:
    return nodes.create(parent, setups.TETRAHEDRALIZE, "tets", {"method": "lattice", "cellSize": 0.5}, [box(parent, "box", {"t": [0, height, 0]})])


def geometry_of(node: hou.OpNode, frame: Optional[int] = None) -> hou.Geometry:
    """What a SOP shows, at the current frame or at another."""
    found = None
    if isinstance(node, hou.SopNode):
        found = node.geometry() if frame is None else node.geometryAtFrame(frame)
    if found is None:
        raise AssertionError("%s has no geometry: %s" % (node.path(), ", ".join(node.errors())))
    return found


def positions(node: hou.OpNode, frame: Optional[int] = None) -> Tuple[float, ...]:
    return geometry_of(node, frame).pointFloatAttribValues("P")


def height(node: hou.OpNode, frame: int) -> float:
    """Mean of y."""
    values = positions(node, frame)
    return sum(values[1::3]) / (len(values) / 3)


def info(node: hou.OpNode) -> str:
    """What a click with the middle button shows."""
    node.cook(True)
    return "".join(hou.hscript("opinfo %s" % node.path()))


def outward(geometry: hou.Geometry) -> float:
    """Six times the volume that polygons enclose, by the normals that Houdini gives them: positive where they point outward."""
    total = 0.0
    for prim in geometry.prims():
        if isinstance(prim, hou.Face):
            corner = prim.vertex(0).point()
            expect(corner is not None, "a vertex without a point")
            if corner is not None:
                total += prim.normal().dot(corner.position()) * float(str(prim.intrinsicValue("measuredarea"))) * 2
    return total


def attributes(geometry: hou.Geometry) -> Dict[str, Sequence[Any]]:
    """All values of all attributes of points and primitives, by owner and name."""
    found: Dict[str, Sequence[Any]] = {}
    for owner, listed in (("point", geometry.pointAttribs()), ("prim", geometry.primAttribs())):
        for attrib in listed:
            kind = str(attrib.dataType()).split(".")[-1]
            read = getattr(geometry, "%s%sAttribValues" % (owner, kind))
            found["%s %s" % (owner, attrib.name())] = read(attrib.name())
    return found


class Simulation(NamedTuple):
    """A solid in a DOP network of its own, and its geometry back in SOPs."""

    parent: hou.OpNode
    source: hou.OpNode
    dops: hou.OpNode
    material: hou.OpNode
    solver: hou.OpNode
    result: hou.OpNode


def simulation(name: str, settings: Optional[Mapping[str, Any]] = None, material: Optional[Mapping[str, Any]] = None, network: Optional[Mapping[str, Any]] = None,
               static: bool = False, height: float = 1.0, drawn: str = "") -> Simulation:
    """A block of tets of an Empty Object, which falls; `static` puts a Static Object with a Sunder Collider below it, and `drawn` is VEX that draws constraints on its tets, input 1."""
    parent = geo(name)
    source = tets(parent, height)
    floor = box(parent, "floor", {"size": [4, 0.2, 4], "t": [0, -0.1, 0]})
    dops = nodes.create(parent, "dopnet", "dops", {"startframe": START, **(network or {})})
    empty = nodes.create(dops, "emptyobject", "empty", {"objname": "solid"})
    data = nodes.create(dops, "sopgeo", "geometry", {"dataname": "Geometry", "usesoppath": 1, "soppath": source.path()}, [empty])
    if drawn:
        constraints = nodes.create(parent, "attribwrangle", "drawn", {"class": 0, "snippet": drawn}, [None, source])
        data = nodes.create(dops, "sopgeo", "constraints", {"dataname": "ConstraintGeometry", "usesoppath": 1, "soppath": constraints.path(), "defaultparmop": 1}, [data])
    made = nodes.create(dops, "sundermaterial", "material", {"materialFromGeometry": 0, **(material or {})}, [data])
    objects: List[nodes.Source] = [made]
    if static:
        body = nodes.create(dops, "staticobject", "static", {"soppath": floor.path(), "object_name": "floor"})
        objects.insert(0, nodes.create(dops, "sundercollider", "collider", {"contact_friction": 0.5}, [body]))
    both = nodes.create(dops, "merge", "merge", {"affectortype": 1}, objects)
    solver = nodes.create(dops, "sundersolvercore", "solver", {"ground_enabled": 0, "integrator": "implicit", **(settings or {})}, [both])
    nodes.create(dops, "output", "output", {}, [solver])
    result = nodes.create(parent, "dopimport", "result", {"doppath": dops.path(), "objpattern": "solid"})
    return Simulation(parent, source, dops, made, solver, result)


def choose(node: hou.OpNode, name: str, label: str) -> None:
    """An entry of a menu by what it is called."""
    parm = node.parm(name)
    if parm is None:
        raise AssertionError("%s has no parameter '%s'" % (node.path(), name))
    labels = parm.menuLabels()
    expect(label in labels, "%s of %s has no '%s' but %s" % (name, node.path(), label, ", ".join(labels)))
    parm.set(labels.index(label))


def key(node: hou.OpNode, name: str, values: Sequence[Tuple[int, float]]) -> None:
    """Keyframes, each of which holds until the next."""
    parm = node.parm(name)
    if parm is None:
        raise AssertionError("%s has no parameter '%s'" % (node.path(), name))
    for frame, value in values:
        made = hou.Keyframe()
        made.setFrame(frame)
        made.setValue(value)
        made.setExpression("constant()", hou.exprLanguage.Hscript)
        parm.setKeyframe(made)


def command() -> str:
    """The sunder command of the package, or of the path."""
    for place in (os.path.join(os.environ.get("SUNDER", ""), "bin", "sunder"), shutil.which("sunder") or ""):
        if os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    raise Skipped("there is no sunder command; install the package with it, or put it on the path")


def simulate(source: hou.OpNode, settings: Mapping[str, Any], material: Mapping[str, Any], frames: int, folder: str) -> List[Tuple[float, ...]]:
    """Positions of the frames that the command makes of a SOP's geometry, which it gets as a file."""
    program = command()
    geometry_of(source).saveToFile(os.path.join(folder, "solid.bgeo.sc"))
    scene = {"fps": hou.fps(), "startFrame": START, "endFrame": START + frames - 1, "settings": settings,
             "bodies": [{"name": "solid", "source": {"file": {"path": "solid.bgeo.sc"}}, "material": material}]}
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as f:
        json.dump(scene, f)
    out = os.path.join(folder, "frames")
    done = subprocess.run([program, "simulate", os.path.join(folder, "scene.json"), "--out", out], capture_output=True, text=True)
    expect(done.returncode == 0, "the command failed: " + done.stderr)
    made = []
    for frame in range(START, START + frames):
        geometry = hou.Geometry()
        geometry.loadFromFile(os.path.join(out, "frame.%04d.bgeo.sc" % frame))
        made.append(geometry.pointFloatAttribValues("P"))
    return made
