"""VM: the drives of one VM, or of some, in all detail."""
from model import (NOTHING_LOST, Board, alert_annotation, heatmap, lines, override, stall_annotation, stat, table,
                   timeline)
from words import CAUSES, CONDITION, CONDITION_HELP, CONDITIONS, LEVELS

DRIVE_NAME = "{{vm}} {{drive}}"


def board():
    vm = Board("qmpwatch-vm", "qmpwatch / VM", "Throughput, latency and stalls of the drives of a QEMU VM.",
               [stall_annotation(), alert_annotation()])
    _numbers(vm)
    _stalls(vm)
    _load(vm)
    _quality(vm)
    _facts(vm)
    _rest(vm)
    _latencies(vm)
    return vm.model()


def _rate(metric):
    return f"rate({metric}{{DRIVE}}[$__rate_interval])"


def _ratio(numerator, denominator):
    return f"{_rate(numerator)} / {_rate(denominator)}"


def _numbers(vm):
    bad = {None: "green", 1: "red"}
    vm.add(3, 4, stat("State", "The worst of the selected VMs. " + CONDITION_HELP, f"max({CONDITION})", unit="none",
                      mappings=CONDITIONS, colour_mode="background"))
    vm.add(3, 4, stat("Stall now", "The highest level of the selected drives now.",
                      "max(qemu_block_stall_level{DRIVE})", unit="none", mappings=LEVELS, colour_mode="background"))
    vm.add(3, 4, stat("Stands still", "How long nothing has completed in the middle of a stream of I/O; 0 while it "
                      "flows or is idle.", "max(qemu_block_gap_seconds{DRIVE})", unit="s", decimals=1,
                      thresholds={None: "green", 2: "orange", 8: "red"}))
    vm.add(3, 4, stat("Stalls", "Stalls that ended in the selected time, of every cause.",
                      "round(sum(increase(qemu_block_stalls_total{DRIVE}[$__range])))", thresholds=bad, decimals=0,
                      colour_mode="background"))
    vm.add(3, 4, stat("Time lost", "What the stalls of the selected drives took together, in the selected time.",
                      "sum(increase(qemu_block_stall_seconds_total{DRIVE}[$__range]))", unit="s", decimals=1,
                      thresholds=bad, colour_mode="background"))
    vm.add(3, 4, stat("Read", "The selected drives together.", f"sum({_rate('qemu_block_read_bytes_total')})",
                      unit="Bps", graph=True))
    vm.add(3, 4, stat("Written", "The selected drives together.", f"sum({_rate('qemu_block_written_bytes_total')})",
                      unit="Bps", graph=True))
    vm.add(3, 4, stat("QEMU's age", "Since the oldest of the selected QEMU processes started.",
                      "max(time() - qemu_process_start_time_seconds{VM})", unit="dtdurations",
                      thresholds={None: "text"}))


def _stalls(vm):
    vm.row("Stalls")
    vm.add(24, 4, timeline("State of the VM", CONDITION_HELP, CONDITION, "{{vm}}", CONDITIONS))
    vm.add(24, 6, timeline(
        "Stall level by drive", "How sure it is that the drive stalls: suspected while a telling gap is open, probable "
        "after one of a telling length, confirmed when they recur.",
        "max by (job, instance, vm, drive) (max_over_time(qemu_block_stall_level{DRIVE}[$__rate_interval]))",
        DRIVE_NAME, LEVELS))
    vm.add(24, 7, lines(
        "Time lost to stalls", "Counted when a stall ends, also if it fell between two scrapes: each bar is what ended "
        "in the window before it, by cause.",
        ("sum by (cause) (increase(qemu_block_stall_seconds_total{DRIVE}[$__rate_interval]))", "{{cause}}"),
        unit="s", bars=True, stacked=True, colours=CAUSES, soft_maximum=20,
        legend={"calcs": ["max"], "displayMode": "list"}))
    vm.add(12, 10, table(
        "Stalls by drive and cause", "What ended in the selected time.",
        "round(sum by (vm, drive, cause) (increase(qemu_block_stalls_total{DRIVE}[$__range]))) > 0",
        "sum by (vm, drive, cause) (increase(qemu_block_stall_seconds_total{DRIVE}[$__range])) > 0",
        "sum by (vm, drive, cause) (increase(qemu_block_stall_seconds_total{DRIVE}[$__range])) / "
        "sum by (vm, drive, cause) (increase(qemu_block_stalls_total{DRIVE}[$__range])) > 0",
        columns={"vm": "VM", "drive": "Drive", "cause": "Cause", "Value #A": "Stalls", "Value #B": "Time lost",
                 "Value #C": "Mean length"},
        overrides=[override("Stalls", decimals=0, custom_width=80),
                   override("Time lost", unit="s", decimals=1, custom_width=110),
                   override("Mean length", unit="s", decimals=1, custom_width=120)],
        sort_by="Time lost", no_value=NOTHING_LOST))
    vm.add(12, 10, heatmap(
        "How long stalls took", "Stalls by their length. Lengths that recur at 3, 10, 30 or 60 s are the time-outs of "
        "guests whose completions were lost.",
        # A cause has its histogram from its first stall on: what was not there before counts from 0.
        "sum by (le) (clamp_min(qemu_block_stall_duration_seconds_bucket{DRIVE} - "
        "(qemu_block_stall_duration_seconds_bucket{DRIVE} offset $__rate_interval or "
        "0 * qemu_block_stall_duration_seconds_bucket{DRIVE}), 0))",
        scheme="Reds", no_value=NOTHING_LOST))


