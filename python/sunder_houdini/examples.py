"""Every example of the project as a network: the tets of its bodies from files, their materials, guides and colliders, and the solver.

The files come from the command (`sunder simulate SCENE --frames 1-1`), which knows the shapes of scene files; so does the scene with every value
spelled out, which is in the manifest of that run.
"""
import glob
import json
import os
import subprocess
from typing import Any, Dict, List, Mapping, Optional, Sequence

import hou

from . import nodes, setups, words

# what the SOP-level solver does not show; builders say so in the comment of the network
NOT_SHOWN = ("contactPairs", "blasts", "activeZones", "glue")
# what belongs to bodies and is wired or painted, not set on the material
BODY_NOT_SHOWN = ("pins", "targets", "breaks")
# what is one for all solids of an object: those that differ need an object each
OF_ALL = ("restitution", "stiffnessScale", "self", "groups", "collidesWith")
USUAL_COLLIDER = {"friction": 0.5, "dynamicFriction": 0.5, "groups": ["default"], "collidesWith": ["all"]}
AN_OBJECT_EACH = "what has its own needs a DOP network with one Sunder Object for each of these solids"
# guides that geometry can stand for
DRAWN = ("file", "curve")


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
    bodies = [_body(network, frame, body, shared) for body in scene["bodies"]]
    solids = nodes.create(network, "merge", "solids", {}, bodies)
    guides = [guide for body in scene["bodies"] for guide in _guides(network, body)]
    colliders = [_collider(network, frame, collider) for collider in scene.get("colliders", []) if collider["visible"]]
    solver = nodes.create(network, setups.SOLVER, "solver", {**_settings(scene), **_solid(scene["bodies"], shared)},
                          [solids, None, _merged(network, "colliders", colliders), _merged(network, "guides", guides)])
    cache = nodes.create(network, "filecache", "cache", {"basename": "$HIPNAME.$OS"}, [solver])
    network.setComment(_comment(scene, shared))
    nodes.lay_out(network)
    setups.show(cache)
    return network


def _merged(network: hou.OpNode, name: str, parts: Sequence[hou.OpNode]) -> Optional[hou.OpNode]:
    return nodes.create(network, "merge", name, {}, parts) if parts else None


def _settings(scene: Mapping[str, Any]) -> Dict[str, Any]:
    settings = words.flatten(scene["settings"])
    return {**settings, "startframe": scene["startFrame"], "seed": scene["seed"]}


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


def _body(network: hou.OpNode, frame: hou.OpNode, body: Mapping[str, Any], shared: Mapping[str, Any]) -> hou.OpNode:
    """Its tets out of the first frame, whose attribute `v` is the velocity that they start with, and its material, which a merge keeps."""
    name = _node_name(body["name"])
    part = nodes.create(network, "blast", name, {"group": "@name=%s" % body["name"], "grouptype": 4, "negate": 1}, [frame])
    # values count where the preset is `custom`; the scene has all of them spelled out
    values = {**words.flatten(body["material"]), "preset": "custom", "friction": _friction_scale(body["contact"], shared)}
    node = nodes.create(network, setups.MATERIAL, name + "_material", values, [part])
    if body["material"].get("preset"):
        node.setComment("from the preset " + body["material"]["preset"])
    return node


def _guides(network: hou.OpNode, body: Mapping[str, Any]) -> List[hou.OpNode]:
    """Curves and files as geometry in front of a guide node; planes, balls and patterns have no geometry and are told in the comment."""
    made = []
    for guide in body.get("guides", []):
        (kind, shape), = guide["shape"].items()
        if kind not in DRAWN:
            continue
        name = _node_name("%s_%s" % (body["name"], guide["name"]))
        drawn = nodes.create(network, "file", name + "_shape", {"file": shape["path"]}) if kind == "file" else _curve(network, name + "_shape", shape)
        made.append(nodes.create(network, "sunder::guide::1.0", name, {key: guide[key] for key in ("name", "strength", "width", "follow")}, [drawn]))
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


def _collider(network: hou.OpNode, frame: hou.OpNode, collider: Mapping[str, Any]) -> hou.OpNode:
    return nodes.create(network, "blast", _node_name(collider["name"]), {"group": "@name=%s" % collider["name"], "grouptype": 4, "negate": 1}, [frame])


def _own_contact(contact: Mapping[str, Any], shared: Mapping[str, Any]) -> List[str]:
    """Values in which a solid differs from the object, but for what paint can say, and what no node of the object has a parameter for."""
    own = [key for key in OF_ALL if contact[key] != shared[key]]
    own += [key for key, usual in (("groups", ["default"]), ("collidesWith", ["all"])) if contact[key] != usual and key not in own]
    sliding = abs(contact["dynamicFriction"] - shared["dynamicFriction"] * _friction_scale(contact, shared)) > 1e-12
    return own + (["dynamicFriction"] if sliding else [])


def _comment(scene: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    """What of the scene the network does not have: nothing is dropped in silence."""
    missing = [key for key in NOT_SHOWN if scene.get(key)]
    objects: List[str] = []
    for body in scene["bodies"]:
        missing += ["%s of %s" % (key, body["name"]) for key in BODY_NOT_SHOWN if body.get(key)]
        missing += ["force of %s" % body["name"]] if any(body["force"]) else []
        missing += ["guide %s of %s" % (guide["name"], body["name"]) for guide in body.get("guides", []) if not set(guide["shape"]) & set(DRAWN)]
        objects += ["rigid of %s" % body["name"]] if body["rigid"] and len(scene["bodies"]) > 1 else []
        objects += ["%s of %s" % (key, body["name"]) for key in _own_contact(body["contact"], shared)]
    for collider in scene.get("colliders", []):
        missing += ["motion of %s" % collider["name"]] if collider.get("motion", {}).get("keys") else []
        missing += ["%s, which is not visible" % collider["name"]] if not collider["visible"] else []
        missing += ["%s of %s" % (key, collider["name"]) for key in ("thickness", "twoSided") if collider[key]]
        missing += ["contact of %s" % collider["name"]] if collider["contact"] != USUAL_COLLIDER else []
    said = ["not in this network: " + ", ".join(missing + objects)] if missing or objects else []
    return "\n".join(said + ([AN_OBJECT_EACH + ": " + ", ".join(objects)] if objects else []))


def _node_name(name: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name) or "body"
