"""/metrics of a real VM: promtool has nothing to say about it, and a real Prometheus scrapes it."""
import json
import re
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import processes
from vm import Vm
from watcher import Watcher

SAMPLE = re.compile(r'^(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:{(?P<labels>.*)})? (?P<value>\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def get(address, path="/metrics", timeout=5):
    with urllib.request.urlopen(f"http://{address}{path}", timeout=timeout) as answer:
        return answer.read().decode()


def series(text, name):
    """The samples of one name in an exposition: a list of (labels, value)."""
    found = []
    for line in text.splitlines():
        match = SAMPLE.match(line)
        if match and match["name"] == name:
            found.append((dict(LABEL.findall(match["labels"] or "")), float(match["value"])))
    return found


class Serving:
    """qmpwatch with its web server on a port of its own."""

    def __init__(self, *sockets):
        self.address = f"127.0.0.1:{processes.free_port()}"
        self.watcher = Watcher(*sockets, interval="1s", poll="250ms", listen=self.address)

    def __enter__(self):
        try:
            processes.wait_until(self._serves, "qmpwatch serves")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.watcher.__exit__()

    def _serves(self):
        try:
            return get(self.address, "/healthz")
        except urllib.error.URLError:
            return None

    def metrics(self):
        return get(self.address)

    def read_bytes(self, drive="install_media"):
        return [value for labels, value in series(self.metrics(), "qemu_block_read_bytes_total")
                if labels["drive"] == drive]

    def drives(self):
        return {labels["drive"] for labels, _ in series(self.metrics(), "qemu_block_read_bytes_total")}

    def value(self, name):
        """The value of a series of which there is one, else None."""
        values = [value for _, value in series(self.metrics(), name)]
        return values[0] if len(values) == 1 else None


class Prometheus:
    """A Prometheus with an empty database that scrapes one address every second."""

    def __init__(self, target):
        self._temporary = tempfile.TemporaryDirectory(prefix="qmpwatch-prometheus-")
        folder = Path(self._temporary.name)
        self.address = f"127.0.0.1:{processes.free_port()}"
        (folder / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
            f"scrape_configs: [{{job_name: qmpwatch, static_configs: [{{targets: ['{target}']}}]}}]\n")
        self._log = open(folder / "log", "wb")
        self._process = processes.start(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address={self.address}", "--log.level=warn"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        processes.end(self._process, patience=10)
        self._log.close()
        self._temporary.cleanup()

    def query(self, expression):
        """The values of an instant query; none while Prometheus is not ready."""
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            answer = json.loads(get(self.address, path))
        except urllib.error.URLError:
            return []
        return [(float(result["value"][0]), float(result["value"][1])) for result in answer["data"]["result"]]


class OneVm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vm = cls.enterClassContext(Vm())
        cls.vm.wait_for_reads()
        cls.serving = cls.enterClassContext(Serving(cls.vm.qmp))
        processes.wait_until(lambda: series(cls.serving.metrics(), "qemu_block_read_bytes_per_second"),
                             "the first rate")

    def test_promtool_is_silent(self):
        done = subprocess.run(["promtool", "check", "metrics"], input=self.serving.metrics(), capture_output=True,
                              text=True, timeout=30)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_health(self):
        self.assertTrue(get(self.serving.address, "/healthz").strip())

    def test_landing_page(self):
        self.assertIn("/metrics", get(self.serving.address, "/"))

    def test_unknown_path(self):
        with self.assertRaises(urllib.error.HTTPError) as refused:
            get(self.serving.address, "/nothing-here")
        self.assertEqual(refused.exception.code, 404)
        refused.exception.close()

    def test_counters_move(self):
        (before,) = self.serving.read_bytes()
        processes.wait_until(lambda: self.serving.read_bytes() > [before], "qemu_block_read_bytes_total moves")

    def test_who_the_vm_is(self):
        ((labels, value),) = series(self.serving.metrics(), "qemu_vm_info")
        self.assertEqual(value, 1)
        self.assertEqual((labels["vm"], labels["protocol"], labels["accelerator"]), ("tested", "qmp", "tcg"))
        states = series(self.serving.metrics(), "qemu_monitor_state")
        self.assertEqual({labels["state"] for labels, value in states if value == 1}, {"ready"})
        self.assertEqual(self.serving.value("qemu_up"), 1)

    def test_how_drives_are_attached(self):
        devices = {labels["drive"]: labels["device"] for labels, _ in series(self.serving.metrics(), "qemu_block_info")}
        self.assertEqual(devices["install_media"], "usb-storage")
        self.assertEqual(devices["system"], "nvme")
        self.assertEqual(devices["cdrom"], "ide-cd")

    def test_prometheus_knows_the_rate(self):
        with Prometheus(self.serving.address) as prometheus:
            expression = 'rate(qemu_block_read_bytes_total{drive="install_media"}[10s])'
            first = self.vm.counters()["install_media"]["rd_bytes"], time.monotonic()
            count = 'count_over_time(qemu_block_read_bytes_total{drive="install_media"}[10s])'
            processes.wait_until(lambda: prometheus.query(count) and prometheus.query(count)[0][1] >= 9,
                                 "nine scrapes of a real Prometheus", timeout=40, every=0.5)
            last = self.vm.counters()["install_media"]["rd_bytes"], time.monotonic()
            ((_, rate),) = prometheus.query(expression)
            truth = (last[0] - first[0]) / (last[1] - first[1])
            # The guest's pace is even, but not the machine's on which the tests run.
            self.assertAlmostEqual(rate, truth, delta=0.15 * truth)
            self.assertEqual([value for _, value in prometheus.query("up")], [1])


class ComingAndGoing(unittest.TestCase):
    def test_unplugged_drive_disappears(self):
        with Vm() as vm, Serving(vm.qmp) as serving:
            vm.wait_for_reads("install_media")
            processes.wait_until(lambda: "install_media" in serving.drives(), "the drive has a series")
            vm.control.execute("device_del", id="stick")
            vm.control.wait_for_event("DEVICE_DELETED")
            processes.wait_until(lambda: "install_media" not in serving.drives(), "the drive's series disappears", 5)
            self.assertNotIn('drive="install_media"', serving.metrics())
            self.assertIn("system", serving.drives())

    def test_medium_change(self):
        with Vm() as vm, Serving(vm.qmp) as serving:
            def medium():
                return [labels["file"] for labels, _ in series(serving.metrics(), "qemu_block_info")
                        if labels["drive"] == "cdrom"]
            processes.wait_until(lambda: medium() == [""], "the empty drive has a series")
            disc = str(vm.image("disc.iso"))
            vm.control.execute("blockdev-change-medium", id="cd", filename=disc, format="raw", force=True)
            processes.wait_until(lambda: medium() == [disc], "the new medium is known", 5)
            vm.control.execute("eject", id="cd", force=True)
            processes.wait_until(lambda: medium() == [""], "the medium is gone", 5)

    def test_killed_vm_disappears_and_comes_back(self):
        with Vm() as vm, Vm(drives=False) as other, Serving(vm.qmp, f"other={other.hmp}") as serving:
            vm.wait_for_reads()
            processes.wait_until(lambda: "install_media" in serving.drives(), "the drive has a series")
            vm.kill()
            processes.wait_until(lambda: not serving.drives(), "the series of the VM disappear", 5)
            text = serving.metrics()
            ups = {labels["vm"]: value for labels, value in series(text, "qemu_up")}
            self.assertEqual(ups.pop("other"), 1)
            self.assertEqual(list(ups.values()), [0])
            for gone in ("qemu_process_resident_memory_bytes", "qemu_block_info", "qemu_vm_state"):
                self.assertEqual([labels for labels, _ in series(text, gone) if labels["vm"] != "other"], [], gone)
            vm.start()
            processes.wait_until(lambda: "install_media" in serving.drives(), "the VM comes back")
            self.assertEqual([value for labels, value in series(serving.metrics(), "qmpwatch_reconnects_total")
                              if labels.get("vm") != "other"], [1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
