"""A strict stand-in for the part of `hou` that sunder_houdini calls, for tests: it knows node types and parameters by their tables alone.

An unknown type, parameter, menu entry or input raises, and so does a value of the wrong kind or length.
"""
import contextlib
import os
import re
import types


class OperationFailed(Exception):
    pass


class CannotCook(Exception):
    """Something that only Houdini can do: the stand-in builds networks and cooks none."""


def only_in_houdini(*names):
    """Class decorator: methods that are there and cannot be answered. Every other name that is missing stays missing."""
    def add(cls):
        for name in names:
            def refuse(self, *arguments, _name=name, **named):
                raise CannotCook("%s of %s" % (_name, type(self).__name__))
            assert not hasattr(cls, name), name
            setattr(cls, name, refuse)
        return cls
    return add


class Category:
    def __init__(self, name):
        self.name = name


CATEGORIES = {name: Category(name) for name in ("Object", "Sop", "Dop", "Top", "Driver", "Manager")}
INSIDE = {"geo": "Sop", "dopnet": "Dop", "topnet": "Top", "obj": "Object"}


class StringParmTemplate:
    pass


@only_in_houdini("parmTemplates")
class Type:
    def __init__(self, name, category, entry):
        self._name, self._category, self.entry = name, category, entry

    def name(self):
        return self._name

    def category(self):
        return CATEGORIES[self._category]

    def definition(self):
        return self.entry.get("definition")

    def maxNumOutputs(self):
        return self.entry.get("outputs", 1)


@only_in_houdini("eval", "isDisabled", "menuLabels", "revertToDefaults", "setKeyframe")
class Parm:
    def __init__(self, node, name, entry):
        self.node, self._name, self.entry, self.value, self.expression = node, name, entry, None, None

    def name(self):
        return self._name

    def parmTemplate(self):
        return StringParmTemplate() if self.entry["kind"] in ("string", "file", "oppath") else None

    def set(self, value):
        kind, size = self.entry["kind"], self.entry["size"]
        where = "%s of %s" % (self._name, self.node.type().name())
        if kind in ("float", "integer", "toggle") and (not isinstance(value, (int, float)) or (size > 1)):
            raise TypeError("%s is %s of size %d, not %r" % (where, kind, size, value))
        if kind in ("integer", "toggle", "multiparm") and int(value) != value:
            raise TypeError("%s takes whole numbers, not %r" % (where, value))
        if kind in ("string", "file", "oppath") and not isinstance(value, str):
            raise TypeError("%s takes a text, not %r" % (where, value))
        if kind == "button":
            raise TypeError("%s is a button" % where)
        if kind == "menu":
            menu = self.entry.get("menu")
            if isinstance(value, str) and (not menu or value not in menu):
                raise TypeError("%s has no entry %r" % (where, value))
            if not isinstance(value, str) and not 0 <= value < size:
                raise TypeError("%s has %d entries, not %r" % (where, size, value))
        self.value = value

    def setExpression(self, expression, language=None):
        self.expression = expression


class ParmTuple(Parm):
    def set(self, values):
        kind, size = self.entry["kind"], self.entry["size"]
        if kind not in ("float", "integer") or len(values) != size or not all(isinstance(v, (int, float)) for v in values):
            raise TypeError("%s of %s takes %d numbers, not %r" % (self._name, self.node.type().name(), size, values))
        self.value = tuple(values)

    def __iter__(self):
        """Its components, which the dialog scripts of assets name by x, y and z."""
        ends = ("",) if self.entry["size"] == 1 or self.entry["kind"] == "menu" else "xyzw"[: self.entry["size"]]
        return iter([self.node.values.setdefault(self._name + end, Parm(self.node, self._name + end, self.entry)) for end in ends])


