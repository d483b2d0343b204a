"""Every example of the project as a network: the tets of its bodies from files, their materials, pins, guides and colliders, and the solver.

The files come from the command (`sunder simulate SCENE --frames 1-1`), which knows the shapes of scene files; so does the scene with every value
spelled out, which is in the manifest of that run. Where one object of the SOP-level solver can have all that a scene says, that is the network; else
it holds a DOP network with an object for each body.
"""
import glob
import json
import os
import subprocess
from typing import Any, Dict, List, Mapping, Optional, Sequence

import hou

from . import held, nodes, setups, words

# what no node has; builders say so in the comment of the network
NOT_SHOWN = ("contactPairs", "activeZones")
# what is data of DOP objects
OF_OBJECTS = ("blasts", "glue")
MUTUAL, LEFT_AFFECTS_RIGHT, SET_ALWAYS, GLUE = 2, 1, 1, 2  # entries of menus
# what is one for all solids of an object: those that differ need an object each
OF_ALL = ("restitution", "stiffnessScale", "self", "groups", "collidesWith")
USUAL_COLLIDER = {"friction": 0.5, "dynamicFriction": 0.5, "groups": ["default"], "collidesWith": ["all"]}


def scene_files(folder: str) -> List[str]:
    """The scenes of an example's folder."""
    return sorted(glob.glob(os.path.join(folder, "*.json")))


def prepare(scene_file: str, out: str, command: str = "sunder") -> Dict[str, Any]:
    """Runs the command for the first frame, and returns the scene with every value spelled out."""
    with open(scene_file, encoding="utf-8") as f:
        first = int(json.load(f).get("startFrame", 1))
    done = subprocess.run([command, "simulate", scene_file, "--out", out, "--overwrite", "--frames", "%d-%d" % (first, first)], capture_output=True, text=True)
    if done.returncode != 0:
        raise nodes.SetupError(done.stderr.strip() or "%s ended with code %d" % (command, done.returncode))
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
        parameters: Dict[str, Any] = json.load(f)["parameters"]
    return parameters


def build(scene_file: str, out: str, parent: Optional[hou.OpNode] = None, command: str = "sunder") -> hou.OpNode:
    """A geometry object that holds the network of a scene file. `out` is where its first frame goes."""
    return build_scene(prepare(scene_file, out, command), os.path.splitext(os.path.basename(scene_file))[0], out, parent)


def build_scene(scene: Mapping[str, Any], name: str, out: str, parent: Optional[hou.OpNode] = None) -> hou.OpNode:
    """The same for a scene with every value spelled out, whose first frame is in `out`."""
    network = nodes.create(nodes.network(parent), "geo", _node_name(scene.get("name") or name))
    frame = nodes.create(network, "file", "first_frame", {"file": "%s/frame.%04d.bgeo.sc" % (out, scene["startFrame"])})
    shared = _shared(scene["bodies"])
    result = _objects(network, frame, scene) if needs_objects(scene, shared) else _solver(network, frame, scene, shared)
    cache = nodes.create(network, "filecache", "cache", {"basename": "$HIPNAME.$OS"}, [result])
    network.setComment(_comment(scene))
    nodes.lay_out(network)
    setups.show(cache)
    return network


def _solver(network: hou.OpNode, frame: hou.OpNode, scene: Mapping[str, Any], shared: Mapping[str, Any]) -> hou.OpNode:
    """The SOP-level solver: all bodies are one object."""
    bodies = [_body(network, frame, body, _friction_scale(body["contact"], shared)) for body in scene["bodies"]]
    solids = nodes.create(network, "merge", "solids", {}, bodies)
    constraints = [made for body in scene["bodies"] for made in _constraints(network, solids, body, scene)]
    guides = [guide for body in scene["bodies"] for guide in _guides(network, body)]
    colliders = [_collider(network, frame, collider, scene) for collider in scene.get("colliders", []) if collider["visible"]]
    return nodes.create(network, setups.SOLVER, "solver", {**_settings(scene), "startframe": scene["startFrame"], **_solid(scene["bodies"], shared)},
                        [solids, constraints[0] if constraints else None, _merged(network, "colliders", colliders), _merged(network, "guides", guides)])


def _objects(network: hou.OpNode, frame: hou.OpNode, scene: Mapping[str, Any]) -> hou.OpNode:
    """A DOP network with an object for each body and each collider, and its tets back in SOPs."""
    dops = nodes.create(network, "dopnet", "simulation", {"startframe": scene["startFrame"]})
    bodies = nodes.create(dops, "merge", "bodies", {"affectortype": MUTUAL}, [_object(network, dops, frame, body, scene) for body in scene["bodies"]])
    for blast in scene.get("blasts", [])[:1]:
        bodies = nodes.create(dops, "sunderblast", "blast", words.flatten(blast), [bodies])
    colliders = [_static(network, dops, frame, collider, scene) for collider in scene.get("colliders", []) if collider["visible"]]
    everything = nodes.create(dops, "merge", "everything", {"affectortype": LEFT_AFFECTS_RIGHT}, [*colliders, bodies])
    solver = nodes.create(dops, "sundersolver", "solver", {**_settings(scene), "startFrame": scene["startFrame"]}, [everything])
    nodes.create(dops, "output", "output", {}, [solver])
    nodes.lay_out(dops)
    names = " ".join(_node_name(body["name"]) for body in scene["bodies"])
    return nodes.create(network, "dopimport", "tets", {"doppath": dops.path(), "objpattern": names})


