"""Shared by the tests of the Python module. The build tree's module is on the path; SUNDER names the command."""
import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests", "io"), os.path.join(ROOT, "tests", "support")]


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def command():
    if "SUNDER" not in os.environ:
        pytest.skip("the environment variable SUNDER does not name the sunder command")
    return os.environ["SUNDER"]


def tearing_scene():
    """A bar whose ends are torn apart, over a floor that is a collider."""
    ends = [
        {"name": "left", "where": {"box": {"min": [-2, -1, -1], "max": [-1.5, 1, 1]}}},
        {"name": "right", "where": {"box": {"min": [1.5, -1, -1], "max": [2, 1, 1]}}, "motion": {"keys": [{"time": 0}, {"time": 1, "translation": [3, 0, 0]}]}},
    ]
    bar = {
        "name": "bar",
        "source": {"box": {"size": [3.2, 0.8, 0.8], "cells": [8, 2, 2]}},
        "pins": ends,
        "material": {"youngs": "1 MPa", "poisson": 0, "density": 1000, "stiffnessDamping": 1e-3, "fracture": {"stress": "100 kPa"}},
    }
    floor = {"name": "floor", "source": {"plane": {"size": [4, 4]}}, "transform": {"translate": [0, -3, 0]}}
    settings = {"integrator": "explicit", "gravity": [0, 0, 0]}
    return {"fps": 48, "startFrame": 1, "endFrame": 12, "settings": settings, "bodies": [bar], "colliders": [floor]}


CUBE = (
    [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)],
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]],
)
