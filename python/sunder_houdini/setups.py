"""One-click set-ups: from a model to something that shatters, crumples or jiggles, ready to be cached."""
import dataclasses
from typing import Any, Dict, Mapping, Optional

import hou

from . import nodes

TETRAHEDRALIZE = "sunder::tetrahedralize::1.0"
MATERIAL = "sunder::material::1.0"
SOLVER = "sunder::solver::1.0"


@dataclasses.dataclass(frozen=True)
class Setup:
    """What a tool does: a preset of a material, what is changed in it, and how it is stepped."""

    label: str
    preset: str
    material: Mapping[str, Any]
    settings: Mapping[str, Any]
    help: str


SETUPS: Dict[str, Setup] = {
    "shatter": Setup("Shatter", "glass", {"fracture_enabled": 1}, {"substeps": 4}, "Brittle: falls, and breaks where stress exceeds its strength."),
    "crumple": Setup("Crumple", "steel", {"fracture_enabled": 1}, {"substeps": 4}, "Ductile: dents, keeps its shape, and tears where it is stretched too far."),
    "jiggle": Setup("Jiggle", "gelatin", {}, {"substeps": 2, "fracture_enabled": 0}, "Soft: wobbles and comes back to its shape."),
}


def shatter(source: hou.OpNode) -> hou.OpNode:
    return build(source, "shatter")


def crumple(source: hou.OpNode) -> hou.OpNode:
    return build(source, "crumple")


def jiggle(source: hou.OpNode) -> hou.OpNode:
    return build(source, "jiggle")


def build(source: hou.OpNode, name: str) -> hou.OpNode:
    """Behind a SOP: tets, a material, the solver and a cache. Returns the cache, which is displayed."""
    setup = SETUPS[name]
    parent = source.parent()
    if not isinstance(parent, hou.OpNode) or source.type().category() != hou.sopNodeTypeCategory():
        raise nodes.SetupError("select the SOP whose geometry is to %s (dive into the geometry object first)" % name)
    tets = nodes.create(parent, TETRAHEDRALIZE, name + "_tets", {}, [source])
    # a preset fixes all values of a material, so what is to differ goes through its own parameters: how it breaks
    material = nodes.create(parent, MATERIAL, name + "_material", {"preset": setup.preset, **setup.material}, [tets])
    solver = nodes.create(parent, SOLVER, name + "_solver", {"ground_enabled": 1, **setup.settings}, [material])
    cache = nodes.create(parent, "filecache", name + "_cache", {"basename": "$HIPNAME.%s_$OS" % name}, [solver])
    nodes.lay_out(parent)
    show(cache)
    return cache


def show(node: hou.OpNode) -> None:
    if isinstance(node, hou.SopNode):
        node.setDisplayFlag(True)
        node.setRenderFlag(True)


def run_from_shelf(name: str, kwargs: Optional[Mapping[str, Any]] = None) -> None:
    """What a button of the shelf calls: works on the selected SOP, and says so if there is none."""
    selected = [node for node in hou.selectedNodes() if isinstance(node, hou.SopNode)]
    if len(selected) != 1:
        hou.ui.displayMessage("Select one SOP whose geometry is to %s." % name, title="Sunder")
        return
    try:
        with hou.undos.group("Sunder " + SETUPS[name].label):
            build(selected[0], name)
    except nodes.SetupError as error:
        hou.ui.displayMessage(str(error), title="Sunder")