def _object(network: hou.OpNode, dops: hou.OpNode, frame: hou.OpNode, body: Mapping[str, Any], scene: Mapping[str, Any]) -> hou.OpNode:
    """An Empty Object with the geometry, guides and constraints of a body, and the plugin's data. It starts with the `v` of its points."""
    name = _node_name(body["name"])
    solid = _body(network, frame, body, 1.0)
    data = nodes.create(dops, "emptyobject", name, {"objname": name})
    nodes.reference(data, "activation", "$SF == 1")  # it makes an object in every timestep in which it is active
    shown = [("Geometry", solid, 0), ("GuideGeometry", _merged(network, name + "_guides", _guides(network, body)), 0)]
    shown += [("ConstraintGeometry", made, SET_ALWAYS) for made in _constraints(network, solid, body, scene)]
    for kind, source, operation in shown:
        if source is not None:
            data = nodes.create(dops, "sopgeo", "%s_%s" % (name, kind), {"dataname": kind, "usesoppath": 1, "soppath": source.path(), "defaultparmop": operation}, [data])
    contact = {"contact_" + key: " ".join(value) if isinstance(value, list) else value for key, value in body["contact"].items()}
    data = nodes.create(dops, "sundermaterial", name + "_material", {"materialFromGeometry": 1, "rigid": int(body["rigid"]), "force": body["force"], **contact}, [data])
    for glue in _glue_of(scene, body)[:1]:
        values = {"type": GLUE, "glue_b": _node_name(glue["b"]), **{"glue_" + key: glue[key] for key in ("distance", "strength", "stiffnessScale")}}
        data = nodes.create(dops, "sunderconstraint", name + "_glue", values, [data])
    return data


def _static(network: hou.OpNode, dops: hou.OpNode, frame: hou.OpNode, collider: Mapping[str, Any], scene: Mapping[str, Any]) -> hou.OpNode:
    name = _node_name(collider["name"])
    shape = _collider(network, frame, collider, scene)
    static = nodes.create(dops, "staticobject", name, {"soppath": shape.path(), "object_name": name, "animategeo": 1})
    contact = {"contact_" + key: " ".join(value) if isinstance(value, list) else value for key, value in collider["contact"].items()}
    return nodes.create(dops, "sundercollider", name + "_contact", {"thickness": collider["thickness"], "twoSided": int(collider["twoSided"]), **contact}, [static])


def _glue_of(scene: Mapping[str, Any], body: Mapping[str, Any]) -> List[Mapping[str, Any]]:
    return [glue for glue in scene.get("glue", []) if glue["a"] == body["name"]]


def _constraints(network: hou.OpNode, solid: hou.OpNode, body: Mapping[str, Any], scene: Mapping[str, Any]) -> List[hou.OpNode]:
    """What holds the points of a solid: none, or a node."""
    code = held.constraints(body, scene["startFrame"], scene["fps"])
    return [nodes.create(network, "attribwrangle", _node_name(body["name"]) + "_held", {"class": 0, "snippet": code}, [None, solid])] if code else []


def _merged(network: hou.OpNode, name: str, parts: Sequence[hou.OpNode]) -> Optional[hou.OpNode]:
    return nodes.create(network, "merge", name, {}, parts) if parts else None


def _settings(scene: Mapping[str, Any]) -> Dict[str, Any]:
    return {**words.flatten(scene["settings"]), "seed": scene["seed"]}


