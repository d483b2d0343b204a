"""A run of a scene, frame by frame, to the same bytes as `sunder simulate`."""
import os

from . import _core


class Simulation:
    """A scene and its world at one frame.

    simulation = Simulation(readScene("scene.json"))
    for frame in simulation.run():
        simulation.writeFrame("out")
    """

    def __init__(self, scene, models=None, progress=None):
        self.scene = scene
        self.models = models
        self.frame = scene.startFrame
        self.report = None  # of the last step
        self.world = _core.buildWorld(scene, models, progress)

    @classmethod
    def fromSnapshot(cls, scene, frame, snapshot, models=None, progress=None):
        """Goes on from the bytes of saveSnapshot."""
        self = cls.__new__(cls)
        self.scene, self.models, self.frame, self.report = scene, models, frame, None
        self.world = _core.loadSnapshot(snapshot, scene, models, progress)
        return self

    @classmethod
    def fromCheckpoint(cls, scene, path, progress=None):
        """Goes on from checkpoint.sunder of `sunder simulate`."""
        self = cls.__new__(cls)
        self.scene, self.models, self.report = scene, None, None
        self.frame, self.world = _core.readCheckpoint(os.fspath(path), scene, progress)
        return self

    def advance(self, progress=None):
        """Steps to the next frame and returns the StepReport. If it raises, the world is at the frame before."""
        following = self.frame + 1
        duration = self.scene.timeOf(following) - self.scene.timeOf(self.frame)
        self.report = _core.step(self.world, duration, self.scene.settings, progress)
        # from the number of the frame, so that no error adds up over many frames
        self.world.time = self.scene.timeOf(following)
        self.frame = following
        return self.report

    def run(self, last=None, progress=None):
        """Yields the number of the present frame, then of every frame to the last, each after stepping to it."""
        last = self.scene.endFrame if last is None else last
        yield self.frame
        while self.frame < last:
            self.advance(progress)
            yield self.frame

    def geometry(self):
        """What a frame of `sunder simulate` holds."""
        return _core.frameGeometry(self.world, self.frame)

    def writeFrame(self, folder):
        """Writes frame.NNNN.bgeo.sc into a folder, which is made, and returns its path."""
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(os.fspath(folder), "frame.%04d.bgeo.sc" % self.frame)
        _core.writeGeometry(path, self.geometry())
        return path

    def snapshot(self):
        return _core.saveSnapshot(self.world)
