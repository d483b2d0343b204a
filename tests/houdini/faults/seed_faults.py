"""Faults seeded in the plugin's own sources, each of which a test has to catch.

    seed_faults.py check                          every fault still applies, exactly once
    seed_faults.py run --build DIR [NAME ...]     builds the plugin with each fault (or those named) and expects its test to fail
    seed_faults.py list                           the table of faults and tests

A fault is a few lines of faults.py: what to replace in one or two sources, the test that catches it, and a part of what that test then says. For `run` the sources that it touches are
compiled as the build compiles them, against a folder with the changed files before the sources' own, and linked over the objects of the build; the tests load that plugin in place of
the one of the build (SUNDER_PLUGIN). The same tests first have to pass on a plugin that is made in the same way with nothing changed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from faults import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[3]
SECONDS = 300  # for a test: one that hangs is no catch


class Trouble(Exception):
    """The fault could not be tried."""


def changed_files(fault, root=ROOT):
    """Contents of the files that a fault changes, by their paths."""
    files = {}
    for path, old, new in fault.edits:
        text = files.get(path) or (root / path).read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise Trouble(f"{path} has {text.count(old)} times what is to be replaced: {old.strip().splitlines()[0]}")
        if old == new:
            raise Trouble(f"{path}: nothing is changed")
        files[path] = text.replace(old, new)
    return files


class Build:
    """Commands of a build by Ninja."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        lines = self.ninja("-t", "commands", "tests/sunder_houdini.so").splitlines()
        self.link = next(line for line in lines if "-o tests/sunder_houdini.so " in line)
        self.link = shlex.split(self.link.removeprefix(": && ").removesuffix(" && :"))
        self.compiles = {}
        for line in lines:
            words = shlex.split(line)
            if "-c" in words and re.search(r"CMakeFiles/sunder_(hdk|plugin)\.dir/", line):
                self.compiles[words[words.index("-o") + 1]] = words

    def ninja(self, *arguments):
        return subprocess.run(["ninja", "-C", str(self.folder), "--quiet", *arguments], capture_output=True, text=True, check=True).stdout

    def sources(self, output):
        """The source of an object, and the sources that it takes together if it does."""
        words = self.compiles[output]
        source = pathlib.Path(words[words.index("-c") + 1])
        together = re.findall(r'#include "([^"]+\.cpp)"', source.read_text(encoding="utf-8")) if "Unity" in source.parts else []
        return source, [pathlib.Path(path) for path in together] or [source]

    def touched(self, files):
        """Objects that have to be made anew: of a header all."""
        if any(path.endswith(".h") for path in files):
            return list(self.compiles)
        changed = {ROOT / path for path in files}
        found = [output for output in self.compiles if changed & set(self.sources(output)[1])]
        if not found:
            raise Trouble(f"no object is made of {', '.join(files)}")
        return found

    def compile(self, output, files, folder):
        source, members = self.sources(output)
        code = source.read_text(encoding="utf-8")
        for member in members:
            path = str(member.relative_to(ROOT)) if member.is_relative_to(ROOT) else ""
            if path not in files:
                continue
            if member == source:
                code = files[path]
            else:
                code = code.replace(f'"{member}"', f'"{folder / path}"')
        unit = folder / "unit" / (output.replace("/", "_") + ".cpp")
        unit.parent.mkdir(exist_ok=True)
        unit.write_text(code, encoding="utf-8")
        made = unit.with_suffix(".o")
        words = list(self.compiles[output])
        words[words.index("-c") + 1] = str(unit)
        words[words.index("-o") + 1] = str(made)
        for flag in ("-MT", "-MF"):
            if flag in words:
                words[words.index(flag) + 1] = str(made) + ".d"
        first = next(i for i, word in enumerate(words) if word.startswith("-I"))
        words[first:first] = [f"-I{folder}"]
        run(words + ["-Wno-error"], self.folder)
        return made

    def plugin(self, files, folder):
        """Path of a plugin with these files in place of the sources' own; all that is made anew goes before what it stands for."""
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        words = list(self.link)
        made = folder / "sunder_houdini.so"
        words[words.index("-o") + 1] = str(made)
        for output in self.touched(files):
            unit = str(self.compile(output, files, folder))
            if output in words:
                words[words.index(output)] = unit
            else:  # in the library of the glue
                words.insert(words.index("tests/libsunder_hdk.a"), unit)
        run(words, self.folder)
        return made


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Trouble((done.stderr or done.stdout).strip()[-3000:])


