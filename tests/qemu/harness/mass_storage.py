"""A driver for USB mass storage, bulk-only transport: a command block out, data in, a status block in.

When the data and the status are queued together, QEMU's usb-storage may never answer the status: it parks the request
for the status while it still ends the command before it, and then forgets it. This is the loss that the harness is for.
"""
import struct

import xhci

COMMAND_BLOCK = 0x108000  # where the blocks and the data lie in the guest's memory
STATUS_BLOCK = 0x109000
DATA = 0x200000

COMMAND_SIGNATURE, STATUS_SIGNATURE = 0x43425355, 0x53425355
COMMAND_SIZE, STATUS_SIZE = 31, 13
DATA_TO_HOST = 0x80
LONGEST_COMMAND = 16

TEST_UNIT_READY, READ_10 = 0x00, 0x28
CLASS_REQUEST_TO_INTERFACE, BULK_ONLY_RESET = 0x21, 0xFF

BLOCK_BYTES = 512
DATA_WITHIN = 60.0  # seconds: the host's storage may be stuck, and the data come late


class StatusLost(Exception):
    """The data have come, their status has not."""


class Drive:
    """The mass storage device of a controller."""

    def __init__(self, qtest, controller):
        self._qtest = qtest
        self._controller = controller
        self._tag = 0

    def make_ready(self):
        """Asks until the unit attentions that follow a reset are over."""
        for _ in range(5):
            if self._transport(bytes([TEST_UNIT_READY, 0, 0, 0, 0, 0]), 0) == 0:
                return
        raise xhci.DriverError("the drive does not get ready")

    def read(self, block, count):
        """Reads blocks, the status asked for when the data are there: nothing is lost."""
        self._expect_success(self._transport(self._read_command(block, count), count * BLOCK_BYTES))

    def read_and_lose_status(self, block, count, patience):
        """Reads blocks with the status queued behind the data. StatusLost after `patience` seconds without it.

        Returns as read() does when the drive was quick enough to have the data before they were asked for.
        """
        self._expect_success(self._transport(self._read_command(block, count), count * BLOCK_BYTES, True, patience))

    def recover(self):
        """What a host does about a lost status: cancel, reset, configure again."""
        self._controller.cancel_bulk_in()
        self._controller.control_request(CLASS_REQUEST_TO_INTERFACE, BULK_ONLY_RESET)
        self._controller.reset_device()

    @staticmethod
    def _read_command(block, count):
        return struct.pack(">BBIBHB", READ_10, 0, block, 0, count, 0)

    @staticmethod
    def _expect_success(status):
        if status != 0:
            raise xhci.DriverError(f"the drive answers status {status}")

    def _transport(self, command, size, status_behind_data=False, patience=xhci.ANSWERS_WITHIN):
        """Carries out one command; its status."""
        self._tag += 1
        header = struct.pack("<IIIBBB", COMMAND_SIGNATURE, self._tag, size, DATA_TO_HOST, 0, len(command))
        self._qtest.write_memory(COMMAND_BLOCK, header + command.ljust(LONGEST_COMMAND, b"\0"))
        sent = self._controller.queue_transfer(xhci.BULK_OUT, COMMAND_BLOCK, COMMAND_SIZE)
        self._finish(sent, "the command")
        status = None
        if size:
            data = self._controller.queue_transfer(xhci.BULK_IN, DATA, size, tell=not status_behind_data)
            if status_behind_data:
                status = self._queue_status()
            self._finish(data, "the data", DATA_WITHIN)
        if status is None:
            status = self._queue_status()
        if self._controller.wait_for_transfer(status, patience) is None:
            raise StatusLost
        signature, tag, _, result = struct.unpack("<IIIB", self._qtest.read_memory(STATUS_BLOCK, STATUS_SIZE))
        if (signature, tag) != (STATUS_SIGNATURE, self._tag):
            raise xhci.DriverError("the status is not that of the command")
        return result

    def _queue_status(self):
        return self._controller.queue_transfer(xhci.BULK_IN, STATUS_BLOCK, STATUS_SIZE)

    def _finish(self, place, what, seconds=xhci.ANSWERS_WITHIN):
        event = self._controller.wait_for_transfer(place, seconds)
        if event is None or event.completion != xhci.SUCCESS:
            raise xhci.DriverError(f"{what} did not get through: {'no answer' if event is None else event.completion}")
