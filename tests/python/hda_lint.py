"""Checks expanded assets as text: names and lists of sections, dialog scripts, help, and that what is mentioned exists. Returns problems as a list."""
import json
import os
import re
import xml.etree.ElementTree

ESCAPES = [("_", "__"), ("/", "_1"), (":", "_8")]
TYPES = {"integer", "float", "toggle", "string", "ordinal", "vector", "intvector2", "file", "oppath", "button", "separator", "label", "color", "log"}
KEYS = {"name", "label", "type", "size", "default", "help", "range", "menu", "parmtag", "disablewhen", "hidewhen", "cppname", "invisible", "joinnext"}
OPTIONS = {"CheckExternal", "ContentsCompressionType", "ForbidOutsideParms", "GzipContents", "LockContents", "MakeDefault", "ParmsFromVfl", "PrefixDroppedParmLabel",
           "PrefixDroppedParmName", "SaveCachedCode", "SaveIcon", "SaveSpareParms", "UnlockOnCreate", "UseDSParms"}
INDEX = {"Operator", "Label", "Path", "Icon", "Table", "License", "Extra", "User", "Inputs", "Outputs", "Subnet", "Python", "Empty", "Modified"}


def escape(name):
    """As a section's name is written on disk."""
    return "".join(dict(ESCAPES).get(c, c) for c in name)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


# ---- dialog scripts

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}"]+)|(\s+)|(.)', re.S)


def tokens(text):
    """(kind, text): word, text, open, close, or bad."""
    found = []
    for match in TOKEN.finditer(text):
        quoted, brace, word, space, bad = match.groups()
        if bad is not None:
            found.append(("bad", bad))
        elif brace:
            found.append(("open" if brace == "{" else "close", brace))
        elif space is None:
            found.append(("text", quoted) if quoted is not None else ("word", word))
    return found


def block(stream, place):
    """Items up to the closing brace: words, texts and blocks as lists. Raises ValueError at the end of the text."""
    items = []
    while place < len(stream):
        kind, text = stream[place]
        if kind == "close":
            return items, place + 1
        if kind == "open":
            inner, place = block(stream, place + 1)
            items.append(inner)
        elif kind == "bad":
            raise ValueError("a quote is not closed")
        else:
            items.append(text)
            place += 1
    raise ValueError("a brace is not closed")


def parse_dialog(text):
    """(name of the node, [{key: values}]) of a dialog script; ValueError says what is wrong with its grammar."""
    stream = tokens(text)
    if not stream or stream[0][0] != "open":
        raise ValueError("it does not begin with a brace")
    items, end = block(stream, 1)
    if end != len(stream):
        raise ValueError("something follows the last brace")
    name, parms, place = None, [], 0
    while place < len(items):
        word = items[place]
        if word == "name":
            name, place = items[place + 1], place + 2
        elif word in ("inputlabel", "outputlabel"):
            place += 3
        elif word == "parm":
            parms.append(parse_parm(items[place + 1]))
            place += 2
        elif isinstance(word, str) and word.startswith(("group", "multiparm")):
            parms += [parse_parm(items[place + 1][i + 1]) for i, inner in enumerate(items[place + 1]) if inner == "parm"]
            place += 2
        else:
            raise ValueError("there is no '%s' in a dialog script" % (word,))
    return name, parms


def parse_parm(items):
    parm, place = {}, 0
    while place < len(items):
        key = items[place]
        if key not in KEYS:
            raise ValueError("a parameter has no '%s'" % (key,))
        if place + 1 >= len(items):
            raise ValueError("'%s' has no value" % key)
        if key != "parmtag":
            parm[key] = items[place + 1]
        else:
            parm.setdefault("parmtag", {})[items[place + 1][0]] = items[place + 1][1]
        place += 2
    return parm


def lint_parm(parm, names):
    problems = []
    name = parm.get("name", "")
    where = "parameter '%s': " % name
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*#?", name):
        problems.append(where + "the name is not one")
    if name in names:
        problems.append(where + "it is there twice")
    if parm.get("type") not in TYPES:
        problems.append(where + "there is no type '%s'" % parm.get("type"))
    if not parm.get("label") or not parm.get("help"):
        problems.append(where + "it has no label or no help")
    size = int(parm.get("size", 3 if parm.get("type") == "vector" else 1))
    if parm.get("type") not in ("button", "separator", "label") and len(parm.get("default", [])) != size:
        problems.append(where + "it has %d defaults for %d values" % (len(parm.get("default", [])), size))
    problems += [where + text for text in lint_values(parm)]
    return problems


