"""QEMU's qtest socket: a script in the guest's place reads and writes ports, registers and memory through it."""
import socket


class Qtest:
    """A connection to a qtest socket. Each call is one line there and one back."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("r", encoding="ascii")

    def close(self):
        self._lines.close()
        self._socket.close()

    def _ask(self, line):
        self._socket.sendall(line.encode("ascii") + b"\n")
        while True:
            answer = self._lines.readline()
            if not answer:
                raise ConnectionError("QEMU has closed the qtest socket")
            words = answer.split()
            if words[0] == "IRQ":  # an interrupt line has changed; the driver polls instead
                continue
            if words[0] != "OK":
                raise RuntimeError(f"qtest answers {answer.strip()!r} to {line[:80]!r}")
            return words[1] if len(words) > 1 else ""

    def read_port(self, port):
        return int(self._ask(f"inl {port:#x}"), 16)

    def write_port(self, port, value):
        self._ask(f"outl {port:#x} {value:#x}")

    def read_register(self, address):
        return int(self._ask(f"readl {address:#x}"), 16)

    def write_register(self, address, value):
        self._ask(f"writel {address:#x} {value:#x}")

    def write_register_pair(self, address, value):
        """A 64-bit register: the low half first."""
        self.write_register(address, value & 0xFFFFFFFF)
        self.write_register(address + 4, value >> 32)

    def read_memory(self, address, size):
        return bytes.fromhex(self._ask(f"read {address:#x} {size:#x}")[2:])

    def write_memory(self, address, data):
        self._ask(f"write {address:#x} {len(data):#x} 0x{data.hex()}")

    def clear_memory(self, address, size):
        self._ask(f"memset {address:#x} {size:#x} 0x0")
