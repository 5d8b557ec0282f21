"""A stock QEMU in which a real Linux copies an install medium onto an NVMe drive and switches itself off.

As a program it is that VM, until it has ended: python3 linux_guest.py --qmp PATH [--medium nvme]
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import processes
from linux_image import MEDIUM_BYTES, LinuxImage

MEDIA = ("usb-storage", "nvme")
PATIENCE = 150  # seconds from the start to the end, which takes 15 on a machine that has nothing else to do


class LinuxGuest:
    """`command` starts the VM; so does entering it as a context, unless `start` is false.

    Its drives are install_media, on `medium`, and system. Its monitors are `qmp` and `hmp`.
    """

    def __init__(self, medium="usb-storage", *, qmp=None, hmp=None, start=True):
        image = LinuxImage()
        self._temporary = tempfile.TemporaryDirectory(prefix="qmpwatch-linux-")
        self.folder = pathlib.Path(self._temporary.name)
        self.qmp = qmp or self.folder / "qmp.sock"
        self.hmp = hmp or self.folder / "hmp.sock"
        self.medium, self.target = image.medium, self.folder / "system.img"
        with open(self.target, "wb") as file:
            file.truncate(2 * MEDIUM_BYTES)
        self._log = self.folder / "console.log"
        # What the advice of qmpwatch says: a read-only NVMe drive answers with errors.
        keeping_it, device = {
            "usb-storage": ("readonly=on", "usb-storage,id=stick,bus=xhci.0,drive=install_media,removable=on"),
            "nvme": ("snapshot=on", "nvme,id=stick,drive=install_media,serial=medium")}[medium]
        self.process = None
        self._is_to_start = start
        self.command = [
            # One processor: two of these are as many as a small machine has.
            processes.qemu_binary(), "-machine", "q35,accel=tcg", "-smp", "1", "-m", "512", "-nodefaults",
            "-display", "none", "-no-reboot", "-name", f"install-{medium}", "-serial", f"file:{self._log}",
            "-kernel", image.kernel, "-initrd", image.initramfs,
            "-append", f"console=ttyS0 quiet panic=-1 no_timer_check mitigations=off medium={medium}",
            "-device", "qemu-xhci,id=xhci",
            "-drive", f"if=none,id=install_media,format=raw,file={self.medium},{keeping_it}",
            "-device", device,
            "-drive", f"if=none,id=system,format=raw,cache=unsafe,file={self.target}",
            "-device", "nvme,id=fast,drive=system,serial=system",
            "-qmp", f"unix:{self.qmp},server=on,wait=off", "-monitor", f"unix:{self.hmp},server=on,wait=off"]

    def __enter__(self):
        try:
            if self._is_to_start:
                self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None:
            processes.end(self.process)
        self._temporary.cleanup()

    def start(self):
        self.process = processes.start(self.command, stdin=subprocess.DEVNULL)

    def wait(self):
        """Until it has ended; the exit code of QEMU."""
        return self.process.wait(PATIENCE)

    def console(self):
        """What the kernel and the copying have said so far."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def has_copied(self):
        """Whether the target is the medium now."""
        size = 1 << 20
        with open(self.medium, "rb") as one, open(self.target, "rb") as other:
            return all(one.read(size) == other.read(size) for _ in range(MEDIUM_BYTES // size))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--medium", choices=MEDIA, default=MEDIA[0], help="what the install medium is attached as")
    parser.add_argument("--qmp", metavar="PATH", type=pathlib.Path, help="a QMP monitor for a watcher")
    parser.add_argument("--hmp", metavar="PATH", type=pathlib.Path, help="a human monitor for a watcher")
    options = parser.parse_args()
    with LinuxGuest(options.medium, qmp=options.qmp, hmp=options.hmp) as guest:
        code = guest.wait()
        if "install: done" not in guest.console():
            sys.exit(f"the install has failed:\n{guest.console()}")
        return code


if __name__ == "__main__":
    sys.exit(main())
