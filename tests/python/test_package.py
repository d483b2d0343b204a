"""The Houdini package as it is installed: layout, shelf, icons, help."""
import importlib.util
import json
import os
import re
import subprocess
import xml.etree.ElementTree

import pytest

import hda_lint
import node_table
from conftest import ROOT
from test_otls import NODES, PAGES


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("package")
    done = subprocess.run(["cmake", "--install", os.environ["SUNDER_BUILD_DIR"], "--component", "houdini", "--prefix", str(prefix)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return prefix


@pytest.fixture(scope="module")
def described():
    def run(*words):
        return subprocess.run([os.environ["SUNDER"], *words], capture_output=True, text=True, check=True).stdout
    return run("schema"), [p["name"] for p in json.loads(run("materials", "--json"))]


def test_layout(installed):
    for path in ("packages/sunder.json", "sunder/toolbar/sunder.shelf", "sunder/otls/fracture_quick.hda/INDEX__SECTION", "sunder/otls/fracture_quick.hda/houdini.hdalibrary",
                 "sunder/scripts/python/sunder_houdini/setups.py", "sunder/scripts/python/sunder_houdini/sidefx_nodes.json", "sunder/config/Icons/SOP_sunder-solver.svg"):
        assert (installed / path).exists(), path
    assert os.access(installed / "sunder" / "bin" / "sunder", os.X_OK)
    assert not list(installed.rglob("__pycache__"))
    used = subprocess.run([installed / "sunder" / "bin" / "sunder", "version"], capture_output=True, text=True)
    assert used.returncode == 0
    assert hda_lint.lint_library(str(installed / "sunder" / "otls" / "fracture_quick.hda"), PAGES) == []


def test_package_file(installed):
    with open(os.path.join(ROOT, "CMakeLists.txt")) as f:
        version = re.search(r"VERSION ([0-9.]+)", f.read().split("project(")[1]).group(1)
    package = json.loads((installed / "packages" / "sunder.json").read_text())
    assert package["version"] == version and package["load_package_once"] is True
    assert set(package) <= {"enable", "load_package_once", "version", "env", "hpath"}
    assert any("SUNDER" in entry for entry in package["env"]) and "$SUNDER" in package["hpath"]
    # the plugin has no TetGen in it; where the program is installed it is found beside the command
    helper = next(entry["SUNDER_TETGEN_HELPER"] for entry in package["env"] if "SUNDER_TETGEN_HELPER" in entry)
    assert helper == "$SUNDER/bin/sunder-tetgen"
    assert (installed / "sunder" / "bin" / "sunder-tetgen").exists() == os.path.exists(os.path.join(os.environ["SUNDER_BUILD_DIR"], "bin", "sunder-tetgen"))


def test_shelf(installed):
    root = xml.etree.ElementTree.parse(installed / "sunder" / "toolbar" / "sunder.shelf").getroot()
    assert root.tag == "shelfDocument"
    tools = {tool.get("name"): tool for tool in root.findall("tool")}
    assert [member.get("name") for member in root.find("toolshelf")] == list(tools)
    with open(os.path.join(ROOT, "python", "sunder_houdini", "setups.py")) as f:
        source = f.read()
    for tool in tools.values():
        script = tool.find("script")
        compile(script.text, tool.get("name"), "exec")
        module, name = re.search(r'(\w+)\.run_from_shelf\((?:"(\w+)", )?kwargs\)', script.text).groups()
        assert script.get("scriptType") == "python" and "import %s\n" % module in script.text
        assert '    "%s": Setup(' % name in source if module == "setups" else (module, name) in (("visualizers", None), ("presets", None))
        assert (installed / "sunder" / "config" / "Icons" / (tool.get("icon") + ".svg")).exists()


def test_icons(installed):
    names = {path.stem for path in (installed / "sunder" / "config" / "Icons").iterdir()}
    # the plugin's data have the icons of the assets that hold them
    wanted = {"SOP_" + page.replace("--", "-")[:-4] for context, page in PAGES if context == "sop"} | {"DOP_sunderobject", "DOP_sundersolver"}
    assert names == wanted
    for name in names:
        xml.etree.ElementTree.parse(installed / "sunder" / "config" / "Icons" / (name + ".svg"))


def test_help(installed, described):
    table = node_table.node_table(*described)
    for context, page in sorted(PAGES):
        path = installed / "sunder" / "help" / "nodes" / context / (page + ".txt")
        text = path.read_text()
        parts = re.match(r"(\w+)--(\w+)-([\d.]+)", page)
        type_name = "%s::%s::%s" % parts.groups() if parts else page
        entry = table.get((context.title(), type_name))
        names = set(entry["parameters"]) if entry else {parm.name for parm in node_table.assets.QUICK}
        assert hda_lint.lint_help(text, names, PAGES) == [], page
        icon = re.search(r"#icon: (\w+)/(\S+)", text)
        assert (installed / "sunder" / "config" / "Icons" / ("%s_%s.svg" % icon.groups())).exists(), page


def make_help():
    spec = importlib.util.spec_from_file_location("make_help", os.path.join(ROOT, "scripts", "make_help.py"))
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    return make


def test_help_pages_are_those_of_the_plugin():
    pages = make_help().pages()
    folder = os.path.join(ROOT, "package", "help", "nodes")
    for path, text in pages.items():
        assert hda_lint.read(os.path.join(folder, path)) == text, "%s is out of date: run scripts/make_help.py" % path
    there = {os.path.relpath(os.path.join(where, file), folder) for where, _, files in os.walk(folder) for file in files}
    assert there == set(pages), "pages of nodes that are not there, or nodes without pages"


def page_of(installed, category, name):
    return installed / "sunder" / "help" / "nodes" / category.lower() / (hda_lint.help_page(name) + ".txt")


def test_every_node_has_a_page_with_every_parameter_and_an_example(installed):
    """The plugin's nodes by the table that it writes itself, the assets by their folders."""
    registered = node_table.plugin_nodes()
    assert len(registered) >= 11 and len(NODES) == len(registered) + 4
    for category, name in sorted(NODES):
        text = page_of(installed, category, name).read_text()
        assert 'node_examples.build("%s")' % name in text, name
        for parameter in registered.get(name, {"parameters": []})["parameters"]:
            assert "#id: %s\n" % parameter["name"] in text, "the page of %s does not know %s" % (name, parameter["name"])


def test_first_shot_mentions_what_is_there(described):
    """Fifteen steps, a graph, and no node, parameter or set-up that does not exist."""
    with open(os.path.join(ROOT, "docs", "first-shot.md")) as f:
        text = f.read()
    assert [int(n) for n in re.findall(r"^(\d+)\. \*\*", text, re.M)] == list(range(1, 16)) and "sunder::solver ──" in text
    table = node_table.node_table(*described)
    names = {parm.name for parm in node_table.assets.QUICK}.union(*(entry["parameters"] for (_, name), entry in table.items() if name.startswith("sunder")))
    for name in ("targetTets", "maxSize", "preset", "fracture_enabled", "startframe", "substeps", "ground_enabled", "fracture_stress", "fracture_smallestPiece", "explicitcache", "initialstate", "velocity"):
        assert "`%s`" % name in text and name in names, name
