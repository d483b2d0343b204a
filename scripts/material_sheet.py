#!/usr/bin/env python3
"""Strikes a sheet of every material preset with the same projectile, and puts the pictures on one contact sheet.

The scene is examples/material_sheet/scene.json, with each preset of `sunder materials` in turn as the material of the body 'sheet'.
Needs the sunder command, and ffmpeg and the DejaVu fonts for the pictures (Debian: ffmpeg, fonts-dejavu-core).

    scripts/material_sheet.py                       all presets into out/material_sheet, the sheet as out/material_sheet/sheet.png
    scripts/material_sheet.py --only glass,oak      some of them
    scripts/material_sheet.py --list                names of the presets
"""
import argparse
import copy
import json
import os
import resource
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# The scene's steps suit what crumbles. Out of a contact of a millisecond backward Euler takes most of the energy by itself, so what holds the ball, or stands much of the blow before it breaks, wants other ones.
TIGHT = {"newtonTolerance": 2e-3, "linearTolerance": 2e-3, "contactTolerance": 2e-3}
STEPS = (
    ("iron thesis_lead steel aluminium lead copper", {**TIGHT, "integrator": "newmark", "substeps": 60}),  # metals, which dent
    ("soft_vinyl hard_vinyl rubber gelatin foam", {"integrator": "explicit"}),  # soft enough for that
    ("tempered_glass cast_iron bone", {**TIGHT, "substeps": 60}),
    ("adobe wax clay", TIGHT),  # which looser solves brake
)
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scene", default=os.path.join(ROOT, "examples/material_sheet/scene.json"))
    parser.add_argument("--out", default=os.path.join(ROOT, "out/material_sheet"))
    parser.add_argument("--sunder", default=os.path.join(ROOT, "build/release/bin/sunder"))
    parser.add_argument("--only", help="presets, with commas between them")
    parser.add_argument("--frames", type=int, help="simulate so many in place of the scene's")
    parser.add_argument("--show", help="frame of the pictures; the last by default")
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--size", type=int, default=240, help="of a picture, pixels")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--limit", type=float, help="s after which a simulation is stopped; its last frame is shown")
    parser.add_argument("--no-pictures", action="store_true")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def runFor(limit, *command):
    """Returns whether the command came to its end; after `limit` seconds it is asked to stop, and keeps its frames."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            errors = process.communicate(timeout=limit)[1]
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate()
            return False
        if process.returncode != 0:
            print("%s\n%s" % (" ".join(command), errors), file=sys.stderr)
        return process.returncode == 0


def sceneOf(description, preset, frames):
    """Presets with a strength break by stress and crack energy, so that cracks run as the material lets them; those of the Thesis by force. Each has the steps that suit it."""
    scene = copy.deepcopy(description)
    scene["name"] = "material sheet: " + preset["name"]
    if frames:
        scene["endFrame"] = scene["startFrame"] + frames
    sheet = next(body for body in scene["bodies"] if body["name"] == "sheet")
    sheet["material"]["preset"] = preset["name"]
    if preset["fracture"]["kind"] == "stress":
        sheet["material"]["fracture"]["kind"] = "energy"
    for names, settings in STEPS:
        if preset["name"] in names.split():
            scene["settings"].update(settings)
    return scene


def simulate(args, description, preset):
    """Returns what the manifest says of the last frame and of all, the processor time in s, and whether it came to its end."""
    folder = os.path.join(args.out, preset["name"])
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "scene.json")
    with open(path, "w") as file:
        json.dump(sceneOf(description, preset, args.frames), file, indent=1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = runFor(args.limit, args.sunder, "simulate", path, "--out", folder, "--overwrite", "--threads", args.threads)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    return manifest["frames"][-1], manifest["warnings"], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, whole


def draw(args, preset, frame):
    """One labelled picture; returns its path."""
    folder = os.path.join(args.out, preset)
    size = str(args.size)
    run(args.sunder, "render", folder, "--frames", "%d-%d" % (frame, frame), "--size", size, size, "--camera", *"0.52 0.3 -0.72 0 -0.01 -0.02".split(), "--fov", "34", "--flat",
        "--color", "damage", "--range", "0", "1", "--no-movie", "--no-caption", "--no-legend", "--no-ground", "--threads", args.threads)
    labelled = os.path.join(folder, "labelled.png")
    text = "drawtext=fontfile=%s:text='%s':x=8:y=6:fontsize=%d:fontcolor=black" % (FONT, preset, args.size // 15)
    run("ffmpeg", "-y", "-loglevel", "error", "-i", os.path.join(folder, "frame.%04d.png" % frame), "-vf", text, labelled)
    return labelled


def montage(args, pictures):
    rows = -(-len(pictures) // args.columns)
    command = ["ffmpeg", "-y", "-loglevel", "error"]
    for picture in pictures:
        command += ["-i", picture]
    inputs = "".join("[%d:v]" % k for k in range(len(pictures)))
    sheet = os.path.join(args.out, "sheet.png")
    tile = "%sconcat=n=%d:v=1,tile=%dx%d:color=white" % (inputs, len(pictures), args.columns, rows)
    run(*command, "-filter_complex", tile, "-frames:v", "1", sheet)
    return sheet


def main():
    args = arguments()
    described = {p["name"]: p for p in json.loads(run(args.sunder, "materials", "--json"))}
    presets = list(described)
    if args.list:
        return print("\n".join(presets))
    if args.only:
        unknown = set(args.only.split(",")) - set(presets)
        if unknown:
            sys.exit("no such preset: %s; see --list" % ", ".join(sorted(unknown)))
        presets = args.only.split(",")
    with open(args.scene) as file:
        description = json.load(file)
    pictures, total = [], 0
    for preset in presets:
        record, warnings, seconds, whole = simulate(args, description, described[preset])
        total += seconds
        energy = record["energy"]
        print("%-15s %5d tets %4d pieces  %4.0f J kinetic %4.0f plastic %4.0f cracks %4.0f numerical  %6.1f s of processor time%s" % (
            preset, record["tets"], record["pieces"], energy["kinetic"], energy["plastic"], energy["fracture"], energy["numerical"], seconds, "" if whole else ", stopped at frame %d" % record["frame"]), flush=True)
        for warning in warnings:
            print("    " + warning)
        if not args.no_pictures:
            pictures.append(draw(args, preset, min(int(args.show or record["frame"]), record["frame"])))
    print("%.0f s of processor time for %d presets" % (total, len(presets)))
    if pictures:
        print(montage(args, pictures))


if __name__ == "__main__":
    main()
