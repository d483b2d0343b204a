"""The writer of Slurm job arrays, and its jobs on Debian's real Slurm, started here on loopback."""
import json
import os
import shutil
import socket
import subprocess
import sys
import time

import pytest

from conftest import ROOT
from scenes import box_scene

sys.path.insert(0, os.path.join(ROOT, "python"))
from sunder_houdini import farm


def write_scene(tmp_path, **changes):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(box_scene(**changes)))
    return str(path)


def test_variations():
    scene = box_scene()
    made = farm.variations(scene, {"/seed": [1, 2], "/bodies/0/material/youngs": ["10 kPa", 2e4, 3e4]})
    assert [m[0]["/seed"] for m in made] == [1, 1, 1, 2, 2, 2]
    assert made[4][1]["seed"] == 2 and made[4][1]["bodies"][0]["material"]["youngs"] == 2e4
    assert "seed" not in scene  # the scene itself stays as it was
    assert farm.variations(scene, {}) == [({}, scene)]


@pytest.mark.parametrize("pointer", ["seed", "", "/bodies/1/name", "/bodies/x/name", "/nothing/here", "/fps/deeper/still", "/bodies/-1/name"])
def test_pointers_that_lead_nowhere(pointer):
    with pytest.raises(farm.FarmError):
        farm.set_at(box_scene(fps=24), pointer, 1)


def test_written_files(tmp_path):
    scene = box_scene()
    scene["bodies"].append({"name": "model", "source": {"file": {"path": "models/a.obj"}}})
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    runs = farm.write_jobs(str(tmp_path / "scene.json"), str(tmp_path / "my jobs"), {"/seed": [1, 2, 3]}, threads=2, at_once=5, options=["--partition=sim"])
    assert runs == [{"/seed": 1}, {"/seed": 2}, {"/seed": 3}]
    script = (tmp_path / "my jobs" / "job.sh").read_text()
    assert "#SBATCH --array=0-2%5\n" in script and "#SBATCH --partition=sim\n" in script and "--threads 2" in script and "'%s'" % (tmp_path / "my jobs") in script
    subprocess.run(["bash", "-n", tmp_path / "my jobs" / "job.sh"], check=True)
    third = json.loads((tmp_path / "my jobs" / "scenes" / "0002.json").read_text())
    assert third["seed"] == 3 and third["bodies"][1]["source"]["file"]["path"] == str(tmp_path / "models" / "a.obj")
    with pytest.raises(farm.FarmError, match="holds jobs already"):
        farm.write_jobs(str(tmp_path / "scene.json"), str(tmp_path / "my jobs"))
    with pytest.raises(farm.FarmError, match="threads"):
        farm.write_jobs(str(tmp_path / "scene.json"), str(tmp_path / "other"), threads=0)
    assert [row["status"] for row in farm.status(str(tmp_path / "my jobs"))] == ["waiting"] * 3


def test_command_line(tmp_path, capsys):
    scene = write_scene(tmp_path)
    assert farm.main([scene, "--out", str(tmp_path / "jobs"), "--vary", "/seed=1,2", "--vary", "/bodies/0/material/youngs=10 kPa"]) == 0
    assert "2 runs" in capsys.readouterr().out
    assert json.loads((tmp_path / "jobs" / "scenes" / "0001.json").read_text())["bodies"][0]["material"]["youngs"] == "10 kPa"
    assert farm.main(["--status", str(tmp_path / "jobs")]) == 0
    assert capsys.readouterr().out.count("waiting") == 2
    assert farm.main([scene, "--out", str(tmp_path / "jobs")]) == 3
    assert farm.main([scene, "--out", str(tmp_path / "more"), "--vary", "/seed"]) == 3
    assert farm.main([str(tmp_path / "none.json"), "--out", str(tmp_path / "more")]) == 3


CONF = """
ClusterName=sundertest
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={port}
SlurmdPort={port_d}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """munged, slurmctld and slurmd of our own in a folder, with ports and keys of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        self.pids = []

    def run(self, *command, timeout=20):
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=self.environment)

    def start(self):
        missing = [p for p in ("munged", "slurmctld", "slurmd", "sbatch", "scontrol") if not shutil.which(p, path=os.environ["PATH"] + ":/usr/sbin")]
        if missing:
            pytest.skip("Slurm is not installed (slurm-wlm, munge): no %s" % ", ".join(missing))
        if os.getuid() != 0:
            pytest.skip("slurmd starts jobs as other users, so it has to be root")
        for sub in ("munge", "state", "spool"):
            (self.folder / sub).mkdir(mode=0o700)
        (self.folder / "munge" / "key").write_bytes(os.urandom(1024))
        (self.folder / "munge" / "key").chmod(0o600)
        port, port_d = free_port(), free_port()
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(CONF.format(host=host, folder=self.folder, port=port, port_d=port_d, cpus=os.cpu_count()))
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n" if not os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\n")
        munge = self.folder / "munge"
        for command in (
            ["/usr/sbin/munged", "--force", "--socket=%s/socket" % munge, "--key-file=%s/key" % munge, "--pid-file=%s/pid" % munge, "--log-file=%s/log" % munge, "--seed-file=%s/seed" % munge],
            ["/usr/sbin/slurmctld"],
            ["/usr/sbin/slurmd", "-N", host],
        ):
            done = self.run(*command)
            if done.returncode != 0:
                pytest.skip("%s does not start on this machine: %s" % (command[0], (done.stderr + self.log("slurmd.log"))[-300:].strip()))
        deadline = time.time() + 15
        while "idle" not in self.run("sinfo", "-h", "-o", "%t").stdout:
            if time.time() > deadline:
                pytest.skip("the node does not come up on this machine: " + self.log("slurmd.log")[-300:])
            time.sleep(0.2)

    def log(self, name):
        path = self.folder / name
        return path.read_text(errors="replace") if path.exists() else ""

    def stop(self):
        for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"):
            path = self.folder / name
            if path.exists():
                try:
                    os.kill(int(path.read_text()), 15)
                except (ValueError, ProcessLookupError):
                    pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture
def slurm(tmp_path):
    folder = tmp_path / "slurm"
    folder.mkdir()
    cluster = Slurm(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def test_on_real_slurm(tmp_path, slurm, command):
    jobs = tmp_path / "jobs"
    farm.write_jobs(write_scene(tmp_path, endFrame=3), str(jobs), {"/seed": [1, 2], "/bodies/0/material/density": [1000, -1]}, command=command)
    sent = slurm.run("sbatch", "--parsable", str(jobs / "job.sh"))
    assert sent.returncode == 0, sent.stderr
    deadline = time.time() + 25
    while slurm.run("squeue", "-h").stdout.strip():
        assert time.time() < deadline, slurm.log("slurmctld.log")[-500:]
        time.sleep(0.2)
    rows = farm.status(str(jobs))
    # a negative density is refused before anything is written: that job failed, and says why in its log
    assert [row["status"] for row in rows] == ["complete", "waiting", "complete", "waiting"]
    assert "density" in (jobs / "logs" / "1.txt").read_text()
    assert [row["frames"] for row in rows] == [3, 0, 3, 0]
    frames = [(jobs / "runs" / run / "frame.0003.bgeo.sc").read_bytes() for run in ("0000", "0002")]
    assert frames[0] != frames[1]  # by their seed
    alone = subprocess.run([command, "simulate", jobs / "scenes" / "0002.json", "--out", tmp_path / "alone", "--threads", "1"], capture_output=True)
    assert alone.returncode == 0 and (tmp_path / "alone" / "frame.0003.bgeo.sc").read_bytes() == frames[1]