def try_test(build, test, plugin, folder):
    """Return code and output of a test on a plugin: one of Google Test's by its name, or one of the scenes'."""
    environment = dict(os.environ, SUNDER_PLUGIN=str(plugin), TMPDIR=str(folder))
    if test.startswith("houdini_scenes."):
        command = [sys.executable, str(ROOT / "tests/houdini/test_scenes.py"), test.split(".", 1)[1]]
        environment.update(SUNDER=str(build.folder / "bin/sunder"), SUNDER_DOP_RUNNER=str(build.folder / "tests/dop_runner"), SUNDER_DOCS=str(ROOT / "docs"))
    else:
        command = [str(build.folder / "tests/test_houdini"), f"--gtest_filter={test}", "--gtest_color=no"]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Trouble(f"{test} did not end") from None
    return done.returncode, done.stdout + done.stderr


def how_it_failed(output):
    """A line for the table: what the stand-in said, or where an expectation failed first."""
    said = re.search(r"^stand-in: .*$", output, re.M)
    if said:
        return said.group(0)[:150]
    failed = re.search(r"(\w+\.(?:cpp|py))[:\"].{0,8}?(\d+).*?(?:Failure|in \w+)", output)
    return f"an expectation, {failed.group(1)}:{failed.group(2)}" if failed else output.strip().splitlines()[-1][:150]


def require_pass(build, tests, folder):
    """The same tests on a plugin made in the same way, of the sources as they are."""
    files = {path: (ROOT / path).read_text(encoding="utf-8") for path in ("hdk/verb.h",)}  # a header: all is made anew
    plugin = build.plugin(files, folder)
    for test in sorted(tests):
        code, output = try_test(build, test, plugin, folder)
        if code != 0:
            raise Trouble(f"{test} fails without any fault: {how_it_failed(output)}")
        if "[  PASSED  ] 0 tests" in output or "Ran 0 tests" in output:
            raise Trouble(f"there is no test {test}")


def try_fault(build, fault):
    """What the fault's test said, or Trouble if that is not what was expected."""
    with tempfile.TemporaryDirectory(prefix="sunder_fault_") as name:
        folder = pathlib.Path(name)
        plugin = build.plugin(changed_files(fault), folder)
        code, output = try_test(build, fault.test, plugin, folder)
    if code == 0:
        raise Trouble(f"{fault.test} passes: nobody has noticed")
    if fault.shows not in output:
        raise Trouble(f"{fault.test} fails, but does not say '{fault.shows}': {how_it_failed(output)}")
    return how_it_failed(output)


def chosen(names):
    unknown = set(names) - {fault.name for fault in FAULTS}
    if unknown:
        raise Trouble(f"there is no fault {', '.join(sorted(unknown))}")
    return [fault for fault in FAULTS if not names or fault.name in names]


def check():
    troubles = []
    names = [fault.name for fault in FAULTS]
    troubles += [f"{name}: is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/houdini").glob("test_*.cpp"))
    for fault in FAULTS:
        try:
            changed_files(fault)
        except (Trouble, OSError) as e:
            troubles.append(f"{fault.name}: {e}. Bring faults.py up to date with the source")
        suite, _, test = fault.test.partition(".")
        if suite != "houdini_scenes" and f"TEST({suite}, {test})" not in sources:
            troubles.append(f"{fault.name}: there is no test {fault.test}")
    print("\n".join(troubles) or f"{len(FAULTS)} faults apply")
    return 1 if troubles else 0


def run_all(build, names, jobs):
    faults = chosen(names)
    with tempfile.TemporaryDirectory(prefix="sunder_fault_") as folder:
        require_pass(build, {fault.test for fault in faults}, pathlib.Path(folder))
    escaped = 0

    def attempt(fault):
        try:
            return fault, True, try_fault(build, fault)
        except Trouble as e:
            return fault, False, str(e)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for fault, caught, text in pool.map(attempt, faults):
            print(f"{'caught ' if caught else 'ESCAPED'} | {fault.name} | {fault.test} | {text}", flush=True)
            escaped += 0 if caught else 1
    print(f"{len(faults) - escaped} of {len(faults)} faults caught")
    return 1 if escaped else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("check", "run", "list"))
    parser.add_argument("names", nargs="*", help="of faults; all unless told")
    parser.add_argument("--build", help="folder of a build by Ninja that has the plugin and its tests")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time")
    given = parser.parse_intermixed_args()
    try:
        if given.what == "check":
            return check()
        if given.what == "list":
            print("\n".join(f"{fault.name} | {', '.join(dict.fromkeys(e[0] for e in fault.edits))} | {fault.what} | {fault.test}" for fault in FAULTS))
            return 0
        if not given.build:
            parser.error("run needs --build")
        return run_all(Build(given.build), given.names, given.jobs)
    except Trouble as e:
        print(f"seed_faults.py: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
