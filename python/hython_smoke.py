"""Runs what of docs/houdini-checklist.md a script can run, on a real Houdini: hython python/hython_smoke.py [--build]. Prints one line a check.

Needs the Sunder package on HOUDINI_PATH. Not yet run: there has been no Houdini to run it on. Checks that need eyes or a clock stay in the checklist.
"""
import json
import os
import sys
import tempfile
import traceback
from typing import Any, Callable, Dict, List, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))

import hou

from sunder_houdini import nodes, setups

Check = Callable[[], None]
CHECKS: List[Tuple[str, Check]] = []


def check(label: str) -> Callable[[Check], Check]:
    def add(function: Check) -> Check:
        CHECKS.append((label, function))
        return function
    return add


def expect(right: bool, text: str) -> None:
    if not right:
        raise AssertionError(text)


def registered() -> List[Dict[str, Any]]:
    path = os.path.join(ROOT, "otls", "nodes.json")
    expect(os.path.exists(path), "there is no otls/nodes.json: the plugin's own tests write it")
    with open(path, encoding="utf-8") as f:
        listed: List[Dict[str, Any]] = json.load(f)["nodes"]
    return listed


def geo(name: str) -> hou.OpNode:
    return nodes.create(nodes.network(None), "geo", name)


def box(parent: hou.OpNode) -> hou.OpNode:
    return nodes.create(parent, "box", "box")


def geometry_of(node: hou.OpNode) -> hou.Geometry:
    found = node.geometry() if isinstance(node, hou.SopNode) else None
    if found is None:
        raise AssertionError("%s has no geometry: %s" % (node.path(), ", ".join(node.errors())))
    return found


@check("2, 3: every node of otls/nodes.json is there with its parameters")
def nodes_are_there() -> None:
    categories = {"Sop": hou.sopNodeTypeCategory(), "Dop": hou.dopNodeTypeCategory()}
    for node in registered():
        node_type = hou.nodeType(categories[node["category"]], node["type"])
        if node_type is None:
            raise AssertionError("there is no %s" % node["type"])
        names = {template.name() for template in node_type.parmTemplates()}
        missing = {p["name"] for p in node["parameters"]} - names
        expect(not missing, "%s has no %s" % (node["type"], ", ".join(sorted(missing))))


@check("4: tetrahedralize fills a box")
def tetrahedralize() -> None:
    parent = geo("smoke_tets")
    tets = nodes.create(parent, setups.TETRAHEDRALIZE, "tets", {"targetTets": 500}, [box(parent)])
    kinds = {prim.type() for prim in geometry_of(tets).prims()}
    expect(kinds == {hou.primType.Tetrahedron}, "not tets alone: %s" % kinds)


@check("7: tets have positive volumes in Houdini's sense")
def volumes() -> None:
    parent = geo("smoke_volumes")
    tets = nodes.create(parent, setups.TETRAHEDRALIZE, "tets", {}, [box(parent)])
    total = 0.0
    for prim in geometry_of(tets).prims():
        volume = prim.intrinsicValue("measuredvolume")
        expect(isinstance(volume, float) and volume > 0, "tet %d has the volume %s" % (prim.number(), volume))
        total += float(str(volume))
    expect(abs(total - 1) < 0.1, "a unit box has the volume %g" % total)


@check("5, 6: material leaves its input alone and marks its output")
def material() -> None:
    parent = geo("smoke_material")
    tets = nodes.create(parent, setups.TETRAHEDRALIZE, "tets", {}, [box(parent)])
    made = nodes.create(parent, setups.MATERIAL, "material", {"preset": "glass", "fracture_enabled": 1}, [tets])
    expect(geometry_of(made).findGlobalAttrib("sundermaterial") is not None, "the output has no sundermaterial")
    expect(geometry_of(tets).findGlobalAttrib("sundermaterial") is None, "the input was changed")


@check("wrong input is an error with a remedy, not a crash")
def wrong_input() -> None:
    parent = geo("smoke_wrong")
    made = nodes.create(parent, setups.MATERIAL, "material", {}, [nodes.create(parent, "null", "nothing")])
    try:
        made.cook(True)
    except hou.OperationFailed:
        pass
    expect(len(made.errors()) > 0, "an empty input gave no error")


@check("text asset: fracture_quick loads and matches its definition")
def quick() -> None:
    node_type = hou.nodeType(hou.sopNodeTypeCategory(), "sunder::fracture_quick::1.0")
    if node_type is None:
        raise AssertionError("the expanded asset was not loaded")
    parent = geo("smoke_quick")
    node = nodes.create(parent, "sunder::fracture_quick::1.0", "quick", {}, [box(parent)])
    for name in ("simulate", "preset", "velocity", "out"):
        expect(node.parmTuple(name) is not None, "it has no %s" % name)


@check("assets: build_hdas.py makes and saves them")
def assets() -> None:
    sys.path.insert(0, os.path.join(ROOT, "otls"))
    import build_hdas

    with tempfile.TemporaryDirectory() as folder:
        for path in build_hdas.build_all(folder):
            expect(os.path.exists(os.path.join(path, "INDEX__SECTION")), "%s was not expanded" % path)


@check("set-ups: shatter, crumple and jiggle make networks that cook at the start frame")
def one_click() -> None:
    for name in setups.SETUPS:
        parent = geo("smoke_" + name)
        cache = setups.build(box(parent), name)
        solver = cache.inputs()[0]
        if isinstance(solver, hou.OpNode):
            solver.cook(True)
            expect(not solver.errors(), "%s: %s" % (name, ", ".join(solver.errors())))


def main() -> int:
    failed = 0
    for label, function in CHECKS:
        try:
            function()
            print("ok      " + label)
        except Exception as error:  # every check is to run, whatever another one did
            failed += 1
            print("FAILED  %s: %s" % (label, error))
            if "--verbose" in sys.argv:
                traceback.print_exc()
    print("%d of %d checks failed on Houdini %s" % (failed, len(CHECKS), hou.applicationVersionString()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
