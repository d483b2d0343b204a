"""From the words of scene files to parameters of nodes: the same words, a _ between those of a path (material.fracture.stress is fracture_stress)."""
import dataclasses
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

Value = Union[float, int, str, Sequence[float]]


def flatten(values: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    """{"youngs": 1, "fracture": {"stress": 2}} as {"youngs": 1, "fracture_stress": 2}; lists of objects are left out: they are wired, not typed in."""
    flat: Dict[str, Any] = {}
    for key, value in values.items():
        name = prefix + "_" + key if prefix else key
        if isinstance(value, Mapping):
            flat.update(flatten(value, name))
        elif not (isinstance(value, (list, tuple)) and any(isinstance(v, Mapping) for v in value)):
            flat[name] = value
    return flat


@dataclasses.dataclass
class Parm:
    """One parameter of a node."""

    name: str
    label: str
    kind: str  # float integer toggle string menu button
    size: int = 1
    default: Tuple[str, ...] = ()
    menu: Tuple[str, ...] = ()
    help: str = ""
    range: Optional[Tuple[str, str]] = None
    callback: str = ""  # in Python


@dataclasses.dataclass
class Row:
    """One row of a table of `sunder schema`."""

    key: str
    value: str
    unit: str
    default: str
    range: str
    meaning: str


def parse_reference(markdown: str) -> Dict[str, List[Row]]:
    """The tables of `sunder schema`, by title."""
    tables: Dict[str, List[Row]] = {}
    rows: List[Row] = []
    for line in markdown.splitlines():
        if line.startswith("### "):
            rows = tables.setdefault(line[4:].strip(), [])
        elif line.startswith("| `"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            rows.append(Row(cells[0].strip("`"), *cells[1:]))
    return tables


def label_of(key: str) -> str:
    """"Max Size" of "maxSize"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key).replace("_", " ").title()


_SIZES = {"number": 1, "whole number": 1, "two numbers": 2, "three numbers": 3, "number or two": 2, "number or three": 3}


def _hard_range(text: str) -> Optional[Tuple[str, str]]:
    """"from 0 to 1" and "at least 0" as bounds of a dialog script; open bounds are left to the node's own check."""
    both = re.fullmatch(r"from (\S+) to (\S+)", text)
    if both and "`" not in text:
        return both.group(1) + "!", both.group(2) + "!"
    return ("0!", "1") if text in ("at least 0", "above 0") else None


def parms_of(tables: Mapping[str, Sequence[Row]], title: str, prefix: str = "", without: Sequence[str] = (), presets: Sequence[str] = ()) -> List[Parm]:
    """The parameters that a node shows for an object of scene files."""
    parms: List[Parm] = []
    for row in tables[title]:
        name = prefix + "_" + row.key if prefix else row.key
        inner = re.fullmatch(r"\[([^\]]+)\]\(#[^)]+\)", row.value)
        if name in without:
            continue
        if inner:
            parms += parms_of(tables, inner.group(1), name, without, presets)
            continue
        parm = _parm_of(row, name, presets)
        if parm:
            parms.append(parm)
    return parms


def _parm_of(row: Row, name: str, presets: Sequence[str]) -> Optional[Parm]:
    text = row.meaning.replace("`", "") + (" (%s)" % row.unit if row.unit else "")
    label = label_of(name)
    words = tuple(re.findall(r"`([^`]+)`", row.value))
    if row.key == "preset":
        return Parm(name, label, "menu", 1, ("0",), ("custom",) + tuple(presets), text)
    if words and not row.value.startswith(("object", "list")):
        return Parm(name, label, "menu", 1, (str(words.index(row.default.strip("`"))),), words, text)
    if row.value == "true or false":
        return Parm(name, label, "toggle", 1, ("1" if row.default == "true" else "0",), (), text)
    if row.value == "text":
        return Parm(name, label, "string", 1, ("",), (), text)
    if row.value in _SIZES:
        kind, size = ("integer" if row.value == "whole number" else "float"), _SIZES[row.value]
        return Parm(name, label, kind, size, _defaults(row.default, size), (), text, _hard_range(row.range) if size == 1 else None)
    return None  # lists and sources are wired


def _defaults(text: str, size: int) -> Tuple[str, ...]:
    if text == "never":
        return ("1e+300",)
    if text.startswith("["):
        return tuple(part.strip() for part in text[1:-1].split(","))
    return (text if re.fullmatch(r"[-+0-9.e]+", text) else "0",) * size


def dialog_script(name: str, parms: Sequence[Parm], inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> str:
    """The dialog script of an asset."""
    lines = ["{", "    name    %s" % name]
    lines += ["    inputlabel    %d    %s" % (i, quoted(label)) for i, label in enumerate(inputs, start=1)]
    lines += ["    outputlabel    %d    %s" % (i, quoted(label)) for i, label in enumerate(outputs, start=1)]
    for parm in parms:
        lines += _parm_lines(parm)
    return "\n".join(lines + ["}", ""])


def quoted(text: str) -> str:
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def _parm_lines(parm: Parm) -> List[str]:
    kinds = {"float": "float", "integer": "integer", "toggle": "toggle", "string": "string", "file": "file", "menu": "ordinal", "button": "button", "oppath": "oppath"}
    kind = "vector" if parm.kind == "float" and parm.size == 3 else kinds[parm.kind]
    lines = ["    parm {", "        name    %s" % quoted(parm.name), "        label   %s" % quoted(parm.label), "        type    %s" % kind]
    if parm.size > 1:
        lines.append("        size    %d" % parm.size)
    if parm.default:
        lines.append("        default { %s }" % " ".join(quoted(value) for value in parm.default))
    if parm.help:
        lines.append("        help    %s" % quoted(parm.help))
    if parm.range:
        lines.append("        range   { %s %s }" % parm.range)
    if parm.menu:
        lines.append("        menu {")
        lines += ["            %s %s" % (quoted(token), quoted(label_of(token))) for token in parm.menu]
        lines.append("        }")
    if parm.callback:
        lines.append("        parmtag { %s %s }" % (quoted("script_callback"), quoted(parm.callback)))
        lines.append("        parmtag { %s %s }" % (quoted("script_callback_language"), quoted("python")))
    return lines + ["    }"]
