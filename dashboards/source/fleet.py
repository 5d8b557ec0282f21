"""Fleet: every VM at a glance."""
from model import (NOTHING_LOST, Board, alert_annotation, bar_gauge, lines, override, stall_annotation, stat, table,
                   timeline)
from words import CONDITION, CONDITION_HELP, CONDITIONS, LEVELS, LEVELS_ON_TABLES

LEVEL = "max by (job, instance, vm, drive) (qemu_block_stall_level{DRIVE})"
OPEN_VM = ("/d/qmpwatch-vm?${__url_time_range}&${datasource:queryparam}&${job:queryparam}"
           "&var-instance=${__data.fields.Instance}&var-vm=${__data.fields.VM}&var-drive=All")
_BY_SIZE = {"placement": "right", "width": 260, "calcs": ["mean"], "sortBy": "Mean", "sortDesc": True}


def board():
    fleet = Board("qmpwatch-fleet", "qmpwatch / Fleet", "Every QEMU VM: up, state, throughput, stalls.",
                  [stall_annotation(), alert_annotation()])
    _numbers(fleet)
    _stalls(fleet)
    _vms(fleet)
    _load(fleet)
    return fleet.model()


def _numbers(fleet):
    bad = {None: "green", 1: "red"}
    fleet.add(3, 4, stat("VMs", "VMs that qmpwatch watches.", "count(qemu_up{VM})"))
    fleet.add(3, 4, stat("Not answering", "VMs whose monitor does not answer: absent, busy, stopped or blocked.",
                         "sum(1 - qemu_up{VM})", thresholds={None: "green", 1: "orange"}))
    fleet.add(3, 4, stat("Stalled now", "Drives on which a stall is suspected, probable or confirmed now.",
                         f"sum({LEVEL} > bool 0)", thresholds=bad, colour_mode="background"))
    fleet.add(3, 4, stat("Stalls", "Stalls that ended in the selected time, of every cause.",
                         "round(sum(increase(qemu_block_stalls_total{DRIVE}[$__range])))", thresholds=bad,
                         colour_mode="background", decimals=0))
    fleet.add(3, 4, stat("Time lost", "What the stalls of all drives took together, in the selected time.",
                         "sum(increase(qemu_block_stall_seconds_total{DRIVE}[$__range]))", unit="s", decimals=1,
                         thresholds=bad, colour_mode="background"))
    fleet.add(3, 4, stat("Read", "All drives together.",
                         "sum(rate(qemu_block_read_bytes_total{DRIVE}[$__rate_interval]))", unit="Bps", graph=True))
    fleet.add(3, 4, stat("Written", "All drives together.",
                         "sum(rate(qemu_block_written_bytes_total{DRIVE}[$__rate_interval]))", unit="Bps", graph=True))
    fleet.add(3, 4, stat("Errors", "Operations that failed in the selected time.",
                         "round(sum(increase(qemu_block_failed_total{DRIVE}[$__range])))", thresholds=bad, decimals=0))


def _stalls(fleet):
    fleet.row("Stalls")
    of_drive = "max by (job, instance, vm, drive) (max_over_time(qemu_block_stall_level{DRIVE}[%s]%s))"
    fleet.add(24, 6, timeline(
        "Where it stalls", "How sure it is that a drive stalls. Only drives that did in the selected time are shown.",
        of_drive % ("$__rate_interval", "") + " and " + of_drive % ("$__range", " @ end()") + " > 0",
        "{{vm}} {{drive}}", LEVELS, no_value=NOTHING_LOST))
    fleet.add(24, 6, lines(
        "Time lost to stalls", "Counted when a stall ends, also if it fell between two scrapes: each bar is what ended "
        "in the window before it. Only VMs that lost time are shown.",
        ("sum by (job, instance, vm) (increase(qemu_block_stall_seconds_total{DRIVE}[$__rate_interval])) and "
         "sum by (job, instance, vm) (increase(qemu_block_stall_seconds_total{DRIVE}[$__range] @ end())) > 0",
         "{{vm}}"),
        unit="s", bars=True, stacked=True, shades="red", soft_maximum=20, no_value=NOTHING_LOST,
        legend={"calcs": ["max"], "displayMode": "list"}))


