"""A real Linux that is installed from a stick and from an NVMe drive: recorded, reported, replayed, and shown."""
import csv
import io
import json
import pathlib
import tempfile
import unittest

import recording
import watcher
from browser import DARK, LIGHT, Browser, Page
from linux_guest import MEDIA, PATIENCE, LinuxGuest
from linux_image import MEDIUM_BYTES, MIB
from recording import Recorder

PICTURES = pathlib.Path(__file__).resolve().parent.parent.parent / "build" / "pictures"
PHONE = {"width": 390, "height": 844}
WINDOW = ("--interval", "1s")
WHOLE = "run"
RATE = "copy.install_media.read_bytes_per_second"

folder = None
recorders = {}


def setUpModule():
    """Both at the same time, each with its recorder, which is there before the VM is."""
    global folder
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-report-")))
    guests = {medium: unittest.enterModuleContext(LinuxGuest(medium, start=False)) for medium in MEDIA}
    for medium, guest in guests.items():
        recorders[medium] = unittest.enterModuleContext(
            Recorder(guest.qmp, folder / f"{medium}.jsonl", poll="100ms", arguments=["--label", f"medium={medium}"]))
        guest.start()
    for medium, guest in guests.items():
        code = guest.wait()
        if code != 0 or "install: done" not in guest.console() or not guest.has_copied():
            raise AssertionError(f"the install from {medium} has failed with {code}:\n{guest.console()}")
        recorders[medium].exit_code = recorders[medium].finish(PATIENCE)


def run_of(medium):
    return recorders[medium].file


def said_by(*arguments):
    """What a command prints that must have nothing to complain of."""
    done = watcher.run(*arguments)
    if (done.returncode, done.stderr) != (0, ""):
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


class Recorded(unittest.TestCase):
    def check(self, medium):
        recorder = recorders[medium]
        self.assertEqual((recorder.exit_code, recorder.complaints), (0, []))
        said = recording.report(recorder.file, *WINDOW)
        self.assertEqual((said["end"]["reason"], said["end"]["complete"]), ("guest-shutdown", True))
        self.assertEqual(said["run"]["labels"], {"medium": medium})
        drives = {drive["drive"]: drive for drive in said["drives"]}
        self.assertEqual({name: drive["device"] for name, drive in drives.items()},
                         {"install_media": medium, "system": "nvme"})
        self.assertEqual(drives["install_media"]["read_only"], medium == "usb-storage")
        self.assertEqual(drives["install_media"]["size_bytes"], MEDIUM_BYTES)
        self.assertEqual(said["medium"], "install_media")
        copy = part(said, "copy")
        self.assertEqual(copy["drive"], "install_media")
        read = drive_in(copy, "install_media")
        self.assertGreaterEqual(read["read_bytes"], 0.98 * MEDIUM_BYTES)
        self.assertLessEqual(read["read_bytes"], MEDIUM_BYTES + 16 * MIB)
        self.assertAlmostEqual(read["read_bytes_per_second"], read["read_bytes"] / copy["seconds"], delta=1)
        # From the first sustained read on: what the firmware reads of the medium before is not the copy.
        self.assertGreater(read["read_windows"]["median_bytes_per_second"], read["read_bytes_per_second"] / 3)
        times = list(read["read_reached_seconds"].values())
        self.assertEqual(times, sorted(times))
        self.assertLessEqual(times[-1], copy["seconds"] + 1e-6)
        whole = part(said, WHOLE)
        self.assertGreaterEqual(drive_in(whole, "install_media")["read_bytes"], MEDIUM_BYTES)
        self.assertGreaterEqual(drive_in(whole, "system")["written_bytes"], MEDIUM_BYTES)
        self.assertEqual(said["stalls"], [])

    def test_from_usb_storage(self):
        self.check("usb-storage")

    def test_from_nvme(self):
        self.check("nvme")

    def test_replayed_as_live(self):
        for medium, recorder in recorders.items():
            with self.subTest(medium):
                self.assertEqual(recording.replay(recorder.file), recorder.lines)


