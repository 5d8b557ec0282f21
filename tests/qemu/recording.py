"""A running `qmpwatch record`, and run files as their readers see them."""
import json
import pathlib

import watcher
from watcher import Watcher


class Recorder(Watcher):
    """A running `qmpwatch record -o FILE --log.format json`; `command` is what stands behind the two dashes."""

    def __init__(self, address, file, *, arguments=(), command=(), **options):
        behind = ["--", *command] if command else []
        super().__init__(address, verb="record", arguments=["-o", file, *arguments, *behind], **options)
        self.file = pathlib.Path(file)

    @property
    def complaints(self):
        """Warnings and errors that it has logged."""
        return [line for line in self.errors if json.loads(line)["level"] != "info"]


def lines(file):
    """The whole lines of a run file as objects."""
    text = pathlib.Path(file).read_bytes()
    return [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()]


def of_type(file, kind):
    return [line for line in lines(file) if line["type"] == kind]


def report(file, *arguments):
    """What `report --format json` says of a run."""
    done = watcher.run("report", "--format", "json", file, *arguments)
    if done.returncode != 0:
        raise AssertionError(f"report ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def replay(file, *arguments):
    """The lines of `replay --format json` as objects."""
    done = watcher.run("replay", "--format", "json", file, *arguments)
    if done.returncode != 0:
        raise AssertionError(f"replay ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]
