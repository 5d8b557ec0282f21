"""Whatever is wrong is said in one sentence that tells what to do, and the exit code tells usage from failure."""
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest

import processes
import watcher
from vm import Vm

COULD_NOT = 1
USAGE = 2
NOBODY = 65534  # user and group


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


class Speaker:
    """A UNIX socket that says these bytes to everybody who connects, and keeps what it is told."""

    def __init__(self, path, greeting, closes=False):
        self.told = b""
        self._greeting, self._closes = greeting, closes
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            with client:
                client.sendall(self._greeting)
                while not self._closes and (told := client.recv(4096)):
                    self.told += told
        except OSError:
            pass  # it has had enough of this

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class Errors(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="qmpwatch-errors-")))

    def refuse(self, *arguments, code, says, listen="off", timeout=20, **options):
        """Runs qmpwatch, which must end by itself with one line on standard error."""
        web = ("--web.listen-address", listen) if listen else ()
        done = watcher.run(*arguments, *web, timeout=timeout, **options)
        self.check(done, code, says)

    def check(self, done, code, says):
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.endswith("\n"))
        self.assertLess(len(done.stderr), 400)
        self.assertRegex(done.stderr, says)
        self.assertEqual(done.returncode, code, done.stderr)

    # ---- the command line

    def test_no_socket(self):
        self.refuse("watch", code=USAGE, says="--socket PATH")

    def test_nothing_at_all(self):
        done = watcher.run()
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("--socket", done.stderr + done.stdout)

    def test_unknown_command(self):
        self.refuse("wacht", "--socket", "x", code=USAGE, says="wacht.*(--help|did you mean)", listen=None)

    def test_unknown_flag(self):
        self.refuse("--socket", "x", "--intervall", "3s", code=USAGE, says="did you mean --interval")
        self.refuse("--socket", "x", "--frobnicate", code=USAGE, says="no flag --frobnicate.*--help")

    def test_bad_duration(self):
        for bad in ("15", "s", "-3s", "0s", "1parsec", "", "1e99s", "nan", "99999999999999999999h"):
            with self.subTest(bad):
                self.refuse("--socket", "x", "--interval", bad, code=USAGE, says="--interval.*--help")

    def test_durations_that_do_not_fit(self):
        self.refuse("--socket", "x", "--interval", "1s", "--poll", "2s", code=USAGE, says="--poll 2s is longer")

    def test_bad_words(self):
        self.refuse("--socket", "x", "--log.format", "xml", code=USAGE, says="text or json")
        self.refuse("--socket", "x", "--log.level", "loud", code=USAGE, says="debug, info, warning or error")
        self.refuse("--socket", "x", "--once", "--format", "xml", code=USAGE, says="table, json or csv")
        self.refuse("--socket", "x", "--format", "json", code=USAGE, says="--once")
        self.refuse("watch", "and this", "--socket", "x", code=USAGE, says="unexpected word 'and this'")

    def test_bad_addresses(self):
        self.refuse("--socket", "tcp:localhost", code=USAGE, says="tcp:HOST:PORT")
        self.refuse("--socket", "tcp:localhost:99999", code=USAGE, says="1 to 65535")
        self.refuse("--socket", "", code=USAGE, says="--socket.*qemu-monitor.sock")
        self.refuse("--socket", "/tmp/" + "x" * 200, code=USAGE, says="at most 107")
        for bad in ("nonsense", "127.0.0.1:99999", "127.0.0.1:", ":::::"):
            with self.subTest(bad):
                self.refuse("--socket", "x", code=USAGE, says="HOST:PORT", listen=bad)

    def test_missing_config(self):
        self.refuse("--socket", "x", "--config", self.folder / "none.toml", code=USAGE, says="none.toml")

    def test_bad_config(self):
        config = self.folder / "bad.toml"
        config.write_text("intervall = \"3s\"\n")
        self.refuse("--socket", "x", "--config", config, code=USAGE, says="intervall")

    # ---- the socket

    def test_wrong_path(self):
        once = ("--once", "--interval", "300ms", "--poll", "100ms")
        self.refuse("--socket", self.folder / "none.sock", *once, code=COULD_NOT, says="none.sock.*-qmp unix:")
        self.refuse("--socket", "none.sock", *once, code=COULD_NOT, says="none.sock", cwd=self.folder)

    def test_pattern_without_a_match(self):
        self.refuse("--socket", f"{self.folder}/*.sock", "--once", code=COULD_NOT, says="no socket matches")

    def test_wrong_folder(self):
        self.refuse("--socket", self.folder / "none" / "qmp.sock", "--once", code=COULD_NOT, says="none/qmp.sock")

    def test_nobody_listens(self):
        path = self.folder / "left.sock"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        self.refuse("--socket", path, "--once", code=COULD_NOT, says="left.sock")

    def test_nobody_listens_over_tcp(self):
        with socket.socket() as probe:  # bound, but it does not listen
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
            self.refuse("--socket", f"tcp:127.0.0.1:{port}", "--once", code=COULD_NOT, says=f"127.0.0.1:{port}")

    def test_unknown_host(self):
        self.refuse("--socket", "tcp:no-such-host.invalid:4444", "--once", code=COULD_NOT, says="no-such-host.invalid")

    def test_regular_file(self):
        path = self.folder / "disk.img"
        path.write_text("not a socket")
        self.refuse("--socket", path, code=COULD_NOT, says="disk.img.*(not|no) .*socket")

    def test_folder(self):
        self.refuse("--socket", self.folder, code=COULD_NOT, says="(not|no) .*socket|folder|directory")

    def test_no_permission(self):
        path = self.folder / "secret.sock"
        with Speaker(path, b""):
            self.folder.chmod(0o711)
            path.chmod(0o600)
            drop = {}
            if os.geteuid() == 0:
                if not self.is_executable_by_nobody(watcher.binary()):
                    self.skipTest("the program lies in a folder that only root may enter, and root may do everything")
                drop = {"before_exec": become_nobody}
            else:
                path.chmod(0o000)
            self.refuse("--socket", path, code=COULD_NOT, says="permission.*secret.sock.*user who runs QEMU", **drop)

    @staticmethod
    def is_executable_by_nobody(program):
        try:
            help_of_program = processes.start([program, "--help"], before_exec=become_nobody, stdout=subprocess.DEVNULL)
            return help_of_program.wait(10) == 0
        except PermissionError:
            return False

    def test_not_a_monitor(self):
        greetings = (b"220 mail.example ESMTP\r\n", b"\x00\xff\xfe\x01binary", b"HTTP/1.1 400 Bad\r\n\r\n",
                     b'{"jsonrpc": "2.0"}\r\n', b"[1, 2, 3]\n", b"QUIT\r\n", b"\x1b[2J\x1b[H")
        for number, greeting in enumerate(greetings):
            path = self.folder / f"{number}.sock"
            with self.subTest(greeting), Speaker(path, greeting) as speaker:
                self.refuse("--socket", path, code=COULD_NOT, says="not .*monitor")
                self.assertEqual(speaker.told, b"", "qmpwatch has written before it knew to whom")

    def test_says_nothing(self):
        path = self.folder / "silent.sock"
        with Speaker(path, b"") as speaker:
            self.refuse("--socket", path, "--once", "--interval", "300ms", "--poll", "100ms", code=COULD_NOT,
                        says="nobody answers")
            self.assertEqual(speaker.told, b"")

    def test_hangs_up(self):
        path = self.folder / "short.sock"
        with Speaker(path, b"", closes=True):
            self.refuse("--socket", path, "--once", "--interval", "300ms", "--poll", "100ms", code=COULD_NOT, says=".")

    def test_garbage_without_end(self):
        path = self.folder / "endless.sock"
        with Speaker(path, b'{"QMP": "' + b"x" * (20 << 20)):
            self.refuse("--socket", path, "--once", code=COULD_NOT, says="16 MiB")

    # ---- the port

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.refuse("--socket", self.folder / "x.sock", code=COULD_NOT,
                        says=f"127.0.0.1:{port}.*--web.listen-address", listen=f"127.0.0.1:{port}")

    def test_address_of_another_machine(self):
        self.refuse("--socket", self.folder / "x.sock", code=COULD_NOT, says="192.0.2.1:10977",
                    listen="192.0.2.1:10977")

    # ---- the output

    def test_nobody_reads(self):
        """`qmpwatch | head` ends in silence when head has had enough."""
        with Vm() as vm:
            process = processes.start([watcher.binary(), "--socket", vm.qmp, "--interval", "200ms", "--poll", "100ms",
                                       *watcher.NO_WEB], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
            try:
                process.stdout.readline()
                process.stdout.close()
                self.assertEqual(process.wait(10), 0)
                self.assertEqual(process.stderr.read(), b"")
            finally:
                processes.end(process)

    def test_full_disk(self):
        with Vm(drives=False) as vm, open("/dev/full", "wb") as full:
            process = processes.start([watcher.binary(), "--socket", vm.qmp, "--interval", "200ms", "--poll", "100ms",
                                       *watcher.NO_WEB], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                      text=True)
            try:
                said = process.communicate(timeout=10)[1]
            finally:
                processes.end(process)
            self.assertEqual((process.returncode, len(said.splitlines())), (COULD_NOT, 1), said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
