#!/usr/bin/env python3
"""Writes the help pages of the plugin's nodes, with every parameter that otls/nodes.json has: scripts/make_help.py. A test compares."""
import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FRAMES = "\n\nFrames are those of the solver's fourth output, or of `sunder simulate`."

# type: summary, what to know, inputs with what belongs into them, icon where it is not the node's own
PAGES = {
    "sunder::tetrahedralize::1.0": (
        "Fills a surface with tetrahedra.",
        "Tets get their `quality` (1 for a regular one, 0 for a flat one), and those with an angle below 5 degrees are in the group `slivers`: press *Visualize* on the shelf to see it before the price is paid. "
        "The surface is diagnosed first; what is wrong with it is shown as groups. With `tetgen` the tets follow it exactly, `lattice` takes anything. TetGen is a program of its own, "
        "`sunder-tetgen`: where it is not installed, `auto` takes the lattice and `tetgen` is an error that says so.",
        {"Surface": "Polygons, closed where `tetgen` is to be used. Attributes of points and primitives go along, and so do those of vertices, as attributes of points: where a texture has a seam they keep one of its "
                    "sides. To keep both, give the surface itself to [Node:sop/sunder--surface-1.0]."}),
    "sunder::material::1.0": (
        "Says what tets are made of.",
        "A preset has book values in SI units; `custom` takes what is typed in. Painted point attributes multiply: `stiffness`, `massdensity`, `dampingratio`, `fracturethreshold`, `yieldscale`, `friction`.\n\n"
        "The material is left on the primitives, as the text attribute `sundermaterial`, and all of it may differ from tet to tet: law, damping, plasticity, how it breaks. So solids that went through different nodes keep "
        "their own behind a Merge, and a second node with a *Group* gives a part of a model another one. It may stand before [Node:sop/sunder--tetrahedralize-1.0], too: tets have the material of the nearest face. "
        "Where two materials meet, a point breaks only if all tets around it may, at their mean toughness by volume; toughness of kind `force` must not meet another kind. What is not of the material, such as friction "
        "(but for its paint), bounce, *Rigid* and what it collides with, is one for all solids of an object: see [Node:sop/sunder--solver-1.0].",
        {"Solid": "Tets from [Node:sop/sunder--tetrahedralize-1.0]."}),
    "sunder::guide::1.0": (
        "Makes weak lines and surfaces that lead cracks.",
        "Cracks run along a guide where what pulls across its plane exceeds *Strength* times the toughness. Wire it to the fourth input of [Node:sop/sunder--solver-1.0].",
        {"Curves and Surfaces": "Curves or surfaces along which the body is weak."}),
    "sunder::pieces::1.0": (
        "Makes of simulated tets what rigid bodies and debris start from.",
        "- *Packed Pieces*: one packed primitive a piece, with its rigid motion and every point attribute that the Bullet solver reads. `computemass` and `computecom` are 0, so that mass and centre of mass "
        "are those of the simulation; `active` is 1 once a piece has come apart from all others; `v` and `w` (rad/s) carry its momentum on. All frames share the packed geometry.\n"
        "- *Points with Transforms*: the same points without geometry, for Copy to Points by `name`. A piece stands at P + orient (rest - pivot).\n"
        "- *Pieces at Rest*: the skins of all pieces with their `name`.\n"
        "- *Debris Points*: points on faces that opened since the frame before." + FRAMES,
        {"Current Frame": "Simulated tets.", "Final Frame": "The tets of the last frame, which has all pieces.", "Previous Frame": "The tets of the frame before, for debris."}),
    "sunder::surface::1.0": (
        "Lets a render mesh follow simulated tets.",
        "Points follow the tet that holds them; at cracks each triangle goes to one piece, and the crack faces are added in the group `inside`." + FRAMES,
        {"Render Mesh at Rest": "Polygons with all their attributes and groups of points, vertices and primitives. A `uv` of points becomes one of vertices, since the faces in cracks have theirs there.",
         "Current Frame": "Simulated tets."}),
    "sunder::constanttopology::1.0": (
        "Brings a frame to the topology of the last one.",
        "Split along every crack that ever opens, and closed until it does: for retiming and vertex animation. What vertices of the current frame's tets have is what the last frame's have of it." + FRAMES,
        {"Current Frame": "Simulated tets.", "Final Frame": "The tets of the last frame."}),
    "sundersolvercore": (
        "Steps solids that bend, dent and break.",
        "The data that [Node:dop/sundersolver] holds: use the asset unless you build your own. All objects that affect each other are stepped together. A step that fails leaves its objects as they were. "
        "Gravity nodes of an object count in place of *Gravity*; forces of other nodes are asked for at every point as a step begins and push throughout it, so strong drag needs substeps of the network. "
        "What a SOP Solver changes between two steps wins: `P`, `v`, and of painted attributes `stiffness`, `massdensity`, `dampingratio`, `yieldscale`, `fracturethreshold`, `fracturepart`, `active`, `breaktime`, "
        "`orient`, `friction`, `force` and `targetstrength`, and which points a constraint's group has. Other attributes and groups of points and primitives are carried along from then on, through cracks, too; "
        "attributes of vertices are not, and what frames show of the state (`accel`, `id`, `parent`, `parentweight`, `restP`, `mass`, `damage`, `name`, `stress`, `strain`, `quality`, `detF`, `plasticstrain`, `contactdepth`, `sundermaterial`, "
        "`insidefaces`) is written anew. Points and tets have to stay as they are.",
        {"Objects": "Objects with tets, and what they collide with."}, "DOP/sundersolver"),
    "sundermaterial": (
        "Says what an object is made of and how it starts.",
        "With *Material From Geometry* the material of every tet is the one that [Node:sop/sunder--material-1.0] has left on the geometry; a warning counts tets that went through none, and they have that of the parameters. Under Set Always a changed value of the material or of contact counts from the next step on, "
        "under Set Initial from the creation of the object, and so do *Strength*, *Damping* and the releases of its constraints; what has let go stays let go. A material from geometry, "
        "*Velocity*, *Spin*, *Velocity Noise*, *Force*, *Rigid* and glue count at the creation alone. A point attribute `v` of the geometry is what its points start with (m/s); *Velocity*, *Spin* and noise come on top, so a cached frame moves on as it was moving.",
        {"Objects": "Objects with tets."}, "DOP/sunderobject"),
    "sunderconstraint": (
        "Holds points of an object until they let go.",
        "The points of a group, or those whose point attribute of that name is not zero, are held where they start: exactly, or by a spring and a damper each. Several of these nodes may follow each other. What is to be led by animated points is drawn instead: see the input Constraints of [Node:sop/sunder--solver-1.0]. "
        "Glue sticks the object to another, *Glue B*, where the two are near each other at the start, and lets go where it is pulled harder than *Glue Strength*.",
        {"Objects": "Objects with tets."}, "DOP/sunderobject"),
    "sunderblast": (
        "The pressure of an explosion on an object's faces.",
        "Give its size as a mass of TNT in *Charge*, or as *Peak* pressure at a *Distance*.",
        {"Objects": "Objects with tets."}, "DOP/sunderobject"),
    "sundercollider": (
        "Says how solids meet an object that they collide with.",
        "Goes onto a Static Object, or any other with polygons, loose or packed, as RBD objects have them. Without it a collider has the default friction and thickness. Colliders may move and change their shape: within a step their points go straight "
        "from where they were at its start to where they are at its end. While the topology changes a collider stands still, and a warning tells of it; more or fewer packed pieces are another topology. A Ground Plane collides as far as its grid reaches; "
        "the solver's own ground has no end.",
        {"Objects": "Objects with polygons or packed primitives."}, "DOP/sunderobject"),
}


