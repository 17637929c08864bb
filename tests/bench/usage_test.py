"""Checks that the programs of `./dev bench` start and print their usage."""

import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class UsageTest(unittest.TestCase):
    def test_each_script_says_how_it_is_used(self):
        scripts = [path for path in HERE.glob("*.py") if path.name != pathlib.Path(__file__).name]
        scripts.append(HERE / "side_by_side" / "main.py")
        self.assertGreater(len(scripts), 5)
        for script in scripts:
            with self.subTest(script.name):
                done = subprocess.run([sys.executable, script, "--help"], capture_output=True,
                                      text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("usage: ", done.stdout)


if __name__ == "__main__":
    unittest.main()
