"""A Linux kernel and an initramfs that copies a medium, made of Debian's packages, and the medium.

They are kept in build/guest, or in the folder that QMPWATCH_GUEST names. Neither a root user nor an installation is
needed: the packages are fetched by name and unpacked there.
"""
import fcntl
import hashlib
import lzma
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INIT = HERE / "linux_init.sh"
PACKAGES = ("linux-image-amd64", "busybox-static")
KERNEL_PACKAGE = re.compile(r"linux-(?:image|binary|modules|base-image)-\d")  # what the first one stands for
MODULES = ("xhci_pci", "usb_storage", "sd_mod", "nvme")
MIB = 1 << 20
MEDIUM_BYTES = 512 * MIB
PATIENCE = 120  # seconds for one call of apt-get


class Unavailable(AssertionError):
    """The packages are not to be had; the sentence says why."""


def folder():
    return pathlib.Path(os.environ.get("QMPWATCH_GUEST") or HERE.parent.parent / "build" / "guest")


class LinuxImage:
    """The paths of `kernel`, `initramfs` and `medium`, which are made when they are not there yet."""

    def __init__(self):
        self._folder = folder()
        self.kernel = self._folder / "kernel"
        self.initramfs = self._folder / "initramfs"
        self.medium = self._folder / "medium.img"
        self._stamp = self._folder / "made-from"
        self._folder.mkdir(parents=True, exist_ok=True)
        with open(self._folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the tests run at the same time
            self._make()

    def _make(self):
        recipe = hashlib.sha256(pathlib.Path(__file__).read_bytes() + INIT.read_bytes()).hexdigest()
        if self._stamp.exists() and self._stamp.read_text() == recipe:
            return
        self._stamp.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="packages-", dir=self._folder) as name:
            files = pathlib.Path(name)
            fetch(files)
            kernels = sorted(files.glob("**/boot/vmlinuz-*"))
            if not kernels:
                raise Unavailable(f"there is no kernel in the packages of {PACKAGES[0]}")
            shutil.copyfile(kernels[0], self.kernel)
            self.initramfs.write_bytes(initramfs(files))
        make_medium(self.medium)
        self._stamp.write_text(recipe)


def make_medium(path):
    """Blocks that are alike, but not of zeroes, which a drive could leave out."""
    block = random.Random(1).randbytes(MIB)
    with open(path, "wb") as file:
        for _ in range(MEDIUM_BYTES // MIB):
            file.write(block)


def fetch(files):
    """Unpacks the packages into this folder. First with the lists of packages that are there, else with new ones."""
    apt = Apt(files)
    try:
        wanted = apt.resolve()
        apt.run("apt-get", "download", *wanted)
    except Unavailable:
        apt.make_lists()
        wanted = apt.resolve()
        apt.run("apt-get", "download", *wanted)
    for archive in files.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", archive, files], check=True)
        archive.unlink()


class Apt:
    """Debian's package tools, which download into a folder and leave the system as it is."""

    def __init__(self, files):
        self._files = files
        self._options = ["-q", "-o", "Acquire::Retries=2", "-o", "Acquire::http::Timeout=20",
                         "-o", "APT::Update::Error-Mode=any"]
        if os.geteuid() == 0:
            self._options += ["-o", "APT::Sandbox::User=root"]  # another one may not write into this folder

    def make_lists(self):
        """Lists of packages as they are now. Not the system's own: those are for root to update."""
        lists = self._files / "lists"
        (lists / "partial").mkdir(parents=True)
        self._options += ["-o", f"Dir::State::lists={lists}",
                          "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="]
        self.run("apt-get", "update")

    def resolve(self):
        """The packages and what they stand for."""
        wanted = list(PACKAGES)
        for package in wanted:  # which grows
            if package.startswith("linux-"):
                said = self.run("apt-cache", "depends", "--important", package)
                depends = re.findall(r"^ *\|?Depends: (\S+)$", said, re.MULTILINE)
                wanted += [each for each in depends if KERNEL_PACKAGE.match(each) and each not in wanted]
        return wanted

    def run(self, tool, *words):
        """What it prints."""
        why = f"the Linux guest is made of Debian's {' and '.join(PACKAGES)}, and `{' '.join((tool, *words))}`"
        try:
            done = subprocess.run([tool, *self._options, *words], cwd=self._files, env={**os.environ, "LC_ALL": "C"},
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        except FileNotFoundError:
            raise Unavailable(f"{why} needs apt: make build/guest on a Debian machine and copy it here, or name it in "
                              "QMPWATCH_GUEST") from None
        except subprocess.TimeoutExpired:
            raise Unavailable(f"{why} took more than {PATIENCE} s: is the network there?") from None
        if done.returncode != 0:
            raise Unavailable(f"{why} failed: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout


class Modules:
    """The kernel's modules by name, and in which order they are to be loaded."""

    def __init__(self, files):
        self._paths = {self._name(path): path for path in files.glob("**/lib/modules/**/*.ko*")}
        self._built_in = {self._name(pathlib.Path(line)) for builtin in files.glob("**/modules.builtin")
                          for line in builtin.read_text().splitlines()}
        self.loaded = {}  # the code by name, those first that others need

    @staticmethod
    def _name(path):
        return path.name.split(".")[0].replace("-", "_")

    def need(self, name):
        if name in self.loaded or name in self._built_in:
            return
        if name not in self._paths:
            raise Unavailable(f"the kernel of {PACKAGES[0]} has no module {name}")
        code = self._paths[name].read_bytes()
        if self._paths[name].suffix == ".xz":
            code = lzma.decompress(code)
        for other in re.search(rb"\0depends=([^\0]*)\0", code)[1].decode().split(","):
            if other:
                self.need(other.replace("-", "_"))
        self.loaded[name] = code


class Archive:
    """A cpio archive as the kernel unpacks it."""

    def __init__(self):
        self.content = bytearray()
        self._count = 0

    def add(self, name, mode, data=b"", device=(0, 0)):
        self._count += 1
        fields = (self._count, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
        self._add_padded(b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0")
        self._add_padded(data)

    def _add_padded(self, data):
        self.content += data + bytes(-len(data) % 4)


def initramfs(files):
    """Not compressed: QEMU reads it faster than a guest without acceleration unpacks it."""
    modules = Modules(files)
    for name in MODULES:
        modules.need(name)
    archive = Archive()
    for name in ("bin", "dev", "modules", "proc", "sys"):
        archive.add(name, 0o040755)
    archive.add("dev/console", 0o020600, device=(5, 1))
    archive.add("bin/busybox", 0o100755, next(files.glob("**/bin/busybox")).read_bytes())
    for name, code in modules.loaded.items():
        archive.add(f"modules/{name}.ko", 0o100644, code)
    archive.add("modules/order", 0o100644, "".join(f"{name}.ko\n" for name in modules.loaded).encode())
    archive.add("init", 0o100755, INIT.read_bytes())
    archive.add("TRAILER!!!", 0)
    return archive.content
