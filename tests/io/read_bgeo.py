#!/usr/bin/env python3
"""Reads .geo, .bgeo, .bgeo.gz and .bgeo.sc with Python's standard library alone and shares no code with the library under test.

read_bgeo.py FILE            prints what the file holds as JSON, in core's orientation; reals as their bits
read_bgeo.py --check FOLDER  compares every sample in the folder with the .json file of its name
"""
import gzip
import json
import math
import pathlib
import struct
import sys

# ---- the container of Blosc blocks


def lz4_block(data, size):
    """One LZ4 block of exactly `size` raw bytes."""
    out = bytearray()
    at = 0
    while at < len(data):
        token = data[at]
        at += 1
        literals = token >> 4
        if literals == 15:
            while True:
                literals += data[at]
                at += 1
                if data[at - 1] != 255:
                    break
        out += data[at:at + literals]
        at += literals
        if at >= len(data):
            break
        distance = data[at] | data[at + 1] << 8
        at += 2
        length = (token & 15) + 4
        if token & 15 == 15:
            while True:
                length += data[at]
                at += 1
                if data[at - 1] != 255:
                    break
        assert 0 < distance <= len(out)
        start = len(out) - distance
        if distance >= length:
            out += out[start:start + length]
        else:
            for k in range(length):
                out.append(out[start + k])
    assert len(out) == size, (len(out), size)
    return bytes(out)


def unshuffle(data, typesize):
    count = len(data) // typesize
    out = bytearray(data)
    for k in range(typesize):
        out[k:count * typesize:typesize] = data[k * count:(k + 1) * count]
    return bytes(out)


def blosc_chunk(data):
    _, _, flags, typesize = data[:4]
    nbytes, blocksize, cbytes = struct.unpack_from("<III", data, 4)
    assert cbytes == len(data), (cbytes, len(data))
    if flags & 2:
        assert cbytes == nbytes + 16
        return data[16:]
    assert flags >> 5 == 1, "LZ4 is expected"
    assert typesize == 4 and flags & 1, "bytes are expected to be shuffled by fours"
    blocks = (nbytes + blocksize - 1) // blocksize
    starts = struct.unpack_from("<%dI" % blocks, data, 16)
    raw = b""
    for i, start in enumerate(starts):
        size = min(blocksize, nbytes - i * blocksize)
        # a block is cut into as many streams as the type has bytes, unless the flag says no or it is the short last one
        streams = 1 if flags & 0x10 or size < blocksize else typesize
        block = b""
        for _ in range(streams):
            (packed,) = struct.unpack_from("<i", data, start)
            stream = data[start + 4:start + 4 + packed]
            want = size // streams
            block += stream if packed == want else lz4_block(stream, want)
            start += 4 + packed
        raw += unshuffle(block, typesize)
    assert len(raw) == nbytes
    return raw


def seekable(data):
    assert data[:4] == b"scf1" and data[-4:] == b"1fcs"
    (metadata,) = struct.unpack_from(">Q", data, 4)
    (index_bytes,) = struct.unpack_from(">Q", data, len(data) - 12)
    first = 12 + metadata
    index = len(data) - 12 - index_bytes
    words = struct.unpack_from(">%dQ" % (index_bytes // 8), data, index)
    ends, block_bytes, last_bytes = words[:-2], words[-2], words[-1]
    bounds = [first] + [first + e for e in ends] + [index]
    raw = b""
    for i in range(len(bounds) - 1):
        chunk = blosc_chunk(data[bounds[i]:bounds[i + 1]])
        assert len(chunk) == (last_bytes if i == len(bounds) - 2 else block_bytes)
        raw += chunk
    return raw


# ---- binary JSON

NUMBERS = {0x11: "b", 0x12: "h", 0x13: "i", 0x14: "q", 0x21: "B", 0x22: "H", 0x18: "e", 0x19: "I", 0x1A: "Q"}


class Real:
    """A real number as its bits, so that a NaN stays what it is."""

    def __init__(self, bits, size):
        self.bits, self.size = bits, size


class BinaryJson:
    def __init__(self, data):
        assert data[:5] == b"\x7fNSJb", "little-endian binary JSON is expected"
        self.data, self.at = data, 5

    def unpack(self, code, count=1):
        values = struct.unpack_from("<%d%s" % (count, code), self.data, self.at)
        self.at += struct.calcsize("<%d%s" % (count, code))
        return values

    def length(self):
        (first,) = self.unpack("B")
        if first < 0xF1:
            return first
        return self.unpack({0xF2: "H", 0xF4: "I", 0xF8: "q"}[first])[0]

    def numbers(self, token, count):
        values = self.unpack(NUMBERS[token], count)
        if token in (0x19, 0x1A):
            return [Real(v, 4 if token == 0x19 else 8) for v in values]
        return list(values)

    def text(self):
        size = self.length()
        self.at += size
        return self.data[self.at - size:self.at].decode("utf-8", "surrogateescape")

    def value(self):
        (token,) = self.unpack("B")
        if token == 0x5B:
            items = []
            while self.data[self.at] != 0x5D:
                items.append(self.value())
            self.at += 1
            return items
        if token == 0x7B:
            items = {}
            while self.data[self.at] != 0x7D:
                key = self.value()
                items[key] = self.value()
            self.at += 1
            return items
        if token == 0x27:
            return self.text()
        if token in (0x30, 0x31):
            return token == 0x31
        if token == 0x40:
            (kind,) = self.unpack("B")
            return self.numbers(kind, self.length())
        return self.numbers(token, 1)[0]


# ---- the geometry


def pairs(items):
    assert len(items) % 2 == 0
    return dict(zip(items[0::2], items[1::2]))


def real_bits(value, storage):
    size = 4 if storage == "fpreal32" else 8
    if isinstance(value, Real):
        assert value.size == size, "a real of the announced storage is expected"
        return value.bits
    return struct.unpack("<I" if size == 4 else "<Q", struct.pack("<f" if size == 4 else "<d", float(value)))[0]


def paged(values, count):
    v = pairs(values)
    assert v["packing"] == [v["size"]] and v["pagesize"] == 1024 and "constantpageflags" not in v
    assert len(v["rawpagedata"]) == count * v["size"]
    return v["rawpagedata"]


def attribute(definition, data, count):
    d, body = pairs(definition), pairs(data)
    meaning = d["options"].get("type", {}).get("value", "")
    if d["type"] == "string":
        assert body["size"] == 1
        indices = paged(body["indices"], count)
        values = ["" if i < 0 else body["strings"][i] for i in indices]
        return d["name"], {"storage": "string", "size": 1, "type": meaning, "values": values}
    storage = body["storage"]
    assert d["type"] == "numeric" and pairs(body["values"])["storage"] == storage
    values = paged(body["values"], count)
    if storage.startswith("fpreal"):
        values = [real_bits(v, storage) for v in values]
    return d["name"], {"storage": storage, "size": body["size"], "type": meaning, "values": values}


def group(item, count):
    selection = pairs(pairs(item[1])["selection"])
    encoding, members = selection["unordered"]
    assert encoding == "i8" and len(members) == count and set(members) <= {0, 1}
    return pairs(item[0])["name"], members


def primitives(records, vertex_count):
    """Kind and file vertices of every primitive."""
    out, used = [], 0
    for head, data in records:
        kind, body = pairs(head)["type"], pairs(data)
        at = body["startvertex"]
        assert at == used, "runs are expected one after the other"
        sizes = [4] * body["nprimitives"] if kind == "Tetrahedron_run" else []
        if not sizes:
            rle = body["nvertices_rle"]
            for size, times in zip(rle[0::2], rle[1::2]):
                sizes += [size] * times
        assert len(sizes) == body["nprimitives"]
        name = {"Tetrahedron_run": "tet", "Polygon_run": "polygon", "PolygonCurve_run": "curve"}[kind]
        for size in sizes:
            out.append((name, list(range(at, at + size))))
            at += size
        used = at
    assert used == vertex_count
    return out


def check_orientation(kind, points, positions):
    """A tet of the samples is positive in core, so it must have det < 0 in the file."""
    if kind != "tet":
        return
    p = [struct.unpack("<3f", struct.pack("<3I", *positions[3 * i:3 * i + 3])) for i in points]
    a, b, c = ([p[k][i] - p[0][i] for i in range(3)] for k in (1, 2, 3))
    det = (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]))
    assert math.isnan(det) or det < 0, "a tet of the file is not in Houdini's orientation"


