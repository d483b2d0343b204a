"""The preset `houdini`, configured against a folder that has the shape of a Houdini and nothing in it: what would be linked into the plugin, and whose TBB."""
import os
import re
import subprocess

import pytest

from conftest import ROOT

CONFIG = """
set(Houdini_VERSION 20.5.278)
add_library(Houdini INTERFACE)
target_compile_options(Houdini INTERFACE -DMAKING_DSO -D_GLIBCXX_USE_CXX11_ABI=1)
function(houdini_configure_target target)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/dso)
endfunction()
"""
FORBIDDEN = ("cholmod", "suitesparse", "amd.so", "blas", "lapack", "libtet", "tetgen", "gomp")


def configure(folder, hfs, *options):
    environment = {key: value for key, value in os.environ.items() if key != "HFS"}
    if hfs:
        environment["HFS"] = str(hfs)
    return subprocess.run(["cmake", "--preset", "houdini", "-S", ROOT, "-B", str(folder), *options], capture_output=True, text=True, env=environment, timeout=200, cwd=ROOT)


@pytest.fixture(scope="module")
def hfs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hfs")
    for name in ("toolkit/cmake", "toolkit/include", "dsolib"):
        (folder / name).mkdir(parents=True)
    (folder / "toolkit" / "cmake" / "HoudiniConfig.cmake").write_text(CONFIG)
    (folder / "dsolib" / "libtbb.so").write_text("")
    return folder


@pytest.fixture(scope="module")
def build(hfs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("build")
    done = configure(folder, hfs)
    assert done.returncode == 0, done.stderr
    return folder


def linked(folder):
    """What the linker is given for the plugin: its inputs, and its libraries."""
    text = (folder / "build.ninja").read_text().replace("$\n", "")
    rule = re.search(r"^build dso/sunder_houdini\.so: (.*)\n((?:  .*\n)*)", text, re.M)
    assert rule, "no rule makes the plugin"
    variables = dict(line.strip().split(" = ", 1) for line in rule.group(2).splitlines() if " = " in line)
    return rule.group(1) + " " + variables["LINK_LIBRARIES"], variables["LINK_FLAGS"], variables.get("LINK_PATH", "")


@pytest.mark.parametrize("options", [(), ("-DSUNDER_WITH_CHOLMOD=ON", "-DSUNDER_WITH_TETGEN=ON")], ids=["preset", "with both"])
def test_what_is_linked_into_the_plugin(hfs, build, options):
    if options:
        done = configure(build, hfs, *options)
        assert done.returncode == 0, done.stderr
    text, flags, path = linked(build)
    libraries = text.split()
    # by its name and the one folder that is searched before the system's, so that the DSO asks for what Houdini has loaded, wherever that is installed
    assert {word for word in libraries if "tbb" in word} == {"-ltbb", str(hfs / "dsolib" / "libtbb.so")}, "another TBB than Houdini's"
    assert path.split() == ["-L%s" % (hfs / "dsolib")]
    assert any("libsunder_factor_eigen.a" in word for word in libraries)
    for word in FORBIDDEN:
        assert word not in text.lower().replace(str(build).lower(), ""), word
    assert "--as-needed" in flags and "--exclude-libs,ALL" in flags and "plugin.map" in flags


def test_headers_of_tbb_are_houdinis(hfs, build):
    """The one source of core that includes TBB looks into Houdini's headers first."""
    text = (build / "build.ninja").read_text()
    rule = re.search(r"^build core/CMakeFiles/sunder_core\.dir/base/parallel\.cpp\.o: .*\n((?:  .*\n)*)", text, re.M).group(1)
    includes = next(line for line in rule.splitlines() if line.strip().startswith("INCLUDES ="))
    folders = re.findall(r"(?:-I|-isystem )(\S+)", includes)
    # the compiler's own folders, where Debian's are, come behind all of these
    assert [folder for folder in folders if folder.startswith(str(hfs)) or os.path.exists(os.path.join(folder, "tbb")) or folder == "/usr/include"] == [str(hfs / "toolkit" / "include")]


def test_the_plugin_joins_the_package_of_its_version(build):
    text = "".join(path.read_text() for path in build.rglob("cmake_install.cmake"))
    assert "sunder/houdini20.5/dso" in text


def test_without_hfs_it_says_what_to_do(tmp_path):
    done = configure(tmp_path, None)
    assert done.returncode != 0 and "source houdini_setup" in done.stderr


def test_an_old_houdini_is_refused(hfs, tmp_path):
    config = hfs / "toolkit" / "cmake" / "HoudiniConfig.cmake"
    config.write_text(CONFIG.replace("20.5.278", "19.5.303"))
    try:
        done = configure(tmp_path, hfs)
    finally:
        config.write_text(CONFIG)
    assert done.returncode != 0 and "too old" in done.stderr
