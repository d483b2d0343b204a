"""The assets: their text by a linter, the linter by seeded faults, and build_hdas.py on the stand-in of hou."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import pytest

import hda_lint
import node_table
from conftest import ROOT
from fake_hou import Hou

OTLS = os.path.join(ROOT, "otls")
QUICK = os.path.join(OTLS, "fracture_quick.hda")
FOLDER = "sunder_8_8Sop_1fracture__quick_8_81.0"
ASSETS = {("Sop", "sunder::solver::1.0"), ("Sop", "sunder::fracture_quick::1.0"), ("Dop", "sunderobject"), ("Dop", "sundersolver")}
NODES = {(node["category"], name) for name, node in node_table.plugin_nodes().items()} | ASSETS
PAGES = {(category.lower(), hda_lint.help_page(name)) for category, name in NODES}


@pytest.fixture(scope="module")
def schema():
    return subprocess.run([os.environ["SUNDER"], "schema"], capture_output=True, text=True, check=True).stdout


def test_escaping():
    assert hda_lint.escape("labs::Sop/destruction_cleanup::2.0") == "labs_8_8Sop_1destruction__cleanup_8_82.0"
    assert hda_lint.escape("INDEX_SECTION") == "INDEX__SECTION"


def make_dialogs():
    spec = importlib.util.spec_from_file_location("make_dialogs", os.path.join(ROOT, "scripts", "make_dialogs.py"))
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    return make


def test_dialogs_and_help_are_those_of_the_schema(schema):
    make = make_dialogs()
    for path, text in {**make.dialogs(schema), **make.helps(schema)}.items():
        assert hda_lint.read(os.path.join(OTLS, path)) == text, "otls/%s is out of date: run scripts/make_dialogs.py" % path


def test_help_has_every_parameter():
    for folder in ("solver", "sunderobject", "sundersolver", "fracture_quick.hda/" + FOLDER):
        shown = [parm["name"] for parm in hda_lint.parse_dialog(hda_lint.read(os.path.join(OTLS, folder, "DialogScript")))[1]]
        page = hda_lint.read(os.path.join(OTLS, folder, "Help"))
        assert re.findall(r"#id: (\w+)", page) == shown, folder


def test_help_by_hand_stays():
    """Of parameters that have gone nothing stays; what nobody has described gets the words of the dialog."""
    make = make_dialogs()
    page = "= A =\n\n@parameters\n\nOld:\n    #id: old\n    Gone.\nFps:\n    #id: fps\n    By hand.\n\n@related\n"
    parms = [make.words.Parm("seed", "Seed", "integer", help="seed of it all"), make.words.Parm("fps", "Fps", "float", help="frames")]
    text = make.with_parameters(page, parms)
    assert text == "= A =\n\n@parameters\n\nSeed:\n    #id: seed\n    Seed of it all.\nFps:\n    #id: fps\n    By hand.\n\n@related\n"
    assert make.with_parameters(text, parms) == text


def test_assets_are_in_order():
    assert hda_lint.lint_library(QUICK, PAGES) == []
    for folder, type_name in (("solver", "sunder::solver::1.0"), ("sunderobject", "sunderobject"), ("sundersolver", "sundersolver")):
        dialog = hda_lint.read(os.path.join(OTLS, folder, "DialogScript"))
        assert hda_lint.lint_dialog(dialog, type_name) == []
        names = {parm["name"] for parm in hda_lint.parse_dialog(dialog)[1]}
        assert hda_lint.lint_help(hda_lint.read(os.path.join(OTLS, folder, "Help")), names, PAGES) == []


def replaced(path, old, new):
    def change(folder):
        file = os.path.join(folder, path)
        text = hda_lint.read(file)
        assert old in text
        with open(file, "w") as f:
            f.write(text.replace(old, new, 1))
    return change


def removed(path):
    return lambda folder: os.remove(os.path.join(folder, path))


def added(path):
    return lambda folder: open(os.path.join(folder, path), "w").write("x")


D = FOLDER + "/DialogScript"
FAULTS = {
    "escape": (replaced("Sections.list", "INDEX__SECTION", "INDEX_SECTION"), "INDEX"),
    "first line": (replaced("Sections.list", '""\n', ""), "begin with"),
    "no tab": (replaced("Sections.list", "\tINDEX", " INDEX"), "tab"),
    "missing file": (removed(FOLDER + "/PythonCook"), "not there"),
    "unlisted file": (added(FOLDER + "/Stray"), "not listed"),
    "library": (added("houdini.hdalibrary"), "empty file"),
    "index key": (replaced("INDEX__SECTION", "Label:", "Lable:"), "Lable"),
    "index path": (replaced("INDEX__SECTION", "oplib:/sunder::Sop", "oplib:/sunder::Dop"), "path"),
    "index inputs": (replaced("INDEX__SECTION", "1 to 1", "1"), "inputs"),
    "index type": (replaced("INDEX__SECTION", "Operator:  sunder::fracture_quick", "Operator:  sunder::fracture_slow"), "index"),
    "brace": (replaced(D, "    parm {", "    parm {{"), "brace"),
    "quote": (replaced(D, 'name    "simulate"', 'name    "simulate'), "dialog script"),
    "keyword": (replaced(D, "        label ", "        lable "), "lable"),
    "type": (replaced(D, "type    integer", "type    integral"), "integral"),
    "same name": (replaced(D, 'name    "substeps"', 'name    "seed"'), "twice"),
    "bad name": (replaced(D, 'name    "substeps"', 'name    "sub-steps"'), "name"),
    "defaults": (replaced(D, 'default { "0" "-5" "0" }', 'default { "0" "-5" }'), "defaults"),
    "default type": (replaced(D, 'default { "20000" }', 'default { "many" }'), "many"),
    "menu": (replaced(D, '"glass" "Glass"', '"glass"'), "menu"),
    "menu default": (replaced(D, 'type    ordinal\n        default { "0" }', 'type    ordinal\n        default { "9" }'), "menu"),
    "range": (replaced(D, "range   { 10! 200000 }", "range   { 200000 10! }"), "range"),
    "callback language": (replaced(D, '        parmtag { "script_callback_language" "python" }\n', ""), "Python"),
    "no help": (replaced(D, '        help    "steps a frame"\n', ""), "help"),
    "wrong node": (replaced(D, "sunder::fracture_quick::1.0", "sunder::fracture_quick::2.0"), "2.0"),
    "help parameter": (replaced(FOLDER + "/Help", "#id: velocity", "#id: velocty"), "velocty"),
    "help link": (replaced(FOLDER + "/Help", "sunder--solver-1.0", "sunder--solver-2.0"), "links"),
    "help section": (replaced(FOLDER + "/Help", "@parameters", "@parms"), "parms"),
    "python": (replaced(FOLDER + "/PythonModule", "def simulate(node):", "def simulate(node)"), "PythonModule"),
    "json": (replaced(FOLDER + "/ExtraFileOptions", '"value": true}', '"value": true'), "ExtraFileOptions"),
    "options": (replaced(FOLDER + "/TypePropertiesOptions", "MakeDefault", "MakeDefalt"), "MakeDefalt"),
    "xml": (replaced(FOLDER + "/Tools.shelf", "</tool>", ""), "Tools.shelf"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_linter_finds_seeded_faults(tmp_path, fault):
    folder = tmp_path / "fracture_quick.hda"
    shutil.copytree(QUICK, folder)
    change, word = FAULTS[fault]
    change(str(folder))
    problems = hda_lint.lint_library(str(folder), PAGES)
    assert any(word in problem for problem in problems), problems


@pytest.fixture
def hou(schema, monkeypatch):
    presets = [p["name"] for p in json.loads(subprocess.run([os.environ["SUNDER"], "materials", "--json"], capture_output=True, text=True, check=True).stdout)]
    fake = Hou(node_table.node_table(schema, presets))
    monkeypatch.setitem(sys.modules, "hou", fake)
    for name in [n for n in sys.modules if n.split(".")[0] == "sunder_houdini"]:
        monkeypatch.delitem(sys.modules, name)
    return fake


def load_builder():
    spec = importlib.util.spec_from_file_location("build_hdas", os.path.join(OTLS, "build_hdas.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_build_hdas_on_the_stand_in(hou, tmp_path):
    """Every type, parameter and wire of the networks exists in the tables, and what the assets show leads somewhere."""
    builder = load_builder()
    made = builder.build_all(str(tmp_path / "out"))
    assert [os.path.basename(path) for path in made] == ["sunder_sunderobject.hda", "sunder_sundersolver.hda", "sunder_solver.hda"] and hou.expanded == made
    assert hou.obj.children() == ()
    solver = next(n for n in hou.made if n.type().name() == "sunder::solver::1.0")
    definition = solver.type().definition()
    assert definition.saved and definition.outputs == 4 and definition.sections["MessageNodes"] == "simulation"
    children = {n.name(): n for n in solver.children()}
    assert sorted(n.value("outputidx") for n in solver.children() if n.type().name() == "output") == [0, 1, 2, 3]
    shown = {n.value("outputidx"): n.inputs[0][0] for n in solver.children() if n.type().name() == "output"}
    assert [shown[k].name() for k in range(4)] == ["render", "IN_constraints", "IN_collision", "tets"]
    assert shown[0].type().name() == "sunder::surface::1.0" and [shown[0].inputs[k][0].name() for k in (0, 1)] == ["skin", "tets"]
    assert [n.name() for n, _ in children["skin"].inputs.values()] == ["IN_geometry"]
    assert children["simulation"].values["startframe"].expression == 'ch("../startframe")'
    assert children["simulation"].values["initialstate"].expression == 'chs("../initialstate")'
    inner = {n.name(): n for n in children["simulation"].children()}
    followed = {name for name, parm in inner["solver"].values.items() if parm.expression}
    assert "substeps" in followed and "gravityy" in followed and "ground_friction" in followed
    of_solid = {name: parm.expression for name, parm in inner["solid"].values.items() if parm.expression}
    assert of_solid["rigid"] == 'ch("../../rigid")' and of_solid["contact_restitution"] == 'ch("../../contact_restitution")'
    assert {name for name in of_solid if name != "createframe"} == {p["name"] for p in hda_lint.parse_dialog(definition.group.text)[1] if p["name"] == "rigid" or p["name"].startswith("contact_")}
    assert inner["solver"].values["startFrame"].expression == 'ch("../../startframe")'
    data = next(n for n in next(n for n in hou.made if n.type().name() == "sundersolver").children() if n.type().name() == "sundersolvercore")
    assert data.values["fps"].expression == "$FPS" and data.values["startFrame"].expression == 'ch("../startFrame")'
    assert [n.name() for n, _ in inner["merge"].inputs.values()] == ["collision", "solid"]
    assert all(n in definition.group.text for n in ("startframe", "newtonTolerance"))


def test_assets_are_in_the_tab_menu(hou, tmp_path):
    """Under Sunder, each in its context, with an icon that the package brings."""
    load_builder().build_all(str(tmp_path / "out"))
    for type_name, context in (("sunder::solver::1.0", "sop"), ("sunderobject", "dop"), ("sundersolver", "dop")):
        definition = next(n for n in hou.made if n.type().name() == type_name).type().definition()
        tool = xml.etree.ElementTree.fromstring(definition.sections["Tools.shelf"].encode()).find("tool")
        assert tool.find("toolSubmenu").text == "Sunder" and tool.find("toolMenuContext/contextNetType").text == context.upper()
        assert "import %stoolutils" % context in tool.find("script").text
        assert os.path.exists(os.path.join(ROOT, "package", "config", "Icons", definition.icon + ".svg")), definition.icon
        page = definition.sections["Help"]
        assert definition.icon.replace("_", "/", 1) == re.search(r"#icon: (\S+)", page).group(1)


def test_an_object_is_created_in_its_frame(hou, tmp_path):
    load_builder().build_all(str(tmp_path / "out"))
    asset = next(n for n in hou.made if n.type().name() == "sunderobject")
    empty = next(n for n in asset.children() if n.type().name() == "emptyobject")
    assert empty.values["activation"].expression == '$SF == ch("../createframe")'
    assert empty.values["objname"].expression == 'chs("../object_name")'


def test_constraints_of_the_second_input_reach_the_object(hou, tmp_path):
    """Read anew at every step, or they would not move."""
    load_builder().build_all(str(tmp_path / "out"))
    solver = next(n for n in hou.made if n.type().name() == "sunder::solver::1.0")
    simulation = next(n for n in solver.children() if n.name() == "simulation")
    solid = next(n for n in simulation.children() if n.name() == "solid")
    assert solid.value("constraintpath") == "../../IN_constraints" and solid.value("guidepath") == "../../IN_guide"
    asset = next(n for n in hou.made if n.type().name() == "sunderobject")
    data = {n.value("dataname"): n for n in asset.children() if n.type().name() == "sopgeo"}
    with open(os.path.join(ROOT, "dop", "constraints_of_objects.cpp")) as f:
        assert '"ConstraintGeometry"' in f.read()
    assert sorted(data) == ["ConstraintGeometry", "Geometry", "GuideGeometry"]
    constraints = data["ConstraintGeometry"]
    assert constraints.values["soppath"].expression == 'chs("../constraintpath")' and constraints.value("defaultparmop") == 1
    material = next(n for n in asset.children() if n.name() == "material")
    assert material.inputs[0][0] is constraints and constraints.inputs[0][0] is data["GuideGeometry"]


def test_every_asset_is_listed():
    """What is in otls/ is what the other tests go by."""
    builder = os.path.join(OTLS, "build_hdas.py")
    made = {context for context in ("solver", "sunderobject", "sundersolver") if '"%s": ("' % context in hda_lint.read(builder)}
    folders = {name for name in os.listdir(OTLS) if os.path.exists(os.path.join(OTLS, name, "DialogScript"))}
    libraries = {name[:-4] for name in os.listdir(OTLS) if name.endswith(".hda")}
    assert made == folders and {name.split("::")[1] if "::" in name else name for _, name in ASSETS} == folders | libraries


def test_builder_says_what_is_missing(hou):
    builder = load_builder()
    del hou.table["Dop", "sundersolver"]
    geo = hou.obj.createNode("geo", "g")
    with pytest.raises(builder.nodes.SetupError, match="sundersolver"):
        builder.build_solver(geo)


def test_quick_writes_scenes_that_the_command_takes(hou, tmp_path):
    import importlib

    quick = importlib.import_module("sunder_houdini.quick")
    values = {"preset": "glass", "targetTets": 100, "velocity": (0, -5, 0), "spin": (0, 0, 0), "groundHeight": 0.0, "substeps": 2, "seed": 3, "firstFrame": 5, "lastFrame": 5, "fps": 24.0}
    model = tmp_path / "cube.obj"
    model.write_text("".join("v %d %d %d\n" % (x, y + 1, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n")
    for index, preset in enumerate(quick.PRESETS):
        assert node_table.assets.QUICK[1].menu[index] == preset
        scene = tmp_path / ("%s.json" % preset)
        scene.write_text(json.dumps(quick.scene_of({**values, "preset": preset}, str(model))))
        done = subprocess.run([os.environ["SUNDER"], "simulate", scene, "--out", tmp_path / preset], capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        assert os.path.exists(quick.frame_file(str(tmp_path / preset), 5))
