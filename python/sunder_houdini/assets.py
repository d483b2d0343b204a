"""What the assets show: parameters of the DOP network they hold, and the words of scene files. scripts/make_dialogs.py writes it to otls/."""
from typing import Dict, List, Mapping, Sequence

from .words import Parm, Row, parms_of

SOLVER_INPUTS = ("Geometry", "Constraints", "Collision", "Guide")
SOLVER_OUTPUTS = ("Render Geometry", "Constraints", "Collision", "Tets")

# of the DOP network inside, under its own names and with the labels that artists know
NETWORK = [
    Parm("resimulate", "Reset Simulation", "button", help="forgets what has been simulated", callback="kwargs['node'].node('simulation').parm('resimulate').pressButton()"),
    Parm("startframe", "Start Frame", "integer", 1, ("1",), help="frame that shows the start"),
    Parm("timescale", "Time Scale", "float", 1, ("1",), help="simulated seconds in a second of the scene", range=("0!", "2")),
]
CACHE = [
    Parm("cacheenabled", "Cache Simulation", "toggle", 1, ("1",), help="keeps frames in memory, so that they can be scrubbed"),
    Parm("cachemaxsize", "Cache Memory", "integer", 1, ("5000",), help="MB of memory for frames", range=("1!", "100000")),
    Parm("explicitcache", "Checkpoints", "toggle", 1, ("0",), help="writes the state of frames to files, from which a simulation can go on"),
    Parm("explicitcachename", "Checkpoint File", "file", 1, ("$HIP/checkpoints/$OS.$SF.sim",), help="file of a checkpoint"),
    Parm("explicitcachensteps", "Checkpoint Interval", "integer", 1, ("10",), help="frames from one checkpoint to the next", range=("1!", "100")),
    Parm("initialstate", "Initial State", "file", 1, ("",), help="checkpoint to start from in place of the input; empty to start from the input"),
]
SEED = Parm("seed", "Seed", "integer", 1, ("0",), help="seed of everything random", range=("0!", "100"))

# sunder::fracture_quick::1.0: the asset is text, and its folder is named as Houdini escapes its type
QUICK_FOLDER = "fracture_quick.hda/sunder_8_8Sop_1fracture__quick_8_81.0"
QUICK = [
    Parm("simulate", "Simulate", "button", help="runs the sunder command into Output Folder; Escape stops it", callback="hou.phm().simulate(kwargs['node'])"),
    Parm("preset", "Material", "menu", 1, ("0",), ("glass", "concrete", "pine", "steel", "rubber"), "what the model is made of"),
    Parm("targetTets", "Target Tets", "integer", 1, ("20000",), help="about how many tets", range=("10!", "200000")),
    Parm("velocity", "Velocity", "float", 3, ("0", "-5", "0"), help="velocity at the start (m/s)"),
    Parm("spin", "Spin", "float", 3, ("0", "0", "0"), help="rotation at the start (deg/s)"),
    Parm("groundHeight", "Ground Height", "float", 1, ("0",), help="height of the ground (m)", range=("-1", "1")),
    Parm("substeps", "Substeps", "integer", 1, ("4",), help="steps a frame", range=("1!", "20")),
    Parm("seed", "Seed", "integer", 1, ("0",), help="seed of everything random", range=("0!", "100")),
    Parm("firstFrame", "First Frame", "integer", 1, ("1",), help="frame that shows the start"),
    Parm("lastFrame", "Last Frame", "integer", 1, ("48",), help="last frame that is simulated"),
    Parm("out", "Output Folder", "file", 1, ("$HIP/sunder/$OS",), help="where model, scene and frames go"),
    Parm("command", "Command", "string", 1, ("sunder",), help="path of the sunder command"),
    Parm("reload", "Reload", "integer", 1, ("0",), help="counts simulations, so that the node cooks again after each"),
]


def solid_parms(tables: Mapping[str, Sequence[Row]]) -> List[Parm]:
    """What is one for all solids of an object: it is one body."""
    rigid = Parm("rigid", "Rigid", "toggle", 1, ("0",), help="keeps its shape and moves as one")
    return [rigid, *(p for p in parms_of(tables, "contact", "contact") if p.kind != "string")]


def solver_parms(tables: Mapping[str, Sequence[Row]]) -> List[Parm]:
    """Of sunder::solver::1.0."""
    settings = parms_of(tables, "settings")
    headline = [p for p in settings if p.name == "substeps"]
    rest = [p for p in settings if p.name != "substeps"]
    return [*NETWORK, *headline, SEED, *solid_parms(tables), *rest, *CACHE]


def sundersolver_parms(tables: Mapping[str, Sequence[Row]]) -> List[Parm]:
    """Of the DOP asset sundersolver."""
    start = Parm("startFrame", "Start Frame", "integer", 1, ("1",), help="what the attribute frame says of the start; frames a second are those of the scene")
    return [start, SEED, *parms_of(tables, "settings")]


def sunderobject_parms(tables: Mapping[str, Sequence[Row]]) -> List[Parm]:
    """Of the DOP asset sunderobject."""
    own = [
        Parm("object_name", "Object Name", "string", 1, ("$OS",), help="name of the simulated object"),
        Parm("soppath", "SOP Path", "oppath", 1, ("",), help="tets with their material"),
        Parm("guidepath", "Guide Path", "oppath", 1, ("",), help="weak lines and surfaces from Sunder Guide; empty for none"),
        Parm("constraintpath", "Constraint Path", "oppath", 1, ("",), help="points and lines that pin, draw and glue the tets, and may be animated; empty for none"),
        Parm("createframe", "Creation Frame", "integer", 1, ("1",), help="simulation frame at which the object appears"),
    ]
    return own + solid_parms(tables)


def planned_parms(tables: Mapping[str, Sequence[Row]], presets: Sequence[str]) -> Dict[str, List[Parm]]:
    """Nodes of the plugin by the rule of its parameters, for those that otls/nodes.json does not have yet."""
    painted = [Parm(name, name, "float", 1, ("1",)) for name in ("stiffness", "massdensity", "dampingratio", "fracturethreshold", "yieldscale", "friction")]
    guide = [p for p in parms_of(tables, "guide") if p.name in ("name", "strength", "width", "follow")]
    return {
        "sunder::tetrahedralize::1.0": parms_of(tables, "meshing"),
        "sunder::material::1.0": [Parm("group", "Group", "string", 1, ("",)), *parms_of(tables, "material", presets=presets), *painted],
        "sunder::guide::1.0": guide,
    }
