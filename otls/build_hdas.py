"""Makes the assets that hold networks, through hou, and saves them expanded: hython otls/build_hdas.py OUTPUT_FOLDER. Install runs it.

What an asset shows is its DialogScript, what it tells its Help; both lie beside this file. Not yet run in Houdini.
"""
import os
import sys
import tempfile
from typing import Callable, Dict, List, Optional, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

import hou

from sunder_houdini import nodes

# parameters of the DOP network inside the solver that follow those of the asset, by the same name
FOLLOWED = ("startframe", "timescale", "cacheenabled", "cachemaxsize", "explicitcache", "explicitcachensteps")
GUIDE_DATA, CONSTRAINT_DATA = "GuideGeometry", "ConstraintGeometry"  # the names under which dop/ looks for them on an object
SET_ALWAYS = 1  # of the menu Default Operation: Set Initial, Set Always, Set Never
FOLLOWED_TEXTS = ("explicitcachename", "initialstate")


def parameter_names(folder: str) -> List[str]:
    """Of the dialog script of an asset, in its order."""
    names = []
    with open(os.path.join(HERE, folder, "DialogScript"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("        name "):
                names.append(line.split('"')[1])
    return names


def follow(node: hou.OpNode, names: List[str], levels: int = 1) -> None:
    """Lets parameters follow those of the same name some levels up; a vector follows by its components."""
    up = "../" * levels
    for name in names:
        several = node.parmTuple(name)
        if several is None:
            raise nodes.SetupError("%s has no parameter '%s' to follow the asset's" % (node.type().name(), name))
        for parm in several:
            text = isinstance(parm.parmTemplate(), hou.StringParmTemplate)
            parm.setExpression('%s("%s%s")' % ("chs" if text else "ch", up, parm.name()), hou.exprLanguage.Hscript)


def build_solver(parent: hou.OpNode) -> hou.OpNode:
    """The SOP-level solver: a DOP network with its inputs, and four outputs."""
    asset = nodes.create(parent, "subnet", "solver")
    inputs = [nodes.create(asset, "null", "IN_" + name) for name in ("geometry", "constraints", "collision", "guide")]
    for item, node in zip(asset.indirectInputs(), inputs):
        node.setInput(0, item)
    simulation = nodes.create(asset, "dopnet", "simulation", {}, inputs)
    solid = nodes.create(simulation, "sunderobject", "solid", {"soppath": "../../IN_geometry", "guidepath": "../../IN_guide", "constraintpath": "../../IN_constraints", "object_name": "solid"})
    collision = nodes.create(simulation, "staticobject", "collision", {"soppath": "../../IN_collision", "object_name": "collision", "animategeo": 1})
    both = nodes.create(simulation, "merge", "merge", {"affectortype": 1}, [collision, solid])  # left affects right
    solver = nodes.create(simulation, "sundersolver", "solver", {}, [both])
    nodes.create(simulation, "output", "output", {}, [solver])
    tets = nodes.create(asset, "dopimport", "tets", {"doppath": "../simulation", "objpattern": "solid"})
    skin = nodes.create(asset, "tetrasurface", "skin", {}, [inputs[0]])
    render = nodes.create(asset, "sunder::surface::1.0", "render", {}, [skin, tets])
    for index, source in enumerate((render, inputs[1], inputs[2], tets)):
        nodes.create(asset, "output", "output%d" % index, {"outputidx": index}, [source])
    nodes.lay_out(simulation)
    nodes.lay_out(asset)
    return asset


def build_object(parent: hou.OpNode) -> hou.OpNode:
    """An empty object with geometry of a SOP, guides and constraints of others, and the plugin's data; the material is that of the geometry."""
    asset = nodes.create(parent, "subnet", "sunderobject")
    empty = nodes.create(asset, "emptyobject", "object")
    geometry = nodes.create(asset, "sopgeo", "geometry", {"dataname": "Geometry", "usesoppath": 1}, [empty])
    guide = nodes.create(asset, "sopgeo", "guide", {"dataname": GUIDE_DATA, "usesoppath": 1}, [geometry])
    # constraints are animated: the solver has to see where their points are at the end of every step
    constraints = nodes.create(asset, "sopgeo", "constraints", {"dataname": CONSTRAINT_DATA, "usesoppath": 1, "defaultparmop": SET_ALWAYS}, [guide])
    material = nodes.create(asset, "sundermaterial", "material", {"materialFromGeometry": 1}, [constraints])
    nodes.create(asset, "subnetoutput", "output", {}, [material])
    nodes.lay_out(asset)
    return asset


def build_dop_solver(parent: hou.OpNode) -> hou.OpNode:
    asset = nodes.create(parent, "subnet", "sundersolver")
    data = nodes.create(asset, "sundersolvercore", "solver")
    for item in asset.indirectInputs()[:1]:
        data.setInput(0, item)
    nodes.create(asset, "subnetoutput", "output", {}, [data])
    nodes.lay_out(asset)
    return asset


def link_solver(asset: hou.OpNode) -> None:
    """Once the asset has its parameters: the network inside follows them."""
    simulation = nodes.network(_child(asset, "simulation"))
    follow(simulation, [*FOLLOWED, *FOLLOWED_TEXTS])
    solid = nodes.network(_child(simulation, "solid"))
    of_solid = [name for name in parameter_names("solver") if name == "rigid" or name.startswith("contact_")]
    follow(solid, of_solid, 2)
    own = {"resimulate", *FOLLOWED, *FOLLOWED_TEXTS, *of_solid}
    solver = nodes.network(_child(simulation, "solver"))
    follow(solver, [name for name in parameter_names("solver") if name not in own], 2)
    nodes.reference(solver, "startFrame", 'ch("../../startframe")')
    # objects appear with the start
    for name in ("solid", "collision"):
        nodes.reference(nodes.network(_child(simulation, name)), "createframe", "1")


def link_object(asset: hou.OpNode) -> None:
    geometry, guide, constraints, empty, material = (nodes.network(_child(asset, name)) for name in ("geometry", "guide", "constraints", "object", "material"))
    nodes.reference(geometry, "soppath", 'chs("../soppath")')
    nodes.reference(guide, "soppath", 'chs("../guidepath")')
    nodes.reference(constraints, "soppath", 'chs("../constraintpath")')
    nodes.reference(empty, "objname", 'chs("../object_name")')
    nodes.reference(empty, "activation", '$SF == ch("../createframe")')  # an Empty Object makes one in every timestep in which it is active
    own = ("soppath", "guidepath", "constraintpath", "object_name", "createframe")
    follow(material, [name for name in parameter_names("sunderobject") if name not in own and material.parmTuple(name) is not None])


def link_dop_solver(asset: hou.OpNode) -> None:
    """The plugin's data shows the parameters of the settings under the same names."""
    data = nodes.network(_child(asset, "solver"))
    follow(data, [name for name in parameter_names("sundersolver") if data.parmTuple(name) is not None])
    nodes.reference(data, "fps", "$FPS")


def _child(parent: hou.OpNode, name: str) -> Optional[hou.OpNode]:
    for child in parent.children():
        if isinstance(child, hou.OpNode) and child.name() == name:
            return child
    raise nodes.SetupError("%s has no node '%s'" % (parent.path(), name))


Build = Callable[[hou.OpNode], hou.OpNode]
Link = Callable[[hou.OpNode], None]
# type, label, smallest and largest count of inputs, count of outputs; children before those that hold them
ASSETS: Dict[str, Tuple[str, str, int, int, int, str, Build, Link]] = {
    "sunderobject": ("sunderobject", "Sunder Object", 0, 0, 1, "dop", build_object, link_object),
    "sundersolver": ("sundersolver", "Sunder Solver", 1, 2, 1, "dop", build_dop_solver, link_dop_solver),
    "solver": ("sunder::solver::1.0", "Sunder Solver", 1, 4, 4, "sop", build_solver, link_solver),
}


# the entry in the tab menu
TOOL = """<?xml version="1.0" encoding="UTF-8"?>
<shelfDocument>
  <tool name="$HDA_DEFAULT_TOOL" label="$HDA_LABEL" icon="$HDA_ICON">
    <toolMenuContext name="viewer"><contextNetType>{context}</contextNetType></toolMenuContext>
    <toolMenuContext name="network"><contextOpType>$HDA_TABLE_AND_NAME</contextOpType></toolMenuContext>
    <toolSubmenu>Sunder</toolSubmenu>
    <script scriptType="python"><![CDATA[import {module}toolutils

{module}toolutils.genericTool(kwargs, '$HDA_NAME')]]></script>
  </tool>
</shelfDocument>
"""


def build_all(out: str) -> List[str]:
    made = []
    os.makedirs(out, exist_ok=True)
    for folder, (type_name, label, fewest, most, outputs, context, build, link) in ASSETS.items():
        container = nodes.create(nodes.network(None), "geo" if context == "sop" else "dopnet", "build_" + folder)
        target = os.path.join(out, "sunder_%s.hda" % folder)
        save(build(container), folder, type_name, label, context, (fewest, most, outputs), link, target)
        container.destroy()
        made.append(target)
    return made


def save(subnet: hou.OpNode, folder: str, type_name: str, label: str, context: str, counts: Tuple[int, int, int], link: Link, target: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        library = os.path.join(scratch, "asset.hda")
        asset = subnet.createDigitalAsset(type_name, library, label, counts[0], counts[1], ignore_external_references=True)
        definition = asset.type().definition()
        if definition is None:
            raise nodes.SetupError("%s did not become an asset" % type_name)
        group = hou.ParmTemplateGroup()
        group.setToDialogScript(text_of(folder, "DialogScript"))
        definition.setParmTemplateGroup(group)
        definition.setMaxNumOutputs(counts[2])
        definition.addSection("Help", text_of(folder, "Help"))
        definition.addSection("Tools.shelf", TOOL.format(context=context.upper(), module=context))
        definition.setIcon(icon_of(type_name, context))
        if folder == "solver":
            definition.addSection("MessageNodes", "simulation")  # its errors and warnings are the asset's
        asset.allowEditingOfContents()
        link(asset)
        definition.updateFromNode(asset)
        asset.matchCurrentDefinition()
        hou.hda.expandToDirectory(library, target)
        hou.hda.installFile(target)


def icon_of(type_name: str, context: str) -> str:
    """Of config/Icons in the package; those of plain DOP types and of types in a namespace are named like Houdini's own."""
    return "%s_%s" % (context.upper(), "-".join(type_name.split("::")[:2]))


def text_of(folder: str, name: str) -> str:
    with open(os.path.join(HERE, folder, name), encoding="utf-8") as f:
        return f.read()


if __name__ == "__main__":
    for path in build_all(sys.argv[1] if len(sys.argv) > 1 else "otls"):
        print(path)
