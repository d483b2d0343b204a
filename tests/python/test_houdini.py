"""sunder_houdini on a strict stand-in of hou that knows node types and parameters by tables, and by mypy on the stubs of the real one."""
import ast
import glob
import importlib
import json
import os
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


def test_builders_of_every_example(hou, command):
    """One process spells out all scenes; each becomes a network without one unknown type or parameter."""
    examples = module("examples")
    code = "import sys, json, sunder; print(json.dumps([json.loads(sunder.readScene(p).toJson()) for p in sys.argv[1:]]))"
    done = subprocess.run([sys.executable, "-c", code, *SCENES], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(SCENES) > 30
    for path, scene in zip(SCENES, json.loads(done.stdout)):
        network = examples.build_scene(scene, os.path.splitext(os.path.basename(path))[0], "/out")
        made = {n.name(): n for n in network.children()}
        assert network.laid_out and "solver" in made and made["cache"].display, path
        solver = made["solver"]
        assert solver.value("substeps") == scene["settings"]["substeps"] and solver.value("startframe") == scene["startFrame"]
        assert len(solver.inputs[0][0].inputs) == len(scene["bodies"])
        assert (2 in solver.inputs) == any(c["visible"] for c in scene["colliders"])
        guides = [guide for body in scene["bodies"] for guide in body["guides"]]
        drawn = [guide for guide in guides if set(guide["shape"]) & {"curve", "file"}]
        assert (3 in solver.inputs) == bool(drawn) and ("guide " in network.comment) == (len(drawn) < len(guides)), path
        for word, there in (("pins", any(b["pins"] for b in scene["bodies"])), ("blasts", bool(scene["blasts"])), ("glue", bool(scene["glue"]))):
            assert (word in network.comment) == there, path
        materials = [n for n in network.children() if n.type().name() == "sunder::material::1.0"]
        assert [merged for merged, _ in solver.inputs[0][0].inputs.values()] == materials and len(materials) == len(scene["bodies"]), path
        for body, node in zip(scene["bodies"], materials):
            assert node.value("youngs") == body["material"]["youngs"] and node.value("fracture_enabled") == body["material"]["fracture"]["enabled"]
            assert node.value("preset") == "custom"
            assert node.value("friction") * solver.value("contact_friction") == pytest.approx(body["contact"]["friction"])
            assert ("rigid of %s" % body["name"] in network.comment) == (body["rigid"] and len(scene["bodies"]) > 1), path
            # what differs from solid to solid, or has no parameter
            for key in ("restitution", "stiffnessScale", "self"):
                assert ("%s of %s" % (key, body["name"]) in network.comment) == (body["contact"][key] != solver.value("contact_" + key)), path
            for key, usual in (("groups", ["default"]), ("collidesWith", ["all"])):
                assert ("%s of %s" % (key, body["name"]) in network.comment) == (body["contact"][key] != usual), path
        shared = ("rigid", "restitution", "stiffnessScale", "self", "groups", "collidesWith", "dynamicFriction")
        told = any("%s of %s" % (key, body["name"]) in network.comment for key in shared for body in scene["bodies"])
        assert ("one Sunder Object for each" in network.comment) == told, path


def scene_of_two(**changes):
    """Two bodies with every value spelled out, of which the second is changed."""
    contact = {"friction": 0.5, "dynamicFriction": 0.5, "restitution": 0.0, "stiffnessScale": 1.0, "groups": ["default"], "collidesWith": ["all"], "self": "pieces"}
    body = {"name": "a", "material": {"youngs": 1e6}, "contact": contact, "rigid": False, "force": [0, 0, 0]}
    other = {**body, "name": "b", **{key: value for key, value in changes.items() if key in body}}
    other["contact"] = {**contact, **changes.get("contact", {})}
    return {"startFrame": 1, "seed": 0, "settings": {}, "bodies": [body, other], "colliders": changes.get("colliders", [])}


@pytest.mark.parametrize("changes, said", [
    ({}, ""),
    ({"rigid": True}, "rigid of b"),
    ({"force": [0, 0, 1]}, "force of b"),
    ({"contact": {"friction": 0.25, "dynamicFriction": 0.25}}, ""),
    ({"contact": {"dynamicFriction": 0.1}}, "dynamicFriction of b"),
    ({"contact": {"restitution": 0.5}}, "restitution of b"),
    ({"contact": {"self": "none"}}, "self of b"),
    ({"contact": {"groups": ["toys"]}}, "groups of b"),
    ({"contact": {"collidesWith": []}}, "collidesWith of b"),
])
def test_what_solids_of_one_object_share_is_said(hou, changes, said):
    network = module("examples").build_scene(scene_of_two(**changes), "two", "/out")
    assert (network.comment.split("\n")[0] == "not in this network: " + said) if said else not network.comment
    assert network.comment.endswith("for each of these solids: " + said) == (bool(said) and not said.startswith("force"))
    friction = changes.get("contact", {}).get("friction", 0.5)
    made = {n.name(): n for n in network.children()}
    assert made["b_material"].value("friction") == friction / 0.5 and made["a_material"].value("friction") == 1
    assert made["solver"].value("contact_friction") == 0.5 and made["solver"].value("rigid") == 0


def test_one_rigid_solid_is_a_rigid_object(hou):
    scene = scene_of_two(rigid=True)
    del scene["bodies"][0]
    network = module("examples").build_scene(scene, "one", "/out")
    assert network.children()[-2].value("rigid") == 1 and not network.comment


def test_what_colliders_have_of_their_own_is_said(hou):
    usual = {"visible": True, "motion": {"keys": []}, "thickness": 0.0, "twoSided": False, "contact": {"friction": 0.5, "dynamicFriction": 0.5, "groups": ["default"], "collidesWith": ["all"]}}
    colliders = [{**usual, "name": "plain"}, {**usual, "name": "hidden", "visible": False}, {**usual, "name": "thick", "thickness": 0.1, "twoSided": True},
                 {**usual, "name": "smooth", "contact": {**usual["contact"], "friction": 0.0}}]
    network = module("examples").build_scene(scene_of_two(colliders=colliders), "two", "/out")
    assert network.comment == "not in this network: hidden, which is not visible, thickness of thick, twoSided of thick, contact of smooth"
    assert sorted(n.name() for n in network.children() if n.name() in ("plain", "hidden", "thick", "smooth")) == ["plain", "smooth", "thick"]


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
    files = glob.glob(os.path.join(ROOT, "python", "sunder_houdini", "*.py")) + [os.path.join(ROOT, "otls", "build_hdas.py"), os.path.join(ROOT, "python", "hython_smoke.py")]
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
