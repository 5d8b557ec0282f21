"""A stock QEMU in a folder of its own, with the drives that the tests look at and a guest that reads."""
import pathlib
import shutil
import subprocess
import tempfile

import processes
from qmp import Qmp

GUEST_SOURCE = pathlib.Path(__file__).with_name("guest.s")
MIB = 1 << 20


def build_guest(folder):
    """Assembles the boot sector in this folder; its path."""
    code = folder / "guest.bin"
    prefix = "x86_64-linux-gnu-" if shutil.which("x86_64-linux-gnu-as") else ""  # for a host that is no x86
    subprocess.run([prefix + "as", "--32", "-o", folder / "guest.o", GUEST_SOURCE], check=True)
    subprocess.run([prefix + "ld", "-m", "elf_i386", "-Ttext", "0x7c00", "--oformat", "binary", "-o", code,
                    folder / "guest.o"], check=True)
    return code


class Vm:
    """One QEMU at a time: start() and kill() may take turns, on the same sockets and images.

    `qmp` and `hmp` are the monitor sockets for qmpwatch, `control` is the test's own QMP connection. In more
    arguments, `{folder}` stands for the folder of this VM.
    """

    def __init__(self, *arguments, drives=True, monitors=True):
        self._temporary = tempfile.TemporaryDirectory(prefix="qmpwatch-vm-")
        self.folder = pathlib.Path(self._temporary.name)
        self.qmp = self.folder / "qmp.sock"
        self.hmp = self.folder / "hmp.sock"
        self._control_path = self.folder / "control.sock"
        self.typed = self.folder / "typed"  # what the guest has got from its serial port, behind a B
        self.process = None
        self.control = None
        self._arguments = self._machine() + (self._drives() if drives else [])
        if monitors:
            self._arguments += ["-qmp", f"unix:{self.qmp},server=on,wait=off",
                                "-monitor", f"unix:{self.hmp},server=on,wait=off"]
        self._arguments += [argument.replace("{folder}", str(self.folder)) for argument in arguments]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._drop_control()
        if self.process is not None:
            processes.end(self.process)
        self._temporary.cleanup()

    def image(self, name, size=64 * MIB):
        """The path of a sparse image."""
        path = self.folder / name
        if not path.exists():
            with open(path, "wb") as file:
                file.truncate(size)
        return path

    def boot_image(self):
        """The path of a sparse image that boots the guest."""
        path = self.folder / "boot.img"
        if not path.exists():
            code = build_guest(self.folder).read_bytes()
            with open(self.image(path.name), "r+b") as file:
                file.write(code)
        return path

    def _machine(self):
        return ["-machine", "q35,accel=tcg", "-m", "64", "-nodefaults", "-display", "none", "-name", "tested",
                "-debugcon", f"file:{self.typed}", "-qmp", f"unix:{self._control_path},server=on,wait=off"]

    def _drives(self):
        return [
            "-device", "qemu-xhci,id=xhci",
            "-drive", f"if=none,id=install_media,format=raw,file={self.boot_image()}",
            "-device", "usb-storage,id=stick,bus=xhci.0,drive=install_media,bootindex=0",
            "-drive", f"if=none,id=system,format=raw,file={self.image('system.img')}",
            "-device", "nvme,id=fast,drive=system,serial=fast",
            "-blockdev", f"driver=raw,node-name=data,file.driver=file,file.filename={self.image('data.img')}",
            "-device", "virtio-blk-pci,id=data_disk,drive=data",
            "-device", "virtio-scsi-pci,id=scsi",
            "-blockdev", "driver=null-co,node-name=disc,read-only=on,size=67108864",
            "-device", "scsi-cd,id=disc_player,bus=scsi.0,drive=disc",
            "-drive", "if=none,id=cdrom,media=cdrom",
            "-device", "ide-cd,id=cd,bus=ide.0,drive=cdrom",
        ]

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        self._drop_control()
        with open(self.folder / "qemu.log", "ab") as log:
            self.process = processes.start([processes.qemu_binary(), *self._arguments], cwd=self.folder,
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.control = processes.wait_until(self._connected, "QEMU opens its monitor")

    def _connected(self):
        if self.process.poll() is not None:
            raise AssertionError("QEMU has ended: " + (self.folder / "qemu.log").read_text(errors="replace"))
        try:
            return Qmp(self._control_path)
        except (FileNotFoundError, ConnectionError):
            return None

    def _drop_control(self):
        if self.control is not None:
            self.control.close()
            self.control = None

    def kill(self):
        """kill -9: the socket files stay behind."""
        self._drop_control()
        self.process.kill()
        self.process.wait()

    def counters(self):
        """The `stats` of query-blockstats by the name that qmpwatch gives a drive."""
        return {drive.get("device") or drive.get("qdev") or drive.get("node-name"): drive["stats"]
                for drive in self.control.blockstats()}

    def wait_for_reads(self, drive="install_media", least=20):
        """Waits until the guest has booted and reads."""
        return processes.wait_until(lambda: self.counters()[drive]["rd_operations"] >= least,
                                    f"the guest reads {drive}", timeout=40)

    def read(self, qdev, count=1, size=64 * 1024):
        """Reads through a drive from the host's side; counted as the guest's own reads are."""
        for number in range(count):
            self.control.hmp(f'qemu-io -d {qdev} "aio_read -q {number * size} {size}"')

    def write(self, qdev, count=1, size=64 * 1024):
        for number in range(count):
            self.control.hmp(f'qemu-io -d {qdev} "aio_write -q {number * size} {size}"')
