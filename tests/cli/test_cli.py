"""Runs the sunder command as users do. The program is named by the environment variable SUNDER."""

import hashlib
import json
import os
import pty
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "io"), os.path.join(TESTS, "support")]
import read_bgeo
from scenes import box_scene

SUNDER = os.environ["SUNDER"]
DOCS = os.environ["SUNDER_DOCS"]
MEMORY_DISK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
FRAMES = "frame.%04d.bgeo.sc"


def body_scene(**changes):
    scene = box_scene()
    scene["bodies"][0].update(changes)
    return scene


def breaking_scene():
    """A bar whose ends are torn apart."""
    ends = [{"name": "left", "where": {"box": {"min": [-2, -1, -1], "max": [-1.5, 1, 1]}}},
            {"name": "right", "where": {"box": {"min": [1.5, -1, -1], "max": [2, 1, 1]}},
             "motion": {"keys": [{"time": 0}, {"time": 1, "translation": [3, 0, 0]}]}}]
    bar = {"name": "bar", "source": {"box": {"size": [3.2, 0.8, 0.8], "cells": [8, 2, 2]}}, "pins": ends,
           "material": {"youngs": "1 MPa", "poisson": 0, "density": 1000, "stiffnessDamping": 1e-3, "fracture": {"stress": "100 kPa"}}}
    return {"fps": 48, "startFrame": 1, "endFrame": 12, "settings": {"integrator": "explicit", "gravity": [0, 0, 0]}, "bodies": [bar],
            "colliders": [{"name": "floor", "source": {"plane": {"size": [4, 4]}}, "transform": {"translate": [0, -3, 0]}}]}


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sunder_cli_", dir=MEMORY_DISK)
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.out = self.path("out")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        path = self.path(name)
        with open(path, "w") as f:
            f.write(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def sunder(self, *args, timeout=120, **kwargs):
        return subprocess.run([SUNDER, *args], capture_output=True, text=True, timeout=timeout, **kwargs)

    def simulate(self, scene, *args, out=None, **kwargs):
        path = scene if isinstance(scene, str) else self.write("scene.json", scene)
        return self.sunder("simulate", path, "--out", out or self.out, *args, **kwargs)

    def assertDone(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assertError(self, result, code, *parts):
        text = result.stdout + result.stderr
        self.assertEqual(result.returncode, code, text)
        lines = result.stderr.splitlines()
        errors = [line for line in lines if line.startswith("sunder: error: ")]
        self.assertEqual(len(errors), 1, text)
        self.assertTrue(any(line.startswith("remedy: ") for line in lines), "no remedy: " + text)
        for part in parts:
            self.assertIn(part, result.stderr)

    def content(self, out=None):
        """Hash of every frame file by name."""
        out = out or self.out
        frames = sorted(name for name in os.listdir(out) if name.startswith("frame.") and not name.endswith(".tmp"))
        return {name: self.digest(os.path.join(out, name)) for name in frames}

    def everything(self, out=None):
        out = out or self.out
        return {name: self.digest(os.path.join(out, name)) for name in sorted(os.listdir(out))}

    @staticmethod
    def digest(path):
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    def manifest(self, out=None):
        with open(os.path.join(out or self.out, "manifest.json")) as f:
            return json.load(f)


class Commands(CliTest):
    def test_help_of_every_command_has_an_example(self):
        top = self.sunder("--help")
        self.assertDone(top)
        self.assertIn("exit codes:", top.stdout)
        for command in ["simulate", "tetrahedralize", "info", "render", "surface", "cache", "pieces", "debris", "materials"]:
            self.assertIn(command, top.stdout)
            result = self.sunder(command, "--help")
            self.assertDone(result)
            self.assertIn("sunder " + command, result.stdout)
        self.assertDone(self.sunder("schema", "--help"))

    def test_documented_exit_codes_are_those_of_the_help(self):
        with open(os.path.join(DOCS, "cli.md")) as f:
            documented = f.read()
        lines = self.sunder("--help").stdout.split("exit codes:")[1].split("examples:")[0].strip().splitlines()
        self.assertGreater(len(lines), 7)
        for line in lines:
            code, meaning = line.strip().split("  ", 1)
            self.assertIn("| %s | %s |" % (code, meaning.strip()), documented)

    def test_usage_errors(self):
        scene = self.write("scene.json", box_scene())
        for args in [
            [],
            ["simulat"],
            ["simulate"],
            ["simulate", scene],
            ["simulate", scene, "--out", self.out, "--threads", "-1"],
            ["simulate", scene, "--out", self.out, "--threads", "two"],
            ["simulate", scene, "--out", self.out, "--resume", "--overwrite"],
            ["simulate", scene, "--out", self.out, "--frames", "5-2"],
            ["simulate", scene, "--out", self.out, "--frames", "a-b"],
            ["simulate", scene, "--out", self.out, "--frames", "0-3"],
            ["tetrahedralize", "a.obj", "b.bgeo", "--max-size", "5kg"],
        ]:
            with self.subTest(args=args):
                self.assertError(self.sunder(*args), 2)
        self.assertFalse(os.path.exists(self.out))

    def test_version_and_materials(self):
        version = self.sunder("version").stdout
        for word in ["sunder ", "commit", "compiler", "-ffp-contract=off"]:
            self.assertIn(word, version)
        names = [m["name"] for m in json.loads(self.sunder("materials", "--json").stdout)]
        self.assertIn("rubber", names)
        table = self.sunder("materials").stdout
        for name in names:
            self.assertIn(name, table)
        for word in ["glass", "toughness", "Callister", "typical"]:
            self.assertIn(word, self.sunder("materials", "glass").stdout)
        self.assertError(self.sunder("materials", "glas"), 3)

    def test_info_tells_what_files_hold(self):
        self.assertDone(self.simulate(box_scene(startFrame=1001, endFrame=1003)))
        frame = json.loads(self.sunder("info", os.path.join(self.out, FRAMES % 1003), "--json").stdout)
        self.assertEqual(frame["tets"] if "tets" in frame else frame["tetCount"], 48)
        text = self.sunder("info", os.path.join(self.out, FRAMES % 1003)).stdout
        for word in ["48 tets", "stress", "strain", "quality", "detF", "accel", "name", "frame", "time", "id"]:
            self.assertIn(word, text)
        checkpoint = json.loads(self.sunder("info", os.path.join(self.out, "checkpoint.sunder"), "--json").stdout)
        self.assertEqual(checkpoint["frame"], 1003)
        folder = json.loads(self.sunder("info", self.out, "--json").stdout)
        self.assertEqual((folder["firstFrame"], folder["lastFrame"], folder["status"]), (1001, 1003, "complete"))
        scene = json.loads(self.sunder("info", self.path("scene.json"), "--json").stdout)
        self.assertEqual(scene["startFrame"], 1001)
        self.assertEqual((scene["bodies"], scene["colliders"]), (["box"], []))

    def test_colliders_of_files_are_shown_and_warned_of(self):
        for frame in range(1, 5):
            corners = ["v %g %g %g" % (x, 0.05 * frame - 0.65, z) for x, z in [(-2, -2), (-2, 2), (2, 2), (2, -2)]]
            self.write("sheet.%04d.obj" % frame, "\n".join(corners + ["f 1 2 3", "f 1 3 4", "f 1 3 4"]) + "\n")
        sheet = {"name": "sheet", "source": {"frames": {"path": "sheet.####.obj", "first": 1, "last": 4}}, "thickness": "4 cm"}
        scene = body_scene(rigid=True, velocity=[0, 0, 0], spin=[0, 0, 0], material={"youngs": "20 MPa"})
        scene.update(endFrame=4, settings={"gravity": [0, -1, 0]}, colliders=[sheet])
        result = self.simulate(scene, "--usda")
        self.assertDone(result)
        self.assertIn("warning: collider 'sheet': ", result.stderr)
        self.assertTrue(any("collider 'sheet'" in text for text in self.manifest()["warnings"]))
        self.assertEqual(json.loads(self.sunder("info", self.path("scene.json"), "--json").stdout)["colliders"], ["sheet"])
        frame = json.loads(self.sunder("info", os.path.join(self.out, FRAMES % 4), "--json").stdout)
        self.assertEqual((frame["polygons"], frame["tets"], frame["points"]), (3, 48, 27 + 4))
        self.assertAlmostEqual(frame["bounds"]["min"][1], -0.45, 6)
        self.assertGreater(frame["bounds"]["max"][1], 0.54, "the box is lifted")
        with open(os.path.join(self.out, "animation.usda")) as f:
            self.assertIn("sheet", f.read())
        self.assertError(self.simulate(dict(scene, colliders=[dict(sheet, name="box")]), out=self.path("other")), 3, "'box' of a collider")
        os.remove(self.path("sheet.0003.obj"))
        self.assertError(self.simulate(scene, out=self.path("other")), 3, "sheet.0003.obj")

    def test_tetrahedralize_and_simulate_the_result(self):
        corners = ["v %g %g %g" % (x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        faces = ["f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"]
        cube = self.write("cube.obj", "\n".join(corners + faces) + "\n")
        for method in ["auto", "lattice"]:
            with self.subTest(method=method):
                out = self.path(method + ".bgeo.sc")
                result = self.sunder("tetrahedralize", cube, out, "--method", method, "--max-size", "500mm", "--json")
                self.assertDone(result)
                self.assertGreater(json.loads(result.stdout)["tets"], 5)
                scene = body_scene(source={"file": {"path": method + ".bgeo.sc"}})
                self.assertDone(self.simulate(scene, out=self.path("sim_" + method)))

    def test_usda(self):
        self.assertDone(self.simulate(box_scene(endFrame=3), "--usda"))
        with open(os.path.join(self.out, "animation.usda")) as f:
            text = f.read()
        self.assertTrue(text.startswith("#usda 1.0"))
        for word in ["timeSamples", "velocities", "3: ["]:
            self.assertIn(word, text)


class Output(CliTest):
    def test_manifest_describes_every_frame(self):
        self.assertDone(self.simulate(box_scene(), "--seed", "9"))
        manifest = self.manifest()
        self.assertEqual(manifest["status"], "complete")
        self.assertEqual(manifest["seed"], 9)
        self.assertEqual(manifest["parameters"]["seed"], 9)
        self.assertEqual(manifest["parameters"]["bodies"][0]["material"]["youngs"], 5e4)
        for key in ["version", "commit", "compiler", "flags"]:
            self.assertTrue(manifest["build"][key])
        self.assertEqual([f["frame"] for f in manifest["frames"]], [1, 2, 3, 4, 5, 6])
        self.assertEqual(sorted(f["file"] for f in manifest["frames"]), sorted(self.content()))
        for f in manifest["frames"]:
            self.assertEqual((f["tets"], f["pieces"]), (48, 1))
            self.assertGreater(f["smallestDetF"], 0)
            self.assertGreater(f["energy"]["kinetic"], 0)
            self.assertEqual(len(f["hash"]), 16)
            self.assertEqual(f["held"], 0)
            for stage in ["step", "force", "assemble", "solve", "contact", "write"]:
                self.assertIn(stage, f["seconds"])
        self.assertGreaterEqual(manifest["frames"][1]["steps"], 2)
        self.assertEqual(len({f["hash"] for f in manifest["frames"]}), 6)

    def test_manifest_counts_what_is_held(self):
        """A soft box is thrown at a thin sheet, which holds it by the side that it came from."""
        box = {"name": "box", "source": {"box": {"size": [0.04, 0.04, 0.04], "cells": [2, 2, 2]}}, "transform": {"translate": [0.03, 0.024, 0.03]}, "velocity": [0, -9, 0],
               "material": {"youngs": "300 kPa", "poisson": 0.3, "density": 1000, "stiffnessDamping": 1e-4}}
        sheet = {"name": "sheet", "source": {"plane": {"size": [0.4, 0.4]}}, "thickness": 0.002}
        scene = {"fps": 2000, "startFrame": 1, "endFrame": 5, "settings": {"keepSides": True, "gravity": [0, 0, 0]}, "bodies": [box], "colliders": [sheet]}
        self.assertDone(self.simulate(scene))
        self.assertGreater(max(f["held"] for f in self.manifest()["frames"]), 0)

    def test_pipe_gets_one_line_a_frame(self):
        result = self.simulate(box_scene())
        lines = [line for line in result.stdout.splitlines() if line.startswith("frame ")]
        self.assertEqual(len(lines), 6 if lines[0].startswith("frame 1/") else 5, result.stdout)
        self.assertNotIn("\r", result.stdout)
        self.assertNotIn("\033", result.stdout)
        self.assertIn("left", lines[-1])

    def test_json_is_one_object_a_frame(self):
        result = self.simulate(box_scene(), "--json")
        objects = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(objects, self.manifest()["frames"])
        bad = self.simulate(box_scene(fps=-1), "--json", "--overwrite")
        self.assertEqual(bad.returncode, 3)
        error = json.loads(bad.stderr)["error"]
        self.assertEqual(error["exitCode"], 3)
        self.assertIn("/fps", error["message"])
        self.assertTrue(error["remedy"])

    def test_terminal_gets_a_bar_with_time_left(self):
        scene = self.write("scene.json", box_scene())
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(SUNDER, [SUNDER, "simulate", scene, "--out", self.out])
        text = b""
        while True:
            try:
                chunk = os.read(terminal, 4096)
            except OSError:
                break
            if not chunk:
                break
            text += chunk
        self.assertEqual(os.waitpid(pid, 0)[1], 0, text)
        shown = text.decode()
        for part in ["\r[", "#", "%", " left", "frame 6 of 6"]:
            self.assertIn(part, shown)

    def test_only_asked_frames_are_written(self):
        self.assertDone(self.simulate(box_scene(), out=self.path("all")))
        self.assertDone(self.simulate(box_scene(), "--frames", "3-4"))
        everything = self.content(self.path("all"))
        self.assertEqual(self.content(), {FRAMES % f: everything[FRAMES % f] for f in (3, 4)})
        self.assertEqual([f["frame"] for f in self.manifest()["frames"]], [3, 4])

    def test_seed_matters_and_frame_numbers_do_not(self):
        self.assertDone(self.simulate(box_scene(), "--json", out=self.path("a")))
        self.assertDone(self.simulate(box_scene(), "--seed", "1", out=self.path("b")))
        self.assertNotEqual(self.content(self.path("a"))[FRAMES % 6], self.content(self.path("b"))[FRAMES % 6])
        self.assertDone(self.simulate(box_scene(startFrame=1001, endFrame=1006), out=self.path("c")))
        energies = [[f["energy"] for f in self.manifest(self.path(name))["frames"]] for name in ("a", "c")]
        self.assertEqual(energies[0], energies[1])

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w") as full:
            path = self.write("scene.json", box_scene())
            result = subprocess.run([SUNDER, "simulate", path, "--out", self.out, "--json"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 5)
        self.assertEqual(len(self.content()), 6, "the frames are there all the same")


class Conversions(CliTest):
    """What surface, cache, pieces and debris make of the frames of a simulation in which a bar breaks."""

    def setUp(self):
        super().setUp()
        self.assertDone(self.simulate(breaking_scene()))
        self.to = self.path("to")

    def load(self, frame, folder):
        return read_bgeo.load(os.path.join(folder, FRAMES % frame))

    @staticmethod
    def reals(bits):
        return struct.unpack("<%df" % len(bits), struct.pack("<%dI" % len(bits), *bits))

    def values(self, geometry, kind, name):
        attribute = geometry[kind]["attributes"][name]
        return self.reals(attribute["values"]) if attribute["storage"] == "fpreal32" else attribute["values"]

    def convert(self, command, *args):
        result = self.sunder(command, self.out, "--out", self.to, *args)
        self.assertDone(result)
        self.assertEqual(len([line for line in result.stdout.splitlines() if line.startswith("frame ")]), 12, result.stdout)
        self.assertEqual(len(self.content(self.to)), 12)
        return result.stdout

    def test_the_bar_breaks(self):
        frames = self.manifest()["frames"]
        self.assertEqual(frames[0]["pieces"], 1)
        self.assertGreater(frames[-1]["pieces"], 1)
        last = self.load(12, self.out)
        self.assertEqual(len(set(self.values(last, "primitive", "name"))), frames[-1]["pieces"] + 1, "the floor has a name as well")

    def test_same_frames_for_any_number_of_threads_and_after_a_resume(self):
        scene = breaking_scene()
        for threads in ["1", "7"]:
            self.assertDone(self.simulate(scene, "--threads", threads, out=self.path("t" + threads)))
            self.assertEqual(self.content(self.path("t" + threads)), self.content())
        broken = next(f["frame"] for f in self.manifest()["frames"] if f["pieces"] > 1)
        self.assertDone(self.simulate(dict(scene, endFrame=broken), out=self.to))
        self.assertDone(self.simulate(scene, "--resume", out=self.to))
        self.assertEqual(self.content(self.to), self.content())

    def test_constant_topology_has_every_vertex_of_every_frame(self):
        self.convert("cache", "--constant-topology")
        last = self.load(12, self.to)
        ids = self.values(last, "point", "id")
        for frame in range(1, 13):
            made, simulated = self.load(frame, self.to), self.load(frame, self.out)
            self.assertEqual(made["primitives"], last["primitives"])
            self.assertEqual(self.values(made, "point", "id"), ids)
            place = {id: i for i, id in enumerate(ids)}
            found, sought = self.reals(made["positions"]), self.reals(simulated["positions"])
            v, v_sought = self.values(made, "point", "v"), self.values(simulated, "point", "v")
            tets = {p for primitive in simulated["primitives"] if primitive["kind"] == "tet" for p in primitive["points"]}
            for i in tets:
                at = place[simulated["point"]["attributes"]["id"]["values"][i]]
                for c in range(3):
                    self.assertLess(abs(found[3 * at + c] - sought[3 * i + c]), 1e-6 * 3.2)
                    self.assertEqual(v[3 * at + c], v_sought[3 * i + c])
        info = json.loads(self.sunder("info", os.path.join(self.to, FRAMES % 1), "--json").stdout)
        self.assertAlmostEqual(info["volume"], 3.2 * 0.8 * 0.8, 5, "closed until it opens")

    def test_surface(self):
        self.convert("surface")
        first, last = self.load(1, self.to), self.load(12, self.to)
        self.assertEqual(sum(first["primitive"]["groups"]["inside"]), 0)
        self.assertGreater(sum(last["primitive"]["groups"]["inside"]), 10)
        self.assertGreater(sum(last["primitive"]["groups"]["crackedges"]), 10)
        age = self.values(last, "primitive", "age")
        for k, inside in enumerate(last["primitive"]["groups"]["inside"]):
            self.assertEqual(inside or last["primitives"][k]["kind"] == "curve", age[k] >= 0)
        self.assertIn("uv", last["vertex"]["attributes"])
        for name in ["id", "v", "accel", "parent", "parentweight"]:
            self.assertIn(name, last["point"]["attributes"])

    def test_pieces(self):
        text = self.convert("pieces")
        pieces = self.manifest()["frames"][-1]["pieces"]
        self.assertIn("%d pieces" % pieces, text)
        self.assertIn("off by", text)
        rest = read_bgeo.load(os.path.join(self.to, "rest.bgeo.sc"))
        last = self.load(12, self.to)
        names = self.values(last, "point", "name")
        self.assertEqual(len(names), pieces)
        self.assertEqual(set(self.values(rest, "primitive", "name")), set(names))
        self.assertAlmostEqual(sum(self.values(last, "point", "mass")), 1000 * 3.2 * 0.8 * 0.8, 0)
        self.assertEqual(set(self.values(last, "point", "active")), {1})
        self.assertEqual(set(self.values(self.load(1, self.to), "point", "active")), {0})

    def test_debris(self):
        self.convert("debris", "--density", "2000", "--seed", "3")
        counts = [len(self.load(frame, self.to)["positions"]) // 3 for frame in range(1, 13)]
        self.assertEqual(counts[0], 0)
        self.assertGreater(sum(counts), 500)
        before = self.content(self.to)
        self.convert("debris", "--density", "2000", "--seed", "3", "--overwrite", "--threads", "1")
        self.assertEqual(self.content(self.to), before)
        self.convert("debris", "--density", "2000", "--seed", "4", "--overwrite")
        self.assertNotEqual(self.content(self.to), before)

    def test_particles_stay_in_what_is_made_of_frames(self):
        scene = breaking_scene()
        scene["settings"]["fracture"] = {"smallPieces": "particles", "smallPieceSize": 0.7}
        self.assertDone(self.simulate(scene, "--overwrite"))
        simulated = [self.load(frame, self.out) for frame in range(1, 13)]
        particles = [sum(g["point"]["groups"].get("particles", [])) for g in simulated]
        self.assertEqual(particles[0], 0)
        self.assertGreater(particles[-1], 0)
        self.assertLess(particles.index(max(particles)), 11, "none is followed from frame to frame")
        self.convert("cache", "--constant-topology")
        made = [self.load(frame, self.to) for frame in range(1, 13)]
        self.assertEqual(len({json.dumps(g["primitives"]) for g in made}), 1)
        departed = [sum(g["primitive"]["groups"]["departed"]) for g in made]
        self.assertEqual([d > 0 for d in departed], [p > 0 for p in particles])
        self.assertGreater(len(made[-1]["primitives"]), sum(p["kind"] == "tet" for p in simulated[-1]["primitives"]))
        skin, again = self.path("skin"), self.path("again")
        self.assertDone(self.sunder("surface", self.out, "--out", skin))
        self.assertDone(self.sunder("surface", self.to, "--out", again))
        for folder in (skin, again):
            self.assertGreater(sum(self.load(12, folder)["primitive"]["groups"]["departed"]), 3 * particles[-1])
        self.assertDone(self.sunder("debris", self.out, "--out", self.path("dust")))
        result = self.sunder("pieces", self.out, "--out", self.path("pieces"))
        self.assertDone(result)
        self.assertIn("%d pieces" % self.manifest()["frames"][-1]["pieces"], result.stdout)
        self.assertEqual(sum(self.load(12, self.path("pieces"))["point"]["groups"]["departed"]), particles[-1])

    def test_what_is_refused(self):
        for command in [["cache", "--constant-topology"], ["surface"], ["pieces"], ["debris"]]:
            with self.subTest(command=command):
                name, args = command[0], command[1:]
                self.assertError(self.sunder(name, self.path("nowhere"), "--out", self.to, *args), 3, "nowhere")
                os.makedirs(self.path("empty"), exist_ok=True)
                self.assertError(self.sunder(name, self.path("empty"), "--out", self.to, *args), 3, "no frames")
                self.assertError(self.sunder(name, self.out, "--out", self.out, *args), 3, "written over")
                self.assertFalse(os.path.exists(self.to))
        self.assertError(self.sunder("cache", self.out, "--out", self.to), 2, "nothing to make")
        self.assertError(self.sunder("debris", self.out, "--out", self.to, "--density", "-1"), 2)
        self.convert("surface")
        before = self.content(self.to)
        self.assertError(self.sunder("pieces", self.out, "--out", self.to), 3, "holds frames already")
        # polygons have no tets to find again
        self.assertError(self.sunder("surface", self.to, "--out", self.path("again")), 3, FRAMES % 1, "no tets")
        self.assertEqual(self.content(self.to), before)
        os.remove(os.path.join(self.out, FRAMES % 5))
        self.assertError(self.sunder("pieces", self.out, "--out", self.path("gap")), 3, "frame 5 is missing")


class Repeatability(CliTest):
    def test_same_bytes_for_1_2_and_7_threads(self):
        for integrator in ["explicit", "implicit", "newmark", "rkf45"]:
            scene = box_scene(endFrame=3)
            scene["settings"].update(integrator=integrator, errorTolerance=1e-3)  # of rkf45, for the time's sake
            scene["bodies"][0]["source"] = {"box": {"cells": 8}}
            scene["bodies"].append({"name": "ball", "source": {"sphere": {"cells": 6}}, "transform": {"translate": [2, 0, 0]}})
            results = []
            for threads in ["1", "2", "7"]:
                out = self.path(integrator + threads)
                self.assertDone(self.simulate(scene, "--threads", threads, out=out))
                results.append((self.content(out), self.digest(os.path.join(out, "checkpoint.sunder"))))
            self.assertEqual(results[0], results[1], integrator)
            self.assertEqual(results[0], results[2], integrator)

    def long_scene(self):
        scene = box_scene(endFrame=60)
        scene["bodies"][0]["source"] = {"box": {"cells": 4}}
        scene["bodies"][0]["pins"] = [{"where": {"nearest": {"point": [1, 1, 1], "count": 4}}, "releaseTime": 1}]
        scene["bodies"].append({"name": "ball", "rigid": True, "source": {"sphere": {"radius": 0.3, "cells": 4}},
                                "transform": {"translate": [2, 0.5, 0]}, "material": {"youngs": "1 MPa"}})
        scene["colliders"] = [{"name": "lift", "source": {"plane": {"size": [2, 2]}}, "transform": {"translate": [2, 0, 0]},
                               "motion": {"keys": [{"time": 0}, {"time": 2, "translation": [0, 0.5, 0], "rotation": [0, 90, 0]}]}}]
        scene["settings"] = {"substeps": 4}
        return scene

    def stop_in_the_middle(self, scene, number, frames, *args):
        """Starts or resumes, sends the signal at a random moment after so many frames, and returns the exit status."""
        path = self.write("scene.json", scene)
        process = subprocess.Popen([SUNDER, "simulate", path, "--out", self.out, "--resume", *args], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        for _ in range(frames):
            process.stdout.readline()
        time.sleep(random.random() * 0.05)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors

    def check_stop_and_resume(self, number, code, *args):
        seed = random.randrange(1 << 30)
        random.seed(seed)
        scene = self.long_scene()
        self.assertDone(self.simulate(scene, out=self.path("through")))
        whole = self.content(self.path("through"))
        stopped = 0
        for _ in range(10):
            status, errors = self.stop_in_the_middle(scene, number, 8, *args)
            if status == 0 and stopped == 0:  # the signal came too late, on a busy machine
                shutil.rmtree(self.out)
                continue
            if status == 0:
                break
            self.assertEqual(status, code, "seed %d: %s" % (seed, errors))
            stopped += 1
            for name, digest in self.content().items():
                self.assertEqual(digest, whole[name], "every frame on disk is whole; seed %d, %s" % (seed, name))
            if stopped == 3:
                break
        self.assertGreater(stopped, 0, "never stopped in the middle")
        self.assertDone(self.simulate(scene, "--resume", "--threads", "1"))
        self.assertEqual(self.content(), whole, "seed %d" % seed)
        self.assertEqual([name for name in os.listdir(self.out) if name.endswith(".tmp")], [], "half a file was left; seed %d" % seed)
        frames = self.manifest()["frames"]
        self.assertEqual([f["frame"] for f in frames], list(range(1, 61)))
        self.assertEqual([f["hash"] for f in frames], [f["hash"] for f in self.manifest(self.path("through"))["frames"]])
        self.assertEqual(self.digest(os.path.join(self.out, "checkpoint.sunder")),
                         self.digest(os.path.join(self.path("through"), "checkpoint.sunder")))

    def test_terminated_and_resumed_is_run_through(self):
        self.check_stop_and_resume(signal.SIGTERM, 143)

    def test_interrupted_and_resumed_is_run_through(self):
        self.check_stop_and_resume(signal.SIGINT, 130)

    def test_killed_and_resumed_is_run_through(self):
        self.check_stop_and_resume(signal.SIGKILL, -9)

    def test_killed_with_a_checkpoint_every_frame(self):
        self.check_stop_and_resume(signal.SIGKILL, -9, "--checkpoint-seconds", "0")

    def test_half_a_frame_of_a_killed_run_is_removed(self):
        self.assertDone(self.simulate(box_scene(endFrame=4)))
        left = os.path.join(self.out, FRAMES % 5 + ".4242-7.tmp")
        with open(left, "wb") as f:
            f.write(b"half")
        self.assertDone(self.simulate(box_scene(endFrame=9), "--resume"))
        self.assertFalse(os.path.exists(left))

    def test_interruption_is_noted(self):
        for _ in range(10):
            status, _ = self.stop_in_the_middle(self.long_scene(), signal.SIGINT, 4)
            if status != 0:
                break
            shutil.rmtree(self.out)  # the signal came too late, on a busy machine
        self.assertEqual(status, 130)
        manifest = self.manifest()
        self.assertEqual(manifest["status"], "interrupted")
        checkpoint = json.loads(self.sunder("info", os.path.join(self.out, "checkpoint.sunder"), "--json").stdout)
        self.assertEqual(checkpoint["frame"], manifest["frames"][-1]["frame"], "the checkpoint is of the last frame")

    def test_a_finished_run_can_be_made_longer(self):
        self.assertDone(self.simulate(box_scene(endFrame=9), out=self.path("through")))
        self.assertDone(self.simulate(box_scene(endFrame=4)))
        self.assertDone(self.simulate(box_scene(endFrame=9), "--resume"))
        self.assertEqual(self.content(), self.content(self.path("through")))
        before = self.everything()
        before.pop("manifest.json")
        self.assertDone(self.simulate(box_scene(endFrame=9), "--resume"))
        after = self.everything()
        after.pop("manifest.json")
        self.assertEqual(after, before, "nothing is left to do")


class Examples(CliTest):
    PILE = os.path.join(DOCS, "..", "examples", "pile", "scene.json")
    LAST = 7  # by then the lowest have landed and met each other and the walls
    TORUS = os.path.join(DOCS, "..", "examples", "snapping_torus", "scene.json")
    STRETCHED = 10  # by then the ring hangs on the left post and the handle pulls it

    def test_pile(self):
        self.assertDone(self.simulate(self.PILE, "--frames", "1-%d" % self.LAST, "--threads", "2"))
        frames = self.manifest()["frames"]
        self.assertEqual(len(frames), self.LAST)
        self.assertGreater(frames[-1]["energy"]["contact"], 0)
        self.assertGreater(frames[-1]["energy"]["friction"], 0)
        self.assertGreater(frames[-1]["seconds"]["contact"], 0)
        self.assertGreater(min(f["smallestDetF"] for f in frames), 0.5)
        stored = [sum(f["energy"][kind] for kind in ("kinetic", "elastic", "gravity", "contact")) for f in frames[1:]]
        self.assertEqual(stored, sorted(stored, reverse=True), "contact adds no energy")
        self.assertEqual(self.manifest()["warnings"], [])
        self.assertDone(self.simulate(self.PILE, "--frames", "1-%d" % self.LAST, "--threads", "1", out=self.path("alone")))
        self.assertEqual(self.content(self.path("alone")), self.content(), "any number of threads")

    def test_snapping_torus(self):
        self.assertDone(self.simulate(self.TORUS, "--frames", "1-%d" % self.STRETCHED, "--threads", "2"))
        frames = self.manifest()["frames"]
        self.assertEqual(len(frames), self.STRETCHED)
        self.assertEqual(frames[1]["energy"]["contact"], 0, "the ring floats")
        self.assertGreater(frames[-1]["energy"]["contact"], 0)
        elastic = [f["energy"]["elastic"] for f in frames[4:]]
        self.assertEqual(elastic, sorted(elastic), "held by the post, the ring gets longer")
        self.assertGreater(elastic[-1], 0.3)
        self.assertGreater(frames[-1]["energy"]["work"], elastic[-1])
        self.assertGreater(min(f["smallestDetF"] for f in frames), 0.8)
        self.assertEqual(self.manifest()["warnings"], [])


class WholeExamples(CliTest):
    """What an example's README says of its end. Takes minutes: scripts/test.sh --slow"""

    def test_snapping_torus(self):
        self.assertDone(self.simulate(Examples.TORUS, "--threads", "2", timeout=3000))
        frames = {f["frame"]: f for f in self.manifest()["frames"]}
        self.assertEqual(max(frames), 85)
        touching = [n for n, f in frames.items() if f["energy"]["contact"] > 0]
        print("    touches in frames %d to %d, smallest det F %.3g" % (min(touching), max(touching), min(f["smallestDetF"] for f in frames.values())))
        self.assertGreater(max(touching), 58, "it touches when it is let go, at 2.4 s")
        self.assertLess(max(touching), 65, "it comes free")
        self.assertGreater(max(f["energy"]["contact"] for f in frames.values()), 0.01)
        self.assertGreater(min(f["smallestDetF"] for f in frames.values()), 0)
        self.assertEqual(self.manifest()["warnings"], [])


class BadInput(CliTest):
    """Each case gets a clear message and loses nothing: an earlier simulation in the same folder stays as it is."""

    def setUp(self):
        super().setUp()
        self.assertDone(self.simulate(box_scene(endFrame=2)))
        self.before = self.everything()

    def refuse(self, scene, *parts, code=3, args=("--overwrite",)):
        result = self.simulate(scene, *args)
        self.assertError(result, code, *parts)
        self.assertEqual(self.everything(), self.before, "an earlier simulation has been touched")

    def refuse_model(self, text, *parts, name="model.obj"):
        self.write(name, text)
        self.refuse(body_scene(source={"file": {"path": name}}), *parts)
        result = self.sunder("tetrahedralize", self.path(name), self.path("tets.bgeo"))
        self.assertError(result, 3)
        self.assertFalse(os.path.exists(self.path("tets.bgeo")))

    def test_missing_files(self):
        self.refuse(self.path("nowhere.json"), "nowhere.json", "No such file")
        self.refuse(body_scene(source={"file": {"path": "nowhere.obj"}}), "nowhere.obj", "No such file")
        self.assertError(self.sunder("info", self.path("nowhere.bgeo")), 3, "nowhere.bgeo")
        self.assertError(self.sunder("render", self.path("nowhere")), 3, "nowhere")
        self.assertError(self.sunder("tetrahedralize", self.path("nowhere.obj"), self.path("b.bgeo")), 3, "nowhere.obj")

    def test_unreadable_files(self):
        os.mkdir(self.path("folder.obj"))
        self.refuse(body_scene(source={"file": {"path": "folder.obj"}}), "folder.obj")
        self.refuse(self.folder, self.folder)
        os.symlink("/proc/self/mem", self.path("broken.obj"))  # opens, but reading fails, for root, too
        self.refuse(body_scene(source={"file": {"path": "broken.obj"}}), "broken.obj", "Input/output error")
        os.symlink("/proc/self/mem", self.path("broken.json"))
        self.refuse(self.path("broken.json"), "broken.json", "Input/output error")
        if os.geteuid() != 0:
            locked = self.write("locked.obj", "v 0 0 0\n")
            os.chmod(locked, 0)
            self.refuse(body_scene(source={"file": {"path": "locked.obj"}}), "locked.obj", "Permission denied")

    def test_files_of_no_known_format(self):
        self.write("model.xyz", "hello")
        self.refuse(body_scene(source={"file": {"path": "model.xyz"}}), "model.xyz")
        with open(self.path("cut.bgeo.sc"), "wb") as f, open(os.path.join(self.out, FRAMES % 1), "rb") as whole:
            f.write(whole.read()[:700])
        self.refuse(body_scene(source={"file": {"path": "cut.bgeo.sc"}}), "cut.bgeo.sc")

    def test_empty_mesh(self):
        self.refuse_model("", "model.obj")
        self.refuse_model("v 0 0 0\nv 1 0 0\n")

    def test_one_triangle(self):
        self.refuse_model("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "body 'box'")

    def test_all_points_coplanar(self):
        points = "".join("v %d %d 0\n" % (x, y) for y in range(4) for x in range(4))
        quads = "".join("f %d %d %d %d\n" % (a, a + 1, a + 5, a + 4) for a in (1, 2, 3, 5, 6, 7, 9, 10, 11))
        self.refuse_model(points + quads, "body 'box'")

    def tetrahedron(self, value):
        return "v %s 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n" % value

    def test_not_a_number_and_infinite_coordinates(self):
        for value in ["nan", "inf", "-inf", "1e999"]:
            with self.subTest(value=value):
                self.refuse_model(self.tetrahedron(value))
        for value in [float("nan"), float("inf")]:
            with self.subTest(value=value, format="ply"):
                self.refuse_binary("model.ply", self.ply_tetrahedron(value))
            with self.subTest(value=value, format="stl"):
                self.refuse_binary("model.stl", self.stl_tetrahedron(value))

    CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]

    def ply_tetrahedron(self, value):
        head = "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n" \
               "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
        points = [[value, 0, 0]] + self.CORNERS[1:]
        return head.encode() + b"".join(struct.pack("<3f", *p) for p in points) + \
            b"".join(struct.pack("<B3i", 3, *f) for f in self.FACES)

    def stl_tetrahedron(self, value):
        points = [[value, 0, 0]] + self.CORNERS[1:]
        return bytes(80) + struct.pack("<I", 4) + b"".join(
            struct.pack("<12fH", 0, 0, 0, *points[f[0]], *points[f[1]], *points[f[2]], 0) for f in self.FACES)

    def refuse_binary(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content)
        self.refuse(body_scene(source={"file": {"path": name}}), "body 'box'", "not a finite number")

    def one_tet(self, corners):
        """A .geo by hand: a build without TetGen cannot make so small a mesh itself."""
        return """["pointcount",4,"vertexcount",4,"primitivecount",1,
"topology",["pointref",["indices",[0,1,3,2]]],
"attributes",["pointattributes",[[
["scope","public","type","numeric","name","P","options",{"type":{"type":"string","value":"point"}}],
["size",3,"storage","fpreal32","values",["size",3,"storage","fpreal32","packing",[3],"pagesize",1024,"rawpagedata",[%s]]]]]],
"primitives",[[["type","Tetrahedron_run"],["startvertex",0,"nprimitives",1]]]]""" % corners

    def test_tets_of_a_file_that_are_no_solid(self):
        self.write("good.geo", self.one_tet("0,0,0,1,0,0,0,1,0,0,0,1"))
        self.assertDone(self.simulate(body_scene(source={"file": {"path": "good.geo"}}), out=self.path("good")))
        for corners, part in [("0,0,0,NaN,0,0,0,1,0,0,0,1", "not a number"), ("0,0,0,1e999,0,0,0,1,0,0,0,1", "not a number"),
                              ("0,0,0,1,0,0,0,1,0,1,1,0", "rest volume 0")]:
            with self.subTest(corners=corners):
                self.write("bad.geo", self.one_tet(corners))
                self.refuse(body_scene(source={"file": {"path": "bad.geo"}}), "body 'box'", part)

    def test_numbers_of_a_scene_that_are_not_finite(self):
        text = json.dumps(body_scene(material={"youngs": 12345}))
        for number in ["1e999", "NaN", "Infinity"]:
            with self.subTest(number=number):
                self.refuse(self.write("scene.json", text.replace("12345", number)), "scene.json", "line")

    def test_zero_and_negative_density_and_modulus(self):
        for key in ["density", "youngs"]:
            for value in [0, -1000, "-3 kg/m3" if key == "density" else "-3 Pa"]:
                with self.subTest(key=key, value=value):
                    self.refuse(body_scene(material={key: value}), "/bodies/0/material/" + key, "line", "above 0")

    def test_poisson_at_and_beyond_a_half(self):
        for value in [0.5, 0.6, 3, -1, -2]:
            with self.subTest(value=value):
                self.refuse(body_scene(material={"poisson": value}), "/bodies/0/material/poisson", "below 0.5")

    def test_negative_time_steps(self):
        self.refuse(box_scene(fps=-24), "/fps")
        self.refuse(box_scene(fps=0), "/fps")
        for key, value in [("substeps", -2), ("substeps", 0), ("smallestStep", -1e-5), ("courant", -0.5)]:
            with self.subTest(key=key):
                self.refuse(box_scene(settings={key: value}), "/settings/" + key)

    def test_frame_range_backwards(self):
        self.refuse(box_scene(startFrame=10, endFrame=3), "backwards", "endFrame")
        self.refuse(box_scene(), "backwards", "2-5", code=2, args=("--overwrite", "--frames", "5-2"))

    def test_unknown_key_and_wrong_unit(self):
        self.refuse(body_scene(materail={}), "/bodies/0/materail", "did you mean 'material'", "line ")
        self.refuse(body_scene(velocity=["5 kg", 0, 0]), "/bodies/0/velocity/0", "a mass", "a speed (m/s)")

    def test_pin_that_holds_nothing(self):
        self.refuse(body_scene(pins=[{"name": "p", "where": {"group": {"name": "tip"}}}]), "pin 'p'", "'tip'")

    def test_output_folder_that_cannot_be_written(self):
        path = self.write("scene.json", box_scene())
        blocked = self.write("file", "a file, not a folder")
        self.assertError(self.sunder("simulate", path, "--out", os.path.join(blocked, "out")), 5, "output folder")
        self.assertError(self.sunder("simulate", path, "--out", "/proc/sunder"), 5, "/proc/sunder")
        if os.geteuid() != 0:
            os.chmod(self.out, 0o500)
            self.assertError(self.sunder("simulate", path, "--out", self.out, "--overwrite"), 5)
            os.chmod(self.out, 0o700)
        self.assertEqual(self.everything(), self.before)

    def test_folder_of_a_simulation_is_not_written_over(self):
        self.refuse(box_scene(), "holds a simulation already", "--resume", "--overwrite", args=())
        self.refuse(body_scene(material={"youngs": "60 kPa"}), "another scene", "/bodies/0/material", args=("--resume",))
        self.write("m.obj", self.tetrahedron("0"))
        scene = body_scene(source={"file": {"path": "m.obj"}})
        self.assertDone(self.simulate(scene, out=self.path("other")))
        self.write("m.obj", self.tetrahedron("0.1"))
        changed = self.simulate(scene, "--resume", out=self.path("other"))
        self.assertError(changed, 3, "a model that it uses has changed")

    def damage_checkpoint(self, change, *parts):
        path = os.path.join(self.out, "checkpoint.sunder")
        with open(path, "rb") as f:
            good = f.read()
        with open(path, "wb") as f:
            f.write(change(bytearray(good)))
        self.before = self.everything()
        self.refuse(box_scene(endFrame=4), "checkpoint.sunder", *parts, args=("--resume",))
        with open(path, "wb") as f:
            f.write(good)

    def test_checkpoint_of_another_version(self):
        self.damage_checkpoint(lambda b: b[:8] + struct.pack("<I", 77) + b[12:], "version 77")

    def test_checkpoint_cut_short_or_damaged(self):
        for size in [0, 5, 20, 100, 1000, -1]:
            with self.subTest(size=size):
                self.damage_checkpoint(lambda b: b[:size])
        self.damage_checkpoint(lambda b: b[:300] + bytes([b[300] ^ 1]) + b[301:], "damaged")
        self.damage_checkpoint(lambda b: b"something else", "not a checkpoint")
        self.assertDone(self.simulate(box_scene(endFrame=4), "--resume"))

    def test_disk_full_during_a_frame(self):
        """A limit on the size of files stands for the full disk; 2 kB let no frame through."""
        self.assertDone(self.simulate(box_scene(), out=self.path("through")))
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        result = self.simulate(box_scene(), "--resume", preexec_fn=limit)
        self.assertError(result, 5, "cannot write", FRAMES % 3, "free some space")
        self.assertEqual(self.everything(), self.before)
        self.assertDone(self.simulate(box_scene(), "--resume"))
        self.assertEqual(self.content(), self.content(self.path("through")))

    def test_disk_full_of_a_real_small_disk(self):
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("needs the right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", disk])
        out = os.path.join(disk, "out")
        result = self.simulate(box_scene(endFrame=200), out=out)
        self.assertError(result, 5, "No space left")
        self.assertGreater(len(self.content(out)), 1)
        roomy = self.path("roomy")
        shutil.copytree(out, roomy)
        self.assertDone(self.simulate(box_scene(endFrame=60), "--resume", out=roomy))
        self.assertDone(self.simulate(box_scene(endFrame=60), out=self.path("through")))
        self.assertEqual(self.content(roomy), self.content(self.path("through")))

    def test_simulation_that_fails_keeps_what_it_had(self):
        scene = box_scene(endFrame=30)
        scene["settings"].update(newtonIterations=1, stepHalvings=0, newtonTolerance=1e-12)
        scene["bodies"][0]["velocity"] = [0, -50, 0]  # into the ground: far beyond what one iteration can follow
        result = self.simulate(scene, out=self.path("failing"))
        self.assertError(result, 4, "frame ", "newtonIterations")
        manifest = self.manifest(self.path("failing"))
        self.assertEqual(manifest["status"], "failed")
        self.assertTrue(manifest["message"])
        frames = list(self.content(self.path("failing")))
        self.assertGreaterEqual(len(frames), 1)
        self.assertEqual(len(manifest["frames"]), len(frames))


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=1)
