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
        """Ends it as Ctrl-C would; what it says it has done."""
        harness.send_signal(signal.SIGINT)
        self.assertEqual(harness.wait(20), 0)
        self.assertFalse(self.monitor.exists())
        return json.loads(self.truth.read_text())

    # Each goes on until qmpwatch has said what it is about, however long this machine takes for that.

    def test_lost_status(self):
        harness = self.start("--mode", "csw", "--first-after", "700", "--loss-every", "1000000")
        with Watcher(self.monitor, interval="500ms", poll="100ms") as watch:
            def rates():
                return watch.said("rate", drive="install_media")

            def frozen():
                return [line for line in rates() if line["read_iops"] == 0 and line["reads_completed"] >= 700]

            processes.wait_until(lambda: frozen() and rates()[-1]["read_iops"] > 0, "reads again after the loss", 60)
            truth = self.finish(harness)
            watch.wait_for("qmp", name="SHUTDOWN")
            watch.stop()
        self.assertEqual(truth["losses"], 1)
        (loss,) = truth["truth"]
        self.assertAlmostEqual(loss["seconds"], 10, delta=0.5)
        # As the counters show it: everything stands still for as long, and the VM runs.
        self.assertGreaterEqual(len(frozen()), 17)
        self.assertGreater(max(line["idle_seconds"] for line in frozen()), 9)
        self.assertEqual(watch.said("vm")[0]["state"], "running")
        self.assertEqual([line["name"] for line in watch.said("qmp")], ["SHUTDOWN"])
        self.assertGreater(rates()[-1]["reads_completed"], frozen()[-1]["reads_completed"])

    def test_pause(self):
        harness = self.start("--mode", "pause", "--every", "700", "--trouble-seconds", "1")
        with Watcher(self.monitor, interval="500ms", poll="100ms") as watch:
            def states():
                return " ".join(line["state"] for line in watch.said("vm"))

            processes.wait_until(lambda: "running paused running" in states(), "a pause is seen", 60)
            truth = self.finish(harness)
            watch.wait_for("monitor", state="absent")
        self.assertEqual(truth["truth"][0]["kind"], "vm_paused")

    def test_stalled_host(self):
        harness = self.start("--mode", "hoststall", "--every", "700", "--trouble-seconds", "2")
        with Watcher(self.monitor, interval="500ms", poll="100ms") as watch:
            def is_slow(line):  # the reads of half a second took more than that together: one of them took two seconds
                seconds = (line["read_latency_seconds"] or 0) * line["read_iops"] * line["window_seconds"]
                return seconds > 1.5

            processes.wait_until(lambda: any(map(is_slow, watch.said("rate"))), "the late read is seen", 60)
            truth = self.finish(harness)
            watch.wait_for("monitor", state="absent")
        self.assertAlmostEqual(truth["truth"][0]["seconds"], 2, delta=0.5)

    def test_throttle(self):
        harness = self.start("--mode", "throttle")
        with Watcher(self.monitor, interval="1s", poll="100ms") as watch:
            def rates():  # a window that began before the drive was throttled may be the first
                return [line["read_iops"] for line in watch.said("rate")[1:]]

            processes.wait_until(lambda: any(abs(rate - 20) <= 3 for rate in rates()), "twenty reads a second", 60)
            self.finish(harness)
            watch.wait_for("monitor", state="absent")
        self.assertLessEqual(max(rates()), 23)


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
