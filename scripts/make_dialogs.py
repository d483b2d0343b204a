#!/usr/bin/env python3
"""Writes the dialog scripts of the assets from `sunder schema`: scripts/make_dialogs.py build/release/bin/sunder. A test compares."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
from sunder_houdini import assets, words


def dialogs(schema):
    """Path under otls/ and text of every dialog script."""
    tables = words.parse_reference(schema)
    return {
        "solver/DialogScript": words.dialog_script("sunder::solver::1.0", assets.solver_parms(tables), assets.SOLVER_INPUTS, assets.SOLVER_OUTPUTS),
        "sunderobject/DialogScript": words.dialog_script("sunderobject", assets.sunderobject_parms(tables)),
        "sundersolver/DialogScript": words.dialog_script("sundersolver", assets.sundersolver_parms(tables), ("Objects", "Solver Data")),
        assets.QUICK_FOLDER + "/DialogScript": words.dialog_script("sunder::fracture_quick::1.0", assets.QUICK, ("Model",)),
    }


def main():
    schema = subprocess.run([sys.argv[1], "schema"], capture_output=True, text=True, check=True).stdout
    for path, text in dialogs(schema).items():
        with open(os.path.join(ROOT, "otls", path), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
