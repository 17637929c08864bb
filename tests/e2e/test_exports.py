"""Exports for other programs, written with the result and by `export`."""

import json
import pathlib
import xml.etree.ElementTree as ElementTree

from main import main
from support import FAILED, PASS, REGRESSION, USAGE, DaemonTest

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden/client"
LINES = ("--parse", "lines", "--seed", "7", "--runs", "12")
FORMATS = ("csv", "json", "markdown", "junit", "github", "bmf")


class ExportsTest(DaemonTest):
    def compare(self, *words, code=REGRESSION):
        options = [word for name in FORMATS
                   for word in (f"--export-{name}", self.folder / f"out.{name}")]
        done = self.benchctl_json("compare", *LINES, *options, *words)
        self.assert_exit(done, code)
        return done.events[-1]

    def written(self, name):
        return (self.folder / f"out.{name}").read_text()

    def test_each_file_is_what_export_prints(self):
        last = self.compare("--metric", "t:2%:lower", "--metric", "rate:2%:higher",
                            self.values("t:100:1", "rate:50:1"),
                            self.values("t:110:1", "rate:50:1"))
        for name in FORMATS:
            printed = self.benchctl("export", last["session"], "--format", name)
            self.assert_exit(printed, PASS)
            self.assertEqual(self.written(name), printed.stdout, name)
        self.assertEqual(sorted(path.name for path in self.folder.glob("*out.*")),
                         sorted(f"out.{name}" for name in FORMATS), "nothing else is left")

        cases = ElementTree.fromstring(self.written("junit")).findall("./testsuite/testcase")
        self.assertEqual([case.get("name") for case in cases],
                         ["candidate vs base: t", "candidate vs base: rate"])
        self.assertIsNotNone(cases[0].find("failure"))

        series = json.loads(self.written("github"))
        self.assertEqual([one["name"] for one in series], ["main: t", "main: rate (reciprocal)"])
        gates = {c["metric"]: c for c in last["comparisons"] if c["role"] == "gate"}
        self.assertEqual(series[0]["value"], gates["t"]["mean_candidate"])
        self.assertAlmostEqual(series[1]["value"], 1 / gates["rate"]["mean_candidate"], places=12)

        self.assertIn("| `t` |", self.written("markdown"))

    def test_bencher_metric_format_reads_back(self):
        last = self.compare("--metric", "t:2%:lower", self.values("t:100:1"),
                            self.values("t:110:1"))
        mean = next(c["mean_candidate"] for c in last["comparisons"] if c["metric"] == "t")
        again = self.benchctl_json(
            "compare", "--parse", "bmf", "--metric", "main/t:lower", "--runs", "8",
            f"cat {self.folder}/out.bmf", f"cat {self.folder}/out.bmf")
        self.assert_exit(again, PASS)
        read = {c["metric"]: c["mean_candidate"] for c in again.events[-1]["comparisons"]}
        self.assertEqual(read["main/t"], mean)

    def test_a_watcher_exports_too(self):
        last = self.compare("--metric", "t:2%:lower", self.values("t:100:1"),
                            self.values("t:110:1"))
        done = self.benchctl("watch", last["session"], "--export-junit", self.folder / "w.xml")
        self.assert_exit(done, REGRESSION)
        self.assertEqual((self.folder / "w.xml").read_text(), self.written("junit"))

    def test_show_exports_too(self):
        last = self.compare("--metric", "t:2%:lower", self.values("t:100:1"),
                            self.values("t:110:1"))
        for words in ((), ("--json",)):
            place = self.folder / f"s{len(words)}.csv"
            done = self.benchctl("show", last["session"], *words, "--export-csv", place)
            self.assert_exit(done, PASS)
            self.assertEqual(place.read_text(), self.written("csv"))

    def test_of_several_candidates_the_order_is_told_and_warm_ups_are_not_exported(self):
        place = self.folder / "runs.csv"
        done = self.benchctl(
            "compare", *LINES, "--metric", "t:2%:lower", "--export-csv", place,
            self.values("t:100:1"), self.values("t:110:1"), self.values("t:150:1"))
        self.assert_exit(done, REGRESSION)
        factor = r"1\.\d\d \(1\.\d\d … 1\.\d\d\) times"
        self.assertRegex(done.stdout, rf"\nlowest t: base, then candidate {factor}, "
                                      rf"then candidate-2 {factor}\n")
        printed = self.benchctl("export", "--format", "csv")
        self.assertEqual(place.read_text(), printed.stdout)
        self.assertEqual(len(place.read_text().splitlines()), 1 + 3 * 12)

    def test_a_failed_session_is_an_error_and_never_a_pass(self):
        self.compare("true", self.script("echo no >&2; exit 7"), code=FAILED)
        case = ElementTree.fromstring(self.written("junit")).find("./testsuite/testcase")
        self.assertIn("exited with code 7", case.find("error").get("message"))
        self.assertEqual(json.loads(self.written("github")), [])
        self.assertEqual(json.loads(self.written("bmf")), {})
        self.assertIn("no verdict", self.written("markdown"))

    def test_a_typo_costs_nothing(self):
        done = self.benchctl("compare", "--export-json", "nowhere/out.json", "true", "true")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "--export-json", "nowhere/out.json", "No such file")
        self.assert_exit(self.benchctl("compare", "--export-csv", "-", "true", "true"), USAGE)
        self.assert_exit(
            self.benchctl("compare", "--detach", "--export-csv", "x", "true", "true"), USAGE)
        self.assertEqual(self.benchctl_json("list", "--all").events, [])

    def test_what_has_not_ended_has_no_result(self):
        gate = self.gate()
        client = self.start_client("compare", "--parse", "lines", "--metric", "n:lower",
                                   "--runs", "8", gate.command, gate.command)
        session = client.until("started")["session"]
        done = self.benchctl("export", session, "--format", "junit")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "has not ended")
        gate.open()
        self.assertEqual(client.finish(), PASS)
        self.assert_exit(self.benchctl("export", session, "--format", "junit"), PASS)

    def test_hostile_names_are_still_well_formed(self):
        documents = (GOLDEN / "export_junit.txt").read_text().split("\f\n")
        self.assertGreater(len(documents), 4)
        for document in filter(None, documents):
            ElementTree.fromstring(document)
        for name in ("github", "bmf"):
            for document in filter(None, (GOLDEN / f"export_{name}.txt").read_text().split("\f\n")):
                json.loads(document)


if __name__ == "__main__":
    main()