def _load(vm):
    vm.row("Load")
    vm.add(12, 9, lines("Throughput", "Bytes of completed operations: read above the axis, written below.",
                        (_rate("qemu_block_read_bytes_total"), DRIVE_NAME + " read"),
                        below=[(_rate("qemu_block_written_bytes_total"), DRIVE_NAME + " written")], unit="Bps"))
    vm.add(12, 9, lines("IOPS", "Completed operations: reads above the axis, writes below.",
                        (_rate("qemu_block_reads_completed_total"), DRIVE_NAME + " reads"),
                        below=[(_rate("qemu_block_writes_completed_total"), DRIVE_NAME + " writes")], unit="iops"))


def _quality(vm):
    vm.add(12, 8, lines("Latency", "Mean time of a completed operation, as QEMU measured it: reads above the axis, "
                        "writes below. A lost completion does not show here: for QEMU the operation was fast.",
                        (_ratio("qemu_block_read_time_seconds_total", "qemu_block_reads_completed_total"),
                         DRIVE_NAME + " reads"),
                        below=[(_ratio("qemu_block_write_time_seconds_total", "qemu_block_writes_completed_total"),
                                DRIVE_NAME + " writes")], unit="s", fill=0))
    vm.add(12, 8, lines("Request size", "Mean bytes of a completed operation: reads above the axis, writes below.",
                        (_ratio("qemu_block_read_bytes_total", "qemu_block_reads_completed_total"),
                         DRIVE_NAME + " reads"),
                        below=[(_ratio("qemu_block_written_bytes_total", "qemu_block_writes_completed_total"),
                                DRIVE_NAME + " writes")], unit="bytes", fill=0))
    times = " + ".join(_rate(f"qemu_block_{kind}_time_seconds_total") for kind in ("read", "write"))
    vm.add(12, 8, lines("Busy", "Time in reads and writes per second of time: 100 % is one operation under way all the "
                        "time; more means several at once.", (times, DRIVE_NAME), unit="percentunit"))
    gap = "max by (job, instance, vm, drive) (max_over_time(qemu_block_gap_seconds{DRIVE}[$__rate_interval]))"
    vm.add(12, 8, lines("Standing still", "The longest that nothing had completed in the middle of a stream. Short "
                        "gaps between two scrapes are not seen here; the stalls above are counted all the same.",
                        (gap, DRIVE_NAME), unit="s", soft_maximum=10))
    vm.add(12, 8, lines("QEMU's CPU", "User and system time of the QEMU process; 100 % is one core.",
                        ("rate(qemu_process_cpu_seconds_total{VM}[$__rate_interval])", "{{vm}}"), unit="percentunit"))
    vm.add(12, 8, lines("QEMU's memory", "Resident memory of the QEMU process.",
                        ("qemu_process_resident_memory_bytes{VM}", "{{vm}}"), unit="bytes"))


