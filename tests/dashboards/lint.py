"""What the dashboards must be, without Grafana: whole, portable, explained, and asking for metrics that exist.

The rules are those of Grafana's own dashboard linter and some more; test_lint.py shows that each of them can fail.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import expressions

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPOSITION = ROOT / "tests" / "golden" / "metrics.txt"
RULES = ROOT / "dashboards" / "prometheus"

GRID_WIDTH = 24
PANEL_TYPES = {"timeseries", "stat", "table", "bargauge", "state-timeline", "heatmap"}
# The ids of Grafana's units that are used, all of them for base units: bytes, seconds, operations, shares.
UNITS = {"Bps", "bytes", "s", "dtdurations", "iops", "ops", "reqps", "percentunit", "short", "none"}
BREAKS_IMPORTS = ("id", "iteration", "__inputs", "__requires", "__elements")
SELECTED_BY = ("job", "instance")

# What Prometheus itself knows of a target or an alert.
OF_PROMETHEUS = {"up", "scrape_duration_seconds", "scrape_samples_scraped", "ALERTS"}
# Not exported until it is asked for.
OPT_IN = {"qemu_block_latency_seconds_bucket"}
# Exported, but on no dashboard and in no rule.
LEFT_OFF = {
    "qemu_block_read_bytes_per_second": "the dashboards take the rate of the counter, over any time",
    "qemu_block_write_bytes_per_second": "as above",
    "qemu_block_read_iops": "as above",
    "qemu_block_write_iops": "as above",
    "qemu_block_busy_ratio": "as above",
    "process_virtual_memory_bytes": "address space says nothing about a program; its resident memory is shown",
}


def exported(exposition):
    """The names of the metrics of an exposition, as queries name them: histograms by their buckets."""
    return {name + "_bucket" if kind == "histogram" else name
            for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", exposition, re.MULTILINE)}


def used_on_dashboards(folder=expressions.DASHBOARDS):
    asked = [each.expression for each in expressions.expressions(folder)]
    asked += [selector for _, _, selector, _ in expressions.variable_queries(folder)]
    return set().union(*map(expressions.metrics, asked))


def used_in_rules():
    """Every word of the rules that may be the name of a metric."""
    text = "\n".join(path.read_text() for path in RULES.glob("*-rules.yaml"))
    return set(re.findall(r"\b(?:qemu|qmpwatch|process)_\w+", text))


# ------------------------------------------------------------------------------------------------ one dashboard

def check_model(board):
    for key in ("uid", "title", "description", "tags", "time", "refresh", "panels"):
        if not board.get(key):
            yield f"{key} is missing"
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", board.get("uid", "")):
        yield f"uid {board.get('uid')!r}: at most 40 of A-Z a-z 0-9 _ -"
    if board.get("schemaVersion") != 39:
        yield "schemaVersion is not 39"
    if board.get("editable") is not False:
        yield "editable must be false: the file is the source"
    if not {"qmpwatch", "qemu"} <= set(board.get("tags", [])):
        yield "the tags qmpwatch and qemu are missing"
    yield from (f"{key} makes the file one of a single server" for key in BREAKS_IMPORTS if key in board)
    links = [link for link in board.get("links", []) if link.get("type") == "dashboards"]
    if not any(link.get("tags") == ["qmpwatch"] and link.get("keepTime") and link.get("includeVars") for link in links):
        yield "no link to the other dashboards that keeps time and variables"


def check_variables(board):
    variables = board["templating"]["list"]
    names = [variable["name"] for variable in variables]
    if names != ["datasource", "job", "instance", "vm", "drive"]:
        yield f"variables {names}"
    for variable in variables:
        what = f"variable {variable['name']}"
        if not variable.get("label"):
            yield f"{what} has no label"
        if variable["name"] == "datasource":
            if (variable["type"], variable["query"]) != ("datasource", "prometheus"):
                yield f"{what} does not choose a Prometheus"
            continue
        if variable["datasource"].get("uid") != "${datasource}":
            yield f"{what} does not use the data source that is selected"
        if not (variable["multi"] and variable["includeAll"] and variable["allValue"] == ".+"):
            yield f"{what} must take several values, and All as .+"
        if variable["refresh"] != 2:
            yield f"{what} is not refreshed with the time range"
        if not re.fullmatch(r"label_values\(.+, \w+\)", variable["query"]["query"]):
            yield f"{what} is not label_values(selector, label)"
    used = set(re.findall(r"\$\{?(\w+)", json.dumps([board["panels"], board["annotations"], variables])))
    yield from (f"variable {name} is not used" for name in names if name not in used)
    known = {*names, *expressions.USUAL, "__all", "__url_time_range", "__data"}
    yield from (f"${name} is no variable" for name in used - known)


def check_layout(board):
    panels = list(expressions.panels(board))
    ids = [panel.get("id") for panel in panels]
    if len(ids) != len(set(ids)) or not all(isinstance(each, int) and each > 0 for each in ids):
        yield "the ids of the panels are not different positive numbers"
    for panel in panels:
        if panel["gridPos"]["x"] + panel["gridPos"]["w"] > GRID_WIDTH:
            yield f"panel {panel['title']!r} is wider than the grid"
    for group in (board["panels"], *(panel["panels"] for panel in panels if panel.get("panels"))):
        places = [(panel["title"], panel["gridPos"]) for panel in group]
        for number, (title, a) in enumerate(places):
            for other, b in places[number + 1:]:
                if (a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"]
                        and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]):
                    yield f"panel {title!r} lies on {other!r}"


def units_of(panel):
    config = panel["fieldConfig"]
    found = [config["defaults"].get("unit"), panel["options"].get("yAxis", {}).get("unit")]
    found += [each["value"] for override in config["overrides"] for each in override["properties"]
              if each["id"] == "unit"]
    return [unit for unit in found if unit]


def check_panels(board):
    titles = [panel["title"] for panel in expressions.panels(board) if panel["type"] != "row"]
    yield from (f"two panels are called {title!r}" for title in sorted(set(titles)) if titles.count(title) > 1)
    for panel in expressions.panels(board):
        what = f"panel {panel.get('title')!r}"
        if not panel.get("title"):
            yield f"panel {panel.get('id')} has no title"
        if panel["type"] == "row":
            continue
        if panel["type"] not in PANEL_TYPES:
            yield f"{what} has the unknown type {panel['type']!r}"
        if not panel.get("description"):
            yield f"{what} has no description"
        if not panel.get("targets"):
            yield f"{what} asks for nothing"
        refs = [target["refId"] for target in panel.get("targets", [])]
        if len(refs) != len(set(refs)):
            yield f"{what} has two queries with one refId"
        for place in (panel, *panel.get("targets", [])):
            if place["datasource"].get("uid") != "${datasource}":
                yield f"{what} does not use the data source that is selected"
        units = units_of(panel)
        if not units and not panel["fieldConfig"]["defaults"].get("mappings"):
            yield f"{what} has no unit"
        yield from (f"{what}: unit {unit!r}" for unit in units if unit not in UNITS)


def check_expression(text):
    """The findings about one expression with its variables still in it."""
    for window in re.findall(r"\[([^\]]*)\]", text):
        if window not in ("$__rate_interval", "$__range"):
            yield f"the window [{window}] does not fit every scrape interval"
    for call, window in re.findall(r"\b(rate|irate)\([^\[]*\[([^\]]*)\]", text):
        if window != "$__rate_interval":
            yield f"{call} over [{window}]"
    counters = re.findall(r"\w+_total\b", text)
    if len(counters) != len(re.findall(r"\b(?:rate|increase)\(\w+_total\{[^}]*\}\[", text)):
        yield "a counter outside of rate() and increase()"
    selectors = re.findall(r"([a-zA-Z_:][\w:]*)\{([^}]*)\}", text)
    for name in expressions.metrics(expressions.fill_in(text, expressions.USUAL)) - {name for name, _ in selectors}:
        yield f"{name} without a selection"
    for name, matchers in selectors:
        labels = list(SELECTED_BY)
        if name.startswith("qemu_"):
            labels.append("vm")
        if name.startswith("qemu_block_"):
            labels.append("drive")
        yield from (f'{name} without {label}=~"${label}"' for label in labels if f'{label}=~"${label}"' not in matchers)
        for label, operator in re.findall(r'(\w+)(!?=~?)"\$', matchers):
            if operator != "=~":
                yield f"{name} with {label}{operator}, though several values may be selected"


def check_expressions(board):
    asked = [(panel["title"], target["expr"]) for panel in expressions.panels(board)
             for target in panel.get("targets", [])]
    for note in board["annotations"]["list"]:
        if note["datasource"].get("uid") != "${datasource}":
            yield f"annotation {note['name']!r} does not use the data source that is selected"
        asked.append((note["name"], note["expr"]))
    for title, text in asked:
        yield from (f"{title!r}: {finding}" for finding in check_expression(text))


def check(board):
    for rule in (check_model, check_variables, check_layout, check_panels, check_expressions):
        yield from rule(board)


# -------------------------------------------------------------------------------------------------- all of them

def check_together(boards):
    for key in ("uid", "title"):
        values = [board[key] for board in boards.values()]
        if len(values) != len(set(values)):
            yield f"two dashboards have one {key}: {values}"
    uids = {board["uid"] for board in boards.values()}
    for linked in re.findall(r"/d/([\w-]+)", json.dumps(list(boards.values()))):
        if linked not in uids:
            yield f"a link leads to /d/{linked}, which is no dashboard"


def check_syntax(asked):
    """Prometheus' own parser on all expressions, as if they were recording rules."""
    rules = [{"record": f"tested:expression:number{number}", "expr": text} for number, text in enumerate(asked)]
    with tempfile.TemporaryDirectory(prefix="qmpwatch-lint-") as folder:
        file = pathlib.Path(folder, "rules.yaml")
        file.write_text(json.dumps({"groups": [{"name": "tested", "rules": rules}]}))  # JSON is YAML
        done = subprocess.run(["promtool", "check", "rules", "--lint=none", file], capture_output=True, text=True)
    if done.returncode:
        yield from (done.stdout + done.stderr).splitlines()


