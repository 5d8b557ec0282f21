"""The sources have the shape that clang-format 19 gives them; `./dev format` brings them into it."""
import re
import shutil
import subprocess
import sys

import repository

SKIP = 77  # Meson's word for it
formatter = shutil.which("clang-format-19")
if formatter is None:
    print("clang-format-19 is not installed")
    sys.exit(SKIP)
files = repository.sources("src", "tests")
# All in one process: to start it takes ten times as long as to look at a file.
check = subprocess.run([formatter, "--dry-run", "-Werror", "--ferror-limit=0", *files], cwd=repository.ROOT, text=True,
                       capture_output=True)
differ = sorted(set(re.findall(r"^(\S+):\d+:\d+: error:", check.stderr, re.MULTILINE)))
complaints = [f"{file}: ./dev format would change it" for file in differ]
if check.returncode and not differ:
    complaints.append(f"clang-format: {check.stderr.strip()}")
repository.finish(complaints, len(files))
