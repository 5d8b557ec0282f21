"""What the tests of a VM under a running watcher have in common."""
import unittest

import processes
from vm import Vm
from watcher import Watcher

NEVER_NEGATIVE = ("read_bytes_per_second", "write_bytes_per_second", "read_iops", "write_iops", "busy_ratio",
                  "read_latency_seconds", "write_latency_seconds", "idle_seconds", "window_seconds")


class WatchedVm(unittest.TestCase):
    """A VM that reads, and a watcher of it. At the end of each test nothing may have gone wrong on the way."""

    protocol = "qmp"
    interval = "1s"
    arguments = ()

    def setUp(self):
        self.vm = self.enterContext(Vm(*self.arguments))
        self.vm.wait_for_reads()
        self.watch = self.enterContext(Watcher(getattr(self.vm, self.protocol), interval=self.interval, poll="100ms"))
        self.watch.wait_for("rate", drive="install_media", count=2)

    def tearDown(self):
        self.assertIsNone(self.watch.process.poll(), "qmpwatch has ended by itself")
        self.assertEqual(self.watch.stop(), 0)
        self.assertEqual(self.watch.errors, [])
        for line in self.watch.said("rate"):
            for name in NEVER_NEGATIVE:
                self.assertGreaterEqual(line[name] or 0, 0, (name, line))
        elapsed = [line["elapsed"] for line in self.watch.said("rate")]
        self.assertEqual(elapsed, sorted(elapsed))

    def next_report(self, since):
        """The names of the drives in the first whole report after line number `since`."""
        reports = {}
        self.watch.wait_for("rate", since=since)

        def two_reports():
            reports.clear()
            for line in self.watch.said("rate", since):
                reports.setdefault(line["elapsed"], []).append(line["drive"])
            return len(reports) > 2
        processes.wait_until(two_reports, "two more reports")
        return list(reports.values())[1]  # the first may have begun before `since`
