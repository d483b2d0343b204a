"""Wedges with PDG: a run for every value of some parameters, all frames of a run in one batch, since frames of a simulation need each other."""
import itertools
from typing import List, Mapping, Optional, Sequence, Tuple, Union

import hou

from . import nodes

Number = Union[int, float, str]
# places in the menus of the Wedge TOP
FLOAT, INTEGER, STRING = 0, 2, 4
VALUES = 2


def combinations(values: Mapping[str, Sequence[Number]]) -> List[Tuple[Number, ...]]:
    """Every combination of the values, in order; the last parameter varies fastest."""
    if not values or any(not list(v) for v in values.values()):
        raise nodes.SetupError("give at least one value for every parameter that is to vary")
    return list(itertools.product(*values.values()))


def build(cache: hou.OpNode, values: Mapping[str, Sequence[Number]], frames: Tuple[int, int], parent: Optional[hou.OpNode] = None, at_once: int = 1) -> hou.OpNode:
    """A TOP network that varies parameters (paths, such as /obj/wall/material/youngs) and cooks the cache of each.

    File names of the cache should hold `@wedgeindex`, or one run overwrites the other.
    """
    first, last = frames
    if last < first:
        raise nodes.SetupError("the frames %d to %d run backwards" % frames)
    for path in values:
        if hou.parm(path) is None:
            raise nodes.SetupError("there is no parameter %s" % path)
    runs = combinations(values)
    network = nodes.create(nodes.network(parent), "topnet", "wedges")
    scheduler = nodes.create(network, "localscheduler", "scheduler", {"maxprocsmenu": 2, "maxprocs": at_once})
    wedge = nodes.create(network, "wedge", "wedge", {"wedgecount": len(runs), "wedgeattributes": len(values)})
    for index, path in enumerate(values, start=1):
        _vary(wedge, index, path, [run[index - 1] for run in runs])
    fetch = nodes.create(network, "ropfetch", "simulate", {"roppath": cache.path(), "framegeneration": 1, "range": [first, last, 1], "batchall": 1}, [wedge])
    nodes.set_parms(network, {"topscheduler": scheduler.path()})
    nodes.lay_out(network)
    return fetch


def _vary(wedge: hou.OpNode, index: int, path: str, values: Sequence[Number]) -> None:
    kind = STRING if any(isinstance(v, str) for v in values) else INTEGER if all(isinstance(v, int) for v in values) else FLOAT
    word = {FLOAT: "float", INTEGER: "int", STRING: "str"}[kind]
    name = path.rsplit("/", 1)[-1]
    nodes.set_parms(wedge, {"name%d" % index: name, "type%d" % index: kind, "wedgetype%d" % index: VALUES, "exportchannel%d" % index: 1,
                            "channel%d" % index: path, "values%d" % index: len(values)})
    for place, value in enumerate(values, start=1):
        nodes.set_parms(wedge, {"%svalue%d_%d" % (word, index, place): value})
