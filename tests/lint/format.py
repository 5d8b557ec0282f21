"""The sources have the shape that clang-format 19 gives them; `./dev format` brings them into it."""
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
differ = [file for file in files
          if subprocess.run([formatter, "--dry-run", "-Werror", file], cwd=repository.ROOT, capture_output=True).returncode]
repository.finish([f"{file}: ./dev format would change it" for file in differ], len(files))
