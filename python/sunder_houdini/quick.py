"""What the asset sunder::fracture_quick::1.0 does: its button runs the sunder command in a process of its own, and its cook loads the frame."""
import json
import os
import subprocess
from typing import Any, Dict, Mapping

import hou

from . import nodes

PRESETS = ("glass", "concrete", "pine", "steel", "rubber")


def scene_of(values: Mapping[str, Any], model: str) -> Dict[str, Any]:
    """The scene of one body that falls on the ground and breaks."""
    material: Dict[str, Any] = {"preset": values["preset"], "fracture": {}}
    body = {"name": "body", "source": {"file": {"path": model}}, "material": material, "velocity": list(values["velocity"]), "spin": list(values["spin"]),
            "meshing": {"targetTets": values["targetTets"]}}
    settings = {"substeps": values["substeps"], "ground": {"point": [0, values["groundHeight"], 0]}}
    return {"name": "fracture_quick", "fps": values["fps"], "startFrame": values["firstFrame"], "endFrame": values["lastFrame"], "seed": values["seed"],
            "settings": settings, "bodies": [body]}


def raise_if(wrong: bool, text: str) -> None:
    if wrong:
        raise nodes.SetupError(text)


def frame_file(out: str, frame: int) -> str:
    return "%s/frame.%04d.bgeo.sc" % (out, frame)


def _plain(value: object) -> float:
    if not isinstance(value, (int, float)):
        raise nodes.SetupError("a number is expected, not %r" % (value,))
    return float(value)


def _number(node: hou.OpNode, name: str) -> float:
    return _plain(node.evalParm(name))


def values_of(node: hou.OpNode) -> Dict[str, Any]:
    whole = {name: int(_number(node, name)) for name in ("targetTets", "substeps", "firstFrame", "lastFrame", "seed")}
    raise_if(whole["lastFrame"] < whole["firstFrame"], "Last Frame lies before First Frame")
    vectors = {name: [_plain(v) for v in node.evalParmTuple(name)] for name in ("velocity", "spin")}
    preset = PRESETS[int(_number(node, "preset"))]
    return {**whole, **vectors, "preset": preset, "groundHeight": _number(node, "groundHeight"), "fps": hou.fps()}


def simulate(node: hou.SopNode) -> None:
    """Writes model and scene beside the frames, and runs the command; Escape stops it, and pressing the button again starts anew."""
    out = str(node.evalParm("out"))
    geometry = node.inputGeometry(0)
    raise_if(geometry is None, "wire a closed surface, or tets, to the input")
    os.makedirs(out, exist_ok=True)
    model = os.path.join(out, "model.bgeo.sc")
    if geometry is not None:
        geometry.saveToFile(model)
    scene = os.path.join(out, "scene.json")
    values = values_of(node)
    with open(scene, "w", encoding="utf-8") as f:
        json.dump(scene_of(values, model), f, indent=1)
    run([str(node.evalParm("command")), "simulate", scene, "--out", out, "--overwrite", "--json"], values["lastFrame"] - values["firstFrame"] + 1)
    reload = node.parm("reload")
    if reload is not None:
        reload.set(int(_number(node, "reload")) + 1)


def run(command: "list[str]", frames: int) -> None:
    """One line of JSON a frame tells how far it has come."""
    with hou.InterruptableOperation("sunder simulate", "Simulating", True) as operation:
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise nodes.SetupError("cannot run %s: %s; set Command to the path of the sunder command" % (command[0], error)) from error
        try:
            assert process.stdout is not None
            for done, _ in enumerate(process.stdout, start=1):
                operation.updateLongProgress(done / frames)
        except hou.OperationInterrupted:
            process.terminate()
            process.wait()
            raise
        errors = process.stderr.read() if process.stderr else ""
        raise_if(process.wait() != 0, errors.strip() or "the sunder command failed")


def cook(node: hou.SopNode) -> None:
    """Loads the frame that is shown, or says that there is none."""
    geometry = node.geometry()
    raise_if(geometry is None, "the node has no geometry to fill")
    path = frame_file(str(node.evalParm("out")), int(hou.frame()))
    if geometry is None:
        return
    geometry.clear()
    if os.path.exists(path):
        geometry.loadFromFile(path)
    else:
        raise hou.NodeWarning("there is no %s yet: press Simulate, or show a frame from First Frame to Last Frame" % path)
