"""qmpwatch itself: whether its numbers can be trusted, and what it costs."""
from model import Board, alert_annotation, heatmap, lines, override, stat, table


def board():
    own = Board("qmpwatch-self", "qmpwatch / qmpwatch itself",
                "Polls, reconnects, scrapes and resources of qmpwatch.", [alert_annotation("OWN")])
    _numbers(own)
    _polls(own)
    _monitors(own)
    _resources(own)
    return own.model()


def _numbers(own):
    own.add(3, 4, stat("Scraped", "Instances of qmpwatch that Prometheus reaches.", "sum(up{OWN})"))
    own.add(3, 4, stat("Not reached", "Instances of qmpwatch that Prometheus does not reach.", "sum(1 - up{OWN})",
                       thresholds={None: "green", 1: "red"}, colour_mode="background"))
    own.add(3, 4, stat("VMs", "VMs that are watched.", "count(qemu_up{VM})"))
    own.add(3, 4, stat("Drives", "Drives that are watched.", "count(qemu_block_info{DRIVE})"))
    own.add(3, 4, stat("Polls", "Looks at a VM's counters that were answered.",
                       'sum(rate(qmpwatch_polls_total{OWN, result="success"}[$__rate_interval]))', unit="ops",
                       graph=True))
    own.add(3, 4, stat("Late polls", "Share of the polls in the selected time that began more than 100 ms late: above "
                       "1 % qmpwatch does not get enough CPU time.",
                       "sum(increase(qmpwatch_late_polls_total{OWN}[$__range])) / "
                       "sum(increase(qmpwatch_polls_total{OWN}[$__range]))", unit="percentunit", decimals=2,
                       thresholds={None: "green", 0.01: "orange", 0.1: "red"}, colour_mode="background"))
    own.add(3, 4, stat("Reconnects", "Connections to monitors after the first one, in the selected time.",
                       "round(sum(increase(qmpwatch_reconnects_total{VM}[$__range])))", decimals=0,
                       thresholds={None: "green", 1: "orange"}))
    own.add(3, 4, stat("Oldest answer", "How long ago the VM that has been silent for longest has answered a poll.",
                       "max(time() - qmpwatch_last_poll_timestamp_seconds{VM})", unit="s", decimals=1,
                       thresholds={None: "green", 30: "orange", 300: "red"}))


def _polls(own):
    own.row("Polls")
    own.add(12, 8, lines("Polls by result", "Looks at the counters of all VMs.",
                         ("sum by (instance, result) (rate(qmpwatch_polls_total{OWN}[$__rate_interval]))",
                          "{{instance}} {{result}}"), unit="ops",
                         colours={".* success": "green", ".* timeout": "orange", ".* failure": "red"}))
    own.add(12, 8, lines("Polls that began late", "Polls that began more than 100 ms after their beat.",
                         ("rate(qmpwatch_late_polls_total{OWN}[$__rate_interval])", "{{instance}}"), unit="ops",
                         soft_maximum=1))
    quantile = ("histogram_quantile(%s, sum by (instance, le) "
                "(rate(qmpwatch_poll_duration_seconds_bucket{OWN}[$__rate_interval])))")
    own.add(12, 8, lines("How long monitors take to answer",
                         "Of all polls: the median, and what one in a hundred exceeds.",
                         (quantile % "0.5", "{{instance}} median"), (quantile % "0.99", "{{instance}} 99 %"), unit="s",
                         fill=0))
    own.add(12, 8, heatmap("Answers by their time", "How many polls took how long.",
                           "sum by (le) (rate(qmpwatch_poll_duration_seconds_bucket{OWN}[$__rate_interval]))",
                           scheme="Blues"))


def _monitors(own):
    own.row("Monitors")
    own.add(12, 8, lines("Monitors by state", "How many monitors are ready, and what the others are.",
                         ("sum by (state) (qemu_monitor_state{VM})", "{{state}}"), unit="short", decimals=0,
                         stacked=True, fill=30,
                         colours={"ready": "green", "absent": "text", "connecting": "yellow", "busy": "purple",
                                  "stopped": "orange", "blocked": "red"}))
    own.add(12, 8, lines("Reconnects over time",
                         "Connections to monitors after the first one, in the window before each bar.",
                         ("sum by (instance) (increase(qmpwatch_reconnects_total{VM}[$__rate_interval]))",
                          "{{instance}}"), unit="short", bars=True, stacked=True, soft_maximum=4,
                         legend={"calcs": ["max"]}))
    own.add(24, 6, table("Instances", "Which qmpwatch runs where.",
                         "max by (job, instance, version, compiler) (qmpwatch_build_info{OWN})",
                         "time() - max by (job, instance) (process_start_time_seconds{OWN})",
                         "count by (job, instance) (qemu_up{VM})",
                         "max by (job, instance) (scrape_samples_scraped{OWN})",
                         "max by (job, instance) (process_resident_memory_bytes{OWN})",
                         "max by (job, instance) (process_open_fds{OWN} / process_max_fds{OWN})",
                         columns={"job": "Job", "instance": "Instance", "version": "Version", "compiler": "Compiler",
                                  "Value #B": "Running for", "Value #C": "VMs", "Value #D": "Series",
                                  "Value #E": "Memory", "Value #F": "File descriptors"},
                         hidden=("Value #A",), sort_by="Instance", descending=False,
                         overrides=[override("Running for", unit="dtdurations"), override("Memory", unit="bytes"),
                                    override("VMs", decimals=0), override("Series", decimals=0),
                                    override("File descriptors", unit="percentunit", decimals=1)]))


def _resources(own):
    own.row("Resources")
    own.add(12, 8, lines("Scrape time", "How long Prometheus took to scrape qmpwatch.",
                         ("scrape_duration_seconds{OWN}", "{{instance}}"), unit="s"))
    own.add(12, 8, lines("Series", "Samples in one scrape.", ("scrape_samples_scraped{OWN}", "{{instance}}"),
                         unit="short"))
    own.add(12, 8, lines("CPU", "User and system time of qmpwatch; 100 % is one core.",
                         ("rate(process_cpu_seconds_total{OWN}[$__rate_interval])", "{{instance}}"),
                         unit="percentunit"))
    own.add(12, 8, lines("Memory", "Resident memory of qmpwatch.",
                         ("process_resident_memory_bytes{OWN}", "{{instance}}"), unit="bytes"))
