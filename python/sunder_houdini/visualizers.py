"""One click from simulated tets, or tets that are to be simulated, to what can be seen of them: stress, flow, damage, quality, contact that gave way."""
import dataclasses
from typing import Any, Dict, Mapping, Optional

import hou

from . import nodes, setups

# from the lowest value to the highest
COLORS = ((0.05, 0.10, 0.45), (0.10, 0.55, 0.65), (0.95, 0.85, 0.30), (0.80, 0.10, 0.10))


@dataclasses.dataclass(frozen=True)
class Look:
    """An attribute as colors: who has it, what is blue and what is red. No `high`: the largest value of the frame."""

    label: str
    attribute: str
    owner: str  # prim or point
    low: float
    high: Optional[float]
    help: str
    missing: str


LOOKS: Dict[str, Look] = {
    "stress": Look("Stress", "stress", "prim", 0, None, "von Mises stress, Pa: compare it with the strength of the material", "wire simulated tets: the fourth output of the solver, or a frame"),
    "strain": Look("Strain", "strain", "prim", 0, 0.1, "largest stretch minus 1", "wire simulated tets: the fourth output of the solver, or a frame"),
    "plasticstrain": Look("Plastic Strain", "plasticstrain", "prim", 0, None, "how far it has flowed and will not come back", "no material here flows: choose a plasticity of Sunder Material"),
    "damage": Look("Damage", "damage", "point", 0, 1, "how near to breaking it has come, 1 along cracks", "no material here breaks: switch on fracture_enabled of Sunder Material"),
    "quality": Look("Tet Quality", "quality", "prim", 1, 0, "red tets are flat: they make steps short and stress wrong", "wire tets: Sunder Tetrahedralize or simulated ones"),
    "contactdepth": Look("Failed Contacts", "contactdepth", "point", 0, None, "points that are farther in something else than contact leaves free, m", "no contact gave way in this frame, or keepSides of the solver is off"),
}


def snippet(look: Look, high: Optional[float] = None) -> str:
    """VEX, run over the whole, that gives every element its color."""
    top = look.high if high is None else high
    count, colors = "n%ss(0)" % {"prim": "primitive", "point": "point"}[look.owner], ", ".join("{%g, %g, %g}" % color for color in COLORS)
    lines = ["// %s: %s" % (look.label, look.help), "if (!has%sattrib(0, \"%s\"))" % (look.owner, look.attribute), '    warning("there is no %s: %s");' % (look.attribute, look.missing),
             "float low = %g, high = %g;" % (look.low, look.low if top is None else top)]
    if top is None:
        lines += ["for (int i = 0; i < %s; i++) high = max(high, float(%s(0, \"%s\", i)));" % (count, look.owner, look.attribute)]
    lines += ["vector colors[] = {%s};" % colors, "for (int i = 0; i < %s; i++) {" % count, "    float value = %s(0, \"%s\", i);" % (look.owner, look.attribute),
              "    float t = high == low ? 0.0 : clamp((value - low) / (high - low), 0, 1) * %d;" % (len(COLORS) - 1), "    int k = min(int(t), %d);" % (len(COLORS) - 2),
              "    set%sattrib(0, \"Cd\", i, lerp(colors[k], colors[k + 1], t - k));" % look.owner, "}"]
    return "\n".join(lines)


def build(source: hou.OpNode, name: str, high: Optional[float] = None) -> hou.OpNode:
    """Behind a SOP: a wrangle that colors its tets, which is displayed. Of a solver the tets are taken, its fourth output. `high` is the value that is red."""
    if name not in LOOKS:
        raise nodes.SetupError("there is nothing to see by the name '%s'; there are %s" % (name, ", ".join(LOOKS)))
    parent = source.parent()
    if not isinstance(parent, hou.OpNode) or source.type().category() != hou.sopNodeTypeCategory():
        raise nodes.SetupError("select the SOP whose tets are to be seen (dive into the geometry object first)")
    wired: nodes.Source = (source, 3) if source.type().name() == setups.SOLVER else source
    node = nodes.create(parent, "attribwrangle", "see_" + name, {"class": 0, "snippet": snippet(LOOKS[name], high)}, [wired])
    node.setComment(LOOKS[name].help)
    nodes.lay_out(parent)
    setups.show(node)
    return node


def run_from_shelf(kwargs: Optional[Mapping[str, Any]] = None) -> None:
    """What the button of the shelf calls: asks what is to be seen of the selected SOP."""
    selected = [node for node in hou.selectedNodes() if isinstance(node, hou.SopNode)]
    if len(selected) != 1:
        hou.ui.displayMessage("Select one SOP whose tets are to be seen.", title="Sunder")
        return
    names = list(LOOKS)
    chosen = hou.ui.selectFromList([LOOKS[name].label for name in names], exclusive=True, message="What is to be seen?", title="Sunder")
    if not chosen:
        return
    try:
        with hou.undos.group("Sunder Visualize"):
            build(selected[0], names[chosen[0]])
    except nodes.SetupError as error:
        hou.ui.displayMessage(str(error), title="Sunder")
