"""sunder_houdini on a strict stand-in of hou that knows node types and parameters by tables, and by mypy on the stubs of the real one."""
import ast
import glob
import importlib
import json
import math
import os
import re
import subprocess
import sys

import pytest

import node_table
from conftest import ROOT
from fake_hou import Hou, OperationFailed
from test_otls import NODES




@pytest.fixture(scope="module")
def schema():
    return subprocess.run([os.environ["SUNDER"], "schema"], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def presets():
    return [p["name"] for p in json.loads(subprocess.run([os.environ["SUNDER"], "materials", "--json"], capture_output=True, text=True, check=True).stdout)]


@pytest.fixture
def hou(schema, presets, monkeypatch):
    fake = Hou(node_table.node_table(schema, presets))
    monkeypatch.setitem(sys.modules, "hou", fake)
    for name in [n for n in sys.modules if n.split(".")[0] == "sunder_houdini"]:  # they hold the hou of another test
        monkeypatch.delitem(sys.modules, name)
    return fake


def module(name):
    return importlib.import_module("sunder_houdini." + name)


def test_stand_in_is_strict(hou):
    geo = hou.obj.createNode("geo", "g")
    with pytest.raises(OperationFailed):
        geo.createNode("no_such_sop", "x")
    with pytest.raises(OperationFailed):
        hou.obj.createNode("blast", "x")  # a SOP, not an object
    blast, box = geo.createNode("blast", "b"), geo.createNode("null", "n")
    assert blast.parm("groupp") is None
    for name, value in (("group", 3), ("negate", 0.5), ("grouptype", 7), ("grouptype", "primitives")):
        with pytest.raises(TypeError):
            blast.parm(name).set(value)
    with pytest.raises(OperationFailed):
        blast.setInput(1, box)
    with pytest.raises(OperationFailed):
        blast.setInput(0, box, 1)
    nodes = module("nodes")
    with pytest.raises(nodes.SetupError, match="no_such"):
        nodes.create(geo, "no_such", "x")
    with pytest.raises(nodes.SetupError, match="nothing"):
        nodes.create(geo, "null", "x", {"nothing": 1})
    with pytest.raises(nodes.SetupError, match="nothing"):
        nodes.create(geo, "null", "x", {"nothing": [1, 2]})


@pytest.mark.parametrize("name", ["shatter", "crumple", "jiggle"])
def test_one_click_setups(hou, name):
    setups = module("setups")
    geo = hou.obj.createNode("geo", "g")
    model = geo.createNode("file", "model")
    cache = getattr(setups, name)(model)
    chain = []
    node = cache
    while node is not model:
        chain.append(node.type().name())
        node = node.inputs[0][0]
    assert chain == ["filecache", "sunder::solver::1.0", "sunder::material::1.0", "sunder::tetrahedralize::1.0"]
    assert cache.display and cache.render and geo.laid_out
    material = geo.children()[2]
    assert material.value("preset") == setups.SETUPS[name].preset
    with pytest.raises(module("nodes").SetupError):
        setups.build(geo, name)


def test_shelf_works_on_the_selection(hou):
    setups = module("setups")
    setups.run_from_shelf("shatter")
    assert len(hou.messages) == 1 and not hou.made
    geo = hou.obj.createNode("geo", "g")
    hou.selection = (geo.createNode("file", "model"),)
    setups.run_from_shelf("shatter")
    assert len(hou.messages) == 1 and len(geo.children()) == 5
    del hou.table["Sop", "sunder::solver::1.0"]
    setups.run_from_shelf("shatter")
    assert "sunder::solver::1.0" in hou.messages[-1]


SCENES = sorted(glob.glob(os.path.join(ROOT, "examples", "*", "*.json")))


def all_scenes():
    """One process spells out all scenes."""
    code = "import sys, json, sunder; print(json.dumps([json.loads(sunder.readScene(p).toJson()) for p in sys.argv[1:]]))"
    done = subprocess.run([sys.executable, "-c", code, *SCENES], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return list(zip(SCENES, json.loads(done.stdout)))


def check_vex(code, functions):
    """What can be said of a snippet without Houdini: brackets close, statements end, and it calls and uses nothing that is not there."""
    assert all(code.count(a) == code.count(b) for a, b in ("()", "{}", "[]"))
    called = set(re.findall(r"\b([a-z]\w*)\(", re.sub(r'"[^"]*"', "", code))) - {"for", "if", "while"}
    assert called <= functions | set(re.findall(r"^vector (\w+)\(", code, re.M)), called
    for line in code.splitlines():
        assert line.strip() in ("{", "}") or line.rstrip()[-1] in ";{}" or line.startswith("vector moved"), line


VEX = {"npoints", "point", "addpoint", "setpointattrib", "inpointgroup", "float", "min", "distance", "find", "nearpoints", "len", "clamp", "radians", "lerp", "qrotate", "quaternion"}


def test_builders_of_every_example(hou, command):
    """Each becomes a network without one unknown type or parameter, which has all of the scene but what its comment says."""
    examples = module("examples")
    scenes = all_scenes()
    assert len(scenes) > 30
    kinds = set()
    for path, scene in scenes:
        network = examples.build_scene(scene, os.path.splitext(os.path.basename(path))[0], "/out")
        made = {n.name(): n for n in network.children()}
        assert network.laid_out and made["cache"].display, path
        lacking = [key for key in ("contactPairs", "activeZones") if scene.get(key)] + ["%s, which is not visible" % c["name"] for c in scene["colliders"] if not c["visible"]]
        assert network.comment == ("not in this network: " + ", ".join(lacking) if lacking else ""), path
        materials = [n for n in network.children() if n.type().name() == "sunder::material::1.0"]
        assert len(materials) == len(scene["bodies"]), path
        for body, node in zip(scene["bodies"], materials):
            assert node.value("youngs") == body["material"]["youngs"] and node.value("fracture_enabled") == body["material"]["fracture"]["enabled"]
            assert node.value("preset") == "custom"
        guides = [guide for body in scene["bodies"] for guide in body["guides"]]
        assert len([n for n in network.children() if n.type().name() == "sunder::guide::1.0"]) == len(guides), path
        held = [n for n in network.children() if n.name().endswith("_held")]
        assert len(held) == sum(bool(b["pins"] or b["targets"]) for b in scene["bodies"]), path
        led = [n for n in network.children() if n.name().endswith("_led")]
        assert len(led) == sum(bool(c["visible"] and c["motion"]["keys"]) for c in scene["colliders"]), path
        for node in held + led:
            check_vex(node.value("snippet"), VEX)
        kinds.add("solver" in made)
        (check_solver if "solver" in made else check_objects)(made, scene, materials)
    assert kinds == {True, False}


def check_solver(made, scene, materials):
    """All bodies are one object of the SOP-level solver."""
    solver = made["solver"]
    assert solver.value("substeps") == scene["settings"]["substeps"] and solver.value("startframe") == scene["startFrame"]
    assert [merged for merged, _ in solver.inputs[0][0].inputs.values()] == materials
    assert (1 in solver.inputs) == any(b["pins"] or b["targets"] for b in scene["bodies"])
    assert (2 in solver.inputs) == any(c["visible"] for c in scene["colliders"])
    assert (3 in solver.inputs) == any(b["guides"] for b in scene["bodies"])
    assert not scene["blasts"] and not scene["glue"] and not any(any(b["force"]) for b in scene["bodies"])
    for body, node in zip(scene["bodies"], materials):
        assert node.value("friction") * solver.value("contact_friction") == pytest.approx(body["contact"]["friction"])
        assert len(scene["bodies"]) == 1 or not body["rigid"]
        assert {key: solver.value("contact_" + key) for key in ("restitution", "stiffnessScale", "self")} == {key: body["contact"][key] for key in ("restitution", "stiffnessScale", "self")}
        assert body["contact"]["groups"] == ["default"] and body["contact"]["collidesWith"] == ["all"]


def check_objects(made, scene, materials):
    """Each body and collider is an object in a DOP network."""
    inside = {n.name(): n for n in made["simulation"].children()}
    solver, everything = inside["solver"], inside["everything"]
    assert inside["output"].inputs[0][0] is solver and solver.inputs[0][0] is everything and solver.value("startFrame") == scene["startFrame"]
    assert solver.value("substeps") == scene["settings"]["substeps"] and everything.value("affectortype") == 1 and inside["bodies"].value("affectortype") == 2
    by_object = {}
    for first, _ in inside["bodies"].inputs.values():
        chain = [first]
        while 0 in chain[-1].inputs:
            chain.append(chain[-1].inputs[0][0])
        assert chain[-1].type().name() == "emptyobject"
        by_object[chain[-1].value("objname")] = chain[::-1]
    assert len(by_object) == len(scene["bodies"]) and made["tets"].value("objpattern").split() == list(by_object)
    for body, material, chain in zip(scene["bodies"], materials, by_object.values()):
        shown = {n.value("dataname"): n for n in chain if n.type().name() == "sopgeo"}
        assert shown["Geometry"].value("soppath") == material.path() and material.value("friction") == 1
        assert ("GuideGeometry" in shown) == bool(body["guides"]) and ("ConstraintGeometry" in shown) == bool(body["pins"] or body["targets"])
        assert all(n.value("defaultparmop") == int(name == "ConstraintGeometry") for name, n in shown.items())
        (data,) = [n for n in chain if n.type().name() == "sundermaterial"]
        assert data.value("rigid") == int(body["rigid"]) and list(data.value("force")) == body["force"] and data.value("materialFromGeometry") == 1
        for key, value in body["contact"].items():
            assert data.value("contact_" + key) == (" ".join(value) if isinstance(value, list) else value)
    colliders = [c for c in scene["colliders"] if c["visible"]]
    statics = [node for node, _ in everything.inputs.values()][:-1]
    assert [n.value("thickness") for n in statics] == [c["thickness"] for c in colliders]
    assert [n.value("contact_friction") for n in statics] == [c["contact"]["friction"] for c in colliders]
    assert ("blast" in inside) == bool(scene["blasts"])


def scene_of_two(**changes):
    """Two bodies with every value spelled out, of which the second is changed."""
    contact = {"friction": 0.5, "dynamicFriction": 0.5, "restitution": 0.0, "stiffnessScale": 1.0, "groups": ["default"], "collidesWith": ["all"], "self": "pieces"}
    body = {"name": "a", "material": {"youngs": 1e6}, "contact": contact, "rigid": False, "force": [0, 0, 0], "pins": [], "targets": [], "guides": [], "breaks": []}
    other = {**body, "name": "b", **{key: value for key, value in changes.items() if key in body}}
    other["contact"] = {**contact, **changes.get("contact", {})}
    return {"startFrame": 1, "fps": 24, "seed": 0, "settings": {"substeps": 2}, "bodies": [body, other], "colliders": changes.get("colliders", []), "glue": changes.get("glue", []),
            "blasts": changes.get("blasts", [])}


STILL = {"keys": [], "pivot": [0, 0, 0], "smooth": False}
PIN = {"name": "top", "where": {"box": {"min": [-1, 0.9, -1], "max": [1, 1, 1]}}, "motion": STILL, "releaseTime": 1e300, "releaseForce": 1e300, "releaseStress": 5e5}
TARGET = {"name": "", "where": {"nearest": {"point": [1, 2, 3], "count": 4}}, "strength": 50, "damping": 2, "releaseTime": 0.5, "releaseForce": 1e300,
          "motion": {"keys": [{"time": 0, "translation": [0, 0, 0], "rotation": [0, 0, 0]}, {"time": 2, "translation": [0, 1, 0], "rotation": [0, 90, 0]}], "pivot": [1, 0, 0], "smooth": True}}


@pytest.mark.parametrize("changes, objects", [
    ({}, False),
    ({"rigid": True}, True),
    ({"pins": [PIN]}, True),
    ({"targets": [TARGET]}, True),
    ({"breaks": [{"where": {"all": {}}, "time": 0.5}]}, False),
    ({"force": [0, 0, 1]}, True),
    ({"contact": {"friction": 0.25, "dynamicFriction": 0.25}}, False),
    ({"contact": {"dynamicFriction": 0.1}}, True),
    ({"contact": {"restitution": 0.5}}, True),
    ({"contact": {"self": "none"}}, True),
    ({"contact": {"groups": ["toys"]}}, True),
    ({"contact": {"collidesWith": []}}, True),
    ({"glue": [{"name": "", "a": "b", "b": "a", "distance": 0.01, "strength": 1e5, "stiffnessScale": 1.0}]}, True),
    ({"blasts": [{"center": [0, 1, 0], "time": 0.1, "charge": 2.0, "peak": 0.0, "distance": 0.0, "onGround": True}]}, True),
])
def test_solids_that_differ_are_objects_of_their_own(hou, changes, objects):
    scene = scene_of_two(**changes)
    network = module("examples").build_scene(scene, "two", "/out")
    made = {n.name(): n for n in network.children()}
    assert network.comment == "" and ("simulation" in made) == objects and ("solver" in made) != objects
    materials = [made["a_material"], made["b_material"]]
    if objects:
        check_objects(made, {**scene, "colliders": []}, materials)
        inside = {n.name(): n for n in made["simulation"].children()}
        if scene["glue"]:
            assert inside["b_glue"].value("type") == 2 and inside["b_glue"].value("glue_b") == "a" and inside["b_glue"].value("glue_strength") == 1e5 and "a_glue" not in inside
        if scene["blasts"]:
            assert inside["blast"].value("charge") == 2 and inside["blast"].value("onGround") and tuple(inside["blast"].value("center")) == (0, 1, 0)
    else:
        friction = changes.get("contact", {}).get("friction", 0.5)
        assert made["b_material"].value("friction") == friction / 0.5 and made["a_material"].value("friction") == 1
        assert made["solver"].value("contact_friction") == 0.5 and made["solver"].value("rigid") == 0
    assert ("b_breaks" in made) == bool(scene["bodies"][1]["breaks"])


def test_more_than_nodes_can_hold_is_said(hou):
    glue = {"name": "", "a": "b", "b": "a", "distance": 0.01, "strength": 1e5, "stiffnessScale": 1.0}
    blast = {"center": [0, 1, 0], "time": 0.1, "charge": 2.0, "peak": 0.0, "distance": 0.0, "onGround": True}
    network = module("examples").build_scene(scene_of_two(glue=[glue, glue], blasts=[blast, blast]), "two", "/out")
    assert network.comment == "not in this network: all blasts but the first, more than one glue of b"


def test_one_rigid_solid_is_a_rigid_object(hou):
    scene = scene_of_two(rigid=True, pins=[PIN], targets=[TARGET])
    del scene["bodies"][0]
    network = module("examples").build_scene(scene, "one", "/out")
    made = {n.name(): n for n in network.children()}
    assert made["solver"].value("rigid") == 1 and not network.comment
    code = made["b_held"].value("snippet")
    check_vex(code, VEX)
    assert made["solver"].inputs[1][0] is made["b_held"] and made["b_held"].inputs[1][0] is made["solids"]
    assert "@Frame - 1) / 24" in code and 'setpointattrib(0, "releaseStress", c, 500000);' in code and 'setpointattrib(0, "releaseTime", c, 1e+30);' in code
    assert "nearpoints(1, {1, 2, 3}, 1e9, 4)" in code and 'setpointattrib(0, "releaseTime", c, 0.5);' in code and 'setpointattrib(0, "strength", c, 50);' in code


def test_colliders_that_move_or_have_their_own(hou):
    usual = {"visible": True, "motion": STILL, "thickness": 0.0, "twoSided": False, "contact": {"friction": 0.5, "dynamicFriction": 0.5, "groups": ["default"], "collidesWith": ["all"]}}
    turning = {**usual, "name": "turning", "motion": TARGET["motion"]}
    network = module("examples").build_scene(scene_of_two(colliders=[{**usual, "name": "plain"}, turning, {**usual, "name": "hidden", "visible": False}]), "two", "/out")
    made = {n.name(): n for n in network.children()}
    assert network.comment == "not in this network: hidden, which is not visible" and "hidden" not in made and "plain_led" not in made
    assert [node for node, _ in made["solver"].inputs[2][0].inputs.values()] == [made["plain"], made["turning_led"]]
    check_vex(made["turning_led"].value("snippet"), VEX)
    for own in ({"thickness": 0.1}, {"twoSided": True}, {"contact": {**usual["contact"], "friction": 0.0}}):
        scene = scene_of_two(colliders=[{**usual, "name": "plain"}, {**turning, **own}])
        network = module("examples").build_scene(scene, "two", "/out")
        made = {n.name(): n for n in network.children()}
        check_objects(made, scene, [made["a_material"], made["b_material"]])
        inside = {n.name(): n for n in made["simulation"].children()}
        assert inside["turning"].value("soppath") == made["turning_led"].path() and inside["turning"].value("animategeo") == 1
        assert inside["turning_contact"].value("twoSided") == int(own.get("twoSided", False)) and not network.comment


def test_motions_of_networks_are_those_of_scenes(hou, command, tmp_path):
    """The VEX of a motion, read as what it is, gives the places of the command's frames."""
    motion = {"keys": [{"time": 0}, {"time": 0.1, "translation": [0.1, 0, 0.2], "rotation": [0, 120, 30]}, {"time": 0.3, "translation": [0, 0.1, 0], "rotation": [40, 0, 0]}], "pivot": [0.5, 0, 0]}
    for smooth in (False, True):
        scene = {"endFrame": 11, "bodies": [{"name": "far", "source": {"box": {"cells": 1}}, "transform": {"translate": [0, 50, 0]}}],
                 "colliders": [{"name": "led", "source": {"box": {"cells": 1}}, "motion": {**motion, "smooth": smooth}}]}
        (tmp_path / "scene.json").write_text(json.dumps(scene))
        done = subprocess.run([command, "simulate", str(tmp_path / "scene.json"), "--out", str(tmp_path / "out"), "--overwrite"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        code = ("import sys, json, sunder\nfor f in sys.argv[1:]:\n    g = sunder.readGeometry(f)\n    names = list(g.primitives['name'])\n"
                "    used = sorted({int(i) for p in range(g.primitiveCount) if names[p] == 'led' for i in g.primitivePoints(p)})\n    print(json.dumps([list(map(float, g.positions[i])) for i in used]))")
        frames = [str(tmp_path / "out" / ("frame.%04d.bgeo.sc" % frame)) for frame in range(1, 12)]
        read = subprocess.run([sys.executable, "-c", code, *frames], capture_output=True, text=True)
        assert read.returncode == 0, read.stderr
        shown = [json.loads(line) for line in read.stdout.splitlines()]
        spelled = json.loads(json.dumps({"keys": [{"translation": [0, 0, 0], "rotation": [0, 0, 0], **key} for key in motion["keys"]], "pivot": motion["pivot"], "smooth": smooth}))
        move = run_motion("\n".join(module("held").moved("moved", spelled)))
        for frame, places in enumerate(shown):
            for start, place in zip(shown[0], places):
                assert move(start, frame / 24) == pytest.approx(place, abs=2e-6), (smooth, frame)


def run_motion(code):
    """A motion's function in Python: its statements are the same but for braces and types."""
    arrays = {name: ast.literal_eval(text.replace("{", "[").replace("}", "]")) for name, text in re.findall(r"(times|shifts|turns)\[\] = (.*);", code)}
    pivot = ast.literal_eval(re.search(r"qrotate\(quaternion\(turn\), p - (\{.*?\})\) \+ \1 \+ lerp\(shifts\[a\], shifts\[b\], s\);", code).group(1).replace("{", "[").replace("}", "]"))
    assert "while (a + 2 < len(times) && t > times[a + 1]) a++;" in code and "int b = min(a + 1, len(times) - 1);" in code
    assert "float s = b > a ? clamp((t - times[a]) / (times[b] - times[a]), 0, 1) : 0;" in code and "vector turn = radians(lerp(turns[a], turns[b], s));" in code

    def lerp(u, v, s):
        return [x + (y - x) * s for x, y in zip(u, v)]

    def move(p, t):
        a = 0
        while a + 2 < len(arrays["times"]) and t > arrays["times"][a + 1]:
            a += 1
        b = min(a + 1, len(arrays["times"]) - 1)
        s = min(max((t - arrays["times"][a]) / (arrays["times"][b] - arrays["times"][a]), 0), 1) if b > a else 0
        if "s = s * s * (3 - 2 * s);" in code:
            s = s * s * (3 - 2 * s)
        turn = [math.radians(x) for x in lerp(arrays["turns"][a], arrays["turns"][b], s)]
        angle = math.sqrt(sum(x * x for x in turn))
        axis = [x / angle for x in turn] if angle else [0, 0, 0]
        q = [x - y for x, y in zip(p, pivot)]
        across = [axis[1] * q[2] - axis[2] * q[1], axis[2] * q[0] - axis[0] * q[2], axis[0] * q[1] - axis[1] * q[0]]
        along = sum(x * y for x, y in zip(axis, q))
        turned = [x * math.cos(angle) + y * math.sin(angle) + z * along * (1 - math.cos(angle)) for x, y, z in zip(q, across, axis)]
        return [x + y + z for x, y, z in zip(turned, pivot, lerp(arrays["shifts"][a], arrays["shifts"][b], s))]

    return move


def test_first_frame_carries_how_bodies_start(hou, command, tmp_path):
    """Bodies of the network take their velocities out of the file: read as one model it goes on as the scene does."""
    code = """if True:
        import sys, json, sunder
        def speeds(scene, world=None):
            world = sunder.buildWorld(sunder.parseScene(json.dumps(scene)))
            return [list(map(float, v)) for body in world.bodies for v in body.v]
        print(json.dumps([speeds(json.load(open(path))) for path in sys.argv[1:]]))
    """
    material = {"youngs": 1e6}
    scene = {"seed": 3, "endFrame": 2, "bodies": [{"name": "a", "source": {"box": {"cells": 1}}, "velocity": [1, 2, 3], "material": material},
                                                  {"name": "b", "source": {"box": {"cells": 2}}, "transform": {"translate": [3, 0, 0]}, "spin": [0, 90, 0], "velocityNoise": 0.1, "material": material}]}
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    network = module("examples").build(str(tmp_path / "scene.json"), str(tmp_path / "out"), command=command)
    frame = network.children()[0].value("file")
    (tmp_path / "model.json").write_text(json.dumps({"bodies": [{"name": "solids", "source": {"file": {"path": frame}}, "material": material}]}))
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "scene.json"), str(tmp_path / "model.json")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    started, read = json.loads(done.stdout)
    assert len(started) == len(read) and max(abs(v) for v in started[0]) == 3
    for a, b in zip(started, read):
        assert b == pytest.approx(a, abs=1e-6)  # of single precision


@pytest.mark.parametrize("name", ["stress", "strain", "plasticstrain", "damage", "quality", "contactdepth"])
def test_one_click_visualizers(hou, name):
    visualizers = module("visualizers")
    geo = hou.obj.createNode("geo", "g")
    cache = module("setups").shatter(geo.createNode("file", "model"))
    solver = cache.inputs[0][0]
    node = visualizers.build(solver, name)
    assert node.inputs[0] == (solver, 3) and node.display and not cache.inputs[0][0] is node
    look = visualizers.LOOKS[name]
    code = node.value("snippet")
    assert node.value("class") == 0 and code.count("{") == code.count("}") and code.count("(") == code.count(")")
    assert '%s(0, "%s", i)' % (look.owner, name) in code and 'set%sattrib(0, "Cd", i' % look.owner in code
    assert ("max(high, float(%s(0" % look.owner in code) == (look.high is None)
    # what the attribute is on, by those who write it
    with open(os.path.join(ROOT, "core", "sim", "scene_frame.cpp")) as f:
        assert 'geometry.%s.add<float>("%s"' % ({"prim": "primitives", "point": "points"}[look.owner], name) in f.read()
    fixed = visualizers.build(cache, name, 7)
    assert fixed.inputs[0] == (cache, 0) and "high = 7" in fixed.value("snippet") and "max(high" not in fixed.value("snippet")


def test_visualizers_from_the_shelf(hou):
    visualizers = module("visualizers")
    visualizers.run_from_shelf()
    assert len(hou.messages) == 1 and not hou.made
    geo = hou.obj.createNode("geo", "g")
    hou.selection = (geo.createNode("file", "frame"),)
    visualizers.run_from_shelf()  # nothing was chosen
    assert len(geo.children()) == 1
    hou.choice = (list(visualizers.LOOKS).index("damage"),)
    visualizers.run_from_shelf()
    assert [n.name() for n in geo.children()] == ["frame", "see_damage"] and len(hou.messages) == 1
    with pytest.raises(module("nodes").SetupError, match="nothing to see"):
        visualizers.build(geo.children()[0], "no_such")
    with pytest.raises(module("nodes").SetupError, match="select the SOP"):
        visualizers.build(geo, "stress")


def test_example_through_the_command(hou, command, tmp_path):
    scene = tmp_path / "small.json"
    scene.write_text(json.dumps({"name": "a box", "startFrame": 1001, "endFrame": 1003, "bodies": [{"name": "box", "source": {"box": {"cells": 1}}}]}))
    examples = module("examples")
    network = examples.build(str(scene), str(tmp_path / "out"), command=command)
    file = network.children()[0].value("file")
    assert network.name() == "a_box" and os.path.exists(file) and file.endswith("frame.1001.bgeo.sc")
    scene.write_text("{")
    with pytest.raises(ValueError):
        examples.build(str(scene), str(tmp_path / "out"), command=command)
    scene.write_text('{"bodies": []}')
    with pytest.raises(module("nodes").SetupError, match="bod"):
        examples.build(str(scene), str(tmp_path / "out"), command=command)


def test_every_node_has_an_example_that_builds(hou):
    """Strict as the stand-in is, a type, parameter, menu entry or wire that is not there raises."""
    examples = module("node_examples")
    assert set(examples.EXAMPLES) == {name for _, name in NODES}
    for category, name in sorted(NODES):
        before = len(hou.made)
        node = examples.build(name)
        made = hou.made[before:]
        assert node in made and node.type().name() == name and node.type().category().name == category
        assert made[0].laid_out and made[0].parent() is hou.obj
        fewest = node_table.plugin_nodes().get(name, {}).get("minInputs", 0)
        assert all(i in node.inputs for i in range(fewest)), "%s is not wired" % name
        assert len(made) > 2 and len({n.path() for n in made}) == len(made)
    with pytest.raises(module("nodes").SetupError, match="no example"):
        examples.build("sunder::nothing::1.0")


def test_wedge(hou):
    wedge, nodes = module("wedge"), module("nodes")
    geo = hou.obj.createNode("geo", "g")
    cache = module("setups").shatter(geo.createNode("file", "model"))
    values = {"/obj/g/shatter_material/youngs": [1e5, 2.5e5], "/obj/g/shatter_solver/substeps": [1, 2, 4]}
    fetch = wedge.build(cache, values, (1001, 1048))
    assert fetch.value("batchall") == 1 and fetch.value("range") == (1001, 1048, 1) and fetch.value("roppath") == cache.path()
    node = fetch.inputs[0][0]
    assert node.value("wedgecount") == 6 and node.value("wedgeattributes") == 2
    assert [node.value("floatvalue1_%d" % i) for i in range(1, 7)] == [1e5, 1e5, 1e5, 2.5e5, 2.5e5, 2.5e5]
    assert [node.value("intvalue2_%d" % i) for i in range(1, 7)] == [1, 2, 4] * 2
    for wrong, frames in (({"/obj/g/nothing": [1]}, (1, 2)), ({}, (1, 2)), ({"/obj/g/shatter_solver/substeps": []}, (1, 2)), (values, (5, 1))):
        with pytest.raises(nodes.SetupError):
            wedge.build(cache, wrong, frames)


def test_every_node_type_in_the_sources_is_in_the_tables(hou):
    """By their text, so that what no test runs (python/hython_smoke.py) is checked as well."""
    known = {name for _, name in hou.table} | {"sunder::fracture_quick::1.0"}
    files = glob.glob(os.path.join(ROOT, "python", "sunder_houdini", "*.py")) + glob.glob(os.path.join(ROOT, "python", "*smoke*.py")) + [os.path.join(ROOT, "otls", "build_hdas.py")]
    found = set()
    for path in files:
        with open(path) as f:
            tree = ast.parse(f.read())
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "create" and isinstance(call.args[1], ast.Constant):
                found.add(call.args[1].value)
                assert call.args[1].value in known, "%s, line %d: there is no node type '%s'" % (path, call.lineno, call.args[1].value)
    assert len(found) > 20


def test_plans_agree_with_the_plugin(schema, presets):
    """What was written before the plugin had a node holds for the node as it is."""
    registered = node_table.plugin_nodes()
    planned = node_table.assets.planned_parms(node_table.tables(schema), presets)
    both = [name for name in planned if name in registered]
    if not both:
        pytest.skip("otls/nodes.json has none of %s yet" % ", ".join(planned))
    for name in both:
        names = {p["name"] for p in registered[name]["parameters"]}
        assert {p.name for p in planned[name]} - names == set(), name


def test_mypy_checks_every_call_of_hou():
    tools = os.path.join(ROOT, "scripts", "tools.sh")
    try:
        made = subprocess.run([tools], capture_output=True, text=True, timeout=150)
    except subprocess.TimeoutExpired:
        pytest.skip("PyPI did not answer in time (scripts/tools.sh)")
    if made.returncode != 0:
        pytest.skip("mypy and types-houdini cannot be had from PyPI: " + made.stderr.strip()[-200:])
    mypy = os.path.join(ROOT, ".venv", "bin", "mypy")
    folder = os.path.join(ROOT, "python")
    done = subprocess.run([mypy, "--config-file", "mypy.ini", "--cache-dir", os.path.join(ROOT, ".venv", "cache")], cwd=folder, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout
    seeded = os.path.join(ROOT, ".venv", "seeded.py")
    with open(seeded, "w") as f:
        f.write("import hou\nhou.nodde('/obj')\nhou.node(3)\n")
    wrong = subprocess.run([mypy, "--strict", "--cache-dir", os.path.join(ROOT, ".venv", "cache"), seeded], capture_output=True, text=True, timeout=250)
    assert wrong.stdout.count("error:") >= 2, wrong.stdout
