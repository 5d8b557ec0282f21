"""The dashboards over a long-term store: Prometheus passes on what it scrapes to VictoriaMetrics; both say the same.

Each expression of each dashboard is asked of both at the same times, for a VM whose drive stalls. Everything has to be
equal but rate(), increase() and their like: there VictoriaMetrics begins with the last sample before the window and
does not extrapolate (docs/scale.md). So it has to say what Prometheus says of this window, of one that is a scrape
longer, or something between.
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse

import processes
from test_metrics import get
from watcher import Watcher

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "dashboards"))
import expressions  # noqa: E402

HARNESS = pathlib.Path(__file__).resolve().parent / "harness" / "harness.py"
RULES = [ROOT / "dashboards" / "prometheus" / name for name in ("alert-rules.yaml", "recording-rules.yaml")]
SCRAPE = 1
STEP = 2
WINDOW = 10  # of rates
RANGE = 20
SCRAPED_FOR = RANGE + WINDOW + 4  # a stall ends in every such time
FUNCTIONS = ("rate(", "increase(", "changes(", "resets(", "delta(")


def values(longer=0):
    """What the dashboards' variables hold, with windows that are so many seconds longer."""
    return {"__rate_interval": f"{WINDOW + longer}s", "__interval": f"{STEP}s", "__range": f"{RANGE + longer}s",
            "__range_s": str(RANGE + longer)}


class Store:
    """A process with a query interface like that of Prometheus."""

    def __init__(self, folder, command, **more):
        self.address = f"127.0.0.1:{processes.free_port()}"
        self.more = more  # query arguments of every query
        self._log = open(folder / f"{command[0]}.log", "wb")
        self.process = processes.start([*command, self.listen()], stdin=subprocess.DEVNULL, stdout=self._log,
                                       stderr=self._log)

    def end(self):
        processes.end(self.process, patience=10)
        self._log.close()

    def ask(self, path, **arguments):
        query = urllib.parse.urlencode({**arguments, **self.more})
        try:
            answer = json.loads(get(self.address, f"/api/v1/{path}?{query}", timeout=20))
        except urllib.error.HTTPError as refused:
            with refused:
                raise AssertionError(f"{refused.code} {refused.read().decode()}") from None
        return answer["data"]["result"]

    def is_there(self, expression, when):
        try:
            return bool(self.ask("query", query=expression, time=when))
        except urllib.error.URLError:
            return False  # it starts

    def instant(self, expression, when):
        """Labels of a series -> {time: value}."""
        return {labels_of(each): {when: float(each["value"][1])}
                for each in self.ask("query", query=expression, time=when)}

    def range(self, expression, start, end):
        return {labels_of(each): {int(at): float(value) for at, value in each["values"]}
                for each in self.ask("query_range", query=expression, start=start, end=end, step=STEP)}


class Prometheus(Store):
    def __init__(self, folder, target, store):
        file = folder / "prometheus.json"  # which is YAML, too
        file.write_text(json.dumps({
            "global": {"scrape_interval": f"{SCRAPE}s", "scrape_timeout": f"{SCRAPE}s", "evaluation_interval": "2s"},
            "rule_files": [str(file) for file in RULES],
            "scrape_configs": [{"job_name": "qmpwatch", "static_configs": [{"targets": [target]}]}],
            "remote_write": [{"url": f"http://{store.address}/api/v1/write",
                              "queue_config": {"batch_send_deadline": "500ms"}}]}))
        super().__init__(folder, ["prometheus", f"--config.file={file}", f"--storage.tsdb.path={folder}/prometheus",
                                  "--log.level=warn"])

    def listen(self):
        return f"--web.listen-address={self.address}"


class VictoriaMetrics(Store):
    """Asked for exactly the times of the query, and not of half a minute before, as it does unless told otherwise."""

    def __init__(self, folder):
        super().__init__(folder, ["victoria-metrics", f"-storageDataPath={folder}/store", "-search.latencyOffset=1s",
                                  "-memory.allowedBytes=64MB", "-loggerLevel=WARN"], nocache=1)

    def listen(self):
        return f"-httpListenAddr={self.address}"


def labels_of(result):
    """Without the name: where a function keeps it, and where not, differs. No panel shows it."""
    return tuple(sorted((name, value) for name, value in result["metric"].items() if name != "__name__"))


def without_nan(series):
    """Prometheus answers 0 / 0 with NaN and VictoriaMetrics with nothing; a panel shows a gap either way."""
    known = {labels: {at: value for at, value in points.items() if not math.isnan(value)}
             for labels, points in series.items()}
    return {labels: points for labels, points in known.items() if points}


