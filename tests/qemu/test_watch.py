"""The counters and rates that qmpwatch tells are those of QEMU, over QMP and over HMP."""
import csv
import datetime
import io
import statistics
import unittest

import watcher
from vm import Vm
from watcher import TrueCounters, Watcher

DATA_DISK = "/machine/peripheral/data_disk/virtio-backend"
DRIVES = {"install_media": "usb-storage", "system": "nvme", DATA_DISK: "virtio-blk", "disc_player": "scsi-cd",
          "cdrom": "ide-cd"}

QUICK = ("--interval", "300ms", "--poll", "100ms")

# What qmpwatch calls a counter, and QEMU. HMP has only the first group.
BASIC = {"read_bytes": "rd_bytes", "written_bytes": "wr_bytes", "reads_completed": "rd_operations",
         "writes_completed": "wr_operations", "flushes_completed": "flush_operations", "reads_merged": "rd_merged",
         "writes_merged": "wr_merged"}
DETAILED = {"discarded_bytes": "unmap_bytes", "discards_completed": "unmap_operations",
            "discards_merged": "unmap_merged", "highest_write_offset_bytes": "wr_highest_offset"}
BASIC_TIMES = {"read_time_seconds": "rd_total_time_ns", "write_time_seconds": "wr_total_time_ns",
               "flush_time_seconds": "flush_total_time_ns"}
DETAILED_TIMES = {"discard_time_seconds": "unmap_total_time_ns"}
IN_QEMU = {"read": "rd", "write": "wr", "flush": "flush", "discard": "unmap"}


class Totals(unittest.TestCase):
    """A paused VM, so that its counters stand still while three clients look at them."""

    @classmethod
    def setUpClass(cls):
        cls.vm = cls.enterClassContext(Vm())
        cls.vm.wait_for_reads()
        cls.vm.read("fast", count=3)
        cls.vm.write("fast", count=2)
        cls.vm.write(DATA_DISK, count=5, size=4096)
        cls.vm.read(DATA_DISK, count=1, size=512)
        cls.vm.control.hmp(f'qemu-io -d {DATA_DISK} "aio_flush"')
        cls.vm.control.hmp('qemu-io -d fast "aio_read -q 1T 512"')  # beyond its end: a failed read
        cls.vm.control.execute("stop")
        before = cls.vm.counters()
        cls.over_qmp = watcher.once(cls.vm.qmp)
        cls.over_hmp = watcher.once(cls.vm.hmp)
        cls.truth = cls.vm.counters()
        for drive in before:
            for stats in (before[drive], cls.truth[drive]):
                stats.pop("idle_time_ns", None)
        if before != cls.truth:
            raise AssertionError("the counters of a paused VM have moved")

    def compare(self, seen, counters, times):
        drives = {drive["drive"]: drive for drive in seen["drives"]}
        self.assertEqual(set(drives), set(self.truth))
        for name, stats in self.truth.items():
            for ours, theirs in counters.items():
                self.assertEqual(drives[name][ours], stats[theirs], f"{ours} of {name}")
            for ours, theirs in times.items():
                self.assertAlmostEqual(drives[name][ours], stats[theirs] / 1e9, 9, f"{ours} of {name}")

    def test_something_was_counted(self):
        self.assertGreaterEqual(self.truth["install_media"]["rd_operations"], 20)
        self.assertEqual(self.truth["system"]["wr_bytes"], 2 * 65536)
        self.assertEqual(self.truth["system"]["failed_rd_operations"], 1)
        self.assertEqual(self.truth[DATA_DISK]["wr_operations"], 5)
        self.assertGreaterEqual(self.truth[DATA_DISK]["flush_operations"], 1)

    def test_qmp_exact(self):
        self.assertEqual(self.over_qmp["protocol"], "qmp")
        self.compare(self.over_qmp, BASIC | DETAILED, BASIC_TIMES | DETAILED_TIMES)
        for drive in self.over_qmp["drives"]:
            for kind in ("failed", "invalid"):
                stats = self.truth[drive["drive"]]
                theirs = {ours: stats[f"{kind}_{word}_operations"] for ours, word in IN_QEMU.items()}
                self.assertEqual(drive[kind], theirs, f"{kind} of {drive['drive']}")

    def test_hmp_exact(self):
        self.assertEqual(self.over_hmp["protocol"], "hmp")
        self.compare(self.over_hmp, BASIC, BASIC_TIMES)

    def test_hmp_does_not_invent_what_it_cannot_know(self):
        for drive in self.over_hmp["drives"]:
            self.assertIsNone(drive["discarded_bytes"])
            self.assertIsNone(drive["failed"]["read"])

    def test_same_over_both(self):
        keys = [*BASIC, *BASIC_TIMES, "device", "bus", "qdev", "read_only", "removable"]
        for one, other in zip(self.over_qmp["drives"], self.over_hmp["drives"]):
            self.assertEqual([one[key] for key in ["drive", *keys]], [other[key] for key in ["drive", *keys]])
        for key in ("vm", "state", "name", "version", "pid"):
            self.assertEqual(self.over_qmp[key], self.over_hmp[key])

    def test_how_drives_are_attached(self):
        for seen in (self.over_qmp, self.over_hmp):
            self.assertEqual({drive["drive"]: drive["device"] for drive in seen["drives"]}, DRIVES)

    def test_the_vm(self):
        self.assertEqual(self.over_qmp["vm"], "tested")
        self.assertEqual(self.over_qmp["state"], "paused")
        self.assertEqual(self.over_qmp["pid"], self.vm.pid)
        version = self.vm.control.execute("query-version")["qemu"]
        self.assertEqual(self.over_qmp["version"], "{major}.{minor}.{micro}".format(**version))

    def test_no_rates_of_a_paused_vm(self):
        for seen in (self.over_qmp, self.over_hmp):
            for drive in seen["drives"]:
                self.assertEqual((drive["read_bytes_per_second"], drive["write_iops"]), (0, 0))

    def test_empty_drive(self):
        for seen in (self.over_qmp, self.over_hmp):
            (cdrom,) = [drive for drive in seen["drives"] if drive["drive"] == "cdrom"]
            self.assertTrue(cdrom["removable"])
            self.assertIsNone(cdrom["file"])


