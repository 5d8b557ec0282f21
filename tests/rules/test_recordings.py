"""The alerts over the recordings of a real QEMU: silent where nothing is wrong, and firing where something is.

Each recording is replayed, and what /metrics would have shown is scraped every 15 s, in two phases. A recording takes
three minutes at most and the alerts look further back, so it goes on a number of times, as a guest that keeps doing the
same. promtool then says which alerts have fired at any time.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ALERTS = HERE.parents[1] / "dashboards" / "prometheus" / "alert-rules.yaml"
RECORDINGS = HERE.parent / "fixtures" / "recordings"
SCRAPE = 15
PHASES = (0, 7)
SECONDS = 1200
TARGET = {"job": "qmpwatch", "instance": "host1:10977"}

CAUSES = ("lost_completion", "slow_backend", "vm_paused", "monitor_blocked", "io_error", "throttled", "unknown")
LEVELS = ("none", "suspected", "probable", "confirmed")
STATES = ("running", "paused", "io-error", "internal-error", "guest-panicked", "watchdog", "prelaunch", "debug")
COUNTERS = {f"qemu_block_{name}_total": name for name in (
    "read_bytes", "written_bytes", "reads_completed", "writes_completed", "flushes_completed", "read_time_seconds",
    "write_time_seconds", "flush_time_seconds")}

# What has to fire. Lost completions stall the drive most of the time; a host that stalls is slow as well.
EXPECTED = {
    "healthy": set(),
    "idle": set(),
    "pause": set(),
    "throttle": set(),
    "csw": {"QmpwatchDriveStalled", "QmpwatchDriveLosesTime", "QmpwatchUsbStorageLosesCompletions"},
    "csw_qemu11": {"QmpwatchDriveStalled", "QmpwatchDriveLosesTime", "QmpwatchUsbStorageLosesCompletions"},
    "hoststall": {"QmpwatchDriveStalled", "QmpwatchDriveLosesTime", "QmpwatchHostStorageSlow"},
}


class Exposition:
    """What the gauges and counters of one VM with one drive are while its events are taken one by one."""

    def __init__(self):
        self.state = "running"
        self.rate = None
        self.levels = dict.fromkeys(CAUSES, 0)
        self.stalls = dict.fromkeys(CAUSES, (0, 0.0))

    def take(self, line):
        if line["event"] == "rate":
            self.rate = line
        elif line["event"] == "vm":
            self.state = line["state"]
        elif line["event"].startswith("stall"):
            self.levels[line["cause"]] = LEVELS.index(line["level"])
            self.stalls[line["cause"]] = (line["count"], line["lost_seconds"])

    def samples(self):
        """The series that the alerts read, (name, labels) -> value, and whether they only grow."""
        vm = {**TARGET, "vm": "recorded"}
        yield "up", TARGET, 1, False
        yield "qemu_up", vm, 1, False
        for state in ("absent", "busy", "stopped", "blocked", "ready"):
            yield "qemu_monitor_state", {**vm, "state": state}, int(state == "ready"), False
        for state in STATES:
            yield "qemu_vm_state", {**vm, "state": state}, int(state == self.state), False
        if self.rate is None:
            return
        drive = {**vm, "drive": "install_media"}
        yield "qemu_block_info", {**drive, "device": self.rate["device"] or ""}, 1, False
        for name, key in COUNTERS.items():
            yield name, drive, self.rate[key], True
        for operation, count in self.rate["failed"].items():
            yield "qemu_block_failed_total", {**drive, "op": operation}, count, True
        for cause in CAUSES:
            count, lost = self.stalls[cause]
            yield "qemu_block_stalls_total", {**drive, "cause": cause}, count, True
            yield "qemu_block_stall_seconds_total", {**drive, "cause": cause}, lost, True
            yield "qemu_block_stall_level", {**drive, "cause": cause}, self.levels[cause], False


def replayed(name):
    command = [os.environ["QMPWATCH"], "replay", "--format", "json", "--interval", "1s",
               str(RECORDINGS / f"{name}_0.5s.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def scraped(lines, phase):
    """The series of one recording that goes on and on, as promtool wants them."""
    length = lines[-1]["elapsed"]
    seen, before, series = Exposition(), {}, {}
    rest = iter(lines)
    pending = next(rest)
    start, now = 0.0, float(phase)
    number = 0
    while now < SECONDS:
        while pending is not None and start + pending["elapsed"] <= now:
            seen.take(pending)
            pending = next(rest, None)
        if pending is None:
            # From the beginning, with counters that go on where they are.
            for name, labels, value, is_counter in seen.samples():
                if is_counter:
                    key = (name, *labels.items())
                    before[key] = before.get(key, 0) + value
            seen, rest, start = Exposition(), iter(lines), start + length
            pending = next(rest)
            continue
        for name, labels, value, is_counter in seen.samples():
            key = (name, *labels.items())
            text = f"{name}{{{', '.join(f'{label}={json.dumps(value)}' for label, value in labels.items())}}}"
            values = series.setdefault(text, ["_"] * number)
            values += ["_"] * (number - len(values))
            values.append(repr(value + before.get(key, 0)))
        number += 1
        now += SCRAPE
    return [{"series": text, "values": " ".join(values)} for text, values in series.items()]


def fired(series, folder):
    """The names of the alerts that have fired at any time: what promtool says that it got in place of none."""
    question = f"count by (alertname) (count_over_time(ALERTS{{alertstate='firing'}}[{SECONDS}s])) * 0 + 1"
    case = {"interval": f"{SCRAPE}s", "input_series": series,
            "promql_expr_test": [{"expr": question, "eval_time": f"{SECONDS}s"}]}
    file = folder / "case.yaml"
    file.write_text(json.dumps({"rule_files": [str(ALERTS)], "evaluation_interval": f"{SCRAPE}s", "tests": [case]}))
    done = subprocess.run(["promtool", "test", "rules", str(file)], capture_output=True, text=True, timeout=60)
    names = set()
    for word in (done.stdout + done.stderr).replace("{", " ").replace("}", " ").split():
        if word.startswith('alertname="'):
            names.add(word.split('"')[1])
    if done.returncode != 0 and not names:
        raise AssertionError(f"promtool: {done.stdout}{done.stderr}")
    return names


class Recordings(unittest.TestCase):
    def test_alerts(self):
        with tempfile.TemporaryDirectory(prefix="qmpwatch-rules-") as folder:
            for name, expected in EXPECTED.items():
                lines = replayed(name)
                for phase in PHASES:
                    with self.subTest(recording=name, phase=phase):
                        self.assertEqual(fired(scraped(lines, phase), pathlib.Path(folder)), expected)


if __name__ == "__main__":
    unittest.main(verbosity=2)
