"""Meshing: tets of a surface, embedded points."""
import numpy
import pytest

import sunder
from conftest import CUBE


def cube():
    return sunder.Geometry(CUBE[0], polygons=CUBE[1])


@pytest.mark.parametrize("method", ["auto", "lattice"])
def test_tetrahedralize(method):
    surface = cube()
    surface.points["paint"] = surface.positions[:, 0].astype("float32")
    shares = []
    result = sunder.tetrahedralize(surface, method=method, targetTets=500, progress=shares.append)
    mesh = result.mesh
    corners = mesh.rest[mesh.tets]
    volumes = numpy.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    assert (volumes > 0).all() and volumes.sum() == pytest.approx(result.quality["volume"], rel=1e-12)
    assert volumes.sum() == pytest.approx(1, rel=0.1) and not result.findings
    geometry = result.geometry()
    assert geometry.primitiveCount == mesh.tetCount and "paint" in geometry.points
    assert shares == sorted(shares) and all(0 <= s <= 1 for s in shares)
    assert method == "auto" or result.method == "lattice"


def test_mesh_outlives_its_result():
    mesh = sunder.tetrahedralize(cube(), sunder.TetrahedralizeOptions(method="lattice"), targetTets=100).mesh
    rest = mesh.rest
    with pytest.raises(ValueError):
        rest[0] = 0
    total = rest.sum()
    del mesh
    assert rest.sum() == total


def test_diagnosis():
    assert sunder.diagnose(cube()) == []
    open_cube = sunder.Geometry(CUBE[0], polygons=CUBE[1][1:])
    names = [f.name for f in sunder.diagnose(open_cube)]
    assert names == ["open_edges"]
    result = sunder.tetrahedralize(open_cube, targetTets=200)
    assert result.method == "lattice" and result.explanations
    marked = result.diagnosed(open_cube)
    assert "open_edges" in marked.points.groups + marked.primitives.groups and open_cube.points.groups == []
    with pytest.raises(sunder.Error, match="metod"):
        sunder.tetrahedralize(cube(), metod="lattice")


def test_surface_map_reproduces_linear_maps():
    mesh = sunder.tetrahedralize(cube(), method="lattice", targetTets=200).mesh
    points = numpy.random.default_rng(3).uniform(0.1, 0.9, (50, 3))
    embedded = sunder.SurfaceMap(mesh, points)
    F = numpy.array([[1.5, 0.2, 0], [0, 0.8, 0.1], [0.3, 0, 1.1]])
    assert numpy.allclose(embedded.interpolate(mesh.rest @ F.T + 2), points @ F.T + 2, atol=1e-12)
    normals = embedded.deformNormals(mesh.rest @ F.T, numpy.tile([0.0, 1, 0], (50, 1)))
    expected = numpy.linalg.inv(F).T @ [0, 1, 0]
    assert numpy.allclose(normals, expected / numpy.linalg.norm(expected), atol=1e-12)
    assert numpy.allclose(embedded.weights.sum(axis=1), 1) and embedded.outsideCount == 0
    with pytest.raises(sunder.Error):
        embedded.interpolate(mesh.rest[:-1])


def test_mesh_from_arrays():
    mesh = sunder.TetMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]])
    assert mesh.tetCount == 1 and mesh.boundary().primitiveCount == 4
    with pytest.raises(sunder.Error):
        sunder.TetMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1, 3]])
