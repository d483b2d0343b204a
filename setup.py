"""Builds the Python module with CMake for `pip install .`; what it is called and needs is in pyproject.toml.

SUNDER_BUILD_DIR names a build tree that is there already, whose module is taken as it is.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    return re.search(r"project\(sunder VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        build = os.environ.get("SUNDER_BUILD_DIR") or self.build_module()
        module = pathlib.Path(build) / "python" / "sunder" / ("_core" + sysconfig.get_config_var("EXT_SUFFIX"))
        if not module.exists():
            raise SystemExit(f"{build} has no module for this Python ({sys.executable}): build the target sunder_python with -DSUNDER_PYTHON={sys.executable}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(module, target)
        helper = pathlib.Path(build) / "bin" / "sunder-tetgen"
        if helper.exists():  # the module looks for it beside itself
            shutil.copy2(helper, target.parent)

    def build_module(self):
        build = ROOT / "build" / "pip"
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DSUNDER_WITH_TESTS=OFF", "-DSUNDER_WITH_BENCH=OFF", "-DSUNDER_WITH_CLI=OFF", f"-DSUNDER_PYTHON={sys.executable}"]
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *generator, *options], check=True)
        subprocess.run(["cmake", "--build", str(build), "--parallel", "--target", "sunder_python"], check=True)
        return build


setup(version=version(), ext_modules=[Extension("sunder._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
