"""What must hold of every frame of bodies that break, read and checked without a line of the library under test."""

import math
import os
import struct
import sys
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "io"))
import read_bgeo

FACES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))  # outward where the volume of a tet is positive
POINTS = {"v": 3, "accel": 3, "restP": 3, "mass": 1, "id": 1, "parent": 2, "parentweight": 1, "damage": 1}
PRIMITIVES = {"name": 1, "stress": 1, "strain": 1, "quality": 1, "detF": 1, "id": 1, "insidefaces": 1}
ROUND_OFF = 1e-5  # of a sum of volumes: rest positions are single precision


def floats(bits):
    return struct.unpack("<%df" % len(bits), struct.pack("<%dI" % len(bits), *bits))


def vectors(attribute):
    values = floats(attribute["values"])
    return list(zip(values[0::3], values[1::3], values[2::3]))


def volume(corners):
    (ax, ay, az), *others = corners
    (x1, y1, z1), (x2, y2, z2), (x3, y3, z3) = ((x - ax, y - ay, z - az) for x, y, z in others)
    return (x1 * (y2 * z3 - z2 * y3) - y1 * (x2 * z3 - z2 * x3) + z1 * (x2 * y3 - y2 * x3)) / 6


class Frame:
    def __init__(self, path):
        self.geometry = read_bgeo.load(path)
        self.points = len(self.geometry["positions"]) // 3
        self.tets = [(k, p["points"]) for k, p in enumerate(self.geometry["primitives"]) if p["kind"] == "tet"]
        rest = vectors(self.geometry["point"]["attributes"]["restP"])
        self.volumes = [volume([rest[v] for v in corners]) for _, corners in self.tets]

    def sides(self):
        """Of every face, as a set of vertices, the tets behind it and the way each sees it around."""
        sides = defaultdict(list)
        for number, (_, corners) in enumerate(self.tets):
            for face in FACES:
                a, b, c = (corners[k] for k in face)
                low = min(a, b, c)
                way = (b, c) if low == a else (c, a) if low == b else (a, b)
                sides[frozenset((a, b, c))].append((number, way))
        return sides

    def crack_normal(self):
        """Of all faces that cracks opened, at rest: the direction that their normals share most, weighted by area; both sides count."""
        rest = vectors(self.geometry["point"]["attributes"]["restP"])
        inside = self.geometry["primitive"]["attributes"]["insidefaces"]["values"]
        tensor = [[0.0] * 3 for _ in range(3)]
        for number, corners in self.tets:
            for k, face in enumerate(FACES):
                if not inside[number] >> k & 1:
                    continue
                a, b, c = (rest[corners[i]] for i in face)
                u, w = ([q[i] - a[i] for i in range(3)] for q in (b, c))
                twice = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]]
                area = math.hypot(*twice)
                for i in range(3):
                    for j in range(3):
                        tensor[i][j] += twice[i] * twice[j] / area if area else 0
        normal = [0.6, 0.5, 0.4]
        for _ in range(1000):
            normal = [sum(tensor[i][j] * normal[j] for j in range(3)) for i in range(3)]
            length = math.hypot(*normal)
            normal = [x / length for x in normal]
        return normal

    def attribute_faults(self):
        counts = {"point": self.points, "primitive": len(self.geometry["primitives"]), "detail": 1}
        for kind, count in counts.items():
            for name, a in self.geometry[kind]["attributes"].items():
                if len(a["values"]) != count * a["size"]:
                    yield "%s attribute %s covers %d values" % (kind, name, len(a["values"]))
            for name, members in self.geometry[kind]["groups"].items():
                if len(members) != count:
                    yield "%s group %s covers %d" % (kind, name, len(members))
        for kind, wanted in (("point", POINTS), ("primitive", PRIMITIVES)):
            for name, size in wanted.items():
                a = self.geometry[kind]["attributes"].get(name)
                if a is None or a["size"] != size:
                    yield "%s attribute %s is missing or of another size" % (kind, name)

    def mesh_faults(self):
        if min(self.volumes) <= 0:
            yield "a tet has the rest volume %g" % min(self.volumes)
        # a tet's own surface is closed, so with these two right the boundary of all is
        for tets in self.sides().values():
            if len(tets) > 2:
                yield "%d tets share a face" % len(tets)
            if len(tets) == 2 and tets[0][1] == tets[1][1]:
                yield "two tets lie on the same side of a face"
        used = {v for p in self.geometry["primitives"] for v in p["points"]}
        particles = self.geometry["point"]["groups"].get("particles", [0] * self.points)
        orphans = sum(1 for v in range(self.points) if v not in used and not particles[v])
        if orphans:
            yield "%d points belong to nothing" % orphans
        ids = self.geometry["point"]["attributes"]["id"]["values"]
        if len(set(ids)) != len(ids):
            yield "two points have the same id"

    def names(self):
        return self.geometry["primitive"]["attributes"]["name"]["values"]

    def pieces(self):
        """Volume and name of every group of tets that holds together by faces."""
        root = list(range(len(self.tets)))

        def find(i):
            while root[i] != i:
                root[i] = root[root[i]]
                i = root[i]
            return i

        for tets in self.sides().values():
            for number, _ in tets[1:]:
                root[find(number)] = find(tets[0][0])
        volume_of, name_of = defaultdict(float), {}
        for number, (primitive, _) in enumerate(self.tets):
            volume_of[find(number)] += self.volumes[number]
            name_of[find(number)] = self.names()[primitive]
        return [(volume_of[piece], name_of[piece]) for piece in volume_of]

    def faults(self, start, pieces):
        """Against the first frame, and the pieces that the manifest has counted."""
        yield from self.attribute_faults()
        yield from self.mesh_faults()
        found = self.pieces()
        if len(found) != pieces:
            yield "%d pieces, the manifest says %d" % (len(found), pieces)
        if len({name for _, name in found}) != len(found):
            yield "two pieces have the same name"
        if abs(sum(self.volumes) - sum(start.volumes)) > ROUND_OFF * sum(start.volumes):
            yield "the rest volume went from %.9g to %.9g" % (sum(start.volumes), sum(self.volumes))
