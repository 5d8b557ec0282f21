"""The dashboards against a real Prometheus that scrapes qmpwatch while a drive stalls: every query finds data."""
import json
import pathlib
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import processes
from test_metrics import Prometheus, get, series
from vm import Vm
from watcher import Watcher

HERE = pathlib.Path(__file__).resolve().parent
HARNESS = HERE / "harness" / "harness.py"
sys.path.append(str(HERE.parent / "dashboards"))
import expressions  # noqa: E402
import lint  # noqa: E402

LOSSES = ("--mode", "csw", "--first-after", "600", "--loss-every", "300", "--rate", "300")
SECONDS = 30
VALUES = {"__interval": "1s", "__rate_interval": "4s", "__range": f"{SECONDS}s", "__range_s": str(SECONDS)}
# What may be empty: what has to be switched on, and alerts, as this Prometheus has no rules.
MAY_BE_EMPTY = lint.OPT_IN | {"ALERTS"}

exposition = ""
prometheus = None
until = 0


def ask(path, **parameters):
    """The data of Prometheus' answer."""
    try:
        answer = json.loads(get(prometheus.address, f"/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=20))
    except urllib.error.HTTPError as refused:
        with refused:
            raise AssertionError(f"{refused.read().decode()}: {parameters}") from None
    return answer["data"]


def numbers(expression, kind):
    """All values of an expression that can be drawn."""
    if kind == "instant":
        data = ask("query", query=expression, time=until)
    else:
        data = ask("query_range", query=expression, start=until - SECONDS, end=until, step=1)
    found = [value for one in data["result"] for _, value in one.get("values", [one.get("value")])]
    return [float(value) for value in found if value != "NaN"]


def setUpModule():
    """A VM whose drive stalls and a VM that writes, reads and is paused, until there were two stalls."""
    global exposition, prometheus, until
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-dashboards-")))
    monitor = folder / "demo.sock"
    harness = processes.start([sys.executable, HARNESS, "--qmp", monitor, *LOSSES])
    unittest.addModuleCleanup(processes.end, harness)
    vm = unittest.enterModuleContext(Vm())
    processes.wait_until(monitor.exists, "the harness opens its monitor")
    address = f"127.0.0.1:{processes.free_port()}"
    watch = unittest.enterModuleContext(Watcher(f"demo={monitor}", f"other={vm.qmp}", interval="1s", listen=address))
    vm.wait_for_reads()
    prometheus = unittest.enterModuleContext(Prometheus(address))
    watch.wait_for("rate", vm="other")  # from now on it hears events
    vm.control.execute("stop")
    vm.control.execute("cont")

    def two_stalls():
        vm.write("fast")
        stalls = prometheus.query('sum(qemu_block_stalls_total{vm="demo"})')
        return stalls and stalls[0][1] >= 2 and watch.said("stall_level", vm="demo", level="confirmed")
    processes.wait_until(two_stalls, "two stalls and their confirmation reach Prometheus", timeout=60, every=0.3)
    time.sleep(2)  # two more scrapes
    until = time.time()
    exposition = get(address)


class Queries(unittest.TestCase):
    def test_every_expression_returns_data(self):
        asked = expressions.expressions(values=VALUES)
        self.assertGreater(len(asked), 50)
        for dashboard, panel, expression, kind in asked:
            with self.subTest(dashboard=dashboard, panel=panel, expression=expression):
                found = numbers(expression, kind)
                if not expressions.metrics(expression) & MAY_BE_EMPTY:
                    self.assertTrue(found, "no data")

    def test_every_variable_has_values(self):
        known = {"job": {"qmpwatch"}, "vm": {"demo", "other"}, "drive": {"install_media", "system", "cdrom"}}
        for dashboard, variable, selector, label in expressions.variable_queries(values=VALUES):
            with self.subTest(dashboard=dashboard, variable=variable):
                values = ask(f"label/{label}/values", **{"match[]": selector})
                self.assertTrue(values)
                self.assertLessEqual(known.get(variable, set()), set(values))

    def test_metrics_and_dashboards_know_each_other(self):
        self.assertEqual(list(lint.check_metrics(exposition, lint.used_on_dashboards(), lint.used_in_rules())), [])

    def test_this_is_the_exposition_that_the_lint_knows(self):
        self.assertEqual(lint.exported(exposition), lint.exported(lint.EXPOSITION.read_text()))


class WhatIsShown(unittest.TestCase):
    def value(self, board, title, **selected):
        """The number on a panel of the dashboard with this title when this is selected."""
        (only,) = [each for each in expressions.expressions(values={**VALUES, **selected})
                   if each.panel == title and each.dashboard.endswith(board) and each.kind == "instant"]
        (number,) = numbers(only.expression, "instant")
        return number

    def counted(self, name):
        return sum(value for labels, value in series(exposition, name) if labels["vm"] == "demo")

    def test_fleet(self):
        self.assertEqual(self.value("Fleet", "VMs"), 2)
        self.assertEqual(self.value("Fleet", "Not answering"), 0)
        self.assertEqual(self.value("Fleet", "Stalled now"), 1)

    def test_selection_of_a_vm(self):
        self.assertEqual(self.value("VM", "Stall now", vm="other"), 0)
        self.assertEqual(self.value("VM", "Stall now", vm="demo"), 3)
        self.assertEqual(self.value("VM", "State", vm="demo|other"), 1)

    def test_stalls_and_what_they_took(self):
        # Prometheus extends an increase to the ends of its window, hence not exactly.
        stalls, lost = self.counted("qemu_block_stalls_total"), self.counted("qemu_block_stall_seconds_total")
        self.assertGreaterEqual(stalls, 2)
        self.assertAlmostEqual(self.value("VM", "Stalls", vm="demo"), stalls, delta=1)
        self.assertAlmostEqual(self.value("VM", "Time lost", vm="demo"), lost, delta=0.2 * lost)

    def test_stalls_are_bands_over_the_series(self):
        (bands,) = [each.expression for each in expressions.expressions(values=VALUES)
                    if each.kind == "annotation" and each.panel == "Stalls" and each.dashboard.endswith("VM")]
        (band,) = ask("query_range", query=bands, start=until - SECONDS, end=until, step=1)["result"]
        self.assertEqual({name: band["metric"][name] for name in ("vm", "drive", "cause")},
                         {"vm": "demo", "drive": "install_media", "cause": "lost_completion"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
