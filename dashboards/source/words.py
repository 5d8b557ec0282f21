"""What the numbers of states, levels and causes are called and how they are coloured, the same on every dashboard."""
from model import value_mappings

_STALLING = {1: ("suspected", "yellow"), 2: ("probable", "orange"), 3: ("confirmed", "red")}
LEVELS = value_mappings({0: ("none", "#37872D"), **_STALLING})
LEVELS_ON_TABLES = value_mappings({0: ("none", "transparent"), **_STALLING})

CAUSES = {"lost_completion": "red", "slow_backend": "orange", "vm_paused": "blue", "monitor_blocked": "purple",
          "io_error": "dark-red", "throttled": "yellow", "unknown": "text"}

_NOT_RUNNING = "paused|suspended|debug"
_ON_THE_WAY = "prelaunch|inmigrate|finish-migrate|postmigrate|restore-vm|save-vm|colo"
_IN_TROUBLE = "io-error|internal-error|guest-panicked|watchdog"
_KNOWN = "|".join(("running", _NOT_RUNNING, _ON_THE_WAY, "shutdown", _IN_TROUBLE))

# The condition of a VM as one number: its run state, or why its monitor does not answer, which is the higher number.
_CONDITIONS = {
    1: ("running", "#37872D", 'qemu_vm_state{VM, state="running"}'),
    2: ("paused", "blue", f'qemu_vm_state{{VM, state=~"{_NOT_RUNNING}"}}'),
    3: ("starting, saving or moving", "purple", f'qemu_vm_state{{VM, state=~"{_ON_THE_WAY}"}}'),
    4: ("shut down", "#8e8e8e", 'qemu_vm_state{VM, state="shutdown"}'),
    5: ("another state", "text", f'qemu_vm_state{{VM, state!~"{_KNOWN}"}}'),
    6: ("in trouble", "red", f'qemu_vm_state{{VM, state=~"{_IN_TROUBLE}"}}'),
    7: ("monitor: connecting", "yellow", 'qemu_monitor_state{VM, state="connecting"}'),
    8: ("absent", "#8e8e8e", 'qemu_monitor_state{VM, state="absent"}'),
    9: ("monitor busy", "yellow", 'qemu_monitor_state{VM, state="busy"}'),
    10: ("process stopped", "orange", 'qemu_monitor_state{VM, state="stopped"}'),
    11: ("monitor blocked", "red", 'qemu_monitor_state{VM, state="blocked"}'),
}

CONDITION = ("max by (job, instance, vm) ("
             + " or ".join(f"{number} * ({state} == 1)" for number, (_, _, state) in _CONDITIONS.items()) + ")")
CONDITIONS = value_mappings({number: (text, colour) for number, (text, colour, _) in _CONDITIONS.items()})
CONDITION_HELP = ("The run state of the VM or, when its monitor does not answer, why not. In trouble: I/O error, "
                  "internal error, guest panic or watchdog.")
