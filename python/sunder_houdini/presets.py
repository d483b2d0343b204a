"""Material presets as values that can be changed: on a Sunder Material node a preset fixes all of them. material_presets.json is the table of `sunder materials`; scripts/make_dialogs.py writes it."""
import json
import os
from typing import Any, Dict, List, Mapping, Optional

import hou

from . import nodes, setups, words

# what the table has beside values of the material
_BESIDE = ("name", "source", "friction")


def table() -> Dict[str, Dict[str, Any]]:
    """All presets by name, with every value and where it is from."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "material_presets.json"), encoding="utf-8") as f:
        return {preset["name"]: preset for preset in json.load(f)}


def values(name: str) -> Dict[str, Any]:
    """Of a preset, by the parameters of the node."""
    known = table()
    if name not in known:
        raise nodes.SetupError("there is no material '%s'; there are %s" % (name, ", ".join(known)))
    return words.flatten({key: value for key, value in known[name].items() if key not in _BESIDE})


def apply(node: hou.OpNode, name: str) -> None:
    """Gives a Sunder Material the values of a preset, as its own: whether it breaks stays as it is."""
    if node.type().name() != setups.MATERIAL:
        raise nodes.SetupError("select a Sunder Material, not %s" % node.type().name())
    nodes.set_parms(node, {"preset": "custom", **values(name)})
    node.setComment("%s: %s" % (name, table()[name]["source"]))


def run_from_shelf(kwargs: Optional[Mapping[str, Any]] = None) -> None:
    """What the button of the shelf calls: asks which preset the selected Sunder Material is to start from."""
    selected: List[hou.SopNode] = [node for node in hou.selectedNodes() if isinstance(node, hou.SopNode)]
    if len(selected) != 1 or selected[0].type().name() != setups.MATERIAL:
        hou.ui.displayMessage("Select one Sunder Material that is to have the values of a preset.", title="Sunder")
        return
    names = list(table())
    chosen = hou.ui.selectFromList(names, exclusive=True, message="Which preset?", title="Sunder")
    if chosen:
        with hou.undos.group("Sunder Material Values"):
            apply(selected[0], names[chosen[0]])