class Written(unittest.TestCase):
    """Each format says the same."""

    def test_text_and_markdown(self):
        for form in ("text", "markdown"):
            text = said_by("report", "--format", form, run_of("usb-storage"))
            for word in ("install_media", "usb-storage", "nvme", "copy"):
                self.assertIn(word, text.lower())
            self.assertNotIn("\x1b", text)

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(said_by("report", "--format", "csv", *WINDOW, run_of("usb-storage"))),
                                   restkey="beyond the header"))
        self.assertEqual({row["drive"] for row in rows}, {"install_media", "system"})
        rate_of = {drive: sum(float(row["read_bytes_per_second"] or 0) * float(row["window_seconds"] or 0)
                              for row in rows if row["drive"] == drive) for drive in ("install_media", "system")}
        self.assertAlmostEqual(rate_of["install_media"], MEDIUM_BYTES, delta=0.1 * MEDIUM_BYTES)
        for row in rows:
            self.assertNotIn("beyond the header", row)
            self.assertNotIn(None, row.values())


class Shown(unittest.TestCase):
    """The pages in Chromium."""

    @classmethod
    def setUpClass(cls):
        cls.pages = {"one": [run_of("usb-storage")], "two": [run_of("usb-storage"), run_of("nvme")]}
        for name, files in cls.pages.items():
            (folder / f"{name}.html").write_text(said_by("report", "--format", "html", *WINDOW, *files))
        cls.browser = cls.enterClassContext(Browser())

    def show(self, name, **options):
        """The page, which has complained of nothing and asked nobody for anything; there is a picture of it."""
        address = (folder / f"{name}.html").as_uri()
        page = Page(self.browser, address, **options)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.width)
        page.picture(PICTURES / f"report-{name}-{page.scheme}-{page.width}.png")
        self.assertEqual(page.complaints, [])
        self.assertEqual(page.requests, [address])
        return page

    def test_numbers(self):
        page = self.show("one")
        truth = by_key_of_page(json.loads(said_by("report", "--format", "json", *WINDOW, run_of("usb-storage"))))
        figures = page.figures()
        keys = {key for key, _, _ in figures}
        for key in ("copy.seconds", "copy.install_media.read_bytes", RATE,
                    "copy.install_media.read_windows.median_bytes_per_second",
                    "copy.install_media.read_reached_seconds.50", "copy.system.written_bytes",
                    "run.system.written_bytes"):
            self.assertIn(key, keys)
        for key, value, shown in figures:
            self.assertIn(key, truth)
            self.assertAlmostEqual(float(value), truth[key], delta=1e-6 * abs(truth[key]), msg=key)
            self.assertTrue(shown, key)
        for shown in (shown for key, _, shown in figures if key == RATE):
            self.assertAlmostEqual(float(shown.split()[0]), truth[RATE] / 1e6, delta=0.06)

    def test_charts(self):
        page = self.show("one", scheme=DARK)
        self.assertGreaterEqual(page.evaluate("document.querySelectorAll('svg path, svg polyline').length"), 2)
        boxes = page.evaluate("[...document.querySelectorAll('svg')].map(each => each.getBoundingClientRect().width)")
        self.assertGreaterEqual(sum(width > 600 for width in boxes), 3, boxes)  # MB/s and IOPS, stalls

    def test_dark_is_dark(self):
        background = "getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).slice(0, 3).map(Number)"
        light, dark = (sum(Page(self.browser, (folder / "one.html").as_uri(), scheme=scheme).evaluate(background))
                       for scheme in (LIGHT, DARK))
        self.assertGreater(light, 3 * 200)
        self.assertLess(dark, 3 * 80)

    def test_on_a_phone(self):
        for scheme in (LIGHT, DARK):
            self.show("one", scheme=scheme, **PHONE)

    def test_two_runs(self):
        for options in ({}, {"scheme": DARK, **PHONE}):
            text = self.show("two", **options).evaluate("document.body.innerText")
            self.assertIn("usb-storage", text)
            self.assertIn("nvme", text)


def part(said, name):
    (found,) = [each for each in said["summary"] if each["phase"] == name]
    return found


def drive_in(phase, name):
    (found,) = [each for each in phase["drives"] if each["drive"] == name]
    return found


def by_key_of_page(said):
    """The numbers of a report by the keys that the page gives them: copy.install_media.read_bytes."""
    numbers = {}

    def add(key, value):
        if isinstance(value, dict):
            for name, inner in value.items():
                add(f"{key}.{name}", inner)
        elif isinstance(value, (int, float)):
            numbers[key] = value
    for phase in said["summary"]:
        add(phase["phase"], phase)
        for drive in phase["drives"]:
            add(f"{phase['phase']}.{drive['drive']}", drive)
    return numbers


if __name__ == "__main__":
    unittest.main(verbosity=2)