@only_in_houdini("cook", "errors", "matchesCurrentDefinition", "needsToCook", "parms", "simulation")
class OpNode:
    def __init__(self, world, parent, node_type, name):
        self.world, self._parent, self._type, self._name = world, parent, node_type, name
        self.nodes, self.inputs, self.values, self.comment, self.laid_out = [], {}, {}, "", False

    def createNode(self, type_name, name=None):
        inside = INSIDE.get(self._type.name(), self._type.category().name)
        entry = self.world.table.get((inside, type_name))
        if entry is None:
            raise OperationFailed("no type %s in %s" % (type_name, inside))
        taken = {n.name() for n in self.nodes}
        unique = name
        count = 1
        while unique in taken:
            unique, count = "%s%d" % (name, count), count + 1
        cls = SopNode if inside == "Sop" else OpNode
        node = cls(self.world, self, Type(type_name, inside, entry), unique)
        self.nodes.append(node)
        self.world.made.append(node)
        return node

    def setInput(self, index, node, output=0):
        if not 0 <= index < self._type.entry["maxInputs"]:
            raise OperationFailed("%s has no input %d" % (self._type.name(), index))
        if isinstance(node, IndirectInput):
            assert node.owner is self._parent
            self.inputs[index] = (node, 0)
            return
        if node.parent() is not self._parent:
            raise OperationFailed("nodes of other networks cannot be wired")
        if not 0 <= output < node.type().entry.get("outputs", 1):
            raise OperationFailed("%s has no output %d" % (node.type().name(), output))
        self.inputs[index] = (node, output)

    def _entry(self, name):
        parameters = self._type.entry["parameters"]
        return parameters.get(name) or parameters.get(re.sub(r"\d+", "#", name))

    def parm(self, name):
        entry = self._entry(name)
        return None if entry is None else self.values.setdefault(name, Parm(self, name, entry))

    def parmTuple(self, name):
        entry = self._entry(name)
        return None if entry is None else self.values.setdefault(name, ParmTuple(self, name, entry))

    def value(self, name):
        return self.values[name].value if name in self.values else None

    def parent(self):
        return self._parent

    def type(self):
        return self._type

    def name(self):
        return self._name

    def path(self):
        return (self._parent.path() if self._parent else "") + "/" + self._name

    def children(self):
        return tuple(self.nodes)

    def indirectInputs(self):
        return tuple(IndirectInput(self) for _ in range(self._type.entry["maxInputs"]))

    def createDigitalAsset(self, name, hda_file_name, description, min_num_inputs, max_num_inputs, ignore_external_references=False):
        assert self._type.name() == "subnet" and os.path.isdir(os.path.dirname(hda_file_name))
        category = self._type.category().name
        entry = dict(self.world.table[category, name])  # the table has what the dialog script of this asset says
        assert max_num_inputs == entry["maxInputs"], name
        entry["definition"] = Definition(name, entry)
        self._type = Type(name, category, entry)
        return self

    def allowEditingOfContents(self):
        self.unlocked = True

    def matchCurrentDefinition(self):
        self.unlocked = False

    def destroy(self):
        self._parent.nodes.remove(self)

    def setComment(self, text):
        self.comment = text

    def layoutChildren(self):
        self.laid_out = True


class IndirectInput:
    def __init__(self, owner):
        self.owner = owner


class Definition:
    def __init__(self, name, entry):
        self.name, self.entry, self.sections, self.outputs, self.group, self.saved, self.icon = name, entry, {}, 1, None, False, ""

    def setParmTemplateGroup(self, group):
        self.group = group

    def setMaxNumOutputs(self, count):
        self.outputs = count

    def addSection(self, name, text):
        self.sections[name] = text

    def setIcon(self, icon):
        self.icon = icon

    def updateFromNode(self, node):
        assert node.unlocked
        self.saved = True


class ParmTemplateGroup:
    def setToDialogScript(self, text):
        self.text = text


@only_in_houdini("geometry", "geometryAtFrame", "setHardLocked")
class SopNode(OpNode):
    display = render = False

    def setDisplayFlag(self, on):
        self.display = on

    def setRenderFlag(self, on):
        self.render = on


@only_in_houdini("findFile", "hscript", "setFrame")
class Hou(types.ModuleType):
    """The module. `table` maps (category, type) to {maxInputs, outputs, parameters: {name: {kind, size, menu}}}."""

    OpNode, SopNode, OperationFailed, StringParmTemplate, ParmTemplateGroup = OpNode, SopNode, OperationFailed, StringParmTemplate, ParmTemplateGroup

    def __init__(self, table):
        super().__init__("hou")
        self.table, self.made, self.selection, self.messages = table, [], (), []
        self.obj = OpNode(self, None, Type("obj", "Manager", {"maxInputs": 0, "parameters": {}}), "obj")
        self.exprLanguage = types.SimpleNamespace(Hscript="hscript")
        self.choice = ()  # of the next list that is shown
        self.ui = types.SimpleNamespace(displayMessage=lambda text, title=None: self.messages.append(text), selectFromList=self.select)
        self.expanded = []
        self.hda = types.SimpleNamespace(expandToDirectory=self.expand, installFile=lambda path: None)
        self.undos = types.SimpleNamespace(group=lambda label: contextlib.nullcontext())

    def select(self, choices, default_choices=(), exclusive=False, message=None, title=None):
        assert all(isinstance(choice, str) for choice in choices) and len(set(choices)) == len(choices)
        assert all(0 <= i < len(choices) for i in self.choice) and not (exclusive and len(self.choice) > 1)
        return tuple(self.choice)

    def expand(self, file, folder):
        self.expanded.append(folder)
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, "INDEX__SECTION"), "w").close()

    def nodeType(self, category, name):
        entry = self.table.get((category.name, name))
        return Type(name, category.name, entry) if entry else None

    def dopNodeTypeCategory(self):
        return CATEGORIES["Dop"]

    def fps(self):
        return 24.0

    def applicationVersionString(self):
        return "stand-in"

    def node(self, path):
        found = self.obj if path == "/obj" else None
        for node in self.made:
            found = node if node.path() == path else found
        return found

    def parm(self, path):
        node = self.node(path.rsplit("/", 1)[0])
        return node.parm(path.rsplit("/", 1)[1]) if node else None

    def selectedNodes(self):
        return self.selection

    def sopNodeTypeCategory(self):
        return CATEGORIES["Sop"]
