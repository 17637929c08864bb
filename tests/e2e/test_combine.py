"""`combine`: one verdict from the exports of several machines, here made from one real export."""

import copy
import html
import json
import random
import re

from main import main
from support import PASS, REGRESSION, UNDECIDED, USAGE, DaemonTest

SEED = 20261123


class CombineTest(DaemonTest):
    @classmethod
    def tearDownClass(cls):
        cls.measured = None
        super().tearDownClass()

    measured = None

    def export(self):
        """The export of a real session, measured once."""
        if CombineTest.measured is None:
            path = self.folder / "one.json"
            done = self.benchctl("compare", "--parse", "lines", "--metric", "t:2%:lower", "--seed",
                                 "7", "--runs", "8", "--export-json", path,
                                 self.values("t:100:1"), self.values("t:101:1"))
            self.assertIn(done.code, (PASS, REGRESSION, UNDECIDED), done)
            CombineTest.measured = json.loads(path.read_text())
        return copy.deepcopy(CombineTest.measured)

    def machine(self, name, change, **given):
        """Writes `NAME.json`: the export, as if another machine had measured this change."""
        export = self.export()
        result = export["result"]
        export["session"] = result["session"] = given.get("session", f"s{name}")
        result["started_at"] = given.get("started_at", "2026-11-23T12:00:00Z")
        result["started"]["environment"]["machine"] = given.get("machine", f"{name:0>32}")
        for gate in result["report"]["comparisons"]:
            if gate["role"] != "gate":
                continue
            gate["change"] = {"estimate": change, "lo": change - 0.01, "hi": change + 0.01}
            gate["unit"] = "s"
            gate["margin"] = given.get("margin", 0.02)
            gate["mean_reference"] *= given.get("slowness", 1)
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(export))
        return path

    def combine(self, *words, code):
        done = self.benchctl_json("combine", *words)
        self.assert_exit(done, code)
        return done.events[0]

    def test_what_a_session_exports_names_its_machine_and_is_read(self):
        path = self.folder / "real.json"
        path.write_text(json.dumps(self.export()))
        machine = self.export()["result"]["started"]["environment"].get("machine")
        if machine is None:
            self.skipTest("no /etc/machine-id here")
        told = self.combine(path, path, code=UNDECIDED)
        self.assertEqual([one["machine"] for one in told["machines"]], [machine])
        self.assertEqual([warning["code"] for warning in told["warnings"]], ["counted_once"])

    def test_four_machines_are_a_verdict_and_three_a_table(self):
        same = [self.machine(f"a{i}", 0.001 * i) for i in range(4)]
        slower = [self.machine(f"b{i}", 0.1 + 0.001 * i) for i in range(4)]
        told = self.combine(*same, code=PASS)
        self.assertEqual(told["comparisons"][0]["machines"], 4)
        self.combine(*slower, code=REGRESSION)
        self.combine(*slower[:3], code=UNDECIDED)
        done = self.benchctl("combine", "--expect-machines", "5", *slower)
        self.assert_exit(done, UNDECIDED)
        self.assertIn("error: combine: 1 machine of 5 missing", done.stderr)
        self.assertIn("UNDECIDED: 4 of 5 machines", done.stdout)

    def test_a_report_of_them_begins_with_their_verdict(self):
        paths = [self.machine(f"r{i}", 0.1 + 0.001 * i) for i in range(4)]
        page = self.folder / "machines.html"
        self.assert_exit(self.benchctl("report", *paths, "-o", page), PASS)
        text = page.read_text()
        self.assertIn("<h2>4 machines</h2>", text)
        # A mark of each machine, and one of each of the eight blocks of its session.
        self.assertEqual(text.count('class="unit candidate"'), 4 + 4 * 8)
        told = self.benchctl("combine", *paths)
        verdict = " ".join(told.stdout.split())
        found = re.search(r"<p class=\"lede\">(REGRESSION: [^<(]*)", text).group(1)
        self.assertIn(html.unescape(found).strip(), verdict)

    def test_what_is_odd_is_said_in_a_line_each_and_nothing_counts_twice(self):
        random.seed(SEED)
        paths = [self.machine(f"c{i}", 0.001 * random.random()) for i in range(4)]
        paths.append(self.machine("late", 0.0005, started_at="2026-11-23T14:00:00Z"))
        paths.append(self.machine("fast", 0.0007, slowness=0.5))
        paths.append(self.machine("copy", 0.0001, session="sc1"))
        cut = self.folder / "cut.json"
        cut.write_text(paths[0].read_text()[:-200])
        told = self.combine(*paths, cut, code=PASS)
        self.assertEqual(len(told["machines"]), 6, f"seed {SEED}")
        self.assertEqual(sorted(warning["code"] for warning in told["warnings"]),
                         ["counted_once", "machine_speed", "measured_apart", "not_counted"])
        shown = self.benchctl("combine", *paths, cut)
        self.assertEqual(shown.stdout.count("\nwarning: "), 4)

    def test_another_comparison_is_refused_by_what_differs(self):
        paths = [self.machine("d1", 0), self.machine("d2", 0, margin=0.05)]
        done = self.benchctl("combine", *paths)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "d2.json", "another margin")
        other = self.folder / "runs.csv"
        other.write_text("arm,t\na,1\n")
        self.assert_one_error(self.benchctl("combine", other), "runs.csv", "not a JSON export")


if __name__ == "__main__":
    main()
