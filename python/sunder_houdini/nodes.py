"""Making nodes. Everything in this package that makes one goes through `create`, so that types and parameters can be checked in one place."""
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import hou

Source = Union[hou.OpNode, Tuple[hou.OpNode, int], None]


class SetupError(Exception):
    """What is missing, and what to do about it."""


def create(parent: hou.OpNode, node_type: str, name: str, parms: Optional[Mapping[str, Any]] = None, inputs: Sequence[Source] = ()) -> hou.OpNode:
    """A node with its parameters set and its inputs wired; an input may be a pair of node and output."""
    try:
        node = parent.createNode(node_type, name)
    except hou.OperationFailed as error:
        raise SetupError("there is no node type '%s' in %s: is the Sunder package loaded (Windows > Package Browser)?" % (node_type, parent.path())) from error
    if node is None:
        raise SetupError("%s could not be made in %s" % (node_type, parent.path()))
    for index, source in enumerate(inputs):
        if isinstance(source, tuple):
            node.setInput(index, source[0], source[1])
        elif source is not None:
            node.setInput(index, source)
    set_parms(node, parms or {})
    return node


def set_parms(node: hou.OpNode, parms: Mapping[str, Any]) -> None:
    for name, value in parms.items():
        if isinstance(value, (list, tuple)):
            several = node.parmTuple(name)
            if several is None:
                raise SetupError("%s (%s) has no parameter '%s'" % (node.path(), node.type().name(), name))
            several.set(list(value))
        else:
            single = node.parm(name)
            if single is None:
                raise SetupError("%s (%s) has no parameter '%s'" % (node.path(), node.type().name(), name))
            single.set(value)


def network(given: Optional[hou.OpNode], path: str = "/obj") -> hou.OpNode:
    """A network to make nodes in: the one given, or the one at a path."""
    found = given or hou.node(path)
    if not isinstance(found, hou.OpNode):
        raise SetupError("there is no network at %s" % path)
    return found


def reference(node: hou.OpNode, name: str, expression: str) -> None:
    """A parameter that follows an expression."""
    parm = node.parm(name)
    if parm is None:
        raise SetupError("%s (%s) has no parameter '%s'" % (node.path(), node.type().name(), name))
    parm.setExpression(expression, hou.exprLanguage.Hscript)


def lay_out(parent: hou.OpNode) -> None:
    parent.layoutChildren()