def check_metrics(exposition, dashboards, rules):
    names = exported(exposition)
    yield from (f"{name} is on a dashboard, but not exported"
                for name in sorted(dashboards - names - OF_PROMETHEUS - OPT_IN))
    yield from (f"{name} is exported, but on no dashboard, in no rule, and not left off on purpose"
                for name in sorted(names - dashboards - rules - set(LEFT_OFF)))
    yield from (f"{name} is left off, but used" for name in sorted(set(LEFT_OFF) & (dashboards | rules)))
    yield from (f"{name} is left off, but not exported" for name in sorted(set(LEFT_OFF) - names))


def check_compose(text):
    """What is mounted is there, and the dashboards lie where their provisioning looks."""
    mounted = re.findall(r"- (\./\S+?):(/\S+?)(?::ro)?$", text, re.MULTILINE)
    yield from (f"compose.yaml mounts {source}, which is not there" for source, _ in mounted
                if not (expressions.DASHBOARDS / source).exists())
    provider = (expressions.DASHBOARDS / "provisioning" / "dashboards" / "qmpwatch.yaml").read_text()
    (folder,) = re.findall(r"^ +path: (\S+)$", provider, re.MULTILINE)
    for name in expressions.load():
        if (f"./{name}", f"{folder}/{name}") not in mounted:
            yield f"compose.yaml does not mount {name} to {folder}"


def main():
    boards = expressions.load()
    findings = [f"{name}: {finding}" for name, board in boards.items() for finding in check(board)]
    findings += check_together(boards)
    findings += check_syntax([each.expression for each in expressions.expressions()])
    findings += check_metrics(EXPOSITION.read_text(), used_on_dashboards(), used_in_rules())
    findings += check_compose((expressions.DASHBOARDS / "compose.yaml").read_text())
    for finding in findings:
        print(finding)
    print(f"{len(boards)} dashboards, {len(expressions.expressions())} expressions, {len(findings)} findings")
    return 1 if findings or len(boards) != 3 else 0


if __name__ == "__main__":
    sys.exit(main())
