"""A driver for an xHCI controller and one device behind it, over qtest: rings, contexts, transfers.

It knows just what mass storage needs: one SuperSpeed device, its control endpoint and two bulk endpoints. It polls the
event ring and uses no interrupts. The numbers are those of the xHCI specification 1.2, the section in brackets.
"""
import struct
import time

# PCI configuration space
PCI_ADDRESS, PCI_DATA = 0xCF8, 0xCFC
PCI_ENABLE = 0x80000000
PCI_COMMAND, PCI_BAR0 = 0x04, 0x10
PCI_COMMAND_MEMORY_AND_MASTER = 0x06

# Where things lie. The registers go where firmware would have put them; the rest is the guest's memory.
REGISTERS = 0xFE000000
DEVICE_CONTEXT_ARRAY = 0x100000
INPUT_CONTEXT = 0x101000
DEVICE_CONTEXT = 0x102000
EVENT_SEGMENT_TABLE = 0x103000
EVENT_RING = 0x110000
COMMAND_RING = 0x120000
TRANSFER_RINGS = 0x130000
TRANSFER_RING_STRIDE = 0x2000
CLEARED_AT_START = 0x40000

TRB_SIZE = 16
TRBS_IN_RING = 256

# Capability registers [5.3]
CAPABILITY_LENGTH, DOORBELL_OFFSET, RUNTIME_OFFSET = 0x00, 0x14, 0x18
# Operational registers [5.4]
USB_COMMAND, COMMAND_RING_CONTROL, CONTEXT_ARRAY_POINTER, CONFIGURE, PORT_STATUS = 0x00, 0x18, 0x30, 0x38, 0x400
PORT_STRIDE, PORTS_LOOKED_AT = 0x10, 16
RUN, RESET = 1 << 0, 1 << 1
SLOTS = 64
PORT_CONNECTED, PORT_ENABLED, PORT_RESET, PORT_POWER = 1 << 0, 1 << 1, 1 << 4, 1 << 9
PORT_SPEED_SHIFT, PORT_SPEED_MASK = 10, 0xF
# Registers of the first interrupter [5.5.2]
INTERRUPTER = 0x20
MANAGEMENT, TABLE_SIZE, TABLE_ADDRESS, DEQUEUE_POINTER = 0x00, 0x08, 0x10, 0x18
EVENT_HANDLER_BUSY = 1 << 3

# A transfer request block, TRB, is a parameter, a status and a control word [6.4]; the type is in bits 10 to 15.
CYCLE = 1 << 0
LINK_TOGGLE_CYCLE = 1 << 1
INTERRUPT_ON_COMPLETION = 1 << 5
IMMEDIATE_DATA = 1 << 6
STATUS_STAGE_IN = 1 << 16
NORMAL, SETUP_STAGE, STATUS_STAGE, LINK = 1, 2, 4, 6
ENABLE_SLOT, ADDRESS_DEVICE, CONFIGURE_ENDPOINT, STOP_ENDPOINT, SET_DEQUEUE, RESET_DEVICE = 9, 11, 12, 15, 16, 17
TRANSFER_EVENT, COMMAND_COMPLETION, PORT_STATUS_CHANGE = 32, 33, 34
SUCCESS = 1

# Contexts [6.2]; an endpoint is known by its index in the device context.
CONTEXT_SIZE = 0x20
CONTROL_ENDPOINT, BULK_IN, BULK_OUT = 1, 3, 4
TYPE_BULK_OUT, TYPE_CONTROL, TYPE_BULK_IN = 2, 4, 6
THREE_ERRORS = 3 << 1
ADD_SLOT = 1 << 0
CONTROL_PACKET, BULK_PACKET = 512, 1024

# Requests to the device
SET_CONFIGURATION = 9

ANSWERS_WITHIN = 2.0  # seconds, for whatever is answered at once


class DriverError(RuntimeError):
    """The controller or the device does not do what the driver expects."""


def trb_type(control):
    return control >> 10 & 0x3F


class Event:
    """An entry of the event ring."""

    def __init__(self, parameter, status, control):
        self.about = parameter  # the address of the TRB that it tells of
        self.completion = status >> 24
        self.slot = control >> 24
        self.type = trb_type(control)


class Ring:
    """TRBs for the controller. The last one of the ring links back to the first and turns the cycle bit over."""

    def __init__(self, qtest, address):
        self._qtest = qtest
        self._address = address
        self._next = 0
        self._cycle = CYCLE
        qtest.clear_memory(address, TRBS_IN_RING * TRB_SIZE)

    def push(self, parameter, status, control):
        """Adds a TRB; its address, by which its event will know it."""
        place = self._write(parameter, status, control)
        if self._next == TRBS_IN_RING - 1:
            self._write(self._address, 0, LINK << 10 | LINK_TOGGLE_CYCLE)
            self._next = 0
            self._cycle ^= CYCLE
        return place

    def _write(self, parameter, status, control):
        place = self._address + self._next * TRB_SIZE
        self._qtest.write_memory(place, struct.pack("<QII", parameter, status, control | self._cycle))
        self._next += 1
        return place

    def dequeue_pointer(self):
        """Where the controller goes on when it is to forget what is in the ring."""
        return self._address + self._next * TRB_SIZE | self._cycle


