#!/usr/bin/env python3
"""The demo of `./dev run`: a stock QEMU whose guest driver loses completions, watched by qmpwatch on this terminal."""
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile

import processes

HARNESS = pathlib.Path(__file__).resolve().parent / "harness" / "harness.py"
METRICS_PORT = 10977
READS_BEFORE_FIRST_LOSS = 5000  # seven seconds: enough to see the full rate first

WHAT_IS_SEEN = """\
A stock QEMU reads installation media from usb-storage, and its driver waits 10 s for each completion that QEMU loses.
Watch the drive: about 46 MB/s, then nothing for 10 s while its idle time grows, then on again. Ctrl-C ends both."""


def metrics_address():
    """The usual port unless somebody has it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", METRICS_PORT))
        except OSError:
            return "off"
    return f"127.0.0.1:{METRICS_PORT}"


def watch(program, monitor):
    """qmpwatch in the foreground, which gets the terminal's Ctrl-C itself; its exit code."""
    passed_on = (signal.SIGTERM, signal.SIGHUP)

    def as_usual():
        for number in (signal.SIGINT, *passed_on):
            signal.signal(number, signal.SIG_DFL)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    qmpwatch = processes.start([program, "--socket", f"demo={monitor}", "--interval", "5s", "--poll", "500ms",
                                "--web.listen-address", metrics_address()], before_exec=as_usual)
    for number in passed_on:
        signal.signal(number, lambda *_: qmpwatch.terminate())
    code = qmpwatch.wait()
    return code if code >= 0 else 128 - code


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} PATH_OF_QMPWATCH")
    with tempfile.TemporaryDirectory(prefix="qmpwatch-demo-") as name:
        monitor = pathlib.Path(name) / "qmp.sock"
        # In a session of its own, so that a Ctrl-C ends qmpwatch first and does not reach QEMU.
        harness = processes.start([sys.executable, HARNESS, "--mode", "csw", "--qmp", monitor,
                                   "--first-after", str(READS_BEFORE_FIRST_LOSS)],
                                  stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            def is_there():
                if harness.poll() is not None:
                    sys.exit("qmpwatch: the demo VM does not start")
                return monitor.exists()
            processes.wait_until(is_there, "the demo VM starts")
            print(WHAT_IS_SEEN, flush=True)
            return watch(sys.argv[1], monitor)
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            processes.end(harness)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # before there was anything to see
        sys.exit(128 + signal.SIGINT)
