"""Grafana's classic dashboard model: the board with its variables, links and annotations, and each kind of panel.

In expressions, {DRIVE}, {VM} and {OWN} stand for the matchers of what is selected: drives, VMs, and qmpwatch itself;
more matchers follow a comma, as in {VM, state="running"}.
"""
import copy

WIDTH = 24  # columns of Grafana's grid
DATA_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
PLUGIN_VERSION = "11.6.0"  # the options of the panels are those of this version
ALL = {"text": ["All"], "value": ["$__all"]}
NOTHING_LOST = "No stalls in this time range"

_OWN = 'job=~"$job", instance=~"$instance"'
_VM = _OWN + ', vm=~"$vm"'
_DRIVE = _VM + ', drive=~"$drive"'


def query(text):
    """An expression with the selection filled in, on one line."""
    text = " ".join(text.split())
    return text.replace("{DRIVE", "{" + _DRIVE).replace("{VM", "{" + _VM).replace("{OWN", "{" + _OWN)


class Board:
    """Panels flow from left to right and from top to bottom, in the order in which they are added."""

    def __init__(self, uid, title, description, annotations=()):
        self._about = {"uid": uid, "title": title, "description": description}
        self._annotations = list(annotations)
        self._panels = []
        self._into = self._panels
        self._next_id = 1
        self._x = self._y = self._line = 0

    def row(self, title, collapsed=False):
        self._end_line()
        row = {"type": "row", "title": title, "collapsed": collapsed, "panels": []}
        self._place(self._panels, row, WIDTH, 1)
        self._end_line()
        self._into = row["panels"] if collapsed else self._panels

    def add(self, width, height, panel):
        if self._x + width > WIDTH:
            self._end_line()
        self._place(self._into, panel, width, height)

    def _place(self, into, panel, width, height):
        position = {"x": self._x, "y": self._y, "w": width, "h": height}
        into.append({"id": self._next_id, "gridPos": position, **panel})
        self._next_id += 1
        self._x += width
        self._line = max(self._line, height)

    def _end_line(self):
        self._y += self._line
        self._x = self._line = 0

    def model(self):
        return {
            **self._about,
            "tags": ["qmpwatch", "qemu"],
            "schemaVersion": 39,
            "version": 1,
            "editable": False,
            "graphTooltip": 1,
            "timezone": "browser",
            "refresh": "30s",
            "time": {"from": "now-1h", "to": "now"},
            "timepicker": {},
            "fiscalYearStartMonth": 0,
            "weekStart": "",
            "links": [{"title": "qmpwatch", "type": "dashboards", "tags": ["qmpwatch"], "asDropdown": False,
                       "icon": "external link", "includeVars": True, "keepTime": True, "targetBlank": False,
                       "tooltip": "The other dashboards, with the same time and selection", "url": ""}],
            "annotations": {"list": self._annotations},
            "templating": {"list": _variables()},
            "panels": self._panels,
        }


def _variables():
    def values(name, label, metric):
        return {"name": name, "label": label, "type": "query", "datasource": DATA_SOURCE,
                "query": {"query": query(f"label_values({metric}, {name})"), "refId": name}, "definition": "",
                "regex": "", "multi": True, "includeAll": True, "allValue": ".+", "refresh": 2, "sort": 7, "hide": 0,
                "current": copy.deepcopy(ALL)}
    return [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "regex": "",
         "hide": 0, "current": {"text": "default", "value": "default"}},
        values("job", "Job", "qmpwatch_build_info"),
        values("instance", "Instance", 'qmpwatch_build_info{job=~"$job"}'),
        values("vm", "VM", "qemu_up{OWN}"),
        values("drive", "Drive", "qemu_block_info{VM}"),
    ]


def annotation(name, expression, *, colour, title, text, enabled=True):
    return {"name": name, "datasource": DATA_SOURCE, "enable": enabled, "hide": False, "iconColor": colour,
            "expr": query(expression), "step": "15s", "titleFormat": title, "textFormat": text,
            "tagKeys": "vm,drive,cause"}


def stall_annotation():
    return annotation("Stalls", "sum by (job, instance, vm, drive, cause) "
                      "(increase(qemu_block_stalls_total{DRIVE}[$__rate_interval])) > 0",
                      colour="red", title="Stall: {{vm}} {{drive}}", text="{{cause}}")


