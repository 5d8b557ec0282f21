"""The rules, the scrape configurations and the runbooks: promtool accepts them, and none of them lacks another."""
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "dashboards" / "prometheus"
RUNBOOKS = ROOT / "docs" / "runbooks"
RUNBOOK_URL = "https://github.com/qmpwatch/qmpwatch/blob/main/docs/runbooks/{}.md"
CHAPTERS = ["## What it means", "## How to confirm it", "## What to do"]
SCRAPE_CONFIGURATIONS = ["scrape-static.yaml", "scrape-file.yaml", "scrape-http.yaml"]
SEVERITIES = {"critical", "warning"}

sys.path.insert(0, str(ROOT / "tests" / "dashboards"))
import expressions  # noqa: E402


def promtool(*arguments, folder=FOLDER):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def rules(file, kind):
    """The rules of one kind in a file: name -> {key: text}. They are written one key a line, texts folded below it."""
    found, key = {}, None
    for line in (FOLDER / file).read_text().splitlines():
        if line.lstrip().startswith("#") or not line.strip():
            continue
        if start := re.fullmatch(r" +- (alert|record): (\S+)", line):
            rule = {}
            key = None
            if start[1] == kind:
                found[start[2]] = rule
        elif pair := re.fullmatch(r" {8,10}(expr|for|severity|summary|description|runbook_url):(?: (.*))?", line):
            key = pair[1]
            rule[key] = "" if pair[2] in (None, ">-", "|") else pair[2]
        elif key and line.startswith(" " * 10):
            rule[key] = f"{rule[key]} {line.strip()}".strip()
        else:
            key = None
    return found


ALERTS = rules("alert-rules.yaml", "alert")
RECORDINGS = rules("recording-rules.yaml", "record")


class Rules(unittest.TestCase):
    def test_lint(self):
        for file in ("alert-rules.yaml", "recording-rules.yaml"):
            code, said = promtool("check", "rules", "--lint=all", "--lint-fatal", file)
            self.assertEqual(code, 0, said)

    def test_series(self):
        code, said = promtool("test", "rules", HERE / "alerts.yaml", HERE / "recording.yaml")
        self.assertEqual(code, 0, said)

    def test_all_rules_were_read(self):
        self.assertEqual(len(ALERTS), (FOLDER / "alert-rules.yaml").read_text().count("- alert:"))
        self.assertEqual(len(RECORDINGS), (FOLDER / "recording-rules.yaml").read_text().count("- record:"))
        self.assertGreater(len(ALERTS), 8)

    def test_what_an_alert_has(self):
        for name, rule in ALERTS.items():
            with self.subTest(alert=name):
                self.assertRegex(name, r"^Qmpwatch([A-Z][a-z]+)+$")
                self.assertIn(rule["severity"], SEVERITIES)
                self.assertNotIn("{{", rule["summary"], "alerts are grouped by it")
                self.assertRegex(rule["summary"], r"^[^.]+\.$")
                self.assertIn("$labels.instance", rule["description"])
                if name != "QmpwatchDown":
                    self.assertIn("$labels.vm", rule["description"])
                if "qemu_block_" in rule["expr"]:
                    self.assertIn("$labels.drive", rule["description"])
                self.assertEqual(rule["runbook_url"], RUNBOOK_URL.format(name))

    def test_each_alert_has_a_series_that_fires_it_and_one_that_does_not(self):
        cases = (HERE / "alerts.yaml").read_text()
        for name in ALERTS:
            with self.subTest(alert=name):
                self.assertRegex(cases, rf"alertname: {name}\n +exp_alerts:\n +- exp_labels:")
                self.assertRegex(cases, rf"\{{eval_time: \w+, alertname: {name}\}}")

    def test_each_recording_rule_has_a_test(self):
        # The rates of the second kind are tested by what is made of them.
        tested = (HERE / "recording.yaml").read_text()
        used = " ".join(rule["expr"] for rule in RECORDINGS.values())
        for name in RECORDINGS:
            self.assertTrue(name in tested or name in used, name)

    def test_names_of_recording_rules(self):
        for name in RECORDINGS:
            self.assertRegex(name, r"^(vm_drive(_cause)?|instance):[a-z_]+:[a-z0-9_]+$")
            self.assertNotIn("_total:", name)

    def test_only_metrics_that_exist(self):
        exposition = (ROOT / "tests" / "golden" / "metrics.txt").read_text()
        known = set(re.findall(r"^# TYPE (\S+)", exposition, re.MULTILINE)) | set(RECORDINGS) | {"up"}
        for name, rule in {**ALERTS, **RECORDINGS}.items():
            self.assertLessEqual(expressions.metrics(rule["expr"]), known, name)

    def test_alerts_need_no_recording_rules(self):
        for name, rule in ALERTS.items():
            self.assertFalse(expressions.metrics(rule["expr"]) & set(RECORDINGS), name)


