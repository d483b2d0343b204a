"""python/hython_smoke.py: that it and docs/houdini-checklist.md are of one mind, and that it builds what it builds, on the stand-in of hou. What it finds out only a Houdini can say."""
import importlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import node_table
from conftest import ROOT
from fake_hou import CannotCook, Hou


@pytest.fixture(scope="module")
def table():
    def run(*words):
        return subprocess.run([os.environ["SUNDER"], *words], capture_output=True, text=True, check=True).stdout
    return node_table.node_table(run("schema"), [p["name"] for p in json.loads(run("materials", "--json"))])


@pytest.fixture
def smoke(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "hou", Hou(dict(table)))
    monkeypatch.syspath_prepend(os.path.join(ROOT, "python"))
    monkeypatch.delenv("HFS", raising=False)
    monkeypatch.setenv("PATH", os.path.dirname(os.environ["SUNDER"]) + os.pathsep + os.environ["PATH"])
    for name in [n for n in sys.modules if n.split(".")[0] in ("sunder_houdini", "hython_smoke", "smoke_networks", "build_hdas")]:
        monkeypatch.delitem(sys.modules, name)
    return importlib.import_module("hython_smoke")


def checklist():
    """Who runs each point."""
    with open(os.path.join(ROOT, "docs", "houdini-checklist.md")) as f:
        rows = re.findall(r"^\| (\d+) \| (\S+) \| (.*)$", f.read(), re.M)
    points = {int(number): who for number, who, _ in rows}
    assert len(points) == len(rows) and sorted(points) == list(range(1, len(points) + 1)), "points are numbered in order, each once"
    assert all(rest.count("|") - rest.count("\\|") == 3 for _, _, rest in rows), "a row has not five columns"
    return points


def test_every_point_of_the_checklist_is_run_or_is_for_a_person(smoke):
    points = checklist()
    assert len(points) >= 28
    assert {number for number, who in points.items() if who == "script"} == set(smoke.POINTS)
    assert {number for number, who in points.items() if who == "person"} == set(smoke.PERSON)


def beyond_the_stand_in(results):
    """Points that ended with anything but what only Houdini can do."""
    return {r.number: r.text for r in results if r.status == "FAIL" and not isinstance(r.error, CannotCook)}


def test_all_networks_are_built(smoke, capsys):
    code, results = smoke.main([])
    assert beyond_the_stand_in(results) == {}
    assert sum(isinstance(r.error, CannotCook) for r in results) > 15 and code == 1
    assert [r.number for r in results] == sorted(checklist())
    assert {r.number for r in results if r.status == "SKIPPED"} == {*smoke.PERSON, 2}, "and HFS is not set"
    lines = capsys.readouterr().out.splitlines()
    assert all(re.match(r"(PASS|FAIL|SKIPPED) +\d+  \S", line) for line in lines[:-1]) and len(lines) == len(results) + 1
    assert re.match(r"\d+ passed, \d+ failed, \d+ skipped on Houdini", lines[-1])


@pytest.mark.parametrize("missing, points", [(("Dop", "sundercollider"), {17, 21, 23}), (("Sop", "sunder::guide::1.0"), {9}), (("Dop", "sundermaterial"), {15, 20, 29})])
def test_a_node_that_is_not_there_is_no_excuse(smoke, missing, points):
    del sys.modules["hou"].table[missing]
    assert set(beyond_the_stand_in([smoke.run(number) for number in points])) == points


def test_status_and_exit_code(smoke, capsys):
    def wrong():
        raise AssertionError("it is not so")

    def lacking():
        raise smoke.Skipped("no readelf")

    smoke.POINTS.clear()
    smoke.POINTS.update({1: smoke.Point("good", lambda: None), 2: smoke.Point("lacking", lacking)})
    assert smoke.main(["1", "2"])[0] == 0 and smoke.main(["1", "2", "--strict"])[0] == 1 and smoke.main(["1", "10", "--strict"])[0] == 0
    smoke.POINTS[3] = smoke.Point("bad", wrong)
    capsys.readouterr()
    code, results = smoke.main(["--only", "1", "2", "3", "10"])
    assert code == 1 and [r.status for r in results] == ["PASS", "SKIPPED", "FAIL", "SKIPPED"]
    out = capsys.readouterr().out
    assert "FAIL      3  bad: it is not so" in out and "no readelf" in out and "for a person" in out and "1 passed, 1 failed, 2 skipped" in out


def test_the_scene_for_the_command_is_one_that_it_takes(smoke, monkeypatch, tmp_path):
    """With a file in place of what Houdini would save, and nobody to load the frames."""
    networks = importlib.import_module("smoke_networks")
    box = tmp_path / "box.json"
    box.write_text(json.dumps({"endFrame": 1, "bodies": [{"name": "solid", "source": {"box": {"cells": 1}}}]}))
    subprocess.run([os.environ["SUNDER"], "simulate", box, "--out", tmp_path / "box"], check=True, capture_output=True)
    loaded = []

    class Geometry:
        def saveToFile(self, path):
            shutil.copy(tmp_path / "box" / "frame.0001.bgeo.sc", path)

        def loadFromFile(self, path):
            assert os.path.exists(path), path
            loaded.append(os.path.basename(path))

        def pointFloatAttribValues(self, name):
            return (name,)

    monkeypatch.setattr(networks, "geometry_of", lambda node: Geometry())
    monkeypatch.setattr(sys.modules["hou"], "Geometry", Geometry, raising=False)
    for settings in ({"integrator": "explicit", "substeps": 4, "ground": {"enabled": False}}, {"integrator": "implicit", "substeps": 2, "ground": {"enabled": False}}):
        folder = tmp_path / settings["integrator"]
        folder.mkdir()
        assert networks.simulate(None, settings, {"youngs": 1e5}, 3, str(folder)) == [("P",)] * 3
    assert loaded == ["frame.0001.bgeo.sc", "frame.0002.bgeo.sc", "frame.0003.bgeo.sc"] * 2
    with pytest.raises(AssertionError, match="the command failed"):
        networks.simulate(None, {"integrator": "none"}, {}, 3, str(folder))


def test_no_point_twice(smoke):
    with pytest.raises(AssertionError):
        smoke.point(7, "again")(lambda: None)
    with pytest.raises(AssertionError):
        smoke.point(11, "for a person")(lambda: None)
