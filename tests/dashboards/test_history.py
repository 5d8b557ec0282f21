"""Six hours with stalls of 10 s, each of which falls between two scrapes: all of them are drawn, and nothing else.

At every scrape the drive reads, and no stall is suspected: only the counters have moved. QEMU's latency histograms are
on, which they are not by default.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

import expressions

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "qemu"))
import processes  # noqa: E402

SCRAPE = 15
END = 1_800_000_000
HOURS = 6
START = END - HOURS * 3600
STALL_SECONDS = 10
# In seconds from the start; no two have the same distance to the steps of a panel.
STALLS = [START + at for at in range(1003, HOURS * 3600 - 600, 2017)]
# Seconds between two points on a full-width panel, on a half-width panel, and where Grafana asks for 100 points only.
STEPS = (15, 30, 300)
LATENCIES = {"0.001": 0.5, "0.01": 0.9, "+Inf": 1}  # how many operations took no longer
LABELS = 'job="qmpwatch",instance="here:10977",vm="demo",drive="install_media"'


def exposition():
    """The history in OpenMetrics text."""
    times = range(START, END + 1, SCRAPE)
    counted = {time: sum(stall < time for stall in STALLS) for time in times}
    yield "# TYPE qemu_block_stalls counter"
    yield from (f'qemu_block_stalls_total{{{LABELS},cause="lost_completion"}} {counted[time]} {time}' for time in times)
    yield "# TYPE qemu_block_stall_seconds counter"
    yield from (f'qemu_block_stall_seconds_total{{{LABELS},cause="lost_completion"}} {seconds} {time}'
                for time, seconds in ((time, STALL_SECONDS * counted[time]) for time in times))
    yield "# TYPE qemu_block_latency_seconds histogram"
    for op, operations_a_second in (("read", 500), ("write", 20)):
        for bound, share in LATENCIES.items():
            yield from (f'qemu_block_latency_seconds_bucket{{{LABELS},op="{op}",le="{bound}"}} '
                        f'{round((time - START) * operations_a_second * share)} {time}' for time in times)
    yield "# EOF\n"


class History:
    """A Prometheus over this history."""

    def __init__(self, folder):
        history, data = folder / "history.om", folder / "data"
        history.write_text("\n".join(exposition()))
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", history, data], check=True,
                       capture_output=True)
        (folder / "prometheus.yml").write_text("global: {}\n")
        self._url = f"http://127.0.0.1:{processes.free_port()}"
        with open(folder / "log", "wb") as log:
            self.process = processes.start(
                ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={data}",
                 "--storage.tsdb.retention.time=100y", f"--web.listen-address={self._url.removeprefix('http://')}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ready(self):
        try:
            with urllib.request.urlopen(f"{self._url}/-/ready", timeout=5) as answer:
                return answer.status == 200
        except urllib.error.URLError:
            return False

    def ask(self, path, **parameters):
        url = f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=20) as answer:
            return json.load(answer)["data"]["result"]


def expression(board, name, kind, step=SCRAPE):
    """What a panel or an annotation asks when there are so many seconds between two points."""
    values = {"__rate_interval": f"{rate_interval(step)}s", "__range": f"{HOURS}h", "__interval": f"{step}s"}
    (only,) = [each.expression for each in expressions.expressions(values=values)
               if each.dashboard.endswith(board) and (each.panel, each.kind) == (name, kind)]
    return only


def rate_interval(step):
    """Grafana's rule for $__rate_interval."""
    return max(step + SCRAPE, 4 * SCRAPE)


class Drawn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-history-")))
        cls.history = History(folder)
        cls.addClassCleanup(processes.end, cls.history.process)
        processes.wait_until(cls.history.ready, "Prometheus is ready")

    def stretches(self, text, step):
        """(first, last) time of each stretch in which an expression is above 0."""
        drawn = []
        for one in self.history.ask("query_range", query=text, start=START, end=END, step=step):
            for time, value in one["values"]:
                if float(value) > 0:
                    if drawn and time - drawn[-1][1] <= step:
                        drawn[-1][1] = time
                    else:
                        drawn.append([time, time])
        return drawn

    def check(self, name, kind, step):
        drawn = self.stretches(expression("VM", name, kind, step), step)
        self.assertEqual(len(drawn), len(STALLS), drawn)
        for (first, last), stall in zip(drawn, STALLS):
            self.assertGreater(first, stall)
            self.assertLessEqual(first, stall + SCRAPE + step)
            self.assertLessEqual(last, stall + SCRAPE + rate_interval(step))

    def test_bands(self):
        for step in STEPS:
            with self.subTest(step=step):
                self.check("Stalls", "annotation", step)

    def test_bars(self):
        for step in STEPS:
            with self.subTest(step=step):
                self.check("Time lost to stalls", "range", step)

    def test_bars_are_as_high_as_the_stall_was_long(self):
        bars = expression("VM", "Time lost to stalls", "range")
        (one,) = self.history.ask("query_range", query=bars, start=START, end=END, step=SCRAPE)
        self.assertAlmostEqual(max(float(value) for _, value in one["values"]), STALL_SECONDS, delta=STALL_SECONDS / 3)

    def test_numbers(self):
        for board in ("VM", "Fleet"):
            for name, expected in (("Stalls", len(STALLS)), ("Time lost", STALL_SECONDS * len(STALLS))):
                with self.subTest(board=board, name=name):
                    (one,) = self.history.ask("query", query=expression(board, name, "instant"), time=END)
                    self.assertAlmostEqual(float(one["value"][1]), expected, delta=expected * 0.02)

    def test_latency_histograms(self):
        for name, operations_a_second in (("Latency of reads", 500), ("Latency of writes", 20)):
            buckets = self.history.ask("query", query=expression("VM", name, "range"), time=END)
            found = {bucket["metric"]["le"]: float(bucket["value"][1]) for bucket in buckets}
            self.assertEqual(found.keys(), LATENCIES.keys())
            for bound, share in LATENCIES.items():
                self.assertAlmostEqual(found[bound], operations_a_second * share, delta=operations_a_second / 100)


if __name__ == "__main__":
    unittest.main()
