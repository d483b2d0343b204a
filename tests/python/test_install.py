"""`pip install .` into a virtual environment, with the module of the build tree: what is tested is what gets installed."""
import glob
import os
import shutil
import subprocess
import sys

import pytest


def run(*args, **kwargs):
    return subprocess.run(args, capture_output=True, text=True, timeout=200, **kwargs)


USE = """
import pathlib, sunder, numpy
corners = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
result = sunder.tetrahedralize(sunder.Geometry(corners, polygons=faces))
world = sunder.buildWorld(sunder.Scene.fromDict({"bodies": [{"source": {"box": {"cells": 2}}}]}))
sunder.step(world, 0.1, sunder.StepSettings())
print(sunder.__file__, sunder.__version__, result.method, world.time)
"""


def test_pip_install(tmp_path, root):
    if run(sys.executable, "-c", "import setuptools, wheel, venv, ensurepip").returncode != 0:
        pytest.skip("needs python3-setuptools, python3-wheel and python3-venv")
    # pip writes into the folder that it builds from, so it gets a copy of what it needs
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt"):
        shutil.copy(os.path.join(root, name), source)
    shutil.copytree(os.path.join(root, "python", "sunder"), source / "python" / "sunder", ignore=shutil.ignore_patterns("__pycache__"))
    venv = tmp_path / "venv"
    wheels = glob.glob("/usr/share/python-wheels/pip-*.whl")  # Debian's pip runs from where it lies, which spares installing it
    made = run(sys.executable, "-m", "venv", "--system-site-packages", *(["--without-pip"] if wheels else []), str(venv))
    assert made.returncode == 0, made.stderr
    python = str(venv / "bin" / "python")
    pip_command = [python, wheels[0] + "/pip"] if wheels else [python, "-m", "pip"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    pip = run(*pip_command, "install", "--no-index", "--no-build-isolation", "--no-deps", str(source), env=environment, cwd=tmp_path)
    assert pip.returncode == 0, pip.stdout + pip.stderr
    used = run(python, "-c", USE, env=environment, cwd=tmp_path)
    assert used.returncode == 0, used.stderr
    path, version, method, time = used.stdout.split()
    assert path.startswith(str(venv)) and method in ("tetgen", "lattice") and float(time) == 0.1
    helper = os.path.join(os.path.dirname(path), "sunder-tetgen")
    assert os.access(helper, os.X_OK) == (method == "tetgen")
    with open(os.path.join(root, "CMakeLists.txt")) as f:
        assert "VERSION %s " % version in f.read()