class Runbooks(unittest.TestCase):
    def test_each_alert_has_one_and_each_one_an_alert(self):
        files = {path.stem for path in RUNBOOKS.glob("*.md")} - {"README"}
        self.assertEqual(files, set(ALERTS))

    def test_what_it_has(self):
        for name, rule in ALERTS.items():
            with self.subTest(runbook=name):
                text = (RUNBOOKS / f"{name}.md").read_text()
                self.assertTrue(text.startswith(f"# {name}\n\n{rule['summary'].rstrip('.')}. Severity: "
                                                f"{rule['severity']}.\n"), "the title, the summary, the severity")
                self.assertEqual(re.findall("^## .*", text, re.MULTILINE), CHAPTERS)
                self.assertIn("\n    ", text.split(CHAPTERS[1])[1].split(CHAPTERS[2])[0], "a command to confirm it")

    def test_links_lead_somewhere(self):
        for file in (*RUNBOOKS.glob("*.md"), ROOT / "docs" / "scale.md"):
            for target in re.findall(r"\]\((?!https?:)([^)#]+)", file.read_text()):
                self.assertTrue((file.parent / target).exists(), f"{file.name}: {target}")

    def test_queries_are_queries(self):
        """What the runbooks tell to ask Prometheus parses, and asks for metrics that exist."""
        known = set(re.findall(r"^# TYPE (\S+)", (ROOT / "tests/golden/metrics.txt").read_text(), re.MULTILINE))
        histograms = {f"{name}_{part}" for name in known for part in ("bucket", "sum", "count")}
        queries = [query for file in RUNBOOKS.glob("*.md")
                   for query in re.findall(r"promtool query instant \$PROMETHEUS '([^']+)'", file.read_text())]
        self.assertGreater(len(queries), 8)
        for query in queries:
            self.assertLessEqual(expressions.metrics(query), known | histograms | {"up", "ALERTS"}, query)
        groups = {"groups": [{"name": "runbooks", "rules": [{"record": f"query:{number}", "expr": query}
                                                            for number, query in enumerate(queries)]}]}
        with tempfile.TemporaryDirectory(prefix="qmpwatch-rules-") as folder:
            file = pathlib.Path(folder) / "queries.yaml"
            file.write_text(json.dumps(groups))
            code, said = promtool("check", "rules", "--lint=none", file)
            self.assertEqual(code, 0, said)

    def test_the_list_has_them_all(self):
        text = (RUNBOOKS / "README.md").read_text()
        for name, rule in ALERTS.items():
            self.assertRegex(text, rf"\| \[{name}\]\({name}\.md\) \| {rule['severity']} \| {rule.get('for', '-')} \|")


class Inventory(http.server.BaseHTTPRequestHandler):
    """Answers with two hosts."""

    def do_GET(self):
        body = json.dumps([{"targets": ["host1.example.com:10977", "192.0.2.7:10977"], "labels": {"site": "berlin"}}])
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


class ScrapeConfigurations(unittest.TestCase):
    def discovered(self, file):
        """The labels of the targets that Prometheus finds."""
        code, said = promtool("check", "service-discovery", "--timeout=500ms", file, "qmpwatch")
        self.assertEqual(code, 0, said)
        targets, _ = json.JSONDecoder().raw_decode(said[said.index("["):])
        return [target["labels"] for target in targets]

    def test_promtool_accepts_them(self):
        self.assertEqual(sorted(path.name for path in FOLDER.glob("scrape-*")), sorted(SCRAPE_CONFIGURATIONS))
        for file in SCRAPE_CONFIGURATIONS:
            code, said = promtool("check", "config", "--lint=all", "--lint-fatal", file)
            self.assertEqual(code, 0, said)
            self.assertNotIn("WARNING", said)

    def test_static(self):
        (target,) = self.discovered("scrape-static.yaml")
        self.assertEqual((target["instance"], target["job"], target["site"]), ("127.0.0.1:10977", "qmpwatch", "home"))

    def test_file(self):
        (target,) = self.discovered("scrape-file.yaml")
        self.assertEqual((target["instance"], target["job"], target["site"]), ("127.0.0.1:10977", "qmpwatch", "home"))

    def test_http(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Inventory) as inventory, \
                tempfile.TemporaryDirectory(prefix="qmpwatch-rules-") as folder:
            threading.Thread(target=inventory.serve_forever, daemon=True).start()
            text = (FOLDER / "scrape-http.yaml").read_text()
            file = pathlib.Path(folder) / "prometheus.yaml"
            file.write_text(text.replace("127.0.0.1:8000", f"127.0.0.1:{inventory.server_port}")
                            .replace("[recording-rules.yaml, alert-rules.yaml]", "[]"))
            named, numbered = sorted(self.discovered(file), key=lambda target: target["instance"], reverse=True)
            inventory.shutdown()
        self.assertEqual((named["instance"], named["host"], named["site"]),
                         ("host1.example.com:10977", "host1", "berlin"))
        self.assertEqual((numbered["instance"], numbered.get("host")), ("192.0.2.7:10977", None))


class Scale(unittest.TestCase):
    def test_its_configurations(self):
        """Every block of docs/scale.md that is a configuration of Prometheus."""
        blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "scale.md").read_text(), re.DOTALL)
        self.assertGreater(len(blocks), 1)
        with tempfile.TemporaryDirectory(prefix="qmpwatch-rules-") as folder:
            for block in blocks:
                file = pathlib.Path(folder) / "prometheus.yaml"
                file.write_text(block)
                code, said = promtool("check", "config", "--lint=all", "--lint-fatal", file)
                self.assertEqual(code, 0, f"{block}{said}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
