#!/usr/bin/env python3
"""Simulates one second of the scenes of O'Brien 2000, chapter 6, and prints one JSON line a row of table 6.1 (docs/measuring.md): thesis.py [ROW ...]"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SUNDER = os.path.join(ROOT, "build", "release", "bin", "sunder")
SHARE = 1e-3  # of the Thesis's time that is allowed
FILM = 30  # frames a second that are written
ROWS = {  # name: scene, minutes for one simulated second on a 195 MHz R10000
    "wall_1": ("walls/wall_light", 399), "wall_2": ("walls/wall_heavy", 1098),
    "bowl_1": ("bowls/bowl_1", 109), "bowl_2": ("bowls/bowl_2", 115), "bowl_3": ("bowls/bowl_3", 127), "bowl_4": ("bowls/bowl_4", 156),
    "tray_1": ("trays/tray_1", 1433), "tray_2": ("trays/tray_2", 1561), "tray_3": ("trays/tray_3", 1374), "tray_4": ("trays/tray_4", 998),
    "tray_5": ("trays/tray_5", 1182), "bunny": ("bunny/tapir", 17280), "glass": ("glass_slab/scene", 273), "explosion": ("blast_window/scene", 544),
    "comp_bowl": ("comparison/bowl", 347), "comp_tray": ("comparison/tray", 1371),
}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_second(scene, path):
    """The scene for one second from its start, in its own steps. Table 6.1 has means over whole animations, which Brittle99's table 1 has with their extremes."""
    with open(os.path.join(ROOT, "examples", scene + ".json")) as f:
        second = json.load(f)
    settings = second["settings"]
    settings["substeps"] = settings.get("substeps", 1) * second["fps"] // FILM
    second["fps"] = FILM
    second["endFrame"] = second["startFrame"] + FILM
    with open(path, "w") as f:
        json.dump(second, f)


def run(name, scene, minutes, out):
    path = out + ".json"
    write_second(scene, path)
    start, processor = time.time(), processor_seconds()
    result = subprocess.run([SUNDER, "simulate", path, "--out", out, "--overwrite", "--threads", "2"], stdout=subprocess.DEVNULL)
    wall, processor = time.time() - start, processor_seconds() - processor
    with open(os.path.join(out, "manifest.json")) as f:
        frames = json.load(f)["frames"]
    simulated = (frames[-1]["frame"] - frames[0]["frame"]) / FILM
    seconds = {stage: sum(f["seconds"].get(stage, 0) for f in frames) for stage in ("step", "fracture", "symbolic")}
    target = 60 * SHARE * minutes
    print(json.dumps({
        "name": "thesis_" + name, "value": wall / simulated, "unit": "s for one simulated second, files and all", "target": target,
        "holds": result.returncode == 0 and wall / simulated <= target, "peer": None, "ratio": 60 * minutes * simulated / wall, "rounds": 1,
        "check": {"processor_seconds": processor / simulated, "thesis_minutes": minutes, "simulated_s": simulated, "pieces": frames[-1]["pieces"],
                  "tets_at_start": frames[0]["tets"], "tets_at_end": frames[-1]["tets"],
                  "fracture_share": (seconds["fracture"] + seconds["symbolic"]) / seconds["step"], "failed": result.returncode}}), flush=True)


with tempfile.TemporaryDirectory() as folder:
    for row in sys.argv[1:] or ROWS:
        run(row, *ROWS[row], os.path.join(folder, row))
