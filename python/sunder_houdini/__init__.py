"""Sunder in Houdini: set-ups, presets of materials, builders of the examples, wedges and farm jobs. Pure Python; what makes nodes goes through `hou`.

Nothing here has been run in Houdini yet: node types and parameters are checked against tables, and every call of hou against its stubs.
"""
