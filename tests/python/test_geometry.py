"""Geometry: arrays over core's memory, lifetimes, files."""
import gc
import os
import weakref

import numpy
import pytest

import sunder
from conftest import CUBE


def cube():
    return sunder.Geometry(CUBE[0], polygons=CUBE[1])


def address(array):
    return array.__array_interface__["data"][0]


def test_positions_are_no_copy():
    geometry = cube()
    positions = geometry.positions
    assert positions.shape == (8, 3) and positions.dtype == numpy.float64 and not positions.flags.owndata
    assert address(positions) == address(geometry.positions)
    positions[:, 1] += 3
    assert geometry.positions[:, 1].min() == 3
    assert geometry.primitiveCount == 6 and geometry.primitivePoints(0) == [0, 1, 3, 2]
    with pytest.raises(ValueError):
        geometry.vertexPoint[0] = 3  # an index that does not exist would crash what reads it
    with pytest.raises(IndexError):
        geometry.primitivePoints(6)


def test_arrays_keep_their_geometry_alive():
    geometry = cube()
    geometry.points["mark"] = numpy.arange(8.0)
    arrays = [geometry.positions, geometry.points["mark"], geometry.vertexPoint, geometry.primitiveKind, geometry.points]
    kept = [numpy.array(a) for a in arrays[:4]]
    gone = weakref.ref(arrays[0])
    del geometry
    gc.collect()
    ballast = [numpy.full(8, -1.0) for _ in range(1000)]  # would go where freed memory was
    for array, values in zip(arrays, kept):
        assert numpy.array_equal(array, values)
    assert numpy.array_equal(arrays[4]["mark"], numpy.arange(8.0))
    del arrays, array, ballast
    gc.collect()
    assert gone() is None


def test_attributes():
    geometry = cube()
    points = geometry.points
    for dtype in ("float32", "float64", "int32", "int64", "uint8"):
        points["a_" + dtype] = numpy.arange(24).reshape(8, 3).astype(dtype)
        view = points["a_" + dtype]
        assert view.dtype == dtype and view.shape == (8, 3)
        view[2, 1] = 77
        assert points["a_" + dtype][2, 1] == 77
    points["flag"] = numpy.arange(8) > 3
    assert points["flag"].dtype == numpy.uint8
    points["short"] = numpy.arange(8, dtype=numpy.int16)
    assert points["short"].dtype == numpy.int32
    points["list"] = [1.5] * 8
    geometry.primitives["name"] = ["side%d" % i for i in range(6)]
    assert geometry.primitives["name"][5] == "side5"
    geometry.detail["time"] = [2.5]
    points.put("v", numpy.zeros((8, 3), "float32"), meaning="vector")
    assert points.meaning("v") == "vector" and points.meaning("list") == "none"
    assert "v" in points and "w" not in points and len(points) == len(list(points)) == len(points.keys())
    points.putGroup("top", numpy.array(CUBE[0])[:, 1] > 0.5)
    points.group("top")[0] = True
    assert points.groups == ["top"] and points.group("top").sum() == 5
    del points["flag"]
    assert "flag" not in points
    with pytest.raises(KeyError):
        points["flag"]
    with pytest.raises(KeyError):
        del points["flag"]
    for wrong in (numpy.zeros(7), numpy.zeros((7, 3)), numpy.zeros((8, 3, 3)), numpy.zeros((8, 0)), numpy.zeros(8, complex), 3.0, ["a"] * 7):
        with pytest.raises(sunder.Error):
            points["wrong"] = wrong
    with pytest.raises(sunder.Error, match="vectr"):
        points.put("w", numpy.zeros((8, 3)), meaning="vectr")


def test_arrays_of_replaced_attributes_stay_good():
    geometry = cube()
    geometry.points["a"] = numpy.arange(8.0)
    first = geometry.points["a"]
    geometry.points["a"] = numpy.arange(8.0) * 2  # same type and shape: into the same memory
    assert first[7] == 14 and address(first) == address(geometry.points["a"])
    geometry.points["a"] = numpy.full((8, 3), 5, "float32")  # another shape: the old memory stays as it was
    for i in range(200):
        geometry.points["more%d" % i] = numpy.full(8, -1.0)
    assert numpy.array_equal(first, numpy.arange(8.0) * 2)
    second = geometry.points["a"]
    del geometry.points["a"]
    ballast = [numpy.zeros((8, 3), "float32") for _ in range(100)]
    assert (second == 5).all() and len(ballast) == 100


def test_wrong_input():
    for positions in ([[0, 0]], [1, 2, 3], [[[0, 0, 0]]]):
        with pytest.raises(sunder.Error, match="positions"):
            sunder.Geometry(positions)
    with pytest.raises(sunder.Error):
        sunder.Geometry(CUBE[0], polygons=[[0, 1, 8]])
    with pytest.raises(sunder.Error):
        sunder.Geometry(CUBE[0], tets=[[0, 1, 2, -1]])
    with pytest.raises(sunder.Error, match="tets"):
        sunder.Geometry(CUBE[0], tets=[[0, 1, 2]])


@pytest.mark.parametrize("ending", ["geo", "bgeo", "bgeo.gz", "bgeo.sc"])
def test_files(tmp_path, ending):
    import read_bgeo

    geometry = sunder.Geometry([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], tets=[[0, 1, 2, 3]])
    geometry.points.put("v", numpy.arange(12, dtype="float32").reshape(4, 3), meaning="vector")
    geometry.primitives["name"] = ["solid"]
    path = tmp_path / ("a." + ending)
    sunder.writeGeometry(path, geometry)
    again = sunder.readGeometry(path)
    assert numpy.array_equal(again.positions, geometry.positions) and numpy.array_equal(again.tets, [[0, 1, 2, 3]])
    assert not again.tets.flags.owndata
    assert numpy.array_equal(again.points["v"], geometry.points["v"]) and again.primitives["name"] == ["solid"]
    data = path.read_bytes()
    assert sunder.encodeGeometry(geometry, ending) == data
    for bytes_like in (data, bytearray(data), numpy.frombuffer(data, "uint8")):
        assert sunder.encodeGeometry(sunder.decodeGeometry(bytes_like, ending), ending) == data
    assert sunder.describeGeometry(again)["volume"] == pytest.approx(1 / 6)
    if ending == "bgeo.sc":
        assert read_bgeo is not None
    with pytest.raises(sunder.Error):
        sunder.decodeGeometry(data[: len(data) // 2], ending)
    with pytest.raises(sunder.Error):
        sunder.decodeGeometry(numpy.zeros(4), ending)


def test_files_that_cannot_be(tmp_path):
    with pytest.raises(sunder.Error, match="none.bgeo"):
        sunder.readGeometry(tmp_path / "none.bgeo")
    with pytest.raises(sunder.WriteError):
        sunder.writeGeometry(os.path.join(tmp_path, "no", "folder", "a.bgeo"), cube())
    with pytest.raises(sunder.Error):
        sunder.writeGeometry(tmp_path / "a.xyz", cube())


def test_copies_are_their_own():
    one = cube()
    two = one.copy()
    two.positions[0] = 9
    assert one.positions[0, 0] == 0
