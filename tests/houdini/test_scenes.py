"""Scenes stepped by the DOP nodes on the stand-in against `sunder simulate`: test_scenes.py Quick | Whole.

Both start from the same geometry files, and every frame has to be the same to the bit, with all attributes and groups. Quick has coarse copies
of the examples and is one of the tests that always run; Whole has the examples themselves: scripts/test.sh --slow"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

SUNDER, RUNNER = os.environ["SUNDER"], os.environ["SUNDER_DOP_RUNNER"]
EXAMPLES = os.path.join(os.environ["SUNDER_DOCS"], "..", "examples")
MEMORY_DISK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
LAST, SAVED = 24, 12


def example(path):
    with open(os.path.join(EXAMPLES, path)) as f:
        return json.load(f)


def coarse(path, cells):
    """The scene with as many cells in each body as the list says; bodies beyond it are left out."""
    scene = example(path)
    del scene["bodies"][len(cells):]
    for body, count in zip(scene["bodies"], cells):
        (shape,) = body["source"].values()
        shape.update(count if isinstance(count, dict) else {"cells": count})
    return scene


class Scenes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sunder_dops_", dir=MEMORY_DISK)
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def run_command(self, *command):
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout[-2000:] + result.stderr)
        return result.stdout

    def frames(self, last, *options):
        """What the runner says of every frame."""
        return [json.loads(line) for line in self.run_command(RUNNER, "play", self.path("baked"), str(last), "--frames", self.path("cli"), *options).splitlines()]

    def play(self, last, *options):
        """Frames that the runner has compared, each of which is the command line's."""
        frames = self.frames(last, *options)
        self.assertTrue(all(frame["different"] == 0 for frame in frames))
        return frames

    def check(self, scene, breaks, merged=False):
        """All frames against the command line, and once more after scrubbing back to frame 12; then from what was saved there, in processes of their own, on other numbers of threads."""
        with open(self.path("scene.json"), "w") as f:
            json.dump(scene, f)
        os.makedirs(self.path("baked"))
        self.run_command(RUNNER, "bake", self.path("scene.json"), self.path("baked"), *(["--merge"] if merged else []))
        self.run_command(SUNDER, "simulate", self.path("baked", "scene.json"), "--out", self.path("cli"), "--frames", "1-%d" % LAST)
        frames = self.play(LAST, "--threads", "2", "--scrub", str(SAVED), "--save", str(SAVED), self.path("saved"))
        self.assertEqual([frame["frame"] for frame in frames], list(range(1, LAST + 1)) + list(range(SAVED + 1, LAST + 1)))
        frames = frames[:LAST]
        print("    %s: %d bodies, %d tets at first, %d at last" % (scene["name"], frames[0]["bodies"], frames[0]["tets"], frames[-1]["tets"]))
        self.assertEqual(frames[-1]["tets"] > frames[0]["tets"], breaks, "whether it breaks")
        for threads in "1", "7":
            resumed = self.play(LAST, "--load", str(SAVED), self.path("saved"), "--threads", threads)
            self.assertEqual(resumed, frames[SAVED - 1:])
        self.check_keys(counts=not merged)

    def check_keys(self, counts):
        """A density that is keyed between frames 12 and 13 counts after 12 under Set Always, and nowhere under Set Initial, nor where geometry names the material."""
        for operation in "always", "initial":
            keyed = self.frames(SAVED + 2, "--key", str(SAVED + 1), operation, "density", "1234")
            self.assertEqual([frame["different"] > 0 for frame in keyed], [counts and operation == "always" and frame["frame"] > SAVED for frame in keyed])


class Quick(Scenes):
    def test_glass_slab(self):
        self.check(coarse("glass_slab/scene.json", [[6, 1, 6], 3]), breaks=True)

    def test_thin_walls(self):
        self.check(coarse("thin_walls/wall_3.json", [[6, 6, 1], 3]), breaks=True)

    def test_pile(self):
        bin_walls, ring = [[2, 1, 1], [1, 1, 2], [1, 1, 2], [2, 1, 1]], {"around": 8, "across": 2}
        self.check(coarse("pile/scene.json", bin_walls + [3, ring, 3, [2, 2, 2], [2, 2, 2]]), breaks=False)


    def test_merged_solids(self):
        """Solids that name their materials, as one object: one bursts as it spins, the other dents as it lands."""
        glass = {"youngs": "5 MPa", "density": 2500, "law": "neohookean", "stiffnessDamping": 1e-3, "fracture": {"stress": "30 kPa"}}
        lead = {"youngs": "2 MPa", "density": 9000, "law": "green", "stiffnessDamping": 1e-3, "plasticity": {"law": "multiplicative", "yieldStress": "20 kPa"}}
        bodies = [{"name": "slab", "source": {"box": {"size": [0.8, 0.1, 0.4], "cells": [6, 1, 3]}}, "transform": {"translate": [0, 0.6, 0]}, "spin": [0, 1400, 0], "material": glass},
                  {"name": "weight", "source": {"box": {"size": [0.2, 0.2, 0.2], "cells": 2}}, "transform": {"translate": [0, 0.12, 1]}, "velocity": [0, -2, 0], "material": lead}]
        self.check({"name": "merged solids", "endFrame": 48, "settings": {"integrator": "explicit", "ground": {}}, "bodies": bodies}, breaks=True, merged=True)


class Whole(Scenes):
    def test_glass_slab(self):
        self.check(example("glass_slab/scene.json"), breaks=True)

    def test_thin_walls(self):
        self.check(example("thin_walls/wall_3.json"), breaks=True)

    def test_pile(self):
        self.check(example("pile/scene.json"), breaks=False)


if __name__ == "__main__":
    unittest.main(verbosity=2)