def _facts(vm):
    vm.row("Attachments and events")
    vm.add(24, 8, table(
        "Attachments", "How each drive is attached, and what is in it.",
        "max by (job, instance, vm, drive, device, bus, file, format, read_only, removable) (qemu_block_info{DRIVE})",
        "max by (job, instance, vm, drive) (qemu_block_idle_seconds{DRIVE})",
        "max by (job, instance, vm, drive) (qemu_block_highest_write_offset_bytes{DRIVE})",
        columns={"vm": "VM", "drive": "Drive", "device": "Device", "bus": "Bus", "file": "File", "format": "Format",
                 "read_only": "Read-only", "removable": "Removable", "Value #B": "Idle for",
                 "Value #C": "Highest write"},
        hidden=("job", "instance", "Value #A"), sort_by="VM", descending=False,
        overrides=[override("Device", custom_width=130), override("Bus", custom_width=130),
                   override("Format", custom_width=90), override("Read-only", custom_width=100),
                   override("Removable", custom_width=110),
                   override("Idle for", unit="s", decimals=1, custom_width=100),
                   override("Highest write", unit="bytes", custom_width=130)]))
    vm.add(12, 8, lines("Events", "QMP events of QEMU in the window before each bar, such as STOP, RESET or "
                        "BLOCK_IO_ERROR. None are heard over HMP.",
                        ("sum by (event) (increase(qemu_events_total{VM}[$__rate_interval]))", "{{event}}"),
                        unit="short", bars=True, stacked=True, no_value="No events since qmpwatch started",
                        soft_maximum=4, legend={"calcs": ["max"]}))
    vm.add(12, 8, lines("Failed operations",
                        "Operations that completed with an error, or that QEMU refused as invalid.",
                        ("sum by (op) (increase(qemu_block_failed_total{DRIVE}[$__rate_interval]))", "failed {{op}}"),
                        ("sum by (op) (increase(qemu_block_invalid_total{DRIVE}[$__rate_interval]))", "invalid {{op}}"),
                        unit="short", bars=True, stacked=True, soft_maximum=4,
                        legend={"calcs": ["max"], "displayMode": "list"}, no_value="Not known over HMP"))


def _rest(vm):
    vm.row("Flushes, discards, merges", collapsed=True)
    vm.add(12, 8, lines("Flushes", "Flushes completed.", (_rate("qemu_block_flushes_completed_total"), DRIVE_NAME),
                        unit="iops", soft_maximum=10))
    vm.add(12, 8, lines("Time in flushes", "Time in flushes per second of time; above 100 % several are under way.",
                        (_rate("qemu_block_flush_time_seconds_total"), DRIVE_NAME), unit="percentunit",
                        soft_maximum=1))
    vm.add(12, 8, lines("Discards", "Discards completed.", (_rate("qemu_block_discards_completed_total"), DRIVE_NAME),
                        unit="iops", soft_maximum=10))
    vm.add(12, 8, lines("Time in discards", "Time in discards per second of time; above 100 % several are under way.",
                        (_rate("qemu_block_discard_time_seconds_total"), DRIVE_NAME), unit="percentunit",
                        soft_maximum=1))
    vm.add(12, 8, lines("Discarded", "Bytes of completed discards.",
                        (_rate("qemu_block_discarded_bytes_total"), DRIVE_NAME), unit="Bps", soft_maximum=1e6))
    vm.add(12, 8, lines("Merged requests", "Requests that QEMU merged into another one.",
                        (_rate("qemu_block_reads_merged_total"), DRIVE_NAME + " reads"),
                        (_rate("qemu_block_writes_merged_total"), DRIVE_NAME + " writes"),
                        (_rate("qemu_block_discards_merged_total"), DRIVE_NAME + " discards"), unit="reqps",
                        soft_maximum=10))


def _latencies(vm):
    vm.row("Latency histograms", collapsed=True)
    for operation, title in (("read", "Latency of reads"), ("write", "Latency of writes")):
        vm.add(12, 9, heatmap(
            title, "How many operations took how long. Needs QEMU's latency histograms, which are off by default.",
            f'sum by (le) (rate(qemu_block_latency_seconds_bucket{{DRIVE, op="{operation}"}}[$__rate_interval]))',
            no_value="No latency histograms: they are off by default"))
