"""Runs docs/houdini-checklist.md on a real Houdini: hython python/hython_smoke.py [--only NUMBER ...] [--strict] [--verbose].

Prints a line a point: PASS, FAIL or SKIPPED, which are those for a person and those that this machine lacks something for. Ends with 1 if a point failed, and with --strict also if one
that a script can run was skipped. Needs the Sunder package on HOUDINI_PATH. Not yet run in Houdini: there has been none to run it on.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import traceback
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import hou

import smoke_objects
from smoke_networks import (ROOT, START, Skipped, attributes, box, choose, expect, geo, geometry_of, height, info, key, outward, positions, simulate, simulation, tets)
from sunder_houdini import node_examples, nodes, setups, visualizers

Check = Callable[[], None]
FORBIDDEN = ("blas", "lapack", "blosc", "cholmod", "suitesparse", "tetgen", "libtet")
# points of the checklist that need eyes, hands or a clock, and why
PERSON = {10: "eyes: no stale display", 11: "a hand: Escape", 22: "a hand: Escape", 24: "a choice of file format in the Dynamics ROP", 26: "a look at Cache Memory",
          27: "a Bullet simulation that somebody looks at", 32: "colliders that somebody animates", 34: "paint in a SOP Solver", 36: "rigid bodies that push", 41: "force nodes that somebody keys"}


class Point(NamedTuple):
    label: str
    run: Check


POINTS: Dict[int, Point] = {}


class Result(NamedTuple):
    number: int
    status: str  # PASS, FAIL or SKIPPED
    text: str
    error: Optional[BaseException]


def point(number: int, label: str) -> Callable[[Check], Check]:
    def add(function: Check) -> Check:
        assert number not in POINTS and number not in PERSON
        POINTS[number] = Point(label, function)
        return function
    return add


def registered() -> List[Dict[str, Any]]:
    path = os.path.join(ROOT, "otls", "nodes.json")
    with open(path, encoding="utf-8") as f:
        listed: List[Dict[str, Any]] = json.load(f)["nodes"]
    return listed


def node_type(node: Dict[str, Any]) -> hou.NodeType:
    category = hou.sopNodeTypeCategory() if node["category"] == "Sop" else hou.dopNodeTypeCategory()
    found = hou.nodeType(category, node["type"])
    if found is None:
        raise AssertionError("there is no %s" % node["type"])
    return found


@point(1, "the DSO brings no libraries of its own")
def libraries() -> None:
    path = hou.findFile("dso/sunder_houdini.so")
    try:
        needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        raise Skipped("there is no readelf") from None
    lines = [line for line in needed.splitlines() if "NEEDED" in line]
    expect(len(lines) > 0, "readelf names no library of %s" % path)
    for line in lines:
        expect(not any(word in line for word in FORBIDDEN), "it needs %s" % line.split("[")[-1])


@point(2, "the DSO loads without a message, and every node is there")
def loads() -> None:
    for node in registered():
        node_type(node)
    hython = os.path.join(os.environ.get("HFS", ""), "bin", "hython")
    if not os.path.exists(hython):
        raise Skipped("HFS does not lead to hython: whether it loads in silence was not looked at")
    environment = {**os.environ, "HOUDINI_DSO_ERROR": "2"}
    said = subprocess.run([hython, "-c", "import hou"], capture_output=True, text=True, env=environment)
    expect("sunder" not in (said.stdout + said.stderr).lower(), said.stdout + said.stderr)


@point(3, "every node has its parameters, menus and help, and can be put down")
def parameters() -> None:
    for node in registered():
        templates = {template.name(): template for template in node_type(node).parmTemplates()}
        for parm in node["parameters"]:
            template = templates.get(parm["name"])
            if template is None:
                raise AssertionError("%s has no %s" % (node["type"], parm["name"]))
            expect(template.label() == parm["label"], "%s of %s is called %s" % (parm["name"], node["type"], template.label()))
            expect(template.help() == parm["help"], "the help of %s of %s is: %s" % (parm["name"], node["type"], template.help()))
            if isinstance(template, hou.MenuParmTemplate):
                expect(list(template.menuItems()) == parm["menu"], "the menu of %s of %s is %s" % (parm["name"], node["type"], template.menuItems()))
    for type_name in node_examples.EXAMPLES:
        expect(node_examples.build(type_name).type().name() == type_name, "the example of %s has another node" % type_name)


@point(4, "a change of any parameter of tetrahedralize makes it cook anew")
def cooks_anew() -> None:
    node = tets(geo("parameters"))
    before = len(geometry_of(node).prims())
    for parm in node.parms():
        template = parm.parmTemplate()
        if not isinstance(template, (hou.FloatParmTemplate, hou.IntParmTemplate)):
            continue
        node.cook(True)
        parm.set(float(parm.eval()) + 1 if isinstance(template, hou.FloatParmTemplate) else int(parm.eval()) + 1)
        expect(node.needsToCook(), "%s changes nothing" % parm.name())
        parm.revertToDefaults()
    nodes.set_parms(node, {"method": "lattice", "cellSize": 0.25})
    expect(len(geometry_of(node).prims()) > before, "a smaller cell gives no more tets")


@point(5, "a preset greys out what it fixes, and the info names it")
def preset() -> None:
    parent = geo("preset")
    made = nodes.create(parent, setups.MATERIAL, "material", {"preset": "glass"}, [tets(parent)])
    youngs = made.parm("youngs")
    expect(youngs is not None and youngs.isDisabled(), "youngs can be changed although the preset fixes it")
    expect("glass" in info(made), "the info does not name the preset")


@point(6, "material leaves a locked input alone and marks its output")
def material() -> None:
    parent = geo("material")
    source = tets(parent)
    made = nodes.create(parent, setups.MATERIAL, "material", {"preset": "glass", "fracture_enabled": 1}, [source])
    geometry_of(source)
    if isinstance(source, hou.SopNode):
        source.setHardLocked(True)
    expect(geometry_of(made).findPrimAttrib("sundermaterial") is not None, "the output has no sundermaterial")
    expect(geometry_of(source).findPrimAttrib("sundermaterial") is None, "the input was changed")
    other = nodes.create(parent, setups.MATERIAL, "other", {"density": 800, "stiffness": 2}, [source])
    both = geometry_of(nodes.create(parent, "merge", "both", {}, [made, other]))
    expect(len(set(both.primStringAttribValues("sundermaterial"))) == 2, "a merge keeps one material of two")
    expect(set(both.pointFloatAttribValues("stiffness")) == {1.0, 2.0}, "paint that only one solid has is not 1 on the other: %s" % sorted(set(both.pointFloatAttribValues("stiffness"))))


@point(7, "tets have positive volumes in Houdini's sense")
def volumes() -> None:
    node = tets(geo("volumes"))
    total = 0.0
    for prim in geometry_of(node).prims():
        volume = prim.intrinsicValue("measuredvolume")
        expect(isinstance(volume, float) and volume > 0, "tet %d has the volume %s" % (prim.number(), volume))
        total += float(str(volume))
    expect(abs(total - 1) < 0.1, "a unit box has the volume %g" % total)


@point(8, "polygons of surface and pieces face outward")
def winding() -> None:
    run = simulation("winding")
    surface = nodes.create(run.parent, node_examples.SURFACE, "surface", {}, [box(run.parent, "render", {"t": [0, 1, 0], "size": [0.9, 0.9, 0.9]}), run.result])
    pieces = nodes.create(run.parent, node_examples.PIECES, "pieces", {"output": "rest"}, [run.result])
    for node in (surface, pieces):
        expect(outward(geometry_of(node)) > 0.5, "the polygons of %s face inward" % node.name())


@point(9, "guide tells curves from polygons")
def guide() -> None:
    lines = ["int p[];", "for (int i = 0; i < 4; i++) append(p, addpoint(0, set(i % 2, i / 2, 0)));", 'addprim(0, "polyline", p[0], p[1], p[3]);', 'addprim(0, "poly", p[0], p[1], p[3], p[2]);']
    parent = geo("guide")
    drawn = nodes.create(parent, "attribwrangle", "drawn", {"class": 0, "snippet": "\n".join(lines)})
    text = info(nodes.create(parent, node_examples.GUIDE, "guide", {}, [drawn]))
    expect("1 curves and 1 polygons" in text, text)


@point(12, "the info of a node has counts and seconds")
def node_info() -> None:
    text = info(tets(geo("info")))
    expect(" tets, " in text and "by lattice" in text and " s" in text, text)


@point(13, "attributes and groups survive a round trip")
def round_trip() -> None:
    run = simulation("round_trip")
    node = nodes.create(run.parent, node_examples.CONSTANT, "same", {}, [run.result, run.result])
    before, after = attributes(geometry_of(run.result, START)), attributes(geometry_of(node, START))
    for name, values in before.items():
        expect(tuple(after.get(name, ())) == tuple(values), "%s is not what it was" % name)
    groups = {group.name() for group in geometry_of(run.result, START).pointGroups()}
    expect(groups == {group.name() for group in geometry_of(node, START).pointGroups()}, "point groups differ")


@point(14, "assets are built, and the solver has four outputs")
def assets() -> None:
    sys.path.insert(0, os.path.join(ROOT, "otls"))
    import build_hdas

    with tempfile.TemporaryDirectory() as folder:
        for path in build_hdas.build_all(folder):
            expect(os.path.exists(os.path.join(path, "INDEX__SECTION")), "%s was not expanded" % path)
        solver = hou.nodeType(hou.sopNodeTypeCategory(), setups.SOLVER)
        expect(solver is not None and solver.maxNumOutputs() == 4, "the solver has not four outputs")
        for name in setups.SETUPS:
            cache = setups.build(box(geo(name)), name)
            expect(not cache.errors(), "%s: %s" % (name, ", ".join(cache.errors())))


@point(15, "an Empty Object with our data falls, and its geometry is a copy of its own")
def falls() -> None:
    run = simulation("falls")
    drop = height(run.result, START) - height(run.result, START + 5)
    expect(0.5 < drop / (0.5 * 9.81 * (5 / hou.fps()) ** 2) < 2, "it fell by %g m in five frames" % drop)
    found = run.dops.simulation().findObject("solid")
    data = found.findSubData("Geometry") if found is not None else None
    expect(data is not None and "GeometryCopy" in str(data.dataType()), "its geometry is no copy of its own")


@point(16, "the SOP's geometry stays as it was")
def source_unchanged() -> None:
    run = simulation("source")
    before = positions(run.source)
    height(run.result, START + 3)
    expect(positions(run.source) == before, "the solver wrote into the SOP's geometry")


@point(17, "gravity, integrator and contact of the solver count")
def settings() -> None:
    still, falling = simulation("still", {"gravity": [0, 0, 0]}), simulation("gravity")
    explicit, through = simulation("explicit", {"integrator": "explicit"}), simulation("through", {"contact": 0}, static=True, height=0.6)
    expect(abs(height(still.result, START + 4) - height(still.result, START)) < 1e-4, "it falls without gravity")
    expect(height(falling.result, START + 4) < height(still.result, START + 4) - 0.01, "it does not fall")
    expect(positions(explicit.result, START + 4) != positions(falling.result, START + 4), "the integrator makes no difference")
    expect(height(through.result, START + 12) < 0.4, "without contact it should fall through the floor")


@point(18, "the start frame shows the start")
def start_frame() -> None:
    run = simulation("start", {"startFrame": 1001}, network={"startframe": 1001})
    expect(positions(run.result, 1001) == positions(run.source), "frame 1001 is not the start")
    expect(positions(run.result, 1002) != positions(run.source), "frame 1002 is still the start")


def frames_equal(name: str, values: Dict[str, Any], network: Dict[str, Any], count: int) -> None:
    run = simulation(name, values, {"youngs": 1e5}, network)
    with tempfile.TemporaryDirectory() as folder:
        named = {**values, "ground": {"enabled": False}, "integrator": values.get("integrator", "implicit")}
        expected = simulate(run.source, named, {"youngs": 1e5}, count, folder)
    for index, wanted in enumerate(expected):
        expect(positions(run.result, START + index) == wanted, "frame %d differs from the command's" % (START + index))


@point(19, "substeps are those of the command")
def substeps() -> None:
    for count in (1, 4):
        frames_equal("substeps_%d" % count, {"integrator": "explicit", "substeps": count}, {}, 4)


@point(20, "a saved simulation goes on as it would have")
def saved() -> None:
    whole, rest = simulation("whole"), simulation("rest")
    wanted = positions(whole.result, START + 8)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state.sim")
        hou.setFrame(START + 4)
        height(whole.result, START + 4)
        hou.hscript("dopsave %s %s" % (whole.dops.path(), path))
        expect(os.path.exists(path), "dopsave wrote nothing")
        nodes.set_parms(rest.dops, {"initialstate": path, "startframe": START + 4})
        expect(positions(rest.result, START + 8) == wanted, "frame %d differs after a restart" % (START + 8))


@point(21, "Set Always takes a keyframe, Set Initial does not")
def operations() -> None:
    runs = [simulation("op_%s" % name, material={"youngs": 1e4}, static=True, height=0.55) for name in ("plain", "always", "initial")]
    for run, label in zip(runs[1:], ("Set Always", "Set Initial")):
        choose(run.material, "parmop_youngs", label)
        key(run.material, "youngs", [(START, 1e4), (START + 4, 1e6)])
    plain, always, initial = (run.result for run in runs)
    expect(positions(always, START + 3) == positions(plain, START + 3), "the keyframe counts before its time")
    expect(positions(always, START + 7) != positions(plain, START + 7), "under Set Always the keyframe does not count")
    expect(positions(initial, START + 7) == positions(plain, START + 7), "under Set Initial the keyframe counts")


@point(23, "a Static Object holds what falls on it")
def collider() -> None:
    run = simulation("collider", static=True, height=0.6)
    expect(height(run.result, START + 24) > 0.4, "it fell through the floor")


@point(25, "frames are the command's, bit for bit")
def command_frames() -> None:
    frames_equal("bits", {"substeps": 2}, {}, 24)


@point(28, "steps that break nothing leave points, primitives and attributes in their places")
def in_place() -> None:
    run = simulation("in_place")
    first, later = geometry_of(run.result, START), geometry_of(run.result, START + 4)
    names = [attrib.name() for attrib in later.pointAttribs()]
    expect(len(names) == len(set(names)) and set(names) >= {attrib.name() for attrib in first.pointAttribs()}, "point attributes: " + ", ".join(names))
    expect(len(first.prims()) == len(later.prims()) and positions(run.result, START) != positions(run.result, START + 4), "it did not move, or broke")


@point(29, "packed pieces stand where the simulation has them, with what Bullet reads")
def packed() -> None:
    run = simulation("packed")
    made = nodes.create(run.parent, node_examples.PIECES, "pieces", {"output": "packed"}, [run.result])
    geometry, wanted = geometry_of(made, START + 4), geometry_of(run.result, START + 4)
    expect(len(geometry.prims()) == 1 and all(isinstance(prim, hou.PackedPrim) for prim in geometry.prims()), "not one packed primitive")
    expect(set(geometry.pointIntAttribValues("computemass")) == {0}, "computemass is on")
    there, expected = geometry.boundingBox(), wanted.boundingBox()
    expect((there.center() - expected.center()).length() < 1e-3 and (there.sizevec() - expected.sizevec()).length() < 1e-2, "it stands at %s, not %s" % (there, expected))
    mass = sum(wanted.pointFloatAttribValues("mass"))
    expect(abs(sum(geometry.pointFloatAttribValues("mass")) - mass) < 1e-4 * mass, "mass is not that of the tets")


@point(30, "wrong input is an error with a remedy, not a crash")
def wrong_input() -> None:
    parent = geo("wrong")
    made = nodes.create(parent, setups.MATERIAL, "material", {}, [nodes.create(parent, "null", "nothing")])
    try:
        made.cook(True)
    except hou.OperationFailed:
        pass
    expect(any(". " in text for text in made.errors()), "an empty input gave no error with a remedy: %s" % ", ".join(made.errors()))


@point(31, "the text asset fracture_quick loads as it is")
def quick() -> None:
    node = node_examples.build(node_examples.QUICK)
    for name in ("simulate", "preset", "velocity", "out"):
        expect(node.parmTuple(name) is not None, "it has no %s" % name)
    expect(node.matchesCurrentDefinition(), "it does not match its definition")


@point(33, "gravity of a node counts in place of the solver's")
def gravity_nodes() -> None:
    smoke_objects.gravity_counts_once()


@point(35, "glue between two objects holds, and breaks")
def glue() -> None:
    smoke_objects.glue_holds()


@point(37, "the first output of the solver is a skin that follows its tets")
def skin() -> None:
    assets()
    smoke_objects.skin_of_the_solver()


@point(38, "an object that appears later leaves the others as they are")
def late() -> None:
    smoke_objects.late_object()


@point(39, "constraint geometry leads what it is bound to, and switches it off")
def drawn_constraints() -> None:
    pins = 'for (int i = 0; i < npoints(1); i++) {{ vector p = point(1, "P", i); if (p.y > getbbox_max(1).y - 1e-3) addpoint(0, p + set(0, 0.01 * (@Frame - %d), 0)); }} {}' % START
    free, led = simulation("free", {"gravity": [0, 0, 0]}), simulation("led", {"gravity": [0, 0, 0]}, drawn=pins.format(""))
    dropped = simulation("dropped", drawn=pins.format("i@active = @Frame < %d;" % (START + 4)))
    top = [geometry_of(r.result, START + 8).boundingBox().maxvec()[1] for r in (free, led)]
    expect(abs(top[1] - top[0] - 0.08) < 1e-4, "the pins went 0.08 and the top of the block %g" % (top[1] - top[0]))
    heights = [height(dropped.result, START + k) for k in (0, 3, 12)]
    expect(heights[1] > heights[0] and heights[2] < heights[0] - 0.2, "it should rise with its pins and then fall: %s" % heights)


@point(40, "every look of Visualize colors tets")
def looks() -> None:
    made = simulation("looks")
    for name, look in visualizers.LOOKS.items():
        node = visualizers.build(made.result, name)
        shown = geometry_of(node, START + 2)
        expect(not node.errors(), "%s: %s" % (name, ", ".join(node.errors())))
        there = (shown.findPrimAttrib if look.owner == "prim" else shown.findPointAttrib)("Cd") is not None
        expect(there, "%s leaves no color" % name)


def run(number: int) -> Result:
    """One point of the checklist, whatever it does."""
    if number in PERSON:
        return Result(number, "SKIPPED", "for a person: " + PERSON[number], None)
    label = POINTS[number].label
    try:
        POINTS[number].run()
    except Skipped as missing:
        return Result(number, "SKIPPED", "%s: %s" % (label, missing), missing)
    except Exception as error:  # every point is to run, whatever another one did
        return Result(number, "FAIL", "%s: %s" % (label, error), error)
    return Result(number, "PASS", label, None)


def main(words: List[str]) -> Tuple[int, List[Result]]:
    numbers = [int(word) for word in words if word.isdigit()] or sorted([*POINTS, *PERSON])
    results = []
    for number in numbers:
        results.append(run(number))
        print("%-8s %2d  %s" % (results[-1].status, number, results[-1].text), flush=True)
        if "--verbose" in words and results[-1].error is not None:
            traceback.print_exception(results[-1].error)
    count = {status: sum(result.status == status for result in results) for status in ("PASS", "FAIL", "SKIPPED")}
    print("%d passed, %d failed, %d skipped on Houdini %s" % (count["PASS"], count["FAIL"], count["SKIPPED"], hou.applicationVersionString()))
    lacking = [result for result in results if result.status == "SKIPPED" and result.number not in PERSON]
    return (1 if count["FAIL"] or ("--strict" in words and lacking) else 0), results


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:])[0])
