"""A QMP monitor between QEMU and its client, which counts the answers that the client was given."""
import pathlib
import socket
import threading

COUNTED = b'"rd_operations"'  # only answers to query-blockstats have it


class CountingMonitor:
    """Serves one client after the other at `path`. `answered` is how many samples the last one was sent."""

    def __init__(self, path, monitor):
        self.path = pathlib.Path(path)
        self._monitor = str(monitor)
        self.answered = 0
        self.clients = 0
        self._ended = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """To be left when no client is there any more."""
        hang_up(self._listener)
        self._thread.join()
        self._listener.close()

    def wait_for_end(self, timeout=10):
        """Until the last client has gone and everything that it was sent has been counted."""
        if not self._ended.wait(timeout):
            raise AssertionError("the client does not go away")

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.answered = 0
            self._ended.clear()
            self.clients += 1
            with client, socket.socket(socket.AF_UNIX) as qemu:
                qemu.connect(self._monitor)
                asking = threading.Thread(target=self._pass_on, args=(client, qemu), daemon=True)
                asking.start()
                self._answer(qemu, client)
                asking.join()
            self._ended.set()

    @staticmethod
    def _pass_on(client, qemu):
        try:
            while part := client.recv(1 << 16):
                qemu.sendall(part)
        except OSError:
            pass  # one of them has gone
        hang_up(qemu)

    def _answer(self, qemu, client):
        try:
            with qemu.makefile("rb") as lines:
                for line in lines:
                    client.sendall(line)
                    self.answered += COUNTED in line
        except OSError:
            pass
        hang_up(qemu)
        hang_up(client)


def hang_up(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
