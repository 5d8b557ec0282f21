"""Whatever ends a recording, the run is in the file; and a replay of it says what was said live."""
import hashlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import processes
import recording
import watcher
from recording import Recorder
from vm import Vm

HARNESS = pathlib.Path(__file__).resolve().parent / "harness" / "harness.py"
FILE_LIMIT = 12000  # bytes: a header, the drives, and some samples
QUICK = {"interval": "500ms", "poll": "50ms"}

vm = None
folder = None
stalling = None


class Stalling:
    """The harness, which loses one completion, and its recorder."""

    def __init__(self):
        monitor = folder / "stalling.sock"
        self.harness = processes.start([sys.executable, HARNESS, "--qmp", monitor, "--mode", "csw", "--seconds", "15",
                                        "--rate", "300", "--first-after", "700", "--loss-every", "1000000"],
                                       stdin=subprocess.DEVNULL)
        self.recorder = Recorder(monitor, folder / "stalling.jsonl", interval="2s", poll="250ms")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        processes.end(self.recorder.process)
        processes.end(self.harness)


def setUpModule():
    """A VM, and one that stalls."""
    global vm, folder, stalling
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-record-")))
    stalling = unittest.enterModuleContext(Stalling())
    vm = unittest.enterModuleContext(Vm())
    vm.wait_for_reads()


