"""VEX for what is held or led in a scene file: pins and targets as constraint geometry, breaks at a time, colliders that move. By the words of the scene, with every value spelled out."""
from typing import Any, List, Mapping, Sequence

NEVER = 1e30  # what is larger does not fit into the attributes of points
RELEASES = ("releaseTime", "releaseForce", "releaseStress")


def _vector(values: Sequence[float]) -> str:
    return "{%s}" % ", ".join("%.9g" % value for value in values)


def _vectors(rows: Sequence[Sequence[float]]) -> str:
    return "{%s}" % ", ".join(_vector(row) for row in rows)


def inside(where: Mapping[str, Any], geometry: int) -> str:
    """Whether point `i` of an input, which is at `p`, is in a region."""
    ((kind, region),) = where.items()
    if kind == "group":
        return '(inpointgroup(%d, "%s", i) || float(point(%d, "%s", i)) != 0)' % (geometry, region["name"], geometry, region["name"])
    if kind == "box":
        return "(min(p - %s) >= 0 && min(%s - p) >= 0)" % (_vector(region["min"]), _vector(region["max"]))
    if kind == "sphere":
        return "(distance(p, %s) <= %.9g)" % (_vector(region["center"]), region["radius"])
    if kind == "nearest":
        return "(find(nearpoints(%d, %s, 1e9, %d), i) >= 0)" % (geometry, _vector(region["point"]), region["count"])
    return "1"


def moved(name: str, motion: Mapping[str, Any]) -> List[str]:
    """A function that brings a place of the start to a time: straight between keys, in the translation and in the rotation vector."""
    keys = motion["keys"]
    lines = ["vector %s(vector p; float t)" % name, "{"]
    if not keys:
        return [*lines, "    return p;", "}"]
    lines += ["    float times[] = {%s};" % ", ".join("%.9g" % key["time"] for key in keys), "    vector shifts[] = %s;" % _vectors([key["translation"] for key in keys]),
              "    vector turns[] = %s;" % _vectors([key["rotation"] for key in keys]), "    int a = 0;", "    while (a + 2 < len(times) && t > times[a + 1]) a++;",
              "    int b = min(a + 1, len(times) - 1);", "    float s = b > a ? clamp((t - times[a]) / (times[b] - times[a]), 0, 1) : 0;"]
    if motion["smooth"]:
        lines.append("    s = s * s * (3 - 2 * s);")
    pivot = _vector(motion["pivot"])
    return [*lines, "    vector turn = radians(lerp(turns[a], turns[b], s));",
            "    return qrotate(quaternion(turn), p - %s) + %s + lerp(shifts[a], shifts[b], s);" % (pivot, pivot), "}"]


def _now(start: int, fps: float) -> str:
    return "float t = (@Frame - %d) / %.9g;" % (start, fps)


def constraints(body: Mapping[str, Any], start: int, fps: float) -> str:
    """Points of constraint geometry, each of which holds one point of the tets of the second input and leads it where its motion goes. Empty where nothing is held."""
    held = [("pin", pin) for pin in body.get("pins", [])] + [("target", target) for target in body.get("targets", [])]
    functions: List[str] = []
    lines = [_now(start, fps)]
    for number, (kind, one) in enumerate(held):
        functions += moved("moved%d" % number, one["motion"])
        values = {key: min(float(one.get(key, NEVER)), NEVER) for key in RELEASES}
        if kind == "target":
            values.update(strength=float(one["strength"]), damping=float(one["damping"]))
        lines += ["for (int i = 0; i < npoints(1); i++) {", '    vector p = point(1, "P", i);', "    if (!%s) continue;" % inside(one["where"], 1),
                  "    int c = addpoint(0, moved%d(p, t));" % number, '    setpointattrib(0, "constraint_type", c, "%s");' % kind,
                  '    setpointattrib(0, "constraint_name", c, "%s");' % (one.get("name") or "%s %d" % (kind, number + 1)), '    setpointattrib(0, "tetpoint", c, i);']
        lines += ['    setpointattrib(0, "%s", c, %.9g);' % pair for pair in values.items()] + ["}"]
    return "\n".join(functions + lines) if held else ""


def breaks(body: Mapping[str, Any]) -> str:
    """For every point of the tets: paints when it breaks. Empty where nothing breaks at a time."""
    lines = ["if (%s) f@breaktime = %.9g;" % (inside(one["where"], 0), one["time"]) for one in body.get("breaks", [])]
    return "\n".join(["int i = @ptnum;", "vector p = @P;", *lines]) if lines else ""


def led(motion: Mapping[str, Any], start: int, fps: float) -> str:
    """For every point of a collider: where it is led. Empty where it stands."""
    return "\n".join([*moved("moved", motion), _now(start, fps), "@P = moved(@P, t);"]) if motion["keys"] else ""
