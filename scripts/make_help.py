#!/usr/bin/env python3
"""Writes help pages of nodes whose parameters are words of scene files: scripts/make_help.py build/release/bin/sunder. A test compares."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
from sunder_houdini import assets, words

PAGES = {
    "tetrahedralize": ("Fills a surface with tetrahedra.",
                       "The surface is diagnosed first; what is wrong with it is shown as groups. With `tetgen` the tets follow it exactly, `lattice` takes anything.\n\n"
                       "Example: a File SOP with a closed model, this node, and [Node:sop/sunder--material-1.0] behind it.",
                       [("Surface", "Polygons, closed where `tetgen` is to be used. All attributes go along.")]),
    "material": ("Says what tets are made of.",
                 "A preset has book values in SI units; `custom` takes what is typed in. Painted point attributes multiply: `stiffness`, `massdensity`, `dampingratio`, "
                 "`fracturethreshold`, `yieldscale`.\n\nExample: tets, this node with the preset glass and *Enabled* of Fracture on, and [Node:sop/sunder--solver-1.0] behind it.",
                 [("Solid", "Tets from [Node:sop/sunder--tetrahedralize-1.0].")]),
    "guide": ("Makes weak lines and surfaces that lead cracks.",
              "Cracks run along a guide where what pulls across its plane exceeds *Strength* times the toughness.\n\n"
              "Example: a curve drawn over a wall, this node, wired to the fourth input of [Node:sop/sunder--solver-1.0].",
              [("Curves and Surfaces", "Curves or surfaces along which the body is weak.")]),
}


def pages(schema, presets):
    tables = words.parse_reference(schema)
    planned = assets.planned_parms(tables, presets)
    made = {}
    for name, (summary, overview, inputs) in PAGES.items():
        parms = [p for p in planned["sunder::%s::1.0" % name] if p.help]
        lines = ["= Sunder %s =" % words.label_of(name), "", "#type: node", "#context: sop", "#internal: sunder::%s" % name, "#version: 1.0", "#icon: SOP/sunder-%s" % name,
                 "#tags: sunder, fem, fracture", "", '"""%s"""' % summary, "", "@overview", "", overview, "", "@inputs", ""]
        for label, text in inputs:
            lines += ["%s:" % label, "    %s" % text]
        lines += ["", "@parameters", ""]
        for parm in parms:
            lines += ["%s:" % parm.label, "    #id: %s" % parm.name, "    %s." % (parm.help[0].upper() + parm.help[1:])]
        lines += ["", "@related", "", "- [Node:sop/sunder--solver-1.0]", ""]
        made["sunder--%s-1.0.txt" % name] = "\n".join(lines)
    return made


def main():
    schema = subprocess.run([sys.argv[1], "schema"], capture_output=True, text=True, check=True).stdout
    presets = [p["name"] for p in json.loads(subprocess.run([sys.argv[1], "materials", "--json"], capture_output=True, text=True, check=True).stdout)]
    for name, text in pages(schema, presets).items():
        with open(os.path.join(ROOT, "package", "help", "nodes", "sop", name), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
