"""Scenes for the tests of the command and of the Python module."""


def box_scene(**changes):
    """A soft box that falls on the ground, spinning."""
    scene = {
        "startFrame": 1,
        "endFrame": 6,
        "settings": {"substeps": 2, "ground": {"point": [0, -0.6, 0]}},
        "bodies": [
            {
                "name": "box",
                "source": {"box": {"cells": 2}},
                "material": {"youngs": "50 kPa", "law": "neohookean"},
                "velocity": [0.5, -2, 0],
                "spin": [0, 0, 200],
                "velocityNoise": 0.01,
            }
        ],
    }
    scene.update(changes)
    return scene
