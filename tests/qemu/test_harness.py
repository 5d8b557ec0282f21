"""The guest-free driver loses what it says it loses, and the demo built on it cleans up behind itself."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import processes
import watcher
from watcher import Watcher

HERE = pathlib.Path(__file__).resolve().parent


class Harness(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-harness-")))
        self.monitor = self.folder / "qmp.sock"
        self.truth = self.folder / "truth.json"

    def start(self, *arguments):
        harness = processes.start([sys.executable, HERE / "harness" / "harness.py", "--qmp", self.monitor,
                                   "--truth", self.truth, *arguments], stdin=subprocess.DEVNULL)
        self.addCleanup(processes.end, harness)
        processes.wait_until(self.monitor.exists, "the harness opens its monitor")
        return harness

    def finish(self, harness):
        self.assertEqual(harness.wait(20), 0)
        self.assertFalse(self.monitor.exists())
        return json.loads(self.truth.read_text())

    def test_lost_status(self):
        harness = self.start("--mode", "csw", "--seconds", "14", "--first-after", "700", "--loss-every", "1000000")
        with Watcher(self.monitor, interval="500ms", poll="100ms") as watch:
            truth = self.finish(harness)
            watch.wait_for("qmp", name="SHUTDOWN")
            watch.stop()
        self.assertEqual(truth["losses"], 1)
        (loss,) = truth["truth"]
        self.assertAlmostEqual(loss["seconds"], 10, delta=0.5)
        # As the counters show it: everything stands still for as long, and the VM runs.
        frozen = [line for line in watch.said("rate", drive="install_media") if line["read_iops"] == 0]
        self.assertGreaterEqual(len(frozen), 17)
        self.assertGreater(max(line["idle_seconds"] for line in frozen), 9)
        self.assertEqual(watch.said("vm")[0]["state"], "running")
        self.assertEqual([line["name"] for line in watch.said("qmp")], ["SHUTDOWN"])
        reads = watch.said("rate", drive="install_media")[-1]["reads_completed"]
        self.assertGreater(reads, frozen[-1]["reads_completed"])

    def test_pause(self):
        harness = self.start("--mode", "pause", "--seconds", "4", "--every", "700", "--trouble-seconds", "1")
        with Watcher(self.monitor, interval="500ms", poll="100ms") as watch:
            truth = self.finish(harness)
            watch.wait_for("monitor", state="absent")
        self.assertEqual(truth["truth"][0]["kind"], "vm_paused")
        self.assertEqual([line["state"] for line in watch.said("vm")][:3], ["running", "paused", "running"])

    def test_stalled_host(self):
        harness = self.start("--mode", "hoststall", "--seconds", "4", "--every", "700", "--trouble-seconds", "2")
        with Watcher(self.monitor, interval="500ms", poll="100ms") as watch:
            truth = self.finish(harness)
            watch.wait_for("monitor", state="absent")
        self.assertAlmostEqual(truth["truth"][0]["seconds"], 2, delta=0.5)
        slow = [line["read_latency_seconds"] for line in watch.said("rate") if line["read_latency_seconds"]]
        self.assertGreater(max(slow), 0.005)  # one read of two seconds among some hundreds

    def test_throttle(self):
        harness = self.start("--mode", "throttle", "--seconds", "3")
        with Watcher(self.monitor, interval="1s", poll="100ms") as watch:
            self.finish(harness)
            watch.wait_for("monitor", state="absent")
        self.assertAlmostEqual(watch.said("rate")[-1]["read_iops"], 20, delta=3)


class Demo(unittest.TestCase):
    def test_ends_cleanly(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-demo-"))
        demo = processes.start([sys.executable, HERE / "demo.py", watcher.binary()], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True, start_new_session=True,
                               env={**os.environ, "TMPDIR": folder})
        try:
            said = []
            while not any("install_media" in line and "read" in line for line in said):
                line = demo.stdout.readline()
                self.assertTrue(line, said)
                said.append(line)
            self.assertIn("Ctrl-C", said[1])
            self.assertTrue(os.listdir(folder))
            os.killpg(demo.pid, signal.SIGINT)  # as the terminal does at Ctrl-C
            rest = demo.communicate(timeout=10)[0]
        finally:
            processes.end(demo)
        self.assertEqual(demo.returncode, 0, rest)
        self.assertIn("summary", rest)
        self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
