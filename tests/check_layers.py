#!/usr/bin/env python3
"""Fails if a file includes a layer above its own, if core lists a folder that is not in the order, or if a source is not built."""
import pathlib
import re
import sys

ORDER = ("base math spatial material mesh surface meshing fem body contact solve fracture remesh modal sound sim io").split()
HOSTS = {  # who may see whom, outside core
    "cli": {"core", "cli"},
    "hdk": {"core", "hdk"},
    "sop": {"core", "hdk", "sop"},
    "dop": {"core", "hdk", "dop"},
    "python": {"core", "python"},
    "bench": {"core", "bench", "hdk", "tests"},
    "tests": {"core", "cli", "hdk", "sop", "dop", "tests"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
SOURCES = (".h", ".cpp", ".inl", ".C")


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def check_core(root, problems):
    for folder in sorted(p for p in (root / "core").iterdir() if p.is_dir()):
        if folder.name not in ORDER:
            problems.append(f"core/{folder.name} has no place in the order of layers")
            continue
        allowed = set(ORDER[: ORDER.index(folder.name) + 1])
        for path in sorted(p for p in folder.rglob("*") if p.suffix in SOURCES):
            for name in includes(path):
                parts = name.split("/")
                if parts[0] != "core" or len(parts) < 3:
                    problems.append(f"{path.relative_to(root)} includes \"{name}\": core includes core/LAYER/... alone")
                elif parts[1] not in allowed:
                    problems.append(f"{path.relative_to(root)} includes \"{name}\", which lies above it")


def check_hosts(root, problems):
    for name, allowed in HOSTS.items():
        for path in sorted(p for p in (root / name).rglob("*") if p.suffix in SOURCES):
            for include in includes(path):
                top = include.split("/")[0]
                if "/" in include and top not in allowed:
                    problems.append(f"{path.relative_to(root)} includes \"{include}\"; {name} may see {sorted(allowed)}")


def check_listed(root, problems):
    """Sources are listed in CMake files, not globbed: one that is in no list is dead."""
    for path in sorted(p for p in (root / "core").rglob("*.cpp")):
        lists = [p / "CMakeLists.txt" for p in path.parents if (p / "CMakeLists.txt").exists() and root in p.parents or p == root]
        if not any(path.name in p.read_text(encoding="utf-8") for p in lists if p.exists()):
            problems.append(f"{path.relative_to(root)} is in no CMakeLists.txt")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = []
    check_core(root, problems)
    check_hosts(root, problems)
    check_listed(root, problems)
    print("\n".join(problems) or "layers are in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