def _shared(bodies: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The contact of the object that all solids make: that of the one with the most friction, which others scale by paint."""
    most: Mapping[str, Any] = max(bodies, key=lambda body: float(body["contact"]["friction"]))["contact"]
    return most


def _solid(bodies: Sequence[Mapping[str, Any]], shared: Mapping[str, Any]) -> Dict[str, Any]:
    """What the solver has for the object."""
    contact = {"contact_" + key: shared[key] for key in ("friction", "dynamicFriction", "restitution", "stiffnessScale", "self")}
    return {**contact, "rigid": int(all(body["rigid"] for body in bodies) and len(bodies) == 1)}


def _friction_scale(contact: Mapping[str, Any], shared: Mapping[str, Any]) -> float:
    return float(contact["friction"]) / float(shared["friction"]) if shared["friction"] else 1.0


def _body(network: hou.OpNode, frame: hou.OpNode, body: Mapping[str, Any], friction: float) -> hou.OpNode:
    """Its tets out of the first frame, whose attribute `v` is the velocity that they start with, and its material, which a merge keeps."""
    name = _node_name(body["name"])
    part = nodes.create(network, "blast", name, {"group": "@name=%s" % body["name"], "grouptype": 4, "negate": 1}, [frame])
    if held.breaks(body):
        part = nodes.create(network, "attribwrangle", name + "_breaks", {"class": 2, "snippet": held.breaks(body)}, [part])
    # values count where the preset is `custom`; the scene has all of them spelled out
    values = {**words.flatten(body["material"]), "preset": "custom", "friction": friction}
    node = nodes.create(network, setups.MATERIAL, name + "_material", values, [part])
    if body["material"].get("preset"):
        node.setComment("from the preset " + body["material"]["preset"])
    return node


def _guides(network: hou.OpNode, body: Mapping[str, Any]) -> List[hou.OpNode]:
    """Curves and files as geometry in front of a guide node; planes, balls and patterns are numbers of the node."""
    made = []
    for guide in body.get("guides", []):
        ((kind, shape),) = guide["shape"].items()
        name = _node_name("%s_%s" % (body["name"], guide["name"]))
        drawn: List[hou.OpNode] = []
        values = words.flatten({key: value for key, value in guide.items() if key != "shape"})
        if kind == "file":
            drawn = [nodes.create(network, "file", name + "_shape", {"file": shape["path"]})]
        elif kind == "curve":
            drawn = [_curve(network, name + "_shape", shape)]
        else:
            values.update(words.flatten({"shape": kind, kind: shape}))
        made.append(nodes.create(network, "sunder::guide::1.0", name, values, drawn))
    return made


def _curve(network: hou.OpNode, name: str, curve: Mapping[str, Any]) -> hou.OpNode:
    """A polyline through the points or, where it is swept, the quads that it leaves behind."""
    points, sweep = curve["points"], curve["sweep"]
    if curve["closed"]:
        points = [*points, points[0]]
    sides = [[[p[c] - sweep[c] for c in range(3)] for p in points], [[p[c] + sweep[c] for c in range(3)] for p in points]] if any(sweep) else [points]
    lines = ["int p[];"] + ["append(p, addpoint(0, {%s}));" % ", ".join("%.9g" % v for v in point) for side in sides for point in side]
    count = len(points)
    if any(sweep):
        lines += ['addprim(0, "poly", p[%d], p[%d], p[%d], p[%d]);' % (i, i + 1, count + i + 1, count + i) for i in range(count - 1)]
    else:
        lines.append('addprim(0, "polyline", p);')
    return nodes.create(network, "attribwrangle", name, {"class": 0, "snippet": "\n".join(lines)})


def _collider(network: hou.OpNode, frame: hou.OpNode, collider: Mapping[str, Any], scene: Mapping[str, Any]) -> hou.OpNode:
    part = nodes.create(network, "blast", _node_name(collider["name"]), {"group": "@name=%s" % collider["name"], "grouptype": 4, "negate": 1}, [frame])
    code = held.led(collider["motion"], scene["startFrame"], scene["fps"])
    return nodes.create(network, "attribwrangle", _node_name(collider["name"]) + "_led", {"class": 2, "snippet": code}, [part]) if code else part


def needs_objects(scene: Mapping[str, Any], shared: Mapping[str, Any]) -> bool:
    """Whether a scene has what one object of the SOP-level solver cannot have."""
    bodies, colliders = scene["bodies"], scene.get("colliders", [])
    several = len(bodies) > 1 and any(body["rigid"] or body.get("pins") or body.get("targets") or body.get("guides") for body in bodies)
    own = any(any(body["force"]) or _own_contact(body["contact"], shared) for body in bodies)
    surfaces = any(collider["thickness"] or collider["twoSided"] or collider["contact"] != USUAL_COLLIDER for collider in colliders)
    return several or own or surfaces or any(scene.get(key) for key in OF_OBJECTS)


def _own_contact(contact: Mapping[str, Any], shared: Mapping[str, Any]) -> bool:
    """Whether a solid differs from the object in what paint cannot say, or has what no parameter of the SOP-level solver is for."""
    sliding = abs(contact["dynamicFriction"] - shared["dynamicFriction"] * _friction_scale(contact, shared)) > 1e-12
    return sliding or any(contact[key] != shared[key] for key in OF_ALL) or contact["groups"] != ["default"] or contact["collidesWith"] != ["all"]


def _comment(scene: Mapping[str, Any]) -> str:
    """What of the scene the network does not have: nothing is dropped in silence."""
    missing = [key for key in NOT_SHOWN if scene.get(key)]
    missing += ["all blasts but the first"] if len(scene.get("blasts", [])) > 1 else []
    missing += ["more than one glue of %s" % body["name"] for body in scene["bodies"] if len(_glue_of(scene, body)) > 1]
    missing += ["%s, which is not visible" % collider["name"] for collider in scene.get("colliders", []) if not collider["visible"]]
    return "not in this network: " + ", ".join(missing) if missing else ""


def _node_name(name: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name) or "body"
