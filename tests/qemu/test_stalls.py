"""Stalls of a real QEMU: lost completions are found, named and confirmed while they happen, and nothing else is."""
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import processes
from test_metrics import get, series
from watcher import Watcher

HARNESS = pathlib.Path(__file__).resolve().parent / "harness" / "harness.py"
LOSSES = ("--mode", "csw", "--first-after", "600", "--loss-every", "2000", "--seconds", "40")
READS_A_SECOND = "300"


class Scene:
    """The harness in one mode, and a qmpwatch that watches it from its first second."""

    def __init__(self, folder, *arguments, over="qmp", **watching):
        self.monitor = folder / "monitor.sock"
        self._truth = folder / "truth.json"
        self._clock = time.time() - time.monotonic()
        self.harness = processes.start([sys.executable, HARNESS, f"--{over}", self.monitor, "--truth", self._truth,
                                        "--rate", READS_A_SECOND, *arguments], stdin=subprocess.DEVNULL)
        self.watch = None
        self.exposition = ""
        try:
            processes.wait_until(self.monitor.exists, "the harness opens its monitor")
            self.watch = Watcher(self.monitor, interval="5s", **watching)
        except BaseException:
            self.end()
            raise

    def finish(self):
        if self.harness.wait(60) != 0:
            raise AssertionError(f"the harness ended with {self.harness.returncode}")
        self.watch.wait_for("monitor", state="absent")
        self.watch.stop()

    def end(self):
        if self.watch is not None:
            processes.end(self.watch.process)
        processes.end(self.harness)

    def truth(self):
        """What happened and is over: its kind, its start as wall time, its seconds."""
        whole = json.loads(self._truth.read_text())
        return [{**event, "start": event["start"] + self._clock} for event in whole["truth"] if "resume" in event]

    def levels(self):
        """Wall times at which each level was first reached, whatever the cause."""
        reached = {}
        for line in self.watch.lines:
            if line["event"].startswith("stall"):
                reached.setdefault(line["level"], wall(line["time"]))
        return reached