def attribute_set(tree, key, group_key, count):
    lists = pairs(tree["attributes"])
    return {"attributes": dict(attribute(d, v, count) for d, v in lists.get(key, [])),
            "groups": dict(group(item, count) for item in tree.get(group_key, []))}


def canonical(root):
    tree = pairs(root)
    points, vertices = tree["pointcount"], tree["vertexcount"]
    indices = pairs(pairs(tree["topology"])["pointref"])["indices"]
    assert len(indices) == vertices
    sets = {"point": attribute_set(tree, "pointattributes", "pointgroups", points),
            "vertex": attribute_set(tree, "vertexattributes", "vertexgroups", vertices),
            "primitive": attribute_set(tree, "primitiveattributes", "primitivegroups", tree["primitivecount"]),
            "detail": attribute_set(tree, "globalattributes", "none", 1)}
    p = sets["point"]["attributes"].pop("P")
    assert p["size"] == 3 and p["type"] == "point" and p["storage"] == "fpreal32"
    order, faces = [], []
    for kind, file_vertices in primitives(tree["primitives"], vertices):
        check_orientation(kind, [indices[v] for v in file_vertices], p["values"])
        turned = file_vertices if kind == "curve" else file_vertices[:1] + file_vertices[:0:-1]
        order += turned
        faces.append({"kind": kind, "points": [indices[v] for v in turned]})
    assert len(faces) == tree["primitivecount"]
    for a in sets["vertex"]["attributes"].values():
        a["values"] = [a["values"][v * a["size"] + c] for v in order for c in range(a["size"])]
    sets["vertex"]["groups"] = {n: [m[v] for v in order] for n, m in sets["vertex"]["groups"].items()}
    return {"positions": p["values"], "primitives": faces, **sets}


def load(path):
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:4] == b"scf1":
        data = seekable(data)
    if data[:1] != b"\x7f":
        return canonical(json.loads(data.decode("utf-8", "surrogateescape")))
    parser = BinaryJson(data)
    root = parser.value()
    assert parser.at == len(data)
    return canonical(root)


def check(folder):
    checked = 0
    for path in sorted(pathlib.Path(folder).iterdir()):
        if path.suffix == ".json":
            continue
        expected = json.loads((path.parent / (path.name.split(".")[0] + ".json")).read_text())
        found = load(path)
        for key in expected:
            if found[key] != expected[key]:
                sys.exit("%s: '%s' differs" % (path.name, key))
        if list(found) != list(expected):
            sys.exit("%s: other keys" % path.name)
        print("%s is as expected" % path.name)
        checked += 1
    if checked != 8:
        sys.exit("8 samples are expected, %d were checked" % checked)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        check(sys.argv[2])
    elif len(sys.argv) == 2:
        json.dump(load(sys.argv[1]), sys.stdout)
    else:
        sys.exit(__doc__)
