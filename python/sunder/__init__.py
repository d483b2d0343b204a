"""Sunder: solids that bend, dent, ring and break. The words are those of scene files and of the C++ structs; see docs/python.md.

Not to be imported inside Houdini, whose libraries it would meet: there, use the nodes, or run the `sunder` command.
"""
import sys as _sys

if "hou" in _sys.modules:
    raise ImportError("sunder must not be imported inside Houdini, whose own TBB it would meet; use the Sunder nodes, or run the sunder command")

from ._core import *  # noqa: F401,F403
from ._core import __version__  # noqa: F401
from .simulation import Simulation  # noqa: F401