def wall(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


scenes = {}


def setUpModule():
    """All scenes at the same time: each takes as long as some time-outs."""
    wanted = {
        "csw": LOSSES,
        "csw over HMP": LOSSES,
        "idle": ("--mode", "idle", "--every", "500", "--seed", "6", "--seconds", "40"),
        "pause": ("--mode", "pause", "--every", "700", "--seconds", "32"),
        "hoststall": ("--mode", "hoststall", "--every", "700", "--seconds", "32"),
        "throttle": ("--mode", "throttle", "--seconds", "20"),
        "healthy": ("--mode", "healthy", "--seconds", "20"),
    }
    for name, arguments in wanted.items():
        folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-stalls-")))
        watching = {"over": "hmp"} if "HMP" in name else {}
        if name == "csw":
            address = f"127.0.0.1:{processes.free_port()}"
            watching = {"listen": address}
        scenes[name] = Scene(folder, *arguments, **watching)
        unittest.addModuleCleanup(scenes[name].end)
    scenes["csw"].watch.wait_for("stall", count=2, timeout=50)
    scenes["csw"].exposition = get(address)
    for scene in scenes.values():
        scene.finish()


class LostCompletions(unittest.TestCase):
    def check(self, scene):
        truth = scene.truth()
        said = [line for line in scene.watch.lines if line["event"].startswith("stall")]
        self.assertGreaterEqual(len(truth), 2, said)
        self.assertEqual({event["kind"] for event in truth}, {"csw_lost"})
        stalls = scene.watch.said("stall")
        self.assertEqual(len(stalls), len(truth), said)
        for number, (stall, event) in enumerate(zip(stalls, truth), 1):
            self.assertEqual(stall["cause"], "lost_completion")
            self.assertEqual(stall["count"], number)
            self.assertAlmostEqual(wall(stall["start"]), event["start"], delta=0.05)
            self.assertAlmostEqual(stall["seconds"], event["seconds"], delta=0.3)
            self.assertGreaterEqual(event["seconds"], stall["seconds_min"] - 0.05)
            self.assertLessEqual(event["seconds"], stall["seconds_max"] + 0.05)
        first, after = truth[0]["start"], scene.levels()
        self.assertLess(after["suspected"] - first, 8.55, said)
        self.assertLess(abs(after["probable"] - first - truth[0]["seconds"]), 1.2, said)  # at the first close
        self.assertIn("confirmed", after, said)
        self.assertLess(after["confirmed"] - first, 35)
        at_confirmation = scene.watch.said("stall_level", level="confirmed")[0]
        self.assertIn(at_confirmation["count"], (2, 3))
        self.assertEqual(at_confirmation["cause"], "lost_completion")
        self.assertIn("10 s", at_confirmation["pattern"])

    def test_over_qmp(self):
        self.check(scenes["csw"])

    def test_over_hmp(self):
        self.check(scenes["csw over HMP"])

    def test_remedies_come_with_the_confirmation(self):
        self.assertTrue(scenes["csw"].watch.said("stall_level", level="confirmed")[0]["remedies"])

    def test_metrics(self):
        def value(name, **labels):
            wanted = {"drive": "install_media", "cause": "lost_completion", **labels}
            found = [each for has, each in series(scenes["csw"].exposition, name) if wanted.items() <= has.items()]
            self.assertEqual(len(found), 1, f"{name} {wanted}")
            return found[0]
        stalls = value("qemu_block_stalls_total")
        self.assertGreaterEqual(stalls, 2)
        self.assertAlmostEqual(value("qemu_block_stall_seconds_total"), 10 * stalls, delta=0.6 * stalls)
        self.assertEqual(value("qemu_block_stall_duration_seconds_count"), stalls)
        self.assertEqual(value("qemu_block_stall_duration_seconds_bucket", le="11.5"), stalls)
        self.assertEqual(value("qemu_block_stall_duration_seconds_bucket", le="9.5"), 0)


class OtherSilences(unittest.TestCase):
    def check(self, name, kind, cause):
        """No level confirmed, and each true silence counted with its own cause; without a cause none is."""
        scene = scenes[name]
        truth = scene.truth()
        said = [line for line in scene.watch.lines if line["event"].startswith("stall")]
        self.assertNotIn("confirmed", scene.levels(), said)
        self.assertEqual({event["kind"] for event in truth}, {kind} if kind else set())
        stalls = scene.watch.said("stall")
        self.assertEqual({stall["cause"] for stall in stalls}, {cause} if cause else set(), said)
        if cause:
            self.assertEqual(len(stalls), len(truth), said)
            for stall, event in zip(stalls, truth):
                self.assertAlmostEqual(wall(stall["start"]), event["start"], delta=0.1)
                self.assertAlmostEqual(stall["seconds"], event["seconds"], delta=0.4)
        open_suspicions = len(scene.watch.said("stall_suspected")) - len(scene.watch.said("stall_withdrawn"))
        self.assertLessEqual(open_suspicions, len(stalls))

    def test_pauses(self):
        self.check("pause", "vm_paused", "vm_paused")

    def test_a_host_that_stalls(self):
        self.check("hoststall", "host_stall", "slow_backend")

    def test_a_throttled_drive_has_no_gaps(self):
        self.check("throttle", None, None)

    def test_a_healthy_drive_has_none(self):
        self.check("healthy", None, None)
        self.assertEqual([line for line in scenes["healthy"].watch.lines if line["event"].startswith("stall_s")], [])

    def test_an_idle_guest(self):
        # One of its silences is as long as a time-out: that alone may look probable, and no other may count.
        scene = scenes["idle"]
        self.assertGreaterEqual(len(scene.truth()), 4)
        self.assertNotIn("confirmed", scene.levels(), scene.watch.said("stall_level"))
        self.assertLessEqual(len(scene.watch.said("stall")), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