class EventRing:
    """What the controller has to say, in one segment."""

    def __init__(self, qtest, interrupter):
        self._qtest = qtest
        self._interrupter = interrupter
        self._next = 0
        self._cycle = CYCLE
        self._kept = []
        qtest.write_memory(EVENT_SEGMENT_TABLE, struct.pack("<QII", EVENT_RING, TRBS_IN_RING, 0))
        qtest.write_register(interrupter + TABLE_SIZE, 1)
        qtest.write_register_pair(interrupter + DEQUEUE_POINTER, EVENT_RING)
        qtest.write_register_pair(interrupter + TABLE_ADDRESS, EVENT_SEGMENT_TABLE)

    def _poll(self):
        place = EVENT_RING + self._next * TRB_SIZE
        parameter, status, control = struct.unpack("<QII", self._qtest.read_memory(place, TRB_SIZE))
        if control & CYCLE != self._cycle:
            return None
        self._next += 1
        if self._next == TRBS_IN_RING:
            self._next = 0
            self._cycle ^= CYCLE
        self._qtest.write_register(self._interrupter + DEQUEUE_POINTER, place | EVENT_HANDLER_BUSY)
        return Event(parameter, status, control)

    def wait(self, kind, about, seconds):
        """The event of this kind about this TRB, or None after so many seconds. Other events are kept for later."""
        for event in self._kept:
            if (event.type, event.about) == (kind, about):
                self._kept.remove(event)
                return event
        deadline = time.monotonic() + seconds
        pause = 0.00005
        while time.monotonic() < deadline:
            event = self._poll()
            if event is None:
                time.sleep(pause)
                pause = min(pause * 1.1, 0.002)  # a long wait is not to keep a processor busy
            elif (event.type, event.about) == (kind, about):
                return event
            elif event.type != PORT_STATUS_CHANGE:
                self._kept.append(event)
        return None

    def forget(self):
        """Drops all events there are."""
        while self._poll() is not None:
            pass
        self._kept.clear()


