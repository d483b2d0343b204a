#!/usr/bin/env python3
"""Writes the dialog scripts of the assets from `sunder schema`, into their help what it does not say of parameters, and the table of `sunder materials` for Houdini: scripts/make_dialogs.py build/release/bin/sunder.
A test compares."""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
from sunder_houdini import assets, words


def parms_of_assets(tables):
    """By folder under otls/: type, parameters, labels of inputs and outputs."""
    return {
        "solver": ("sunder::solver::1.0", assets.solver_parms(tables), assets.SOLVER_INPUTS, assets.SOLVER_OUTPUTS),
        "sunderobject": ("sunderobject", assets.sunderobject_parms(tables), (), ()),
        "sundersolver": ("sundersolver", assets.sundersolver_parms(tables), ("Objects", "Solver Data"), ()),
        assets.QUICK_FOLDER: ("sunder::fracture_quick::1.0", assets.QUICK, ("Model",), ()),
    }


def dialogs(schema):
    """Path under otls/ and text of every dialog script."""
    return {folder + "/DialogScript": words.dialog_script(*asset) for folder, asset in parms_of_assets(words.parse_reference(schema)).items()}


def with_parameters(text, parms):
    """A help page with an entry for each parameter, in their order. Entries by hand stay, unless their parameter has gone."""
    before, rest = text.split("@parameters\n\n")
    own, after = rest.split("\n@", 1)
    by_hand = {re.search(r"#id: (\w+)", entry).group(1): entry.rstrip("\n") for entry in re.split(r"\n(?=\S)", own) if "#id:" in entry}
    entries = []
    for parm in parms:
        sentence = "%s:\n    #id: %s\n    %s." % (parm.label, parm.name, (parm.help[0].upper() + parm.help[1:]).rstrip("."))
        entries.append(by_hand.get(parm.name, sentence))
    return "%s@parameters\n\n%s\n\n@%s" % (before, "\n".join(entries), after)


def helps(schema):
    """Path under otls/ and text of every help page."""
    pages = {}
    for folder, (_, parms, *_) in parms_of_assets(words.parse_reference(schema)).items():
        with open(os.path.join(ROOT, "otls", folder, "Help"), encoding="utf-8") as f:
            pages[folder + "/Help"] = with_parameters(f.read(), parms)
    return pages


def presets(materials):
    """The table of presets, one a line, without where each single value is from; `materials` is what the command says of them."""
    rows = [{key: value for key, value in preset.items() if key != "values"} for preset in json.loads(materials)]
    return "[\n%s\n]\n" % ",\n".join(" " + json.dumps(row) for row in rows)


def main():
    schema = subprocess.run([sys.argv[1], "schema"], capture_output=True, text=True, check=True).stdout
    for path, text in {**dialogs(schema), **helps(schema)}.items():
        with open(os.path.join(ROOT, "otls", path), "w", encoding="utf-8") as f:
            f.write(text)
    materials = subprocess.run([sys.argv[1], "materials", "--json"], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(ROOT, "python", "sunder_houdini", "material_presets.json"), "w", encoding="utf-8") as f:
        f.write(presets(materials))


if __name__ == "__main__":
    main()
