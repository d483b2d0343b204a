"""Simulations on a Slurm farm without Houdini: a job array with one `sunder simulate` a job. Needs neither hou nor the sunder module.

    python3 -m sunder_houdini.farm scene.json --out jobs --vary /bodies/0/material/youngs=1e5,1e6 --vary /seed=1,2,3
    sbatch jobs/job.sh
    python3 -m sunder_houdini.farm --status jobs
"""
import argparse
import copy
import itertools
import json
import os
import shlex
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

SCRIPT = """#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --array=0-{last}{limit}
#SBATCH --cpus-per-task={threads}
#SBATCH --output={folder}/logs/%a.txt
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=TERM@60
{more}# One run a job. --resume starts where there is nothing to go on from, so a job that was requeued goes on where it was.
set -u
run=$(printf '%04d' "$SLURM_ARRAY_TASK_ID")
cd {folder} || exit 5
exec {command} simulate "scenes/$run.json" --out "runs/$run" --resume --threads {threads}
"""


class FarmError(ValueError):
    """What is wrong with the input, and what to do about it."""


def set_at(scene: Any, pointer: str, value: Any) -> None:
    """Sets the value at a JSON pointer, whose last key need not be there yet."""
    keys = pointer.split("/")
    if keys[0] != "" or len(keys) < 2:
        raise FarmError("'%s' is no JSON pointer: write it as /bodies/0/material/youngs" % pointer)
    place = scene
    for depth, key in enumerate(keys[1:-1], start=1):
        place = _child(place, key, "/".join(keys[: depth + 1]))
    last = keys[-1]
    if isinstance(place, list):
        _child(place, last, pointer)
        place[int(last)] = value
    elif isinstance(place, dict):
        place[last] = value
    else:
        raise FarmError("the scene has no object at %s" % "/".join(keys[:-1]))


def _child(place: Any, key: str, pointer: str) -> Any:
    if isinstance(place, list) and key.isdigit() and int(key) < len(place):
        return place[int(key)]
    if isinstance(place, dict) and key in place:
        return place[key]
    raise FarmError("the scene has nothing at %s" % pointer)


def _with_absolute_paths(value: Any, folder: str) -> Any:
    """Scenes are copied, so the files that they name have to be found from anywhere."""
    if isinstance(value, dict):
        return {k: os.path.join(folder, v) if k == "path" and isinstance(v, str) and not os.path.isabs(v) else _with_absolute_paths(v, folder) for k, v in value.items()}
    return [_with_absolute_paths(v, folder) for v in value] if isinstance(value, list) else value


def variations(scene: Mapping[str, Any], vary: Mapping[str, Sequence[Any]]) -> List[Tuple[Dict[str, Any], Dict[str, Any]]]:
    """Every combination: (what differs, the scene). The last pointer varies fastest."""
    for pointer, values in vary.items():
        if not list(values):
            raise FarmError("there are no values for %s" % pointer)
    made = []
    for values in itertools.product(*vary.values()):
        changed = copy.deepcopy(dict(scene))
        for pointer, value in zip(vary, values):
            set_at(changed, pointer, value)
        made.append((dict(zip(vary, values)), changed))
    return made


def write_jobs(scene_file: str, out: str, vary: Optional[Mapping[str, Sequence[Any]]] = None, *, threads: int = 1, at_once: int = 0, command: str = "sunder",
               name: str = "sunder", options: Sequence[str] = ()) -> List[Dict[str, Any]]:
    """Writes scenes/NNNN.json, job.sh and jobs.json into `out`; returns what differs from run to run. `options` are more of sbatch's."""
    if threads < 1:
        raise FarmError("threads has to be at least 1: the scheduler has to know how many a job takes")
    if os.path.exists(os.path.join(out, "jobs.json")):
        raise FarmError("'%s' holds jobs already: choose another folder, or remove it" % out)
    with open(scene_file, encoding="utf-8") as f:
        scene = _with_absolute_paths(json.load(f), os.path.dirname(os.path.abspath(scene_file)))
    runs = variations(scene, vary or {})
    folder = os.path.abspath(out)
    for sub in ("scenes", "runs", "logs"):
        os.makedirs(os.path.join(folder, sub), exist_ok=True)
    for index, (_, changed) in enumerate(runs):
        with open(os.path.join(folder, "scenes", "%04d.json" % index), "w", encoding="utf-8") as f:
            json.dump(changed, f, indent=1)
    more = "".join("#SBATCH %s\n" % option for option in options)
    script = SCRIPT.format(name=name, last=len(runs) - 1, limit="%%%d" % at_once if at_once else "", threads=threads, folder=shlex.quote(folder), more=more, command=shlex.quote(command))
    with open(os.path.join(folder, "job.sh"), "w", encoding="utf-8") as f:
        f.write(script)
    os.chmod(os.path.join(folder, "job.sh"), 0o755)
    differences = [difference for difference, _ in runs]
    with open(os.path.join(folder, "jobs.json"), "w", encoding="utf-8") as f:
        json.dump(differences, f, indent=1)
    return differences


def status(out: str) -> List[Dict[str, Any]]:
    """Of every run: its number, what differs, `status` (waiting, or the manifest's) and how many frames there are."""
    with open(os.path.join(out, "jobs.json"), encoding="utf-8") as f:
        differences = json.load(f)
    rows = []
    for index, difference in enumerate(differences):
        row = {"run": index, "varied": difference, "status": "waiting", "frames": 0, "message": ""}
        manifest = os.path.join(out, "runs", "%04d" % index, "manifest.json")
        if os.path.exists(manifest):
            with open(manifest, encoding="utf-8") as f:
                read = json.load(f)
            row.update(status=read["status"], frames=len(read["frames"]), message=read.get("message", ""))
        rows.append(row)
    return rows


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="sunder_houdini.farm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", nargs="?")
    parser.add_argument("--out")
    parser.add_argument("--vary", action="append", default=[], metavar="POINTER=A,B,C")
    parser.add_argument("--threads", type=int, default=1, help="of each job")
    parser.add_argument("--at-once", type=int, default=0, help="jobs that may run at the same time; 0 for no bound")
    parser.add_argument("--command", default="sunder", help="path of the sunder command on the farm")
    parser.add_argument("--sbatch", action="append", default=[], metavar="OPTION", help="one more line for sbatch, such as --partition=sim")
    parser.add_argument("--status", metavar="FOLDER")
    given = parser.parse_args(arguments)
    try:
        if given.status:
            for row in status(given.status):
                print("%04d  %-11s %4d frames  %s  %s" % (row["run"], row["status"], row["frames"], json.dumps(row["varied"]), row["message"]))
            return 0
        if not given.scene or not given.out:
            parser.error("a scene and --out are needed")
        vary = {}
        for text in given.vary:
            pointer, separator, values = text.partition("=")
            if not separator:
                raise FarmError("'%s' has no values: write it as POINTER=A,B,C" % text)
            vary[pointer] = [_value(v) for v in values.split(",")]
        runs = write_jobs(given.scene, given.out, vary, threads=given.threads, at_once=given.at_once, command=given.command, options=given.sbatch)
    except (FarmError, OSError, ValueError) as error:
        print("farm: error: %s" % error, file=sys.stderr)
        return 3
    print("%d runs; submit them with: sbatch %s" % (len(runs), os.path.join(given.out, "job.sh")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
