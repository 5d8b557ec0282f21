"""The committed dashboards are what generate.py writes, and its --check says when they are not."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from expressions import DASHBOARDS


def generate(folder, *arguments):
    return subprocess.run([sys.executable, folder / "generate.py", *arguments], capture_output=True, text=True)


class Generated(unittest.TestCase):
    def test_committed_is_generated(self):
        done = generate(DASHBOARDS, "--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_change_is_noticed_and_mended(self):
        with tempfile.TemporaryDirectory(prefix="qmpwatch-dashboards-") as name:
            folder = pathlib.Path(name, "dashboards")
            shutil.copytree(DASHBOARDS, folder)
            board = folder / "vm.json"
            board.write_text(board.read_text().replace("Throughput", "Speed"))
            done = generate(folder, "--check")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("vm.json", done.stdout)
            self.assertEqual(generate(folder).stdout, "vm.json written\n")
            self.assertEqual(board.read_bytes(), (DASHBOARDS / "vm.json").read_bytes())
            (folder / "fleet.json").unlink()
            self.assertEqual(generate(folder, "--check").returncode, 1)


if __name__ == "__main__":
    unittest.main()