def lint_values(parm):
    kind, default = parm.get("type"), parm.get("default", [])
    if kind in ("float", "vector", "integer", "toggle", "ordinal"):
        for value in default:
            if not re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", value) or (kind in ("integer", "toggle", "ordinal") and not re.fullmatch(r"-?\d+", value)):
                yield "'%s' is no default of type %s" % (value, kind)
    menu = parm.get("menu", [])
    if kind == "ordinal" and (not menu or len(menu) % 2 or len(set(menu[::2])) * 2 != len(menu)):
        yield "its menu is not of pairs of token and label"
    elif kind == "ordinal" and default and default[0].isdigit() and int(default[0]) >= len(menu) // 2:
        yield "its default is not in its menu"
    if "range" in parm:
        bounds = [bound.rstrip("!") for bound in parm["range"]]
        try:
            wrong = len(bounds) != 2 or float(bounds[0]) >= float(bounds[1])
        except ValueError:
            wrong = True
        if wrong:
            yield "its range is not two numbers in order"
    if parm.get("parmtag", {}).get("script_callback") and parm["parmtag"].get("script_callback_language") != "python":
        yield "its callback does not say that it is Python"


def lint_dialog(text, type_name):
    try:
        name, parms = parse_dialog(text)
    except (ValueError, IndexError, TypeError) as error:
        return ["dialog script: %s" % error]
    problems = [] if name == type_name else ["the dialog script is of '%s', not of '%s'" % (name, type_name)]
    names = set()
    for parm in parms:
        problems += lint_parm(parm, names)
        names.add(parm.get("name"))
    for parm in parms:
        for key in ("disablewhen", "hidewhen"):
            for mentioned in re.findall(r"([A-Za-z_]\w*)\s*[=!<>]", parm.get(key, "")):
                if mentioned not in names:
                    problems.append("parameter '%s': %s mentions '%s', which is not there" % (parm.get("name"), key, mentioned))
    return problems


# ---- help

def lint_help(text, names, types):
    """`names` are the asset's parameters, `types` all types that links may go to (as help files are named)."""
    problems = []
    lines = text.splitlines()
    if not lines or not re.fullmatch(r"= .+ =", lines[0]):
        problems.append("help: the first line is not a title")
    for tag in ("#type: node", "#context: ", "#internal: ", "#icon: "):
        if tag not in text:
            problems.append("help: there is no %s" % tag)
    if text.count('"""') != 2:
        problems.append("help: there is no summary in three quotes")
    for section in re.findall(r"^@(\w+)", text, re.M):
        if section not in ("overview", "parameters", "inputs", "outputs", "attributes", "locals", "examples", "related"):
            problems.append("help: there is no section @%s" % section)
    for name in re.findall(r"#id: (\w+)", text):
        if name not in names:
            problems.append("help: there is no parameter '%s'" % name)
    for context, page in re.findall(r"\[Node:(\w+)/([^\]]+)\]", text):
        if (context, page) not in types:
            problems.append("help: it links to %s/%s, which is not there" % (context, page))
    return problems


def help_page(type_name):
    """ns::name::1.0 as help files are called: ns--name-1.0."""
    parts = type_name.split("::")
    return "%s--%s-%s" % tuple(parts) if len(parts) == 3 else type_name


# ---- expanded libraries

def lint_sections(folder):
    problems = []
    path = os.path.join(folder, "Sections.list")
    if not os.path.exists(path):
        return ["%s has no Sections.list" % folder], {}
    lines = read(path).splitlines()
    if not lines or lines[0] != '""':
        problems.append("Sections.list does not begin with \"\"")
    listed = {}
    for line in lines[1:]:
        disk, tab, real = line.partition("\t")
        if not tab:
            problems.append("Sections.list: '%s' has no tab" % line)
        elif disk not in (escape(real), real):
            problems.append("Sections.list: '%s' is not '%s' as it is to be written" % (disk, real))
        elif "_" in real and disk == real and real != "houdini.hdalibrary":
            problems.append("Sections.list: '%s' is not escaped" % disk)
        listed[disk] = real
    there = set(os.listdir(folder)) - {"Sections.list"}
    problems += ["'%s' is listed and not there" % name for name in sorted(set(listed) - there)]
    problems += ["'%s' is there and not listed" % name for name in sorted(there - set(listed))]
    return problems, listed