class Endings(unittest.TestCase):
    """Each leaves a file with an end."""

    def setUp(self):
        self.file = folder / f"{self.id().rsplit('.', 1)[-1]}.jsonl"

    def record(self, address=None, **options):
        return self.enterContext(Recorder(address or vm.qmp, self.file, **{**QUICK, **options}))

    def end(self, reason, complete):
        """Checks it; the whole report."""
        said = recording.report(self.file)
        self.assertEqual((said["end"]["reason"], said["end"]["complete"]), (reason, complete))
        self.assertGreater(said["run"]["samples"], 5)
        return said

    def test_ctrl_c(self):
        recorder = self.record()
        recorder.wait_for("rate", drive="install_media", count=2)
        self.assertEqual(recorder.stop(), 0)
        self.assertEqual(recorder.complaints, [])
        self.end("interrupted", False)

    def test_sigterm(self):
        recorder = self.record(arguments=["--label", "purpose=a test", "--label", "medium=usb"])
        recorder.wait_for("rate", drive="install_media", count=2)
        recorder.process.terminate()
        self.assertEqual(recorder.finish(10), 0)
        said = self.end("interrupted", False)
        self.assertEqual(said["run"]["labels"], {"purpose": "a test", "medium": "usb"})

    def test_time_limit(self):
        recorder = self.record(arguments=["--for", "2s"])
        self.assertEqual(recorder.finish(10), 0)
        said = self.end("time-limit", False)
        self.assertAlmostEqual(said["run"]["watched_seconds"], 2, delta=0.3)

    def test_qemu_is_killed(self):
        with Vm() as other:
            other.wait_for_reads()
            recorder = self.record(other.qmp)
            recorder.wait_for("rate", drive="install_media", count=2)
            other.kill()
            recorder.finish(10)
        self.end("monitor-lost", False)

    def test_quiet(self):
        """The guest has nothing to do with its drives: all that they do is done here."""
        with Vm("-drive", "if=none,id=spare,format=raw,file.driver=null-co,file.size=1G",
                "-device", "virtio-blk-pci,id=spare_disk,drive=spare", drives=False) as idle:
            recorder = self.record(idle.qmp, arguments=["--until-quiet", "2s"])
            recorder.wait_for("rate", drive="spare")
            for _ in range(6):
                idle.read("/machine/peripheral/spare_disk/virtio-backend", count=10)
                time.sleep(0.4)
                self.assertIsNone(recorder.process.poll(), "it has ended although a drive was busy")
            before = time.monotonic()
            self.assertEqual(recorder.finish(15), 0)
            self.assertAlmostEqual(time.monotonic() - before, 2, delta=1)
        self.end("quiet", True)

    def test_command(self):
        """The command starts the VM, and its exit code is handed on."""
        script = ('exec >/dev/null 2>&1; "$@" & sleep 2.5; kill $!; wait $!; exit $CODE')
        for code in (0, 3):
            with self.subTest(code=code):
                self.file = folder / f"command-{code}.jsonl"
                socket = folder / f"command-{code}.sock"
                qemu = [processes.qemu_binary(), "-machine", "q35,accel=tcg", "-m", "64", "-nodefaults",
                        "-display", "none", "-qmp", f"unix:{socket},server=on,wait=off", "-drive",
                        f"if=virtio,id=system,format=raw,file={vm.image('command.img')},readonly=on"]
                recorder = self.record(socket, command=["sh", "-c", script, "sh", *qemu],
                                       env={**os.environ, "CODE": str(code)})
                self.assertEqual(recorder.finish(20), code)
                said = self.end("command-exit", code == 0)
                self.assertEqual(said["end"]["exit_code"], code)

    def test_command_that_is_not_there(self):
        done = watcher.run("record", "--socket", folder / "nothing.sock", "-o", self.file, *watcher.NO_WEB, "--",
                           "/nonexistent/command")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/nonexistent/command", done.stderr)

    def test_existing_file(self):
        self.file.write_text("precious\n")
        done = watcher.run("record", "--socket", vm.qmp, "-o", self.file, "--for", "1s", *watcher.NO_WEB)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--overwrite", done.stderr)
        self.assertEqual(self.file.read_text(), "precious\n")
        done = watcher.run("record", "--socket", vm.qmp, "-o", self.file, "--overwrite", "--for", "1s", "--poll",
                           "50ms", "--log.level", "warning", *watcher.NO_WEB)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.end("time-limit", False)

    def test_gzip(self):
        self.file = self.file.with_suffix(".jsonl.gz")
        recorder = self.record()
        recorder.wait_for("rate", drive="install_media", count=2)
        self.assertEqual(recorder.stop(), 0)
        self.end("interrupted", False)
        self.assertEqual(self.file.read_bytes()[:2], b"\x1f\x8b")

    def test_markers(self):
        address = f"127.0.0.1:{processes.free_port()}"
        recorder = self.record(listen=address)
        recorder.wait_for("rate", drive="install_media")
        recorder.process.send_signal(signal.SIGUSR1)
        request = urllib.request.Request(f"http://{address}/api/v1/marker", b"half of it", method="POST",
                                         headers={"Content-Type": "text/plain"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            self.assertEqual(answer.status // 100, 2)
        recorder.wait_for("rate", since=len(recorder.lines), drive="install_media")
        self.assertEqual(recorder.stop(), 0)
        markers = recording.of_type(self.file, "marker")
        self.assertEqual(len(markers), 2)
        self.assertIn("half of it", [marker["text"] for marker in markers])

    def test_redacted(self):
        recorder = self.record(arguments=["--redact"])
        recorder.wait_for("rate", drive="install_media", count=2)
        self.assertEqual(recorder.stop(), 0)
        content = self.file.read_text()
        for secret in (str(vm.folder), str(vm.qmp), "boot.img", "system.img"):
            self.assertNotIn(secret, content)
        said = self.end("interrupted", False)
        self.assertIn("install_media", json.dumps(said))


def sampled_content(file):
    """As docs/run-file.md says."""
    data = pathlib.Path(file).read_bytes()
    total = hashlib.sha256(f"{len(data)}\n".encode())
    if len(data) < 4 << 20:
        total.update(data)
    else:
        for block in range(64):
            begin = block * (len(data) - 65536) // 63
            total.update(data[begin:begin + 65536])
    return "sampled-sha256:" + total.hexdigest()


class Facts(unittest.TestCase):
    """What tells whether two runs can be compared."""

    def test_cpus_memory_and_medium(self):
        # One path is relative: to QEMU's folder, not to ours.
        other = Vm("-smp", "3", "-drive", "if=none,id=scratch,format=raw,file=scratch.img,readonly=on",
                   "-device", "virtio-blk-pci,drive=scratch")
        other.image("scratch.img", 100_000)
        with other:
            other.wait_for_reads()
            for protocol, address in (("qmp", other.qmp), ("hmp", other.hmp)):
                with self.subTest(protocol):
                    file = folder / f"facts-{protocol}.jsonl"
                    recorder = self.enterContext(Recorder(address, file, **QUICK))
                    recorder.wait_for("rate", drive="install_media")
                    self.assertEqual(recorder.stop(), 0)
                    self.assertEqual(recorder.complaints, [])
                    self.assertEqual(recording.lines(file)[0]["schema"]["minor"], 1)
                    who = recording.of_type(file, "vm")[-1]
                    self.assertEqual((who["protocol"], who["cpus"], who["memory_bytes"]), (protocol, 3, 64 << 20))
                    inventories = recording.of_type(file, "inventory")
                    self.assertEqual(len(inventories), 1)
                    content = {drive["device"]: drive.get("content") for drive in inventories[0]["drives"]}
                    self.assertEqual({name: one for name, one in content.items() if one},
                                     {"install_media": sampled_content(other.boot_image()),
                                      "scratch": sampled_content(other.folder / "scratch.img")})
                    said = recording.report(file)
                    self.assertEqual((said["vm"]["cpus"], said["vm"]["memory_bytes"]), (3, 64 << 20))
                    self.assertIn("3 vCPUs, 64 MiB RAM", " ".join(watcher.run("report", file).stdout.split()))
                    for drive in said["drives"]:
                        self.assertEqual(drive["content"], content.get(drive["drive"]), drive["drive"])


class Pushed(unittest.TestCase):
    """The summary at a real Pushgateway."""

    def test_summary_stays_behind(self):
        address = f"127.0.0.1:{processes.free_port()}"
        gateway = processes.start(["prometheus-pushgateway", f"--web.listen-address={address}", "--persistence.file="],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(processes.end, gateway)

        def metrics():
            try:
                with urllib.request.urlopen(f"http://{address}/metrics", timeout=2) as answer:
                    return answer.read().decode()
            except OSError:
                return None

        processes.wait_until(metrics, "the Pushgateway answers")
        # A name that has to be encoded in the address of the group.
        with Vm("-name", "a/b c") as other, Recorder(
                other.qmp, folder / "pushed.jsonl", **QUICK,
                arguments=["--for", "2s", "--label", "medium=usb", "--push-gateway", f"http://{address}"]) as recorder:
            self.assertEqual(recorder.finish(10), 0)
        said = metrics()
        self.assertRegex(said, r'qmpwatch_run_complete{[^}]*vm="a/b c"[^}]*} 0\n')
        self.assertRegex(said, r'qmpwatch_run_info{[^}]*end="time-limit"[^}]*label_medium="usb"[^}]*} 1\n')
        report = recording.report(folder / "pushed.jsonl")
        self.assertAlmostEqual(float(self.value(said, "qmpwatch_run_seconds{")), report["run"]["watched_seconds"])

    def value(self, said, beginning):
        lines = [line for line in said.splitlines() if line.startswith(beginning)]
        self.assertEqual(len(lines), 1, said)
        return lines[0].rsplit(" ", 1)[1]

    def test_gateway_that_is_not_there(self):
        address = f"127.0.0.1:{processes.free_port()}"
        file = folder / "unpushed.jsonl"
        with Recorder(vm.qmp, file, **QUICK, arguments=["--for", "1s", "--push-gateway", f"http://{address}"]) as recorder:
            self.assertEqual(recorder.finish(10), 1)
            self.assertEqual(len(recorder.complaints), 1)
            self.assertIn("the summary was not pushed", recorder.complaints[0])
        self.assertEqual(recording.report(file)["end"]["reason"], "time-limit")


class DiskFull(unittest.TestCase):
    def check(self, file, **options):
        with Recorder(vm.qmp, file, interval="1s", poll="50ms", **options) as recorder:
            self.assertEqual(recorder.finish(60), 1)
            (sentence,) = recorder.complaints
        self.assertIn(str(file), sentence)
        self.assertIn("kept", sentence)
        content = file.read_bytes()
        self.assertTrue(content.endswith(b"\n"))
        samples = recording.of_type(file, "sample")
        self.assertGreater(len(samples), 5)
        self.assertEqual(recording.report(file)["run"]["samples"], len(samples))

    def test_limited_file(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
        self.check(folder / "limited.jsonl", before_exec=limit)

    @unittest.skipIf(os.geteuid() != 0, "only root may mount")
    def test_full_disk(self):
        small = folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small], capture_output=True).returncode:
            self.skipTest("mounting is not allowed in this container")
        try:
            self.check(small / "run.jsonl")
        finally:
            subprocess.run(["umount", small], check=True)


class Replayed(unittest.TestCase):
    """A VM that loses a completion, recorded since this module was set up; a replay says what was said live."""

    def test_same_as_live(self):
        self.assertEqual(stalling.harness.wait(60), 0)
        stalling.recorder.finish(20)
        live = stalling.recorder
        self.assertEqual(len(live.said("stall")), 1)
        self.assertGreater(len(live.said("rate")), 5)
        self.assertEqual(recording.replay(live.file), live.lines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
