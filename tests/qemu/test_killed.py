"""kill -9 ends a recorder at any time: the file opens, and every sample but the last one is in it."""
import json
import pathlib
import random
import subprocess
import tempfile
import threading
import time
import unittest

import processes
import recording
import watcher
from counting_monitor import CountingMonitor
from vm import Vm

LANES = 4  # recorders that are killed at the same time
KILLS = 200

vm = None
folder = None


def setUpModule():
    """A VM with a monitor for each of its recorders: one serves one client at a time."""
    global vm, folder
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="qmpwatch-test-killed-")))
    monitors = []
    for number in range(LANES):
        monitors += ["-qmp", f"unix:{{folder}}/lane{number}.sock,server=on,wait=off"]
    vm = unittest.enterModuleContext(Vm(*monitors))
    vm.wait_for_reads()


class Killed(unittest.TestCase):
    def test_at_any_moment(self):
        choices = random.Random(200)
        delays = [choices.uniform(0, 0.35) for _ in range(KILLS)]
        results, failures = [], []

        def run_lane(number):
            try:
                with CountingMonitor(folder / f"counting{number}.sock", vm.folder / f"lane{number}.sock") as monitor:
                    for each in range(number, KILLS, LANES):
                        # Half of them once it has seen something, however long that takes on this machine.
                        results.append(self.kill_after(delays[each], monitor, folder / f"killed{each}.jsonl",
                                                       least=3 * (each // LANES % 2)))
            except BaseException as failure:  # pylint: disable=broad-except
                failures.append(failure)

        lanes = [threading.Thread(target=run_lane, args=(number,)) for number in range(LANES)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        if failures:
            raise failures[0]
        self.assertEqual(len(results), KILLS)
        self.assertGreaterEqual(sum(samples > 1 for samples in results), KILLS // 2, results)

    def kill_after(self, delay, monitor, file, least):
        """Kills a recorder so long after it has connected and was given so many samples; how many are in its file."""
        clients = monitor.clients
        recorder = processes.start([watcher.binary(), "record", "--socket", monitor.path, "-o", file, "--poll", "50ms",
                                    *watcher.NO_WEB], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            processes.wait_until(lambda: monitor.clients > clients, "the recorder connects", every=0.002)
            processes.wait_until(lambda: monitor.answered >= least, "the recorder is answered", every=0.002)
            time.sleep(delay)
            self.assertIsNone(recorder.poll(), "the recorder has ended by itself")
            recorder.kill()
            recorder.wait()
        finally:
            processes.end(recorder)
        monitor.wait_for_end()
        samples = len(recording.of_type(file, "sample"))
        self.assertGreaterEqual(samples, monitor.answered - 1, f"killed after {delay} s")
        self.assertLessEqual(samples, monitor.answered)
        done = watcher.run("report", "--format", "json", file)
        if samples > 0:
            self.assertEqual(done.returncode, 0, done.stderr)
            said = json.loads(done.stdout)
            self.assertEqual((said["run"]["samples"], said["end"]["reason"]), (samples, None))
        else:
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        return samples


if __name__ == "__main__":
    unittest.main(verbosity=2)
