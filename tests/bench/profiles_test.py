"""Checks what profiles.py plants, and how it judges an explanation."""

import contextlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import profiles  # noqa: E402
from planted_programs import FUNCTIONS, LARGE, PROGRAMS, Plant  # noqa: E402

# What profiles show, or would show, of functions 0, 16 and 24 of each program.
NAMES = {
    "c++": ("unsigned long (anonymous namespace)::Mix<0>(unsigned long, unsigned int)",
            "(anonymous namespace)::Table<16>::Walk(unsigned long, unsigned int)_[i]",
            "Plain24_[i]"),
    "c": ("scan (pages_a.c)", "parse (pages_b.c)", "erase.constprop.0 (pages_b.c)"),
    "rust": ("stages::plain_0", "<stages::Stage16 as stages::Stage>::run",
             "stages::inlined_24_[i]"),
    "python": ("stage_0", "stage_16", "stage_24"),
    "threads": ("stage_0", "stage_16", "stage_24"),
}


def change(name, estimate, changed=True):
    return {"function": name, "changed": changed,
            "self": {"estimate": estimate, "lo": estimate / 2, "hi": 2 * estimate}}


class PlantTest(unittest.TestCase):
    def test_only_the_planted_function_does_more_work(self):
        for seed in range(20):
            plant = Plant(seed)
            base, slower = plant.rounds(9000), plant.rounds(9000, 0.1)
            different = [i for i in range(FUNCTIONS) if base[i] != slower[i]]
            self.assertEqual(different, [plant.function])
            self.assertAlmostEqual(slower[plant.function] / base[plant.function], 1.1, delta=0.001)
            self.assertTrue(0.1 < plant.share(plant.function) < 0.2)
            self.assertAlmostEqual(sum(map(plant.share, range(FUNCTIONS))), 1)
            self.assertGreater(min(base), 0)

    def test_the_seed_decides_which(self):
        functions = {Plant(seed).function for seed in range(200)}
        self.assertGreater(len(functions), 25)
        self.assertEqual(Plant("1 c 0").order, Plant("1 c 0").order)
        self.assertEqual(len(LARGE), 4)

    def test_a_pattern_finds_one_function_of_its_program(self):
        for name, program in PROGRAMS.items():
            for number, shown in zip((0, 16, 24), NAMES[name]):
                found = [i for i in range(FUNCTIONS) if re.search(program.pattern(i), shown)]
                self.assertEqual(found, [number], shown)

    @unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
    def test_the_versions_of_a_program_have_the_same_code(self):
        with tempfile.TemporaryDirectory(prefix="benchd-profiles-", dir="/tmp") as folder:
            program, plant = PROGRAMS["c"], Plant(1)
            code = []
            for version, more in (("base", 0.0), ("slower", 0.1)):
                built = pathlib.Path(folder) / version
                program.build(built, plant.rounds(program.per_call, more))
                dumped = subprocess.run(["objcopy", "-O", "binary", "--only-section=.text",
                                         built / program.name, "/dev/stdout"],
                                        check=True, capture_output=True)
                code.append(dumped.stdout)
            self.assertEqual(code[0], code[1])
            self.assertGreater(len(code[0]), 1000)


class JudgementTest(unittest.TestCase):
    def judged(self, *functions, pattern=r"^scan\b.* \(pages_a\.c\)"):
        return profiles.judged({"functions": list(functions)}, pattern)

    def test_the_planted_function_first_and_alone(self):
        found = self.judged(change("scan (pages_a.c)", 0.01),
                            change("fold (pages_a.c)", 0.02, changed=False))
        self.assertEqual(found, {"right": True, "others": []})

    def test_the_same_name_in_the_other_file_is_another_function(self):
        found = self.judged(change("scan (pages_b.c)", 0.02), change("scan (pages_a.c)", 0.01))
        self.assertEqual(found, {"right": False, "others": ["scan (pages_b.c)"]})

    def test_the_size_of_the_change_decides_not_its_sign(self):
        found = self.judged(change("scan (pages_a.c)", 0.01), change("hash (pages_a.c)", -0.02))
        self.assertEqual(found, {"right": False, "others": ["hash (pages_a.c)"]})

    def test_nothing_found(self):
        self.assertEqual(self.judged(), {"right": False, "others": []})
        self.assertEqual(self.judged(change("scan (pages_a.c)", 0.01), pattern=None),
                         {"right": False, "others": ["scan (pages_a.c)"]})

    def test_the_table_counts_sessions(self):
        def record(kind, right, others, seconds):
            return {"program": "c", "kind": kind, "right": right, "others": others, "blocks": 20,
                    "seconds": seconds}

        records = [record("planted", True, [], 10.0), record("planted", True, ["a", "b"], 11.0),
                   record("planted", False, [], 12.0), record("same", False, ["a"], 13.0)]
        [row] = profiles.rows_of(records)
        self.assertEqual(row, {"program": "c", "sessions": "3 and 1", "right": 2, "others": 1,
                               "same": 1, "blocks": 20, "seconds": 11.5})
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            profiles.print_found(records, profiles.parse_arguments([]))
        self.assertIn("| c       | 3 and 1  | 2           | 1             | 1          | 20     |",
                      shown.getvalue())


if __name__ == "__main__":
    unittest.main()