def lint_index(text, definitions):
    problems, blocks = [], [b for b in text.split("\n\n") if b.strip()]
    operators = []
    for b in blocks:
        fields = {}
        for line in b.splitlines():
            key, colon, value = line.partition(":")
            if not colon or key not in INDEX:
                problems.append("index: there is no '%s'" % line)
            fields[key] = value.strip()
        type_name, table = fields.get("Operator", ""), fields.get("Table", "")
        parts = type_name.split("::")
        full = "%s::%s/%s::%s" % (parts[0], table, parts[1], parts[2]) if len(parts) == 3 else "%s/%s" % (table, type_name)
        operators.append(full)
        if fields.get("Path") != "oplib:/%s?%s" % (full, full):
            problems.append("index: the path of %s is not oplib:/%s?%s" % (type_name, full, full))
        if not re.fullmatch(r"\d+ to \d+", fields.get("Inputs", "")):
            problems.append("index: the inputs of %s are not written as '1 to 2'" % type_name)
    if not text.endswith("\n\n"):
        problems.append("index: a blank line has to follow each block")
    if sorted(operators) != sorted(definitions):
        problems.append("index: it has %s, the folders are of %s" % (operators, sorted(definitions)))
    return problems


def lint_library(folder, types=frozenset()):
    problems, listed = lint_sections(folder)
    library = os.path.join(folder, "houdini.hdalibrary")
    if not os.path.exists(library) or os.path.getsize(library) != 0:
        problems.append("houdini.hdalibrary is not an empty file")
    definitions = {disk: real for disk, real in listed.items() if "/" in real}
    index = os.path.join(folder, "INDEX__SECTION")
    problems += lint_index(read(index), definitions.values()) if os.path.exists(index) else ["there is no INDEX__SECTION"]
    for disk, real in definitions.items():
        if os.path.isdir(os.path.join(folder, disk)):
            problems += ["%s: %s" % (real, p) for p in lint_definition(os.path.join(folder, disk), real, types)]
    return problems


def lint_definition(folder, real, types):
    problems, listed = lint_sections(folder)
    space, name = (real.split("/")[0].split("::") + [""])[:2], real.split("/")[1]
    type_name = "%s::%s" % (space[0], name) if "::" in real.split("/")[0] else name
    for section in ("DialogScript", "CreateScript", "TypePropertiesOptions", "Help"):
        if section not in listed:
            problems.append("there is no %s" % section)
    names = set()
    if os.path.exists(os.path.join(folder, "DialogScript")):
        text = read(os.path.join(folder, "DialogScript"))
        problems += lint_dialog(text, type_name)
        names = set(re.findall(r'^        name    "(\w+)"', text, re.M))
    if os.path.exists(os.path.join(folder, "Help")):
        problems += lint_help(read(os.path.join(folder, "Help")), names, types)
    problems += lint_rest(folder, listed)
    return problems


def lint_rest(folder, listed):
    problems = []
    if "PythonCook" in listed or "PythonModule" in listed:
        for name in ("PythonCook", "PythonModule"):
            try:
                compile(read(os.path.join(folder, name)), name, "exec")
            except (SyntaxError, OSError) as error:
                problems.append("%s: %s" % (name, error))
    for name in ("ExtraFileOptions", "InternalFileOptions"):
        if name in listed and os.path.exists(os.path.join(folder, name)):
            try:
                options = json.loads(read(os.path.join(folder, name)))
                problems += ["%s: '%s' is not of type and value" % (name, key) for key, value in options.items() if set(value) != {"type", "value"}]
            except ValueError as error:
                problems.append("%s: %s" % (name, error))
    if os.path.exists(os.path.join(folder, "TypePropertiesOptions")):
        for line in read(os.path.join(folder, "TypePropertiesOptions")).splitlines():
            match = re.fullmatch(r"(\w+) := [0-9]+;", line)
            if not match or match.group(1) not in OPTIONS:
                problems.append("TypePropertiesOptions: '%s'" % line)
    if os.path.exists(os.path.join(folder, "Tools.shelf")):
        try:
            xml.etree.ElementTree.fromstring(read(os.path.join(folder, "Tools.shelf")))
        except xml.etree.ElementTree.ParseError as error:
            problems.append("Tools.shelf: %s" % error)
    return problems
