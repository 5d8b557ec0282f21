"""A small QMP client, for the tests' own look at a VM and for what they do to it."""
import json
import socket


class QmpError(RuntimeError):
    """QEMU has refused a command."""


class Qmp:
    """A negotiated connection to a QMP socket. The events that were heard are in `events`."""

    def __init__(self, path, timeout=20):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._lines = self._socket.makefile("rb")
        self.events = []
        try:
            self._socket.connect(str(path))
            while "QMP" not in self._receive():
                pass
            self.execute("qmp_capabilities")
        except OSError:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._lines.close()
        self._socket.close()

    def _receive(self):
        line = self._lines.readline()
        if not line:
            raise ConnectionError("QEMU has closed the monitor")
        message = json.loads(line)
        if "event" in message:
            self.events.append(message)
        return message

    def send(self, command, **arguments):
        """Sends a command without waiting for its reply."""
        request = {"execute": command}
        if arguments:
            request["arguments"] = {name.replace("_", "-"): value for name, value in arguments.items()}
        self._socket.sendall(json.dumps(request).encode() + b"\n")

    def reply(self):
        """The reply to the oldest command that has none yet."""
        while True:
            message = self._receive()
            if "error" in message:
                raise QmpError(message["error"]["desc"])
            if "return" in message:
                return message["return"]

    def execute(self, command, **arguments):
        """The reply to a command; an underscore in an argument's name stands for a dash."""
        self.send(command, **arguments)
        return self.reply()

    def wait_for_event(self, name):
        """Waits for an event that has not been waited for; the socket's timeout bounds the wait."""
        while True:
            for heard in self.events:
                if heard["event"] == name:
                    self.events.remove(heard)
                    return heard
            self._receive()

    def hmp(self, line):
        """What a line of the human monitor prints."""
        return self.execute("human-monitor-command", command_line=line)

    def blockstats(self):
        return self.execute("query-blockstats")