class Controller:
    """The controller at this number on PCI bus 0, and the first device that is connected to it."""

    def __init__(self, qtest, pci_device):
        self._qtest = qtest
        self._pci_device = pci_device
        self._write_pci(PCI_BAR0, REGISTERS)
        self._write_pci(PCI_BAR0 + 4, 0)
        self._write_pci(PCI_COMMAND, PCI_COMMAND_MEMORY_AND_MASTER)
        self._operational = REGISTERS + (qtest.read_register(REGISTERS + CAPABILITY_LENGTH) & 0xFF)
        self._doorbells = REGISTERS + qtest.read_register(REGISTERS + DOORBELL_OFFSET)
        runtime = REGISTERS + qtest.read_register(REGISTERS + RUNTIME_OFFSET)

        qtest.clear_memory(DEVICE_CONTEXT_ARRAY, CLEARED_AT_START)
        qtest.write_register(self._operational + USB_COMMAND, RESET)
        qtest.write_register(self._operational + CONFIGURE, SLOTS)
        qtest.write_register_pair(self._operational + CONTEXT_ARRAY_POINTER, DEVICE_CONTEXT_ARRAY)
        self._commands = Ring(qtest, COMMAND_RING)
        qtest.write_register_pair(self._operational + COMMAND_RING_CONTROL, self._commands.dequeue_pointer())
        self._events = EventRing(qtest, runtime + INTERRUPTER)
        qtest.write_register(self._operational + USB_COMMAND, RUN)

        self._rings = {}
        self._port = self._find_port()
        self._reset_port()
        self._slot = self._command(0, ENABLE_SLOT).slot
        qtest.write_memory(DEVICE_CONTEXT_ARRAY + 8 * self._slot, struct.pack("<Q", DEVICE_CONTEXT))
        self._address_and_configure()

    def _write_pci(self, register, value):
        self._qtest.write_port(PCI_ADDRESS, PCI_ENABLE | self._pci_device << 11 | register)
        self._qtest.write_port(PCI_DATA, value)

    # ---- the port

    def _port_register(self, port):
        return self._operational + PORT_STATUS + PORT_STRIDE * (port - 1)

    def _find_port(self):
        for port in range(1, PORTS_LOOKED_AT + 1):
            if self._qtest.read_register(self._port_register(port)) & PORT_CONNECTED:
                return port
        raise DriverError("no device is connected to the controller")

    def _reset_port(self):
        register = self._port_register(self._port)
        self._qtest.write_register(register, PORT_RESET | PORT_POWER)
        deadline = time.monotonic() + ANSWERS_WITHIN
        while not (status := self._qtest.read_register(register)) & PORT_ENABLED:
            if time.monotonic() > deadline:
                raise DriverError("the port does not come back from its reset")
            time.sleep(0.005)
        self._speed = status >> PORT_SPEED_SHIFT & PORT_SPEED_MASK

    # ---- commands

    def _command(self, parameter, kind, endpoint=0, must_succeed=True):
        slot = 0 if kind == ENABLE_SLOT else self._slot
        place = self._commands.push(parameter, 0, kind << 10 | endpoint << 16 | slot << 24)
        self._qtest.write_register(self._doorbells, 0)
        event = self._events.wait(COMMAND_COMPLETION, place, ANSWERS_WITHIN)
        if event is None:
            raise DriverError(f"no answer to command {kind}")
        if must_succeed and event.completion != SUCCESS:
            raise DriverError(f"command {kind} ends with code {event.completion}")
        return event

    def _input_context(self, *endpoints):
        """Describes the device and these (index, type, packet size); their rings begin anew."""
        self._qtest.clear_memory(INPUT_CONTEXT, CONTEXT_SIZE * (BULK_OUT + 2))
        added = ADD_SLOT
        for index, kind, packet in endpoints:
            added |= 1 << index
            self._rings[index] = Ring(self._qtest, TRANSFER_RINGS + index * TRANSFER_RING_STRIDE)
            self._qtest.write_memory(INPUT_CONTEXT + CONTEXT_SIZE * (index + 1), struct.pack(
                "<IIQI", 0, THREE_ERRORS | kind << 3 | packet << 16, self._rings[index].dequeue_pointer(), packet))
        last = max(index for index, _, _ in endpoints)
        self._qtest.write_memory(INPUT_CONTEXT + 4, struct.pack("<I", added))
        self._qtest.write_memory(INPUT_CONTEXT + CONTEXT_SIZE, struct.pack(
            "<II", self._speed << 20 | last << 27, self._port << 16))

    def _address_and_configure(self):
        self._input_context((CONTROL_ENDPOINT, TYPE_CONTROL, CONTROL_PACKET))
        self._command(INPUT_CONTEXT, ADDRESS_DEVICE)
        self.control_request(0x00, SET_CONFIGURATION, 1)
        self._input_context((BULK_IN, TYPE_BULK_IN, BULK_PACKET), (BULK_OUT, TYPE_BULK_OUT, BULK_PACKET))
        self._command(INPUT_CONTEXT, CONFIGURE_ENDPOINT)

    # ---- transfers

    def control_request(self, kind, request, value=0):
        """A request without data to the device; whether it has succeeded."""
        ring = self._rings[CONTROL_ENDPOINT]
        ring.push(kind | request << 8 | value << 16, 8, SETUP_STAGE << 10 | IMMEDIATE_DATA)
        place = ring.push(0, 0, STATUS_STAGE << 10 | INTERRUPT_ON_COMPLETION | STATUS_STAGE_IN)
        self._ring_doorbell(CONTROL_ENDPOINT)
        event = self._events.wait(TRANSFER_EVENT, place, ANSWERS_WITHIN)
        return event is not None and event.completion == SUCCESS

    def queue_transfer(self, endpoint, address, size, tell=True):
        """Adds a transfer to a bulk endpoint, its TRB's address. With tell=False the controller does not look yet."""
        place = self._rings[endpoint].push(address, size, NORMAL << 10 | INTERRUPT_ON_COMPLETION)
        if tell:
            self._ring_doorbell(endpoint)
        return place

    def wait_for_transfer(self, place, seconds=ANSWERS_WITHIN):
        """The event of a transfer, or None when it has not ended in so many seconds."""
        return self._events.wait(TRANSFER_EVENT, place, seconds)

    def _ring_doorbell(self, endpoint):
        self._qtest.write_register(self._doorbells + 4 * self._slot, endpoint)

    def cancel_bulk_in(self):
        """Takes back what is queued on the bulk-IN endpoint, as a host does after a timeout."""
        self._command(0, STOP_ENDPOINT, endpoint=BULK_IN, must_succeed=False)
        self._command(self._rings[BULK_IN].dequeue_pointer(), SET_DEQUEUE, endpoint=BULK_IN, must_succeed=False)

    def reset_device(self):
        """Resets the port and brings the device back to work."""
        self._reset_port()
        self._command(0, RESET_DEVICE)
        self._address_and_configure()
        self._events.forget()
