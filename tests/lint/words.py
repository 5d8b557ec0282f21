"""What must not stand in a text file of the repository: paths of one machine, notes without an owner, stray blanks."""
import pathlib
import re

import repository

SKIPPED = ("tests/fixtures/", "tests/golden/", "tests/fuzz/seeds/")
THIS = pathlib.Path(__file__).resolve().relative_to(repository.ROOT)
CODE = (".cpp", ".hpp")
LONGEST_LINE = 120

EVERYWHERE = [
    (re.compile(r"(?<![\w.$}~-])/(root|work)/"), "a path of one machine"),
    (re.compile(r"localhost\.localdomain"), "a name of one machine"),
    (re.compile(r"\b(TODO|FIXME)\b(?!\([\w-]+\))"), "a note without an owner: TODO(name)"),
    (re.compile(r"[ \t\r]$"), "a blank at the end of the line"),
]
IN_CODE = [
    (re.compile(r"\t"), "a tab"),
    # What QEMU says on one line stays on one line here: raw strings, and the JSON inside them.
    (re.compile(rf'^(?!.*R"\()(?!\s+"\w+":).{{{LONGEST_LINE + 1}}}'), f"longer than {LONGEST_LINE} columns"),
]


def check(file, text):
    rules = EVERYWHERE + (IN_CODE if file.suffix in CODE else [])
    for number, line in enumerate(text.split("\n"), 1):
        for pattern, why in rules:
            if pattern.search(line):
                yield f"{file}:{number}: {why}"
    if text and not text.endswith("\n"):
        yield f"{file}: no newline at the end"


findings, checked = [], 0
for path in repository.all_files():
    if path == THIS or path.as_posix().startswith(SKIPPED):
        continue
    content = (repository.ROOT / path).read_bytes()
    if b"\0" in content[:8192]:
        continue
    checked += 1
    try:
        findings += check(path, content.decode())
    except UnicodeDecodeError:
        findings.append(f"{path}: not UTF-8")
repository.finish(findings, checked)