def alert_annotation(selected="VM"):
    return annotation("Alerts", f'ALERTS{{{selected}, alertname=~"Qmpwatch.+", alertstate="firing"}}', colour="orange",
                      title="{{alertname}}", text="{{vm}} {{drive}}", enabled=False)


# ------------------------------------------------------------------------------------------------------------ panels

def _panel(kind, title, description, targets, *, unit, options, custom=None, overrides=(), thresholds=None,
           mappings=None, colour=None, no_value=None, transformations=(), more=None):
    defaults = {"color": colour or {"mode": "thresholds"}, "mappings": mappings or [],
                "thresholds": {"mode": "absolute", "steps": _steps(thresholds or {None: "green"})}, **(more or {})}
    if unit:
        defaults["unit"] = unit
    if custom:
        defaults["custom"] = custom
    if no_value:
        defaults["noValue"] = no_value
    panel = {"type": kind, "title": title, "description": description, "pluginVersion": PLUGIN_VERSION,
             "datasource": DATA_SOURCE, "targets": [{"refId": chr(ord("A") + number), **target}
                                                    for number, target in enumerate(targets)],
             "fieldConfig": {"defaults": defaults, "overrides": list(overrides)}, "options": options}
    if transformations:
        panel["transformations"] = list(transformations)
    return panel


def _steps(thresholds):
    return [{"color": colour, "value": value} for value, colour in thresholds.items()]


def _target(expression, legend, *, kind="time_series", instant=False):
    return {"datasource": DATA_SOURCE, "editorMode": "code", "expr": query(expression), "format": kind,
            "instant": instant, "range": not instant, "legendFormat": legend}


def fixed(colour):
    return {"mode": "fixed", "fixedColor": colour}


def value_mappings(names):
    """Value mappings from {value: (text, colour)}."""
    return [{"type": "value", "options": {str(value): {"text": text, "color": colour, "index": index}
                                          for index, (value, (text, colour)) in enumerate(names.items())}}]


def override(name, **properties):
    """What is special about one field; `custom_x` stands for the property custom.x."""
    return {"matcher": {"id": "byName", "options": name},
            "properties": [{"id": key.replace("custom_", "custom."), "value": value}
                           for key, value in properties.items()]}


