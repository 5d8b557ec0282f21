"""Headers say what they are and are included once; sources begin with their own header and have a test of their own."""
import re

import repository

# Sources without a test file of the same name, and why that is right.
EXEMPT = {
    "app/doctor.cpp": "composition of tested parts; tests/qemu/test_doctor.py runs it",
    "app/doctor_command.cpp": "flags, tried by tests/app/commands_test.cpp",
    "app/baseline_command.cpp": "flags, tried by tests/app/gate_command_test.cpp",
    "app/live.cpp": "composition of tested parts; tests/qemu runs it",
    "app/live_flags.cpp": "flags, tried by tests/app/commands_test.cpp",
    "app/main.cpp": "the program itself; tests/qemu runs it",
    "app/record.cpp": "composition of tested parts; tests/qemu/test_record.py runs it",
    "app/record_command.cpp": "flags, tried by tests/app/commands_test.cpp",
    "app/simulate.cpp": "a loop around the simulator; tests/sim and tests/app/commands_test.cpp",
    "app/simulate_command.cpp": "flags, tried by tests/app/commands_test.cpp",
    "report/drive_fields.cpp": "the keys that tests/report/once_test.cpp and notice_lines_test.cpp read",
    "sim/answer.cpp": "every answer is asked for by tests/sim/server_test.cpp",
    "sim/encode_hmp.cpp": "byte for byte in tests/sim/encode_test.cpp",
    "sim/encode_qmp.cpp": "byte for byte in tests/sim/encode_test.cpp",
    "sim/machine.cpp": "the state behind tests/sim/server_test.cpp",
    "sim/qmp_input.cpp": "tests/sim/server_test.cpp and tests/fuzz/fuzz_sim_input.cpp",
    "sim/scenario.cpp": "plain values, tried by tests/sim/server_test.cpp",
    "app/watch.cpp": "composition of tested parts; tests/qemu runs it",
    "app/watch_command.cpp": "flags, tried by tests/app/commands_test.cpp",
    "app/spawn.cpp": "seen by what is spawned in tests/app/child_test.cpp and on_stall_test.cpp",
    "run/digest.cpp": "tests/run/replay_test.cpp",
    "base/error.cpp": "a table of names, seen through every room that fails",
}

FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])', re.MULTILINE)


def check_header(file, text):
    if not text.startswith("// "):
        yield f"{file}:1: begin with a comment: one sentence on what this is"
    if len(re.findall(r"^#pragma once$", text, re.MULTILINE)) != 1:
        yield f"{file}:1: one #pragma once"


def check_source(file, text):
    name = file.relative_to("src")
    own = name.with_suffix(".hpp")
    if (repository.ROOT / "src" / own).exists():
        first = FIRST_INCLUDE.search(text)
        if first is None or first[1] != f'"{own}"':
            yield f'{file}:1: include "{own}" first: that shows that it stands on its own'
    test = name.stem + "_test.cpp"
    tested = any((repository.ROOT / "tests" / folder / test).exists() for folder in (name.parent, "flow"))
    exempt = name.as_posix() in EXEMPT or name.stem.endswith("_impl")
    if not exempt and not tested:
        yield f"{file}:1: has no test: tests/{name.parent / test}"
    if name.as_posix() in EXEMPT and tested:
        yield f"{file}:1: has a test and is listed as exempt in tests/lint/headers.py"


headers = repository.sources("src", "tests", suffixes=(".hpp",))
bodies = repository.sources("src", suffixes=(".cpp",))
findings = [finding for file in headers for finding in check_header(file, repository.read(file))]
findings += [finding for file in bodies for finding in check_source(file, repository.read(file))]
findings += [f"src/{name}: is listed as exempt in tests/lint/headers.py and does not exist"
             for name in EXEMPT if not (repository.ROOT / "src" / name).exists()]
repository.finish(findings, len(headers) + len(bodies))
