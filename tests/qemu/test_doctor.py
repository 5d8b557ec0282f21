"""doctor says what is wrong with a VM, and its proof leaves the VM's logging as it was."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import processes
import watcher
from qmp import Qmp
from vm import Vm

HERE = pathlib.Path(__file__).resolve().parent
NOTHING_FOUND, SOMETHING_FOUND, COULD_NOT_LOOK = 0, 1, 2


def doctor(address, *arguments):
    done = watcher.run("doctor", "--socket", address, "--format", "json", *arguments, timeout=60)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


class Look(unittest.TestCase):
    def ids(self, report, severities=("warning", "problem")):
        return {(one["id"], one["drive"]) for one in report["findings"] if one["severity"] in severities}

    def test_a_vm_with_troubles(self):
        image = "file.driver=null-co,file.size=67108864,format=raw"
        with Vm("-device", "qemu-xhci,id=small,p2=1,p3=1",
                "-drive", f"if=none,id=a,{image}", "-device", "usb-storage,id=stick_a,bus=small.0,drive=a",
                "-drive", f"if=none,id=b,{image}", "-device", "usb-storage,id=stick_b,bus=small.0,drive=b",
                "-drive", f"if=none,id=slow,{image},throttling.iops-total=20", "-device", "virtio-blk-pci,drive=slow",
                "-drive", f"if=none,id=setup,{image},readonly=on", "-device", "nvme,serial=setup,drive=setup",
                "-drive", f"if=none,id=through,{image},cache=writethrough", "-device", "nvme,serial=through,drive=through",
                drives=False) as vm:
            for address, protocol in ((vm.qmp, "qmp"), (vm.hmp, "hmp")):
                with self.subTest(protocol):
                    code, report, _ = doctor(address)
                    self.assertEqual(code, SOMETHING_FOUND)
                    self.assertEqual(report["protocol"], protocol)
                    self.assertEqual(report["accelerator"], "tcg")
                    self.assertEqual((report["cpus"], report["memory_bytes"]), (1, 64 << 20))
                    self.assertEqual(report["interrupt_controller"]["place"], "emulated")
                    self.assertEqual(self.ids(report), {("usb_full_speed_hub", "a"), ("usb_full_speed_hub", "b"),
                                                        ("throttled", "slow"), ("nvme_read_only", "setup"),
                                                        ("cache_mode", "through")})
                    self.assertIn(("usb_storage_lost_completion", "a"), self.ids(report, ("info",)))
                    self.assertNotIn("kernel-irqchip=off", json.dumps([one["remedies"] for one in report["findings"]]))

    def test_a_vm_without(self):
        with Vm("-drive", "if=none,id=fine,file.driver=null-co,format=raw", "-device", "nvme,serial=fine,drive=fine",
                drives=False) as vm:
            code, report, said = doctor(vm.qmp)
            self.assertEqual((code, report["findings"], said), (NOTHING_FOUND, [], ""))
            code, report, said = doctor(vm.qmp, "--prove", "1s")
            self.assertEqual((code, report), (COULD_NOT_LOOK, None))
            self.assertIn("no usb-storage drive", said)
            code, report, said = doctor(vm.hmp, "--prove", "1s")
            self.assertEqual((code, report), (COULD_NOT_LOOK, None))
            self.assertIn("needs a QMP monitor", said)
            vm.process.send_signal(signal.SIGSTOP)
            try:
                self.assertEqual(doctor(vm.qmp)[0], COULD_NOT_LOOK)
            finally:
                vm.process.send_signal(signal.SIGCONT)


def trace_states(control):
    return {event["name"]: event["state"] for event in control.execute("trace-event-get-state", name="usb_msd_*")}


def wait_for_the_proof(vm):
    """Until all five events are on: from then on doctor only reads."""
    processes.wait_until(lambda: list(trace_states(vm.control).values()).count("enabled") == 5, "the proof has begun")


class Proof(unittest.TestCase):
    def test_a_lost_status_is_proved(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-doctor-")))
        monitor = folder / "qmp.sock"
        harness = processes.start([sys.executable, HERE / "harness" / "harness.py", "--qmp", monitor, "--mode", "csw",
                                   "--seconds", "60", "--first-after", "1500", "--loss-every", "1500",
                                   "--trouble-seconds", "2"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(processes.end, harness)
        processes.wait_until(monitor.exists, "the harness opens its monitor")
        code, report, said = doctor(monitor, "--prove", "40s")
        self.assertEqual(code, SOMETHING_FOUND, said)
        self.assertIn("changing this VM's logging", said)
        self.assertIn("as it was", said)
        lost = report["proof"]["lost_completions"]
        self.assertEqual(len(lost), 2)
        self.assertAlmostEqual(lost[0]["seconds"], 2, delta=1)
        worst = report["findings"][0]
        self.assertEqual((worst["id"], worst["severity"], worst["certainty"]),
                         ("usb_storage_lost_completion", "problem", "known"))

    def test_everything_is_put_back_after_a_signal(self):
        with Vm() as vm:
            before = trace_states(vm.control)
            self.assertEqual(set(before.values()), {"disabled"})
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(number.name):
                    running = processes.start([watcher.binary(), "doctor", "--socket", str(vm.qmp), "--prove", "60s"],
                                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                              text=True)
                    self.addCleanup(processes.end, running)
                    wait_for_the_proof(vm)
                    running.send_signal(number)
                    out, said = running.communicate(timeout=20)
                    self.assertIn("as it was", said)
                    self.assertIn("Proof:", out)
                    self.assertEqual(trace_states(vm.control), before)
                    # QEMU has let go of our file: it would still be among its files, as deleted.
                    files = [str(file.readlink()) for file in pathlib.Path(f"/proc/{vm.pid}/fd").iterdir()]
                    self.assertFalse([file for file in files if "qmpwatch-proof" in file])

    def test_a_log_of_its_own(self):
        with Vm("-D", "{folder}/own.log") as vm:
            log = vm.folder / "own.log"
            self.assertEqual(doctor(vm.qmp, "--prove", "1s")[0], NOTHING_FOUND)
            vm.control.execute("trace-event-set-state", name="runstate_set", enable=True)
            vm.control.execute("stop")
            processes.wait_until(lambda: "runstate_set" in log.read_text(), "QEMU logs to its own file again")
            # Without the file nobody knows whether QEMU could open it again: then nothing may be changed.
            log.unlink()
            code, report, said = doctor(vm.qmp, "--prove", "1s")
            self.assertEqual((code, report), (COULD_NOT_LOOK, None))
            self.assertIn("could not be put back", said)
            self.assertNotIn("changing", said)
            self.assertEqual(set(trace_states(vm.control).values()), {"disabled"})

    def test_a_vm_that_ends_meanwhile(self):
        with Vm() as vm:
            running = processes.start([watcher.binary(), "doctor", "--socket", str(vm.qmp), "--prove", "60s"],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(processes.end, running)
            wait_for_the_proof(vm)
            vm.kill()
            running.communicate(timeout=20)
            self.assertEqual(running.returncode, COULD_NOT_LOOK)

    def test_a_stopped_vm_is_waited_for(self):
        with Vm() as vm:
            running = processes.start([watcher.binary(), "doctor", "--socket", str(vm.qmp), "--prove", "2s"],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(processes.end, running)
            wait_for_the_proof(vm)
            vm.process.send_signal(signal.SIGSTOP)
            time.sleep(9)  # the two seconds, and longer than an answer is waited for
            vm.process.send_signal(signal.SIGCONT)
            _, said = running.communicate(timeout=40)
            self.assertIn("cannot put back the VM's logging yet", said)
            self.assertIn("as it was", said)
            self.assertEqual(set(trace_states(vm.control).values()), {"disabled"})


if __name__ == "__main__":
    unittest.main()