def stat(title, description, expression, *, unit="short", thresholds=None, mappings=None, colour_mode="value",
         graph=False, decimals=None, text_mode="value", legend="", no_value=None):
    """The last value of an expression as a number; with a graph its course too."""
    return _panel("stat", title, description, [_target(expression, legend, instant=not graph)], unit=unit,
                  thresholds=thresholds or {None: "text"}, mappings=mappings, no_value=no_value,
                  more={} if decimals is None else {"decimals": decimals},
                  options={"colorMode": colour_mode, "graphMode": "area" if graph else "none", "justifyMode": "center",
                           "orientation": "auto", "textMode": text_mode, "wideLayout": True,
                           "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}})


_LEGEND = {"displayMode": "table", "placement": "bottom", "showLegend": True, "calcs": ["mean", "max"]}


def lines(title, description, *queries, unit, minimum=0, maximum=None, fill=10, bars=False, stacked=False,
          colours=None, shades=None, legend=None, below=None, no_value=None, soft_maximum=None, decimals=None):
    """Time series. `queries` are (expression, legend); `below` of them are drawn mirrored, below the axis.

    `colours` are fixed ones by regular expressions for the whole names of series, `shades` a colour for all of them.
    """
    queries = [*queries, *(below or [])]
    custom = {
        "drawStyle": "bars" if bars else "line", "lineInterpolation": "linear", "lineWidth": 0 if bars else 1,
        "fillOpacity": 90 if bars else fill, "gradientMode": "none", "showPoints": "never", "pointSize": 5,
        "spanNulls": False, "barAlignment": -1 if bars else 0, "barWidthFactor": 1,
        "stacking": {"mode": "normal" if stacked else "none", "group": "A"},
        "axisPlacement": "auto", "axisLabel": "", "axisColorMode": "text", "axisBorderShow": False,
        "axisCenteredZero": False, "scaleDistribution": {"type": "linear"},
        "hideFrom": {"viz": False, "legend": False, "tooltip": False}, "thresholdsStyle": {"mode": "off"},
    }
    if soft_maximum is not None:
        custom["axisSoftMax"] = soft_maximum
    more = {"min": minimum} if minimum is not None and not below else {}
    if maximum is not None:
        more["max"] = maximum
    if decimals is not None:
        more["decimals"] = decimals
    overrides = [{"matcher": {"id": "byRegexp", "options": f"/^{names}$/"},
                  "properties": [{"id": "color", "value": fixed(colour)}]} for names, colour in (colours or {}).items()]
    first_below = len(queries) - len(below or [])
    overrides += [{"matcher": {"id": "byFrameRefID", "options": chr(ord("A") + number)},
                   "properties": [{"id": "custom.transform", "value": "negative-Y"}]}
                  for number in range(first_below, len(queries))]
    return _panel("timeseries", title, description, [_target(*each) for each in queries], unit=unit,
                  custom=custom, overrides=overrides, more=more, no_value=no_value,
                  colour={"mode": "shades", "fixedColor": shades} if shades else {"mode": "palette-classic"},
                  options={"legend": {**_LEGEND, **(legend or {})}, "tooltip": {"mode": "multi", "sort": "desc"}})


def timeline(title, description, expression, legend, mappings, *, no_value=None):
    """One row a series, coloured by its value."""
    return _panel("state-timeline", title, description, [_target(expression, legend)], unit=None, mappings=mappings,
                  thresholds={None: "text"}, no_value=no_value,
                  custom={"fillOpacity": 90, "lineWidth": 0,
                          "hideFrom": {"viz": False, "legend": False, "tooltip": False}},
                  options={"mergeValues": True, "showValue": "never", "alignValue": "left", "rowHeight": 0.8,
                           "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
                           "tooltip": {"mode": "single", "sort": "none"}})


def heatmap(title, description, expression, *, scheme="Oranges", no_value=None):
    """How often each bucket of a histogram in seconds was met, over time; darker is more often."""
    return _panel("heatmap", title, description, [_target(expression, "{{le}}", kind="heatmap")], unit="s",
                  no_value=no_value,
                  custom={"hideFrom": {"viz": False, "legend": False, "tooltip": False},
                          "scaleDistribution": {"type": "linear"}},
                  options={"calculate": False, "cellGap": 1, "showValue": "never",
                           "color": {"mode": "scheme", "scheme": scheme, "exponent": 0.5, "steps": 64,
                                     "reverse": False, "fill": "dark-orange", "scale": "exponential"},
                           "exemplars": {"color": "rgba(255,0,255,0.7)"}, "filterValues": {"le": 1e-9},
                           "legend": {"show": True}, "rowsFrame": {"layout": "auto"},
                           "tooltip": {"mode": "single", "showColorScale": False, "yHistogram": False},
                           "yAxis": {"axisPlacement": "left", "reverse": False, "unit": "s"}})


def bar_gauge(title, description, expression, legend, *, unit, colour, no_value=None):
    """The values of an expression now as horizontal bars."""
    return _panel("bargauge", title, description, [_target(expression, legend, instant=True)], unit=unit,
                  colour=fixed(colour), more={"min": 0}, no_value=no_value,
                  options={"displayMode": "basic", "orientation": "horizontal", "showUnfilled": True,
                           "text": {"titleSize": 11, "valueSize": 15}, "valueMode": "text", "namePlacement": "left",
                           "sizing": "manual", "minVizHeight": 16, "minVizWidth": 8, "maxVizHeight": 32,
                           "legend": {"calcs": [], "displayMode": "list", "placement": "bottom", "showLegend": False},
                           "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}})


def table(title, description, *expressions, columns, hidden=(), overrides=(), sort_by=None, descending=True,
          no_value=None):
    """One row for each set of labels, from the values of the expressions now.

    `columns` are the names of the fields, in the order of the table, with what they are called there: labels, and
    "Value" or, with more than one expression, "Value #A" and so on. `hidden` are labels to leave out.
    """
    targets = [_target(each, "", kind="table", instant=True) for each in expressions]
    organize = {"excludeByName": {name: True for name in ("Time", *hidden)}, "includeByName": {},
                "indexByName": {name: index for index, name in enumerate(columns)}, "renameByName": dict(columns)}
    transformations = [{"id": "merge", "options": {}}] if len(expressions) > 1 else []
    transformations.append({"id": "organize", "options": organize})
    return _panel("table", title, description, targets, unit="short", overrides=overrides, no_value=no_value,
                  thresholds={None: "text"}, transformations=transformations,
                  custom={"align": "auto", "cellOptions": {"type": "auto"}, "inspect": False, "filterable": True},
                  options={"showHeader": True, "cellHeight": "sm",
                           "sortBy": [{"displayName": sort_by, "desc": descending}] if sort_by else []})
