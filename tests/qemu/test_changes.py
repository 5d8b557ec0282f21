"""Pause, reset, hot-plug, unplug and medium change under a running watcher."""
import time
import unittest

import processes
import watched_vm


class Changes(watched_vm.WatchedVm):
    interval = "500ms"
    arguments = ("-device", "pcie-root-port,id=free_port,chassis=1")

    def test_stop_and_cont(self):
        since = len(self.watch.lines)
        self.vm.control.execute("stop")
        self.watch.wait_for("vm", since, state="paused", state_before="running", timeout=5)
        still = self.watch.wait_for("rate", len(self.watch.lines), drive="install_media", count=3)
        self.assertEqual(still["read_bytes_per_second"], 0)
        self.vm.control.execute("cont")
        self.watch.wait_for("vm", since, state="running", state_before="paused", timeout=5)
        self.watch.wait_for("rate", len(self.watch.lines), drive="install_media", count=2)
        self.assertEqual([line["state"] for line in self.watch.said("vm", since)], ["paused", "running"])
        self.assertEqual(self.watch.monitor_states(since), [])

    def test_system_reset(self):
        since = len(self.watch.lines)
        before = self.vm.counters()["install_media"]["rd_operations"]
        self.vm.control.execute("system_reset")
        self.vm.wait_for_reads(least=before + 100)
        moving = self.watch.wait_for("rate", len(self.watch.lines), drive="install_media", count=3)
        self.assertGreater(moving["read_iops"], 0)
        self.assertEqual(self.watch.monitor_states(since), [])
        self.assertEqual(self.watch.said("drives", since), [])
        if self.protocol == "qmp":
            self.assertTrue(self.watch.said("qmp", since, name="RESET"))

    def plug_and_unplug(self, device, drive, kind, arguments):
        control = self.vm.control
        since = len(self.watch.lines)
        image = str(self.vm.image("plugged.img"))
        control.execute("blockdev-add", driver="raw", node_name="plugged", file={"driver": "file", "filename": image})
        control.execute("device_add", id=device, drive="plugged", **arguments)
        self.watch.wait_for("drives", since, added=[drive], timeout=5)
        self.vm.read(drive, count=4)
        seen = self.watch.wait_for("rate", since, drive=drive, device=kind, reads_completed=4, timeout=10)
        self.assertEqual(seen["read_bytes"], 4 * 65536)
        self.assertIn(drive, self.next_report(len(self.watch.lines)))

        since = len(self.watch.lines)
        control.execute("device_del", id=device)
        return since

    def test_hot_plug_usb_storage(self):
        since = self.plug_and_unplug("second_stick", "/machine/peripheral/second_stick/second_stick.0/legacy[0]",
                                     "usb-storage", {"driver": "usb-storage", "bus": "xhci.0"})
        self.vm.control.wait_for_event("DEVICE_DELETED")
        gone = self.watch.wait_for("drives", since, timeout=5)
        self.assertEqual(gone["removed"], ["/machine/peripheral/second_stick/second_stick.0/legacy[0]"])
        self.assertNotIn(gone["removed"][0], self.next_report(len(self.watch.lines)))
        self.assertEqual(self.watch.monitor_states(since), [])

    def test_hot_plug_scsi(self):
        since = self.plug_and_unplug("second_disk", "second_disk", "scsi-hd", {"driver": "scsi-hd", "bus": "scsi.0"})
        self.vm.control.wait_for_event("DEVICE_DELETED")
        self.assertEqual(self.watch.wait_for("drives", since, timeout=5)["removed"], ["second_disk"])
        self.assertNotIn("second_disk", self.next_report(len(self.watch.lines)))

    def test_hot_plug_virtio_blk(self):
        # Unplugging from PCI Express needs a guest that agrees, which this one does not.
        self.plug_and_unplug("second_virtio", "/machine/peripheral/second_virtio/virtio-backend", "virtio-blk",
                             {"driver": "virtio-blk-pci", "bus": "free_port"})

    def test_unplugged_while_it_reads(self):
        since = len(self.watch.lines)
        self.vm.control.execute("device_del", id="stick")
        self.vm.control.wait_for_event("DEVICE_DELETED")
        self.assertEqual(self.watch.wait_for("drives", since, timeout=5)["removed"], ["install_media"])
        left = self.next_report(len(self.watch.lines))
        self.assertNotIn("install_media", left)
        self.assertIn("system", left)

    def test_medium_change(self):
        control = self.vm.control
        since = len(self.watch.lines)
        self.vm.read("cd")  # counted as failed or not at all: there is no medium
        disc = str(self.vm.image("disc.iso"))
        control.execute("blockdev-change-medium", id="cd", filename=disc, format="raw", force=True)
        self.vm.read("cd", count=3)
        inserted = self.watch.wait_for("rate", since, drive="cdrom", read_bytes=self.bytes_of_cdrom(), timeout=10)
        self.assertGreaterEqual(inserted["read_bytes"], 3 * 65536)
        control.execute("eject", id="cd", force=True)
        again = self.watch.wait_for("rate", len(self.watch.lines), drive="cdrom", count=3)
        self.assertEqual(again["read_bytes"], inserted["read_bytes"])
        self.assertEqual(self.watch.said("drives", since), [])
        self.assertEqual(self.watch.monitor_states(since), [])

    def bytes_of_cdrom(self):
        """Once it stands still."""
        def still():
            before = self.vm.counters()["cdrom"]["rd_bytes"]
            time.sleep(0.2)
            return before and before == self.vm.counters()["cdrom"]["rd_bytes"] and before
        return processes.wait_until(still, "the reads of the disc are over")

    def test_snapshot(self):
        since = len(self.watch.lines)
        self.vm.control.execute("blockdev-snapshot-sync", device="system", format="qcow2",
                                snapshot_file=str(self.vm.folder / "overlay.qcow2"))
        self.vm.read("fast", count=2)
        self.watch.wait_for("rate", since, drive="system", reads_completed=2, timeout=10)
        self.assertEqual(self.watch.said("drives", since), [])


class ChangesOverHmp(Changes):
    protocol = "hmp"


if __name__ == "__main__":
    unittest.main(verbosity=2)