class NoDrives(unittest.TestCase):
    def test_once(self):
        with Vm(drives=False) as vm:
            for address in (vm.qmp, vm.hmp):
                with self.subTest(address.name):
                    seen = watcher.once(address)
                    self.assertEqual((seen["state"], seen["drives"]), ("running", []))


class Rates(unittest.TestCase):
    """A running guest, and the test's own look at its counters."""

    @classmethod
    def setUpClass(cls):
        cls.vm = cls.enterClassContext(Vm())
        cls.vm.wait_for_reads()

    def check_rates(self, address):
        with TrueCounters(self.vm) as truth, Watcher(address, interval="3s", poll="500ms") as watch:
            last = watch.wait_for("rate", drive="install_media", count=2)
            watch.stop()
            self.check_against(truth, last)

    def check_against(self, truth, line):
        end = datetime.datetime.fromisoformat(line["time"]).timestamp()
        byte_rate, read_rate = truth.rates(end, line["window_seconds"])
        self.assertGreater(read_rate, 20)
        self.assertAlmostEqual(line["window_seconds"], 3, delta=0.2)
        self.assertAlmostEqual(line["read_bytes_per_second"], byte_rate, delta=0.02 * byte_rate)
        self.assertAlmostEqual(line["read_iops"], read_rate, delta=0.02 * read_rate)

    def test_qmp(self):
        self.check_rates(self.vm.qmp)

    def test_hmp(self):
        self.check_rates(self.vm.hmp)

    def test_reports_do_not_drift(self):
        with Watcher(self.vm.qmp, interval="1s", poll="250ms") as watch:
            watch.wait_for("rate", drive="install_media", count=11)
            watch.stop()
            ends = [line["elapsed"] for line in watch.said("rate", drive="install_media")][:11]
        # How far each is from its place. One may be late on a busy machine; all of them being late is a drift.
        late = [end - number for number, end in enumerate(ends, 1)]
        self.assertLess(abs(statistics.median(late[-3:]) - statistics.median(late[:3])), 0.05, late)
        self.assertLess(statistics.median(map(abs, late)), 0.05, late)

    def test_csv(self):
        done = watcher.run("--socket", self.vm.qmp, "--once", "--format", "csv", *QUICK)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = list(csv.DictReader(io.StringIO(done.stdout), restkey="beyond the header"))
        self.assertEqual({row["drive"]: row["device"] for row in rows}, DRIVES)
        for row in rows:
            self.assertEqual((row["vm"], row["state"]), ("tested", "running"))
            self.assertNotIn("beyond the header", row)
            self.assertNotIn(None, row.values())

    def test_table(self):
        done = watcher.run("--socket", self.vm.hmp, "--once", *QUICK)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for drive in ("install_media", "usb-storage", "virtio-blk"):
            self.assertIn(drive, done.stdout)
        self.assertNotIn("\x1b", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