@unittest.skipUnless(shutil.which("victoria-metrics"), "there is no victoria-metrics")
class LongTerm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="qmpwatch-long-term-")))
        monitor = folder / "monitor.sock"
        harness = processes.start([sys.executable, HARNESS, "--qmp", monitor, "--rate", "300", "--first-after", "600",
                                   "--loss-probability", "0.0025", "--seed", "31"], stdin=subprocess.DEVNULL)
        cls.addClassCleanup(processes.end, harness)
        processes.wait_until(monitor.exists, "the harness opens its monitor")
        listen = f"127.0.0.1:{processes.free_port()}"
        cls.watch = cls.enterClassContext(Watcher(f"demo={monitor}", interval="2s", listen=listen))
        cls.store = VictoriaMetrics(folder)
        cls.addClassCleanup(cls.store.end)
        cls.prometheus = Prometheus(folder, listen, cls.store)
        cls.addClassCleanup(cls.prometheus.end)
        cls.watch.wait_for("stall", timeout=60)
        confirmed = "ALERTS{alertname='QmpwatchUsbStorageLosesCompletions', alertstate='firing'}"
        processes.wait_until(lambda: cls.prometheus.is_there(confirmed, time.time()), "a confirmed stall is an alert",
                             timeout=90, every=0.5)
        # Enough scrapes without a hole, which the two would close differently.
        unbroken = f"sum_over_time(up[{SCRAPED_FOR}s]) >= {SCRAPED_FOR // SCRAPE - 1}"
        processes.wait_until(lambda: cls.prometheus.is_there(unbroken, time.time()), "scrapes without a hole",
                             timeout=120, every=0.5)
        cls.end = int(time.time() / STEP) * STEP
        cls.start = cls.end - RANGE
        for one in (cls.prometheus, cls.store):
            processes.wait_until(lambda: one.is_there(f"timestamp(qemu_up) > {cls.end}", cls.end + 4),
                                 "the newest samples have arrived", timeout=30, every=0.3)
        time.sleep(1)  # they come in several parts

    def answer(self, store, one):
        if one.kind == "instant":
            return without_nan(store.instant(one.expression, self.end))
        return without_nan(store.range(one.expression, self.start, self.end))

    def test_every_expression(self):
        asked = expressions.expressions(values=values())
        longer = expressions.expressions(values=values(SCRAPE))
        self.assertGreater(len(asked), 30)
        with_data = 0
        for one, one_longer in sorted(set(zip(asked, longer))):
            with self.subTest(dashboard=one.dashboard, panel=one.panel, expression=one.expression):
                there, here = self.answer(self.store, one), self.answer(self.prometheus, one)
                with_data += bool(here)
                if any(function in one.expression for function in FUNCTIONS):
                    self.compare(there, here, self.answer(self.prometheus, one_longer), 1.5 * SCRAPE / WINDOW)
                else:
                    self.compare(there, here, here, 1e-9)
        self.assertGreater(with_data, len(set(asked)) / 2)

    def compare(self, there, one, other, tolerance):
        """Every point is in `there` if it is in both of the others, its value between theirs."""
        self.assertLessEqual(set(one) & set(other), set(there))
        self.assertLessEqual(set(there), set(one) | set(other))
        for labels, points in there.items():
            first, second = one.get(labels, {}), other.get(labels, {})
            self.assertLessEqual(set(first) & set(second), set(points), labels)
            self.assertLessEqual(set(points), set(first) | set(second), labels)
            for at, value in points.items():
                known = [each[at] for each in (first, second) if at in each]
                spare = 1e-5 + tolerance * max(map(abs, known))  # it keeps 15 digits, of wall times too
                self.assertGreaterEqual(value, min(known) - spare, f"{labels} at {at}")
                self.assertLessEqual(value, max(known) + spare, f"{labels} at {at}")

    def test_rules(self):
        """A real Prometheus works all rules out, and the drive that stalls has its alerts, here and in the store."""
        groups = json.loads(get(self.prometheus.address, "/api/v1/rules"))["data"]["groups"]
        troubled = [rule["name"] for group in groups for rule in group["rules"] if rule["health"] != "ok"]
        self.assertEqual((len(groups) > 3, troubled), (True, []))
        firing = "ALERTS{alertstate='firing'}"
        wanted = {("QmpwatchDriveStalled", "install_media"), ("QmpwatchUsbStorageLosesCompletions", "install_media")}
        for store in (self.prometheus, self.store):
            found = [each["metric"] for each in store.ask("query", query=firing, time=self.end)]
            self.assertEqual({(alert["alertname"], alert.get("drive")) for alert in found}, wanted)
        for recorded in ("vm_drive:qemu_block_read_bytes:rate5m", "instance:qemu_block_stall_seconds:rate5m"):
            self.assertTrue(self.store.is_there(f"{recorded} > 0", self.end), recorded)

    def test_rules_are_understood_by_its_own_alerting(self):
        done = subprocess.run(["vmalert", "-dryRun", *(f"-rule={file}" for file in RULES)], capture_output=True,
                              text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
