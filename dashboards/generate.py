#!/usr/bin/env python3
"""Writes the dashboards: fleet.json, vm.json and qmpwatch.json, from the descriptions in source/.

    python3 dashboards/generate.py           writes them
    python3 dashboards/generate.py --check   writes nothing and ends with 1 when one of them differs

Python's standard library is all it needs.
"""
import argparse
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER / "source"))
sys.dont_write_bytecode = True

import fleet  # noqa: E402
import own  # noqa: E402
import vm  # noqa: E402

BOARDS = {"fleet.json": fleet.board, "vm.json": vm.board, "qmpwatch.json": own.board}


def texts():
    """The content of each file, by its name."""
    return {name: json.dumps(board(), indent=2, ensure_ascii=False) + "\n" for name, board in BOARDS.items()}


def main():
    parser = argparse.ArgumentParser(description="Writes the dashboards from the descriptions in source/.")
    parser.add_argument("--check", action="store_true", help="only say which files differ")
    check = parser.parse_args().check
    differing = 0
    for name, text in texts().items():
        path = FOLDER / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        differing += 1
        if check:
            print(f"{path.name} is not what generate.py writes: run python3 dashboards/generate.py")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{path.name} written")
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