def page_name(type_name):
    parts = type_name.split("::")
    return "%s--%s-%s" % tuple(parts) if len(parts) == 3 else type_name


def registered():
    with open(os.path.join(ROOT, "otls", "nodes.json"), encoding="utf-8") as f:
        return {node["type"]: node for node in json.load(f)["nodes"]}


def page(type_name, node):
    summary, overview, inputs, *icon = PAGES[type_name]
    context = node["category"].lower()
    short = type_name.split("::")[1] if "::" in type_name else type_name
    lines = ["= %s =" % node["label"], "", "#type: node", "#context: %s" % context, "#internal: %s" % "::".join(type_name.split("::")[:2])]
    lines += ["#version: 1.0"] if "::" in type_name else []
    lines += ["#icon: %s" % (icon[0] if icon else "SOP/sunder-" + short), "#tags: sunder, fem, fracture", "", '"""%s"""' % summary, "", "@overview", "", overview, "", "@inputs", ""]
    for label in node.get("inputs", inputs):
        lines += ["%s:" % label, "    %s" % inputs[label]]
    if node["parameters"]:
        lines += ["", "@parameters", ""]
    for parm in node["parameters"]:
        lines += ["%s:" % parm["label"], "    #id: %s" % parm["name"], "    %s." % (parm["help"][0].upper() + parm["help"][1:])]
    lines += ["", "@examples", "", "A small network around this node, from a Python shell:", "", "{{{", 'from sunder_houdini import node_examples',
              'node_examples.build("%s")' % type_name, "}}}"]
    related = "sop/sunder--solver-1.0" if context == "sop" else "dop/sundersolver"
    return "\n".join(lines + ["", "@related", "", "- [Node:%s]" % related, ""])


def pages():
    """Text by path under package/help/nodes."""
    return {"%s/%s.txt" % (node["category"].lower(), page_name(name)): page(name, node) for name, node in registered().items()}


def main():
    for path, text in pages().items():
        target = os.path.join(ROOT, "package", "help", "nodes", path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
