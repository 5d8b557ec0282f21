"""qmpwatch under test: one interval of it, or a process whose JSON lines are read as they come."""
import json
import os
import signal
import subprocess
import threading
import time

import processes

NO_WEB = ("--web.listen-address", "off")


def binary():
    path = os.environ.get("QMPWATCH")
    if not path:
        raise SystemExit("QMPWATCH must name the program to test")
    return path


def run(*arguments, timeout=30, **options):
    """Runs qmpwatch to its end; a CompletedProcess with text in stdout and stderr."""
    process = processes.start([binary(), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, **options)
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        processes.end(process)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def once(address, *arguments):
    """What --once --format json prints of one VM."""
    done = run("--socket", address, "--once", "--format", "json", "--interval", "500ms", "--poll", "100ms", *arguments)
    if done.returncode != 0:
        raise AssertionError(f"qmpwatch --once ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


class Watcher:
    """A running `qmpwatch watch --log.format json`. Its lines are in `lines` as objects, oldest first.

    With another `verb` it is a command that prints the same. `options` are those of the process.
    """

    def __init__(self, *addresses, verb="watch", interval="1s", poll="250ms", listen="off", arguments=(), **options):
        command = [binary(), verb, "--log.format", "json", "--interval", interval, "--poll", poll,
                   "--web.listen-address", listen]
        for address in addresses:
            command += ["--socket", str(address)]
        command += map(str, arguments)
        self.lines = []
        self.errors = []
        self.process = processes.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, **options)
        streams = ((self.process.stdout, self._take_line), (self.process.stderr, self.errors.append))
        self._readers = [threading.Thread(target=self._read, args=each, daemon=True) for each in streams]
        for reader in self._readers:
            reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        processes.end(self.process)

    @staticmethod
    def _read(stream, take):
        try:
            for line in stream:
                take(line)
        except ValueError:
            pass  # closed under the reader, at the end of a test

    def _take_line(self, line):
        self.lines.append(json.loads(line))

    def said(self, event, since=0, **members):
        """The lines of one kind from number `since` on, with these values."""
        return [line for line in self.lines[since:]
                if line["event"] == event and all(line.get(name) == value for name, value in members.items())]

    def wait_for(self, event, since=0, count=1, timeout=20, **members):
        """Waits until there are `count` such lines; the last of them."""
        def found():
            lines = self.said(event, since, **members)
            if len(lines) >= count:
                return lines[count - 1]
            if self.process.poll() is not None:
                raise AssertionError(f"qmpwatch has ended with {self.process.returncode}: {''.join(self.errors)}")
            return None
        try:
            return processes.wait_until(found, f"{count} x {event} {members}", timeout)
        except AssertionError as failure:
            last = "\n".join(map(json.dumps, self.lines[-8:]))
            raise AssertionError(f"{failure}; the last lines:\n{last}\n{''.join(self.errors)}") from None

    def stop(self):
        """Ctrl-C; the exit code, once all lines have been read."""
        self.process.send_signal(signal.SIGINT)
        return self.finish(10)

    def finish(self, patience=30):
        """Waits for its end; the exit code, once all lines have been read."""
        code = self.process.wait(patience)
        for reader in self._readers:
            reader.join(10)
        return code

    def monitor_states(self, since=0):
        return [line["state"] for line in self.said("monitor", since)]


class TrueCounters:
    """A thread that reads a VM's counters by itself, for the rates that qmpwatch should have found.

    It takes over the VM's control connection until it is stopped.
    """

    def __init__(self, vm, drive="install_media", every=0.02):
        self._vm, self._drive, self._every = vm, drive, every
        self._points = []  # (time, bytes read, reads)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stopping.set()
        self._thread.join()

    def _follow(self):
        while not self._stopping.wait(self._every):
            before = time.time()
            stats = self._vm.counters()[self._drive]
            self._points.append(((before + time.time()) / 2, stats["rd_bytes"], stats["rd_operations"]))

    def _at(self, when, column):
        """The counter at this time, between two looks in proportion."""
        points = list(self._points)
        for earlier, later in zip(points, points[1:]):
            if earlier[0] <= when <= later[0]:
                part = (when - earlier[0]) / (later[0] - earlier[0])
                return earlier[column] + part * (later[column] - earlier[column])
        raise AssertionError(f"the true counters are not known at {when}")

    def rates(self, end, seconds):
        """(bytes a second, reads a second) over the `seconds` before the wall time `end`."""
        processes.wait_until(lambda: self._points and self._points[-1][0] > end, "the true counters of that time")
        return tuple((self._at(end, column) - self._at(end - seconds, column)) / seconds for column in (1, 2))