def _vms(fleet):
    fleet.row("VMs")
    by_vm = "sum by (job, instance, vm) (%s)"
    of_vm = "max by (job, instance, vm) (%s)"
    fleet.add(24, 12, table(
        "All VMs", "One line a VM; its name leads to its own dashboard. " + CONDITION_HELP,
        CONDITION,
        of_vm % "qemu_block_stall_level{DRIVE}",
        "round(" + by_vm % "increase(qemu_block_stalls_total{DRIVE}[$__range])" + ")",
        by_vm % "increase(qemu_block_stall_seconds_total{DRIVE}[$__range])",
        by_vm % "rate(qemu_block_read_bytes_total{DRIVE}[$__rate_interval])",
        by_vm % "rate(qemu_block_written_bytes_total{DRIVE}[$__rate_interval])",
        by_vm % "rate(qemu_block_reads_completed_total{DRIVE}[$__rate_interval])",
        by_vm % "rate(qemu_block_writes_completed_total{DRIVE}[$__rate_interval])",
        of_vm % "rate(qemu_process_cpu_seconds_total{VM}[$__rate_interval])",
        of_vm % "qemu_process_resident_memory_bytes{VM}",
        'max by (job, instance, vm, version, accelerator) (qemu_vm_info{VM})',
        columns={"vm": "VM", "Value #A": "State", "Value #B": "Stall now", "Value #C": "Stalls",
                 "Value #D": "Time lost", "Value #E": "Read", "Value #F": "Written", "Value #G": "Reads",
                 "Value #H": "Writes", "Value #I": "CPU", "Value #J": "Memory", "version": "QEMU",
                 "accelerator": "Accelerator", "instance": "Instance"},
        hidden=("job", "Value #K"), sort_by="Time lost",
        overrides=[
            override("VM", links=[{"title": "Open this VM", "url": OPEN_VM}], custom_minWidth=140),
            override("State", mappings=CONDITIONS, custom_width=150, custom_align="left",
                     custom_cellOptions={"type": "color-text"}),
            override("Stall now", mappings=LEVELS_ON_TABLES, custom_width=110,
                     custom_cellOptions={"type": "color-background", "mode": "basic"}),
            override("Stalls", decimals=0, custom_width=80),
            override("Time lost", unit="s", decimals=1, custom_width=110, custom_cellOptions={"type": "color-text"},
                     thresholds={"mode": "absolute", "steps": [{"color": "text", "value": None},
                                                               {"color": "red", "value": 1}]}),
            override("Read", unit="Bps", custom_width=110), override("Written", unit="Bps", custom_width=110),
            override("Reads", unit="iops", custom_width=100), override("Writes", unit="iops", custom_width=100),
            override("CPU", unit="percentunit", custom_width=80), override("Memory", unit="bytes", custom_width=100),
            override("QEMU", custom_width=90), override("Accelerator", custom_width=110),
        ]))


def _load(fleet):
    fleet.row("Load")
    # A fleet may have hundreds of VMs, and a panel as many series: the same twenty at all times.
    busiest = (" and topk(20, sum by (job, instance, vm) ("
               "increase(qemu_block_read_bytes_total{DRIVE}[$__range] @ end()) + "
               "increase(qemu_block_written_bytes_total{DRIVE}[$__range] @ end())))")
    per_vm = "sum by (job, instance, vm) (rate(%s{DRIVE}[$__rate_interval]))" + busiest
    which = " The twenty VMs that moved the most bytes in the selected time, stacked."
    fleet.add(12, 9, lines("Throughput by VM", "Read above the axis, written below." + which,
                           (per_vm % "qemu_block_read_bytes_total", "{{vm}} read"),
                           below=[(per_vm % "qemu_block_written_bytes_total", "{{vm}} written")],
                           unit="Bps", stacked=True, fill=60, legend=_BY_SIZE))
    fleet.add(12, 9, lines("IOPS by VM", "Completed reads above the axis, writes below." + which,
                           (per_vm % "qemu_block_reads_completed_total", "{{vm}} reads"),
                           below=[(per_vm % "qemu_block_writes_completed_total", "{{vm}} writes")],
                           unit="iops", stacked=True, fill=60, legend=_BY_SIZE))
    fleet.add(12, 9, bar_gauge(
        "Noisiest drives", "The ten drives that move the most bytes now.",
        "sort_desc(topk(10, sum by (job, instance, vm, drive) ("
        "rate(qemu_block_read_bytes_total{DRIVE}[$__rate_interval]) + "
        "rate(qemu_block_written_bytes_total{DRIVE}[$__rate_interval]))))",
        "{{vm}} {{drive}}", unit="Bps", colour="blue"))
    fleet.add(12, 9, bar_gauge(
        "Time lost by drive", "The ten drives that lost the most time to stalls, in the selected time.",
        "sort_desc(topk(10, sum by (job, instance, vm, drive) "
        "(increase(qemu_block_stall_seconds_total{DRIVE}[$__range])) > 0))",
        "{{vm}} {{drive}}", unit="s", colour="red", no_value=NOTHING_LOST))
