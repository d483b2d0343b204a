"""Structs of scene files as classes: the same words, units, ranges and messages."""
import copy
import pathlib

import numpy
import pytest

import sunder
from scenes import box_scene


def test_words_are_those_of_scene_files():
    reference = sunder.sceneReference()
    for cls, title in [
        (sunder.Material, "material"),
        (sunder.Fracture, "fracture"),
        (sunder.Plasticity, "plasticity"),
        (sunder.StepSettings, "settings"),
        (sunder.GroundPlane, "ground"),
        (sunder.FractureSettings, "fracture settings"),
        (sunder.TetrahedralizeOptions, "meshing"),
    ]:
        table = reference.split("### %s\n" % title)[1].split("\n### ")[0]
        keys = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
        assert keys and list(cls().toDict()) == keys
        for key in keys:
            assert isinstance(getattr(cls, key), property) and getattr(cls, key).__doc__


def test_values_and_units():
    material = sunder.Material(preset="glass", youngs="60 GPa", density=numpy.float64(2400))
    assert material.youngs == 60e9 and material.density == 2400 and material.preset == "glass"
    material.youngs = "5 MPa"
    assert material.youngs == 5e6
    material.fracture.stress = 2e6  # a part of it, not a copy
    assert material.toDict()["fracture"]["stress"] == 2e6
    assert not material.fracture.enabled
    material.fracture = {"kind": "energy"}  # writing it switches it on, as in a file
    assert material.fracture.enabled and material.fracture.kind == "energy"
    material.fracture.weakness = numpy.array([1, 0.5, 0.5])
    assert material.fracture.weakness == (1, 0.5, 0.5)
    material.fracture.backCrackAngle = 30
    assert material.fracture.backCrackAngle == pytest.approx(30, abs=1e-12)  # degrees, as in a file


def test_setting_one_field_leaves_every_bit_of_the_others():
    one, two = sunder.Fracture(backCrackAngle=17.3, grain=[1.1, 2.2, 3.3]), sunder.Fracture(backCrackAngle=17.3, grain=[1.1, 2.2, 3.3])
    for i in range(50):
        one.stress = 1000 + i
    one.stress = two.stress
    assert one == two


def test_mistakes_have_the_core_s_text():
    with pytest.raises(sunder.Error) as caught:
        sunder.Material(yuongs=1)
    assert "yuongs" in str(caught.value) and "youngs" in caught.value.remedy
    assert isinstance(caught.value, ValueError)
    material = sunder.Material()
    before = material.toDict()
    for field, value in [("youngs", -1), ("youngs", "5 kg"), ("poisson", 0.5), ("law", "rubbery"), ("density", None), ("youngs", float("nan"))]:
        with pytest.raises(sunder.Error):
            setattr(material, field, value)
    with pytest.raises(TypeError):
        material.youngs = object()
    assert material.toDict() == before
    with pytest.raises(AttributeError):
        sunder.Material().yuongs = 1


def test_parts_outlive_their_owner_and_copies_are_their_own():
    fracture = sunder.Material(preset="glass").fracture
    fracture.stress = 3e6
    assert fracture.stress == 3e6
    material = sunder.Material(youngs=2e6)
    other = copy.deepcopy(material)
    other.youngs = 1
    other.fracture.stress = 7
    assert material.youngs == 2e6 and material.fracture.stress != 7 and material != other


def test_presets():
    names = [preset.name for preset in sunder.materialPresets()]
    assert "glass" in names and len(names) == len(set(names)) and all(p.source for p in sunder.materialPresets())
    assert sunder.materialPreset("glass").material.youngs == sunder.Material(preset="glass").youngs
    with pytest.raises(sunder.Error, match="glas"):
        sunder.materialPreset("glas")


def test_scene_from_dict_takes_objects_arrays_and_paths(tmp_path):
    scene = box_scene()
    scene["bodies"][0]["material"] = sunder.Material(youngs="50 kPa", law="neohookean")
    scene["bodies"][0]["velocity"] = numpy.array([0.5, -2, 0])
    scene["bodies"].append({"name": "model", "source": {"file": {"path": pathlib.Path("a.obj")}}})
    made = sunder.Scene.fromDict(scene, tmp_path)
    assert made.bodyNames == ["box", "model"] and made.folder == str(tmp_path)
    values = made.toDict()
    assert values["bodies"][0]["material"]["youngs"] == 50000 and values["bodies"][1]["source"] == {"file": {"path": "a.obj"}}
    assert sunder.Scene.fromDict(values, tmp_path).toDict() == values
    made.settings.substeps = 7
    made.settings.ground.friction = 0.25
    assert made.toDict()["settings"]["substeps"] == 7 and made.toDict()["settings"]["ground"]["friction"] == 0.25
    with pytest.raises(sunder.Error, match="/bodies/0/material/youngs"):
        values["bodies"][0]["material"]["youngs"] = "5 kg"
        sunder.Scene.fromDict(values)


def test_scene_files(tmp_path, root):
    scene = sunder.readScene(pathlib.Path(root) / "examples" / "tapirs" / "scene.json")
    assert scene.timeOf(scene.startFrame + 24) == 24 / scene.fps
    with pytest.raises(sunder.Error):
        sunder.readScene(tmp_path / "none.json")
    with pytest.raises(sunder.Error, match="nowhere"):
        sunder.parseScene("{", "nowhere")
