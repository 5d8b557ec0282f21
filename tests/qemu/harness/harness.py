#!/usr/bin/env python3
"""A stock QEMU with a usb-storage drive, a script in the guest's place, and one kind of trouble with the drive.

The script drives QEMU's xHCI controller and mass storage device through the qtest socket and reads 64 KiB at a time.
What it does wrong, or what is done to it, is written into a truth file, so that a test of a stall detector knows what
happened and when. Modes:

  csw         a status block (CSW) is lost now and then, in a race that QEMU has; after 10 s the driver resets the
              drive and reads the same again, as Windows does
  idle        the guest has nothing to read for a while
  pause       the VM is paused (stop, cont)
  hoststall   the host's storage does not answer for a while: the qemu-nbd behind the drive is stopped
  throttle    QEMU limits the drive to 20 reads a second
  healthy     nothing happens

Times in the truth file are those of the monotonic clock.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import mass_storage  # noqa: E402
import processes  # noqa: E402
import xhci  # noqa: E402
from qmp import Qmp  # noqa: E402
from qtest import Qtest  # noqa: E402

MODES = ("csw", "idle", "pause", "hoststall", "throttle", "healthy")
IMAGE_BYTES = 4 << 30
BLOCKS_PER_READ = 128  # 64 KiB
BACKEND_LATENCY_NS = 500_000  # with less the data are there before they are asked for, and no status is lost
THROTTLED_READS_PER_SECOND = 20
IDLE_SECONDS = (2.3, 4.1, 6.7, 12.5, 9.6, 17.0, 3.2)
PCI_DEVICE = 4
FIRMWARE_BYTES = 64 << 10
RESET_VECTOR = 0xFFF0
ENDING_SIGNALS = (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class TooLate(Exception):
    """The time is over, or somebody has ended the harness."""


def halting_firmware():
    """A firmware that does nothing: cli, hlt, and back to the hlt."""
    code = bytearray(b"\xf4" * FIRMWARE_BYTES)
    code[RESET_VECTOR:RESET_VECTOR + 4] = b"\xfa\xf4\xeb\xfd"
    return bytes(code)


class Machine:
    """QEMU with the drive that a mode needs, and what stands behind the drive."""

    def __init__(self, mode, folder, qmp=None, hmp=None):
        self.nbd = None
        self.qemu = None
        self.qmp = None
        try:
            self._start(mode, folder, qmp, hmp)
        except BaseException:
            self.end()
            raise

    def _start(self, mode, folder, qmp, hmp):
        (folder / "firmware.bin").write_bytes(halting_firmware())
        command = [processes.qemu_binary(), "-name", f"harness-{mode}", "-machine", "q35,accel=tcg", "-m", "64",
                   "-nodefaults", "-display", "none", "-bios", folder / "firmware.bin",
                   "-device", f"qemu-xhci,id=xhci,addr={PCI_DEVICE:02x}.0", *self._drive(mode, folder),
                   "-device", "usb-storage,id=stick,bus=xhci.0,drive=install_media",
                   "-qtest", f"unix:{folder}/qtest.sock,server=on,wait=off", "-qtest-log", os.devnull,
                   "-qmp", f"unix:{folder}/control.sock,server=on,wait=off"]
        if qmp:
            command += ["-qmp", f"unix:{qmp},server=on,wait=off"]
        if hmp:
            command += ["-monitor", f"unix:{hmp},server=on,wait=off"]
        self.qemu = processes.start(command, stdin=subprocess.DEVNULL)
        self.qmp = processes.wait_until(lambda: self._connect(folder), "QEMU opens its sockets")
        self.qtest = Qtest(folder / "qtest.sock")

    def _connect(self, folder):
        if self.qemu.poll() is not None:
            raise SystemExit(f"QEMU has ended with code {self.qemu.returncode}")
        try:
            return Qmp(folder / "control.sock")
        except (FileNotFoundError, ConnectionError):
            return None

    def _drive(self, mode, folder):
        image = folder / "image"
        limits = []
        if mode in ("hoststall", "throttle"):
            with open(image, "wb") as file:
                file.truncate(IMAGE_BYTES)
        if mode == "throttle":
            limits = ["-object", f"throttle-group,id=limit,x-iops-read={THROTTLED_READS_PER_SECOND}"]
            backend = f"driver=throttle,throttle-group=limit,file.driver=file,file.filename={image}"
        elif mode == "hoststall":
            path = folder / "nbd.sock"
            self.nbd = processes.start(["qemu-nbd", "--socket", path, "--format", "raw", "--read-only", "--persistent",
                                        "--shared", "8", image], stdin=subprocess.DEVNULL)
            processes.wait_until(path.exists, "qemu-nbd opens its socket")
            backend = f"driver=nbd,server.type=unix,server.path={path}"
        else:
            backend = f"driver=null-co,size={IMAGE_BYTES},latency-ns={BACKEND_LATENCY_NS},read-zeroes=on"
        return [*limits, "-drive", f"if=none,id=install_media,read-only=on,{backend}"]

    def end(self):
        if self.qmp is not None:
            self.qmp.close()
        for process in (self.qemu, self.nbd):
            if process is not None:
                processes.end(process)


class Load:
    """Reads at an even rate, and the trouble of a mode in between."""

    def __init__(self, options, machine):
        self._options = options
        self._machine = machine
        self._random = random.Random(options.seed)
        self._drive = mass_storage.Drive(machine.qtest, xhci.Controller(machine.qtest, PCI_DEVICE))
        self._drive.make_ready()
        self._block = 0
        self._blocks = IMAGE_BYTES // mass_storage.BLOCK_BYTES
        self.reads = 0
        self.truth = []
        self._is_overdue = False
        self.start = time.monotonic()

    def run(self):
        """Until TooLate is raised."""
        due = time.monotonic()
        while True:
            if self._is_time_for_trouble():
                self._cause_trouble()
                due = time.monotonic()
            else:
                self._drive.read(self._block, BLOCKS_PER_READ)
            self._block = (self._block + BLOCKS_PER_READ) % (self._blocks - BLOCKS_PER_READ)
            self.reads += 1
            due = max(due + 1 / self._options.rate, time.monotonic() - 0.1)  # makes up for a little, not for a lot
            time.sleep(max(0.0, due - time.monotonic()))

    def _is_time_for_trouble(self):
        options = self._options
        if options.mode in ("healthy", "throttle"):
            return False
        if self._is_overdue:
            self._is_overdue = False
            return True
        if options.first_after is not None and not self.truth:
            return self.reads >= options.first_after
        if options.every is not None:
            return self.reads > 0 and self.reads % options.every == 0
        return self._random.random() < options.probability

    def _cause_trouble(self):
        kind, cause = {"csw": ("csw_lost", self._lose_status), "idle": ("guest_idle", self._be_idle),
                       "pause": ("vm_paused", self._pause), "hoststall": ("host_stall", self._stall_host),
                       }[self._options.mode]
        event = {"kind": kind, "start": time.monotonic()}
        self.truth.append(event)  # at once: one in the middle of which the time is over has no end
        cause(event)
        event["end"] = time.monotonic()
        event["seconds"] = event["end"] - event["start"]
        self._drive.read(self._block, BLOCKS_PER_READ)  # after a lost status, the same read again
        event["resume"] = time.monotonic()

    def _lose_status(self, event):
        event["block"] = self._block
        try:
            self._drive.read_and_lose_status(self._block, BLOCKS_PER_READ, self._options.trouble_seconds)
        except mass_storage.StatusLost:
            self._drive.recover()
        else:
            self.truth.remove(event)  # the data were too quick: the next read's status instead
            self._is_overdue = True

    def _be_idle(self, _):
        time.sleep(self._random.choice(IDLE_SECONDS))

    def _pause(self, _):
        self._machine.qmp.execute("stop")
        time.sleep(self._options.trouble_seconds)
        self._machine.qmp.execute("cont")

    def _stall_host(self, _):
        nbd = self._machine.nbd
        nbd.send_signal(signal.SIGSTOP)
        timer = threading.Timer(self._options.trouble_seconds, nbd.send_signal, [signal.SIGCONT])
        timer.daemon = True
        timer.start()
        self._drive.read(self._block, BLOCKS_PER_READ)
        timer.join()


def parse(arguments):
    def positive(convert):
        def read(text):
            value = convert(text)
            if value <= 0:
                raise ValueError
            return value
        read.__name__ = f"positive {convert.__name__}"
        return read

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=MODES, default="csw")
    parser.add_argument("--seconds", type=positive(float), help="how long to go on; without it until it is ended")
    parser.add_argument("--qmp", metavar="PATH", type=pathlib.Path, help="a QMP monitor for a watcher")
    parser.add_argument("--hmp", metavar="PATH", type=pathlib.Path, help="a human monitor for a watcher")
    parser.add_argument("--truth", metavar="FILE", type=pathlib.Path, help="where to write what happened, as JSON")
    parser.add_argument("--rate", type=positive(float), default=700, metavar="READS", help="reads a second (700)")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices (1)")
    parser.add_argument("--loss-probability", "--probability", dest="probability", type=float, default=1 / 690,
                        metavar="P", help="how likely trouble is at each read (1/690, as on a real installation)")
    parser.add_argument("--loss-every", "--every", dest="every", type=positive(int), metavar="READS",
                        help="trouble at every so many reads instead (idle and pause: 3500, hoststall: 2000)")
    parser.add_argument("--first-after", type=int, metavar="READS", help="the first trouble comes after so many reads")
    parser.add_argument("--trouble-seconds", type=positive(float), default=10,
                        help="how long a status is waited for, a pause or a stall of the host lasts (10)")
    options = parser.parse_args(arguments)
    if options.every is None:
        options.every = {"idle": 3500, "pause": 3500, "hoststall": 2000}.get(options.mode)
    return options


def write_truth(options, load):
    """Whole or not at all: a test may look for the file at any time."""
    losses = sum(event["kind"] == "csw_lost" for event in load.truth)
    truth = {"mode": options.mode, "start": load.start, "end": time.monotonic(), "reads": load.reads, "losses": losses,
             "truth": load.truth}
    unfinished = options.truth.with_name(options.truth.name + ".unfinished")
    unfinished.write_text(json.dumps(truth, indent=1) + "\n")
    unfinished.replace(options.truth)


def end_on_signal(*_):
    raise TooLate


def main(arguments=None):
    options = parse(arguments)
    for number in ENDING_SIGNALS:
        signal.signal(number, end_on_signal)
    load = machine = None
    with tempfile.TemporaryDirectory(prefix="qmpwatch-harness-") as name:
        try:
            machine = Machine(options.mode, pathlib.Path(name), options.qmp, options.hmp)
            load = Load(options, machine)
            if options.seconds is not None:
                signal.setitimer(signal.ITIMER_REAL, options.seconds)
            load.run()
        except TooLate:
            pass
        finally:
            for number in ENDING_SIGNALS:
                signal.signal(number, signal.SIG_IGN)
            if machine is not None:
                machine.end()
            for path in (options.qmp, options.hmp):
                if path is not None:
                    path.unlink(missing_ok=True)
    if options.truth is not None and load is not None:
        write_truth(options, load)


if __name__ == "__main__":
    main()
