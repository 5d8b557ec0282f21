"""Every query of the dashboards with its variables filled in, and which metrics a query reads."""
import json
import pathlib
import re
from typing import NamedTuple

DASHBOARDS = pathlib.Path(__file__).resolve().parents[2] / "dashboards"

ALL = ".+"  # what the variables hold when "All" is selected
# What Grafana would put in for the last 15 minutes of a job that is scraped every 15 s.
USUAL = {
    "job": ALL, "instance": ALL, "vm": ALL, "drive": ALL,
    "__interval": "15s", "__rate_interval": "1m", "__range": "15m", "__range_s": "900",
}

_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::\w+)?\}|(\w+))")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LABELS_OF = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)")
_NAME = re.compile(r"(?<![\w.:])[a-zA-Z_:][\w:]*\b(?!\s*\()")
_WORDS = {"by", "without", "on", "ignoring", "group_left", "group_right", "and", "or", "unless", "bool", "offset",
          "inf", "nan", "atan2", "start", "end"}


class Expression(NamedTuple):
    dashboard: str  # its title
    panel: str  # the title of the panel, or the name of the annotation or of the variable
    expression: str
    kind: str  # "instant", "range" or "annotation"


def load(folder=DASHBOARDS):
    """The dashboards in a folder, by the names of their files."""
    return {path.name: json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.json"))}


def panels(dashboard):
    """All panels and rows of a dashboard, also those inside collapsed rows."""
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", [])


def fill_in(text, values):
    """The text with every $variable replaced; KeyError for one that has no value."""
    return _VARIABLE.sub(lambda match: values[match[1] or match[2]], text)


def expressions(folder=DASHBOARDS, values=None):
    """A list with an Expression for every query of every panel and annotation of the dashboards in a folder.

    `values` are added to, or replace some of, USUAL: {"__rate_interval": "8s", "vm": "demo"}.
    """
    values = {**USUAL, **(values or {})}
    found = []
    for dashboard in load(folder).values():
        for panel in panels(dashboard):
            for target in panel.get("targets", []):
                kind = "instant" if target.get("instant") else "range"
                found.append(Expression(dashboard["title"], panel["title"], fill_in(target["expr"], values), kind))
        for annotation in dashboard["annotations"]["list"]:
            found.append(Expression(dashboard["title"], annotation["name"], fill_in(annotation["expr"], values),
                                    "annotation"))
    return found


def variable_queries(folder=DASHBOARDS, values=None):
    """(dashboard title, variable, selector, label) of every label_values(selector, label) of the variables."""
    values = {**USUAL, **(values or {})}
    found = []
    for dashboard in load(folder).values():
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                selector, label = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"]).groups()
                found.append((dashboard["title"], variable["name"], fill_in(selector, values), label))
    return found


def metrics(expression):
    """The names of the metrics that an expression reads, as a set. Variables must have been filled in."""
    text = _STRING.sub('""', expression)
    text = _LABELS_OF.sub(" ", text)
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", text)
    return {name for name in _NAME.findall(text) if name.lower() not in _WORDS}
