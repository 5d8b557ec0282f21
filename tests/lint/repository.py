"""What the checks in this folder share: where the files are, and how findings are reported."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def sources(*folders, suffixes=(".cpp", ".hpp")):
    """The source files below these folders as paths relative to the repository, sorted."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    return sorted(path.relative_to(ROOT) for path in found)


def all_files():
    """All files of the repository but those that it ignores, relative to it; without git, all but the builds."""
    try:
        listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                 check=True, capture_output=True).stdout.decode()
        found = {pathlib.Path(name) for name in listing.split("\0") if name}
    except (OSError, subprocess.CalledProcessError):
        found = {path.relative_to(ROOT) for path in ROOT.rglob("*")}
        found = {path for path in found if not {".git", "build", "__pycache__"}.intersection(path.parts)}
    return sorted(path for path in found if (ROOT / path).is_file())


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def finish(findings, checked):
    """Prints the findings and ends; finding nothing in nothing is a failure too."""
    for finding in findings:
        print(finding)
    if not checked:
        print("nothing was checked: no files found")
    else:
        print(f"{checked} files checked, {len(findings)} findings")
    sys.exit(1 if findings or not checked else 0)
