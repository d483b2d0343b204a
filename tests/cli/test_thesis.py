"""Scenes of O'Brien 2000, chapter 6: whether they come to what their READMEs say. test_thesis.py Quick | Whole.

Quick simulates first frames and is one of the tests that always run. Whole simulates everything, which takes many minutes:
scripts/test.sh --slow"""

import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "io"))
import read_bgeo

SUNDER = os.environ["SUNDER"]
EXAMPLES = os.path.join(os.environ["SUNDER_DOCS"], "..", "examples")
MEMORY_DISK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
FRAMES = "frame.%04d.bgeo.sc"
KNOWN_WARNINGS = {"walls/wall_heavy": ["inside out"]}  # as their READMEs say
WALL_BACK = -0.1  # m, z of its side away from the ball


class Scenes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sunder_thesis_", dir=MEMORY_DISK)
        self.addCleanup(shutil.rmtree, self.folder, True)

    def out(self, name):
        return os.path.join(self.folder, name.replace("/", "_"))

    def simulate(self, scene, last, *args, out=None, warns=False):
        """Frames 1 to `last`, all if that is None, into a folder of its own; returns what the manifest says of them. Of models warnings may tell what was mended."""
        out = out or self.out(scene)
        command = [SUNDER, "simulate", os.path.join(EXAMPLES, scene + ".json"), "--out", out, *args]
        result = subprocess.run(command + (["--frames", "1-%d" % last] if last else []), capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(out, "manifest.json")) as f:
            manifest = json.load(f)
        known = ["fracture.rounds"] + KNOWN_WARNINGS.get(scene, [])  # scenes have as few rounds as they can do with
        warnings = [text for text in manifest["warnings"] if not any(part in text for part in known)]
        self.assertTrue(warns or warnings == [], warnings)
        return manifest["frames"]

    def digests(self, out):
        result = {}
        for name in sorted(name for name in os.listdir(out) if name.startswith("frame.")):
            with open(os.path.join(out, name), "rb") as f:
                result[name] = hashlib.sha256(f.read()).hexdigest()
        return result

    def check_same_bytes(self, scene, last):
        """For 1, 2 and 7 threads, and for a run that goes on from its frame before the last one, after the first break."""
        frames = self.simulate(scene, last, "--threads", "1", out=self.out("one"))
        self.assertGreater(frames[-2]["tets"], frames[0]["tets"], "it breaks")
        for threads in ("2", "7"):
            self.simulate(scene, last, "--threads", threads, out=self.out(threads))
            self.assertEqual(self.digests(self.out(threads)), self.digests(self.out("one")), threads + " threads")
        self.simulate(scene, frames[-2]["frame"], "--threads", "2", out=self.out("resumed"))
        self.simulate(scene, last, "--resume", "--threads", "1", out=self.out("resumed"))
        self.assertEqual(self.digests(self.out("resumed")), self.digests(self.out("one")), "resumed after the first break")

    def ball(self, scene, frame):
        """z of the ball and its speed along z. It is the last body, so the last point is one of its."""
        geometry = read_bgeo.load(os.path.join(self.out(scene), FRAMES % frame))
        bits = [geometry["positions"][-1], geometry["point"]["attributes"]["v"]["values"][-1]]
        return struct.unpack("<2f", struct.pack("<2I", *bits))

    def check_bowls(self, last):
        pieces = [self.simulate("bowls/bowl_%d" % k, last)[-1]["pieces"] for k in (1, 2, 3, 4)]
        print("    pieces of the bowls", pieces)
        self.assertTrue(all(a < b for a, b in zip(pieces, pieces[1:])), pieces)

    def check_walls(self, last_light, last_heavy):
        light, heavy = "walls/wall_light", "walls/wall_heavy"
        stopped, passed = self.simulate(light, last_light), self.simulate(heavy, last_heavy)
        self.assertGreater(stopped[-1]["tets"], stopped[0]["tets"], "the light ball cracks the wall")
        z, speed = self.ball(light, stopped[-1]["frame"])
        print("    light ball: z %.2f m, speed %.2f m/s, %d pieces" % (z, speed, stopped[-1]["pieces"]))
        self.assertGreater(z, WALL_BACK)
        self.assertGreater(speed, -0.5, "it is stopped or thrown back")
        z, speed = self.ball(heavy, min(passed[-1]["frame"], 30))  # later frames have a tet that is inside out
        print("    heavy ball: z %.2f m, speed %.2f m/s, %d pieces" % (z, speed, passed[-1]["pieces"]))
        self.assertLess(speed, -1, "it goes on")
        return z


class Quick(Scenes):
    def test_bowls_of_less_toughness_break_into_more_pieces(self):
        self.check_bowls(4)

    def test_the_heavy_ball_goes_on_and_the_light_one_does_not(self):
        self.check_walls(8, 5)

    def test_glass_slab_has_the_same_bytes_for_any_threads_and_after_a_resume(self):
        self.check_same_bytes("glass_slab/scene", 3)

    def test_a_thin_wall_has_the_same_bytes_for_any_threads_and_after_a_resume(self):
        self.check_same_bytes("thin_walls/wall_2", 3)

    def test_blast_window_breaks(self):
        frames = self.simulate("blast_window/scene", 3)
        print("    pieces of the pane", frames[-1]["pieces"])
        self.assertGreater(frames[-1]["pieces"], 5)


class Whole(Scenes):
    def test_bowls(self):
        self.check_bowls(None)

    def test_walls(self):
        self.assertLess(self.check_walls(None, None), WALL_BACK, "the heavy ball is through")

    def test_glass_slab_has_the_same_bytes(self):
        self.check_same_bytes("glass_slab/scene", 24)

    def test_a_thin_wall_has_the_same_bytes(self):
        self.check_same_bytes("thin_walls/wall_2", 13)

    def test_all_others(self):
        for scene in ["blast_window/scene"] + ["trays/tray_%d" % k for k in range(1, 6)]:  # more are in test_break_scenes.py
            with self.subTest(scene):
                frames = self.simulate(scene, None)
                print("    %s: %d pieces" % (scene, frames[-1]["pieces"]))
                self.assertGreater(frames[-1]["pieces"], frames[0]["pieces"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
