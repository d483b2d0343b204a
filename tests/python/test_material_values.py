"""sunder_houdini.presets: the table of material presets for Houdini, and a node that gets the values of one."""
import json
import os
import subprocess
import sys

import pytest

from conftest import ROOT
from test_houdini import hou, module, presets, schema  # noqa: F401 - fixtures
from test_otls import make_dialogs


def test_the_table_is_that_of_the_command():
    materials = subprocess.run([os.environ["SUNDER"], "materials", "--json"], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(ROOT, "python", "sunder_houdini", "material_presets.json"), encoding="utf-8") as f:
        assert f.read() == make_dialogs().presets(materials), "it is out of date: run scripts/make_dialogs.py"


def test_values_make_the_material_of_the_preset(hou):
    """As values of a scene file, which are the node's: the material is the same, whatever the preset leaves out."""
    code = """if True:
        import sys, json, sunder
        def spelled(material):
            scene = sunder.parseScene(json.dumps({"bodies": [{"name": "a", "source": {"box": {"cells": 1}}, "material": material}]}))
            out = json.loads(scene.toJson())["bodies"][0]["material"]
            out.pop("preset", None)
            out["fracture"].pop("enabled")
            return out
        print(json.dumps([[spelled({"preset": name}), spelled(values)] for name, values in json.load(sys.stdin).items()]))
    """
    table = module("presets").table()
    assert len(table) > 20
    given = {name: {key: value for key, value in preset.items() if key not in ("name", "source", "friction")} for name, preset in table.items()}
    done = subprocess.run([sys.executable, "-c", code], input=json.dumps(given), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for name, (preset, values) in zip(table, json.loads(done.stdout)):
        preset.pop("name", None), values.pop("name", None)
        assert preset == values, name


def test_a_node_gets_the_values(hou):
    """Strict as the stand-in is, a parameter that is not there raises."""
    made, nodes = module("presets"), module("nodes")
    geo = hou.obj.createNode("geo", "g")
    material, box = geo.createNode("sunder::material::1.0", "m"), geo.createNode("box", "b")
    for name, preset in made.table().items():
        made.apply(material, name)
        assert material.value("preset") == "custom" and material.value("youngs") == preset["youngs"] and name in material.comment and preset["source"] in material.comment
        assert material.value("plasticity_law") == preset["plasticity"]["law"] and material.value("fracture_enabled") is None and material.value("friction") is None
    with pytest.raises(nodes.SetupError, match="no_such"):
        made.apply(material, "no_such")
    with pytest.raises(nodes.SetupError, match="select a Sunder Material"):
        made.apply(box, "glass")


def test_from_the_shelf(hou):
    made = module("presets")
    geo = hou.obj.createNode("geo", "g")
    material, box = geo.createNode("sunder::material::1.0", "m"), geo.createNode("box", "b")
    for selection in ((), (box,), (box, material)):
        hou.selection = selection
        made.run_from_shelf()
    assert len(hou.messages) == 3 and material.value("preset") is None
    hou.selection = (material,)
    made.run_from_shelf()  # nothing was chosen
    assert material.value("preset") is None
    hou.choice = (list(made.table()).index("glass"),)
    made.run_from_shelf()
    assert material.value("preset") == "custom" and len(hou.messages) == 3
