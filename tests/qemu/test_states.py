"""The states of a monitor are told apart, and a monitor that is shared with the guest is never written to."""
import os
import signal
import socket
import unittest

import processes
import watcher
from qmp import Qmp
from vm import Vm
from watcher import Watcher

# A drive that is throttled to 256 KiB/s.
SLOW_DRIVE = ("-drive", "if=none,id=slow,driver=null-co,size=67108864,read-zeroes=on,throttling.bps-read=262144")


def block_main_loop(vm):
    """Blocks QEMU's main loop for six seconds: a synchronous read of the slow drive. Its reply ends it."""
    read = 'qemu-io slow "read 0 1536k"'
    vm.control.hmp(read)  # the first one is let through and uses the throttle up
    vm.control.send("human-monitor-command", command_line=read)


class Absence(unittest.TestCase):
    def test_waits_for_a_vm_that_does_not_exist_yet(self):
        with Vm(drives=False) as vm:
            vm.kill()
            for path in (vm.qmp, vm.hmp):
                path.unlink()
            with Watcher(vm.qmp) as over_qmp, Watcher(vm.hmp) as over_hmp:
                for watch in (over_qmp, over_hmp):
                    self.assertIn("start QEMU with", watch.wait_for("monitor", state="absent")["detail"])
                vm.start()
                for watch in (over_qmp, over_hmp):
                    ready = watch.wait_for("monitor", state="ready", timeout=10)
                    self.assertFalse(ready["reconnected"])
                    self.assertEqual(watch.monitor_states(), ["absent", "ready"])

    def test_two_vms_are_independent(self):
        with Vm() as there, Vm(drives=False) as gone:
            gone.kill()
            with Watcher(f"there={there.qmp}", f"gone={gone.qmp}") as watch:
                watch.wait_for("monitor", vm="gone", state="absent")
                watch.wait_for("monitor", vm="there", state="ready")
                watch.wait_for("rate", vm="there", drive="system", count=2)
                self.assertEqual(watch.said("rate", vm="gone"), [])


