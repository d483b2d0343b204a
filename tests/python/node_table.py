"""All node types and parameters that otls and python may mention: SideFX's own, the plugin's, and the assets'."""
import json
import os
import sys

from conftest import ROOT

sys.path.insert(0, os.path.join(ROOT, "python"))
from sunder_houdini import assets, words


def _entries(parms):
    return {p.name: {"kind": p.kind, "size": len(p.menu) if p.kind == "menu" else p.size, "menu": list(p.menu)} for p in parms}


def _sidefx():
    with open(os.path.join(ROOT, "python", "sunder_houdini", "sidefx_nodes.json")) as f:
        nodes = json.load(f)["nodes"]
    for node in nodes:
        assert node["source"]
        parameters = {name: {"kind": kind, "size": size} for name, (kind, size) in node["parameters"].items()}
        yield (node["category"], node["type"]), {"maxInputs": node["maxInputs"], "outputs": 4 if node["type"] == "subnet" else 1, "parameters": parameters}


def plugin_nodes():
    """What the plugin registers, as its own test writes it; empty until it does."""
    path = os.path.join(ROOT, "otls", "nodes.json")
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return {node["type"]: node for node in json.load(f).get("nodes", [])}


def tables(schema):
    return words.parse_reference(schema)


def node_table(schema, presets):
    table = dict(_sidefx())
    read = tables(schema)
    for type_name, parms in assets.planned_parms(read, presets).items():
        table["Sop", type_name] = {"maxInputs": 4, "outputs": 1, "parameters": _entries(parms)}
    for type_name, node in plugin_nodes().items():
        parameters = {}
        for p in node["parameters"]:
            menu = [entry if isinstance(entry, str) else entry[0] for entry in p.get("menu", [])]
            kind = {"ordinal": "menu", "vector": "float", "log": "float", "intvector": "integer"}.get(p["type"], p["type"])
            parameters[p["name"]] = {"kind": kind, "size": len(menu) if kind == "menu" else p.get("size", 1), "menu": menu}
        if node["category"] == "Dop":  # the host adds how each is set: default, initial, always, never
            parameters.update({"parmop_" + name: {"kind": "menu", "size": 4} for name in list(parameters)})
        table[node["category"], type_name] = {"maxInputs": node["maxInputs"], "outputs": 1, "parameters": parameters}
    with open(os.path.join(ROOT, "otls", "planned_dops.json")) as f:
        for node in json.load(f)["nodes"]:
            parameters = {name: {"kind": kind, "size": size} for name, (kind, size) in node["parameters"].items()}
            if node["type"] == "sundersolvercore":
                parameters = _entries(assets.sundersolver_parms(read))
            if node["type"] == "sundermaterial":
                parameters.update(_entries(p for p in assets.sunderobject_parms(read) if p.name.startswith("contact_")))
            table.setdefault((node["category"], node["type"]), {"maxInputs": node["maxInputs"], "outputs": 1, "parameters": parameters})
    table["Sop", "sunder::solver::1.0"] = {"maxInputs": 4, "outputs": 4, "parameters": _entries(assets.solver_parms(read))}
    table["Sop", "sunder::fracture_quick::1.0"] = {"maxInputs": 1, "outputs": 1, "parameters": _entries(assets.QUICK)}
    table["Dop", "sundersolver"] = {"maxInputs": 2, "outputs": 1, "parameters": _entries(assets.sundersolver_parms(read))}
    table["Dop", "sunderobject"] = {"maxInputs": 0, "outputs": 1, "parameters": _entries(assets.sunderobject_parms(read))}
    return table
