"""`benchctl similarity` and `agreement` over real files."""

import json
import os
import pathlib
import struct
import unittest

from main import main
from support import PASS, USAGE, DaemonTest

JMH_FOLDER = os.environ.get("BENCHD_JMH_DIR")


def runs(count, values, other=None):
    """Runs whose values are near 10, except those of run `other`, near 30."""
    return [[(30 if run == other else 10) + (value * 7 + run * 3) % 5 * 0.01
             for value in range(values)] for run in range(count)]


class SimilarityTest(DaemonTest):
    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assess(self, *words, code=PASS):
        done = self.benchctl_json("similarity", *words)
        self.assert_exit(done, code)
        return done

    def test_every_form_of_a_file_gives_the_same_answer(self):
        data = runs(4, 60, other=1)
        columns = "\n".join(",".join(map(repr, row)) for row in zip(*data))
        rows = "run,value\n" + "".join(
            f"r{run},{value!r}\n" for run, series in enumerate(data) for value in series)
        jmh = [{"benchmark": "org.example.Queue.offer", "mode": "avgt", "secondaryMetrics": {},
                "primaryMetric": {"scoreUnit": "s/op", "rawData": data}}]
        raw = b"".join(struct.pack("<60d", *series) for series in data)
        answers = self.assess(
            self.file("columns.csv", columns + "\n"), self.file("rows.csv", rows),
            self.file("arrays.json", json.dumps(data)), self.file("jmh.json", json.dumps(jmh)),
        ).events
        answers += self.assess("--shape", "4x60", self.file("raw.f64", raw)).events
        self.assertEqual(len(answers), 5)
        for answer in answers:
            self.assertEqual(answer["event"], "similarity")
            self.assertEqual((answer["runs"], answer["values"]), (4, 60))
            for measure in ("m1", "m2", "m3", "m4", "m5"):
                self.assertAlmostEqual(answer[measure], answers[0][measure], delta=1e-12)
            self.assertEqual(answer["same"]["labels"], [0, 1, 0, 0])
            self.assertEqual(answer["run_names"].index(answer["differs_most"]), 1)
        self.assertEqual(answers[1]["run_names"], ["r0", "r1", "r2", "r3"])
        self.assertEqual(answers[3]["benchmark"], "org.example.Queue.offer")

    def test_short_runs_are_not_assessed(self):
        answer = self.assess(self.file("short.json", json.dumps(runs(4, 49)))).events[0]
        self.assertFalse(answer["assessable"])
        self.assertEqual(answer["decision"], "not_assessable")

    def test_what_cannot_be_read_is_told_with_its_place_and_the_rest_is_assessed(self):
        good = self.file("good.json", json.dumps(runs(3, 60)))
        bad = self.file("bad.csv", "a,b\n1,2\n3,inf\n")
        done = self.assess(bad, good, code=USAGE)
        self.assertIn("bad.csv: line 3, column 3: 'inf' is not a finite number", done.stderr)
        self.assertEqual([one["file"] for one in done.events], [str(good)])
        unequal = self.file("unequal.json", "[[1, 2, 3], [1, 2]]")
        done = self.assess(unequal, code=USAGE)
        self.assertIn("unequal lengths", done.stderr)
        self.assertEqual(self.assess("--cut", unequal).events[0]["cut"], 1)

    def test_it_does_not_wait_for_a_session_that_runs(self):
        gate = self.gate()
        session = self.start_client(
            "compare", "--parse", "lines", "--metric", "n:2%:lower", "--runs", "2",
            gate.command, gate.command)
        gate.arrived()
        done = self.assess(self.file("a.json", json.dumps(runs(3, 60))))
        self.assertEqual(done.events[0]["event"], "similarity")
        gate.open()
        session.finish()

    def test_raters_agree_as_computed_by_hand(self):
        table = self.file("ratings.csv", "file,human,tool\ns1,similar,similar\n"
                          "s2,dissimilar,similar\ns3,dissimilar,dissimilar\n")
        done = self.benchctl_json("agreement", table, "--subjects", "file", "--truth", "human")
        self.assert_exit(done, PASS)
        answer = done.events[0]
        self.assertAlmostEqual(answer["kappa"], 1 / 3, delta=1e-12)
        self.assertEqual(answer["band"], "fair")
        confusion = answer["confusions"][0]
        self.assertEqual(confusion["counts"], [[1, 0], [1, 1]])
        self.assertEqual(confusion["scores"]["dissimilar"], {"sensitivity": 0.5, "specificity": 1})
        # The column may name the subjects or rate them; benchctl does not guess.
        done = self.benchctl("agreement", table)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "column 'file'", "--subjects file", "--raters")
        done = self.benchctl("agreement", self.file("hole.csv", "a,b\nx,\n"))
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "hole.csv: line 2, column 3: 'b' has no rating in this row")

    @unittest.skipUnless(JMH_FOLDER, "BENCHD_JMH_DIR is not set: the real JMH benchmarks are not "
                         "available")
    def test_forty_real_benchmarks_are_decided_as_the_reference_does(self):
        folder = pathlib.Path(JMH_FOLDER)
        lines = (folder / "index.csv").read_text().splitlines()[1:]
        expected = {line.split(",")[0]: line.split(",")[-4:-1] for line in lines}
        self.assertEqual(len(expected), 40)
        answers = self.assess("--shape", "10x3000", *(folder / name for name in expected)).events
        self.assertEqual(len(answers), 40)
        for answer in answers:
            found = ["dissimilar" if answer[variant]["above"] >= 3 else "similar"
                     for variant in ("literal", "shape")]
            found.append("dissimilar" if answer["same"]["clusters"] > 1 else "similar")
            self.assertEqual(found, expected[pathlib.Path(answer["file"]).name], answer["file"])


if __name__ == "__main__":
    main()
