"""QEMU killed with -9, or ended in order, and started again on the same sockets under a running watcher."""
import datetime
import time
import unittest

import watched_vm
from watcher import TrueCounters


class Restart(watched_vm.WatchedVm):
    def kill_and_restart(self, pause=0.0):
        since = len(self.watch.lines)
        self.vm.kill()
        self.watch.wait_for("monitor", state="absent")
        if pause:
            time.sleep(pause)
        self.vm.start()
        self.vm.wait_for_reads()
        return since

    def test_kill_and_restart(self):
        since = self.kill_and_restart()
        back = self.watch.wait_for("monitor", since, state="ready")
        self.assertTrue(back["reconnected"])
        with TrueCounters(self.vm) as truth:
            # The counters have begun again at zero.
            third = self.watch.wait_for("rate", len(self.watch.lines), drive="install_media", count=3)
            self.check_rate(truth, third)
        self.assertEqual(len([line for line in self.watch.said("monitor") if line["reconnected"]]), 1)
        self.assertEqual(self.watch.monitor_states(since), ["absent", "ready"])

    def check_rate(self, truth, line):
        end = datetime.datetime.fromisoformat(line["time"]).timestamp()
        byte_rate, _ = truth.rates(end, line["window_seconds"])
        self.assertGreater(byte_rate, 0)
        # A window of one second holds few reads, so that one more or less is already a percent.
        self.assertAlmostEqual(line["read_bytes_per_second"], byte_rate, delta=0.05 * byte_rate)

    def test_a_long_absence_is_said_once(self):
        since = self.kill_and_restart(pause=4)
        self.watch.wait_for("monitor", since, state="ready")
        self.assertEqual(self.watch.monitor_states(since), ["absent", "ready"])

    def test_killed_twice(self):
        for _ in range(2):
            since = self.kill_and_restart()
            self.watch.wait_for("monitor", since, state="ready")
            self.watch.wait_for("rate", len(self.watch.lines), drive="install_media", count=2)
        self.assertEqual([line["state"] for line in self.watch.said("monitor") if line["reconnected"]], ["ready"] * 2)

    def test_quit(self):
        since = len(self.watch.lines)
        self.vm.control.send("quit")
        self.watch.wait_for("monitor", since, state="absent")
        if self.protocol == "qmp":
            self.watch.wait_for("qmp", since, name="SHUTDOWN")
        self.vm.process.wait(10)
        self.vm.start()
        self.watch.wait_for("monitor", since, state="ready")
        self.assertEqual(self.watch.monitor_states(since), ["absent", "ready"])


class RestartOverHmp(Restart):
    protocol = "hmp"


if __name__ == "__main__":
    unittest.main(verbosity=2)