class Busy(unittest.TestCase):
    def hold_and_release(self, vm, path, holders):
        with Watcher(path) as watch:
            busy = watch.wait_for("monitor", state="busy", timeout=10)
            self.assertRegex(busy["detail"], "another client")
            self.assertEqual(watch.said("rate"), [])
            for holder in holders:
                holder.close()
            watch.wait_for("monitor", state="ready", timeout=10)
            self.assertEqual(watch.monitor_states(), ["busy", "ready"])

    def test_another_client_on_qmp(self):
        with Vm(drives=False) as vm:
            self.hold_and_release(vm, vm.qmp, [Qmp(vm.qmp)])

    def test_another_client_on_hmp(self):
        with Vm(drives=False) as vm:
            holder = self.enterContext(socket.socket(socket.AF_UNIX))
            holder.connect(str(vm.hmp))
            self.assertIn(b"QEMU", holder.recv(100))
            self.hold_and_release(vm, vm.hmp, [holder])

    def test_full_backlog(self):
        with Vm(drives=False) as vm:
            holders = [Qmp(vm.qmp)]
            for _ in range(8):
                waiting = self.enterContext(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                try:
                    waiting.connect(str(vm.qmp))
                except BlockingIOError:
                    break
                holders.append(waiting)
            else:
                self.fail("the backlog of the monitor is never full")
            self.hold_and_release(vm, vm.qmp, holders)

    def test_once_says_why(self):
        with Vm(drives=False) as vm, Qmp(vm.qmp):
            done = watcher.run("--socket", vm.qmp, "--once", "--interval", "300ms", "--poll", "100ms")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("another client", done.stderr)


class Stopped(unittest.TestCase):
    def test_before_the_greeting(self):
        for protocol in ("qmp", "hmp"):
            with self.subTest(protocol), Vm(drives=False) as vm:
                os.kill(vm.pid, signal.SIGSTOP)
                with Watcher(getattr(vm, protocol)) as watch:
                    stopped = watch.wait_for("monitor", state="stopped", timeout=10)
                    self.assertIn(f"kill -CONT {vm.pid}", stopped["detail"])
                    os.kill(vm.pid, signal.SIGCONT)
                    watch.wait_for("monitor", state="ready", timeout=10)
                    self.assertEqual(watch.monitor_states(), ["stopped", "ready"])

    def test_in_the_middle(self):
        for protocol in ("qmp", "hmp"):
            with self.subTest(protocol), Vm() as vm, Watcher(getattr(vm, protocol)) as watch:
                watch.wait_for("rate", drive="system", count=2)
                os.kill(vm.pid, signal.SIGSTOP)
                watch.wait_for("monitor", state="stopped", timeout=10)
                os.kill(vm.pid, signal.SIGCONT)
                watch.wait_for("monitor", state="ready", timeout=10)
                watch.wait_for("rate", since=len(watch.lines), drive="system", count=2)
                self.assertEqual(watch.monitor_states(), ["ready", "stopped", "ready"])
                self.assertFalse(watch.said("monitor")[-1]["reconnected"])


class Blocked(unittest.TestCase):
    def test_main_loop(self):
        with Vm(*SLOW_DRIVE, drives=False) as vm, Watcher(vm.qmp) as over_qmp, Watcher(vm.hmp) as over_hmp:
            for watch in (over_qmp, over_hmp):
                watch.wait_for("rate", drive="slow", count=2)
            block_main_loop(vm)
            for watch in (over_qmp, over_hmp):
                blocked = watch.wait_for("monitor", state="blocked", timeout=10)
                self.assertIn("main loop", blocked["detail"])
            vm.control.reply()
            for watch in (over_qmp, over_hmp):
                watch.wait_for("monitor", state="ready", count=2, timeout=10)
                watch.wait_for("rate", since=len(watch.lines), drive="slow", count=2)
                self.assertEqual(watch.monitor_states(), ["ready", "blocked", "ready"])
                self.assertFalse(watch.said("monitor")[-1]["reconnected"])

    def test_before_negotiation(self):
        with Vm(*SLOW_DRIVE, drives=False) as vm:
            block_main_loop(vm)
            with Watcher(vm.qmp) as watch:
                watch.wait_for("monitor", state="blocked", timeout=10)
                vm.control.reply()
                watch.wait_for("monitor", state="ready", timeout=10)
                self.assertEqual(watch.monitor_states(), ["blocked", "ready"])


class OtherMonitors(unittest.TestCase):
    def check_reads(self, vm, address, protocol):
        seen = watcher.once(address)
        self.assertEqual((seen["state"], seen["protocol"]), ("running", protocol))
        reads = {drive["drive"]: drive["reads_completed"] for drive in seen["drives"]}
        self.assertGreaterEqual(reads["install_media"], 20)
        return seen

    def test_pretty_printed_qmp(self):
        with Vm("-qmp-pretty", "unix:{folder}/pretty.sock,server=on,wait=off") as vm:
            path = vm.folder / "pretty.sock"
            vm.wait_for_reads()
            self.check_reads(vm, path, "qmp")
            with Watcher(path) as watch:
                watch.wait_for("monitor", state="ready")
                vm.control.execute("stop")
                watch.wait_for("qmp", name="STOP")
                watch.wait_for("vm", state="paused")

    def test_over_the_network(self):
        qmp, hmp, telnet = (processes.free_port() for _ in range(3))
        with Vm("-qmp", f"tcp:127.0.0.1:{qmp},server=on,wait=off",
                "-monitor", f"tcp:127.0.0.1:{hmp},server=on,wait=off",
                "-monitor", f"telnet:127.0.0.1:{telnet},server=on,wait=off") as vm:
            vm.wait_for_reads()
            for address, protocol in ((f"tcp:127.0.0.1:{qmp}", "qmp"), (f"tcp:127.0.0.1:{hmp}", "hmp"),
                                      (f"tcp:localhost:{hmp}", "hmp"), (f"telnet:127.0.0.1:{telnet}", "hmp"),
                                      (f"telnet:127.0.0.1:{telnet},server=on,wait=off", "hmp")):
                with self.subTest(address):
                    seen = self.check_reads(vm, address, protocol)
                    self.assertEqual(seen["vm"], "tested")

    def test_second_look_over_telnet(self):
        port = processes.free_port()
        with Vm("-monitor", f"telnet:127.0.0.1:{port},server=on,wait=off") as vm:
            vm.wait_for_reads()
            with Watcher(f"telnet:127.0.0.1:{port}", interval="500ms", poll="100ms") as watch:
                watch.wait_for("rate", drive="install_media", count=4)
                self.assertEqual(watch.monitor_states(), ["ready"])


class NotOurs(unittest.TestCase):
    """Sockets of QEMU's behind which there is no monitor, or not only one."""

    def refuse(self, path, why):
        """qmpwatch gives up with one sentence, and beside another VM it goes on and says it once."""
        done = watcher.run("--socket", path, "--web.listen-address", "off")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, why)
        with Vm(drives=False) as another, Watcher(f"wrong={path}", f"right={another.qmp}") as watch:
            wrong = watch.wait_for("monitor", vm="wrong", timeout=10)
            self.assertRegex(wrong["detail"], why)
            self.assertNotEqual(wrong["state"], "ready")
            watch.wait_for("monitor", vm="right", state="ready")

    def check_never_typed_into(self, *arguments):
        """With these arguments the guest's serial port and a monitor share the socket shared.sock."""
        with Vm(*arguments, monitors=False) as vm:
            path = vm.folder / "shared.sock"
            vm.wait_for_reads()
            self.assertEqual(vm.typed.read_bytes(), b"B")
            self.refuse(path, "serial port")
            self.assertEqual(vm.typed.read_bytes(), b"B", "qmpwatch has typed into the guest")
            # The guest would have noticed.
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(path))
                line.sendall(b"x")
                processes.wait_until(lambda: vm.typed.read_bytes() == b"Bx", "the guest gets what is typed")

    def test_serial_with_monitor(self):
        self.check_never_typed_into("-serial", "mon:unix:{folder}/shared.sock,server=on,wait=off")

    def test_muxed_chardev(self):
        self.check_never_typed_into("-chardev", "socket,id=shared,path={folder}/shared.sock,server=on,wait=off,mux=on",
                                    "-serial", "chardev:shared", "-mon", "chardev=shared")

    def test_muxed_chardev_monitor_first(self):
        self.check_never_typed_into("-chardev", "socket,id=shared,mux=on,path={folder}/shared.sock,server=on,wait=off",
                                    "-mon", "chardev=shared,mode=readline", "-serial", "chardev:shared")

    def test_muxed_qmp(self):
        self.check_never_typed_into("-chardev", "socket,id=shared,mux=on,path={folder}/shared.sock,server=on,wait=off",
                                    "-mon", "chardev=shared,mode=control", "-serial", "chardev:shared")

    def test_serial_port(self):
        self.check_never_typed_into("-serial", "unix:{folder}/shared.sock,server=on,wait=off")

    def test_guest_agent(self):
        with Vm("-device", "virtio-serial-pci",
                "-chardev", "socket,id=agent,path={folder}/agent.sock,server=on,wait=off",
                "-device", "virtserialport,chardev=agent,name=org.qemu.guest_agent.0",
                monitors=False, drives=False) as vm:
            self.refuse(vm.folder / "agent.sock", "guest agent")


if __name__ == "__main__":
    unittest.main(verbosity=2)
