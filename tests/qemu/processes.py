"""Child processes that never outlive their test, waiting for what they do, and ports for them."""
import ctypes
import os
import signal
import socket
import subprocess
import time

_SET_PARENT_DEATH_SIGNAL = 1
# Looked up before the fork: the child between fork and exec must not import or load anything.
_prctl = getattr(ctypes.CDLL(None), "prctl", None)


def _die_with_parent():
    if _prctl is not None:
        _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def start(command, *, before_exec=None, **options):
    """subprocess.Popen, whose child is killed when this process ends without having ended it (on Linux)."""
    def prepare():
        _die_with_parent()
        if before_exec is not None:
            before_exec()
            _die_with_parent()  # a change of user takes the first one back
    return subprocess.Popen(command, preexec_fn=prepare, **options)


def end(process, patience=5):
    """Ends a child: SIGTERM, then SIGKILL. Harmless when it has ended already."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)  # one that is stopped would not hear the rest
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def qemu_binary():
    return os.environ.get("QMPWATCH_QEMU") or "qemu-system-x86_64"


def wait_until(condition, what, timeout=20, every=0.02):
    """The first true value of condition(); AssertionError that names `what` after timeout seconds."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(every)


def free_port():
    """A port of 127.0.0.1 that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
