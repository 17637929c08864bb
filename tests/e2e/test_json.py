"""`--json` prints one valid object per line with the documented fields, and never null."""

import csv
import io
import json
import pathlib
import re
import unittest

from main import main
from support import FAILED, PASS, REGRESSION, DaemonTest, assert_finite, read_line

try:
    import json_schema
except ImportError:
    json_schema = None

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden/client"
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
COMMON = {"event", "session", "time"}
REPORT = COMMON | {"state", "verdict", "basis", "elapsed_s", "runs", "disturbances", "comparisons",
                   "warnings"}
# Always present in a gate once there are enough blocks for an interval.
GATE = {"benchmark", "reference", "candidate", "metric", "unit", "role", "better", "margin",
        "confidence", "method", "estimator", "n_reference", "n_candidate", "mean_reference",
        "mean_candidate", "sd_reference", "sd_candidate", "change", "difference", "p_value",
        "verdict", "decided"}
INFO_NEVER = {"verdict", "decided", "margin"}
LINES = ("--parse", "lines", "--metric", "t:2%:lower", "--seed", "7")


@unittest.skipIf(json_schema is None, "python3-jsonschema is not installed")
class SchemaTest(DaemonTest):
    """Every line that a test reads is checked against docs/schema; see support.read_line()."""

    def test_the_schema_is_one(self):
        json_schema.jsonschema.Draft202012Validator.check_schema(json_schema.SCHEMA)

    def test_what_is_not_described_is_found(self):
        line = {"event": "cancel", "session": "k3", "time": "2026-01-02T03:04:05Z",
                "state": "done"}
        self.assertEqual(json_schema.problems(line), [])
        for wrong in ({**line, "more": 1}, {**line, "state": "gone"}, {**line, "time": "today"},
                      {**line, "event": "cancelling"}, {"event": "cancel"}, {}):
            self.assertNotEqual(json_schema.problems(wrong), [], wrong)

    def test_every_line_of_the_golden_files_is_described(self):
        lines = [line for path in sorted(GOLDEN.glob("*.jsonl"))
                 for line in path.read_text().splitlines()]
        self.assertGreater(len(lines), 20)
        for line in lines:
            self.assertEqual(json_schema.problems(json.loads(line)), [], line[:200])

    def test_version_names_the_schema(self):
        self.assertEqual(self.benchctl_json("version").events[0]["schema"],
                         json_schema.SCHEMA["version"])


class JsonTest(DaemonTest):
    def events(self, code, *words):
        done = self.benchctl_json("compare", *words)
        self.assert_exit(done, code)
        if code != FAILED:  # a failure is also reported on stderr
            self.assertEqual(done.stderr, "")
        events = done.events
        for event in events:
            self.assertLessEqual(COMMON, set(event))
            self.assertRegex(event["time"], RFC_3339)
            assert_finite(self, event)
        self.assertEqual(len({event["session"] for event in events}), 1)
        return events

    def test_a_session_is_told_from_queued_to_verdict(self):
        events = self.events(
            REGRESSION, *LINES, self.values("t:100:1", "size:7:0:0"),
            self.values("t:110:1", "size:7:0:0"))
        names = [event["event"] for event in events]
        # A slow client misses early events but never their order or the last one.
        self.assertEqual(names, sorted(
            names, key=["queued", "started", "update", "verdict"].index))
        self.assertEqual(names.count("started"), 1)
        self.assertEqual(names[-1], "verdict")

        started = next(event for event in events if event["event"] == "started")
        self.assertLessEqual({"environment", "isolation", "seed"}, set(started))
        self.assertEqual(started["seed"], "7")
        for setting in started["isolation"]:
            self.assertLessEqual({"setting", "wanted", "held"}, set(setting))
            self.assertLessEqual(set(setting), {"setting", "wanted", "actual", "held", "why"})
            self.assertIsInstance(setting["held"], bool)
            # A setting that this machine lacks has a reason instead of an actual value.
            self.assertTrue("actual" in setting or setting["why"], setting)

    def test_the_verdict_has_every_field_of_the_contract(self):
        verdict = self.events(
            REGRESSION, *LINES, self.values("#! unit=s", "t:100:1", "size:7:0:0"),
            self.values("#! unit=s", "t:110:1", "size:7:0:0"))[-1]
        self.assertLessEqual(REPORT, set(verdict))
        self.assertEqual(verdict["state"], "done")
        self.assertEqual(verdict["verdict"], "regression")
        self.assertEqual(verdict["basis"], "interval")
        # With one benchmark, arms have no prefix with its name.
        self.assertEqual(set(verdict["runs"]), {"base", "candidate"})
        gates = [c for c in verdict["comparisons"] if c["role"] == "gate"]
        self.assertEqual(len(gates), 1)
        gate = gates[0]
        self.assertLessEqual(GATE, set(gate))
        self.assertEqual(gate.get("flag", "none"), "none")
        self.assertEqual(
            {k: gate[k] for k in ("benchmark", "reference", "candidate", "metric", "better",
                                  "margin", "confidence", "method", "estimator", "unit")},
            {"unit": "s", "benchmark": "main", "reference": "base", "candidate": "candidate", "metric": "t",
             "better": "lower", "margin": 0.02, "confidence": 0.99, "method": "paired",
             "estimator": "mean"})
        self.assertEqual(gate["n_reference"], verdict["runs"]["base"])
        self.assertEqual(set(gate["change"]), {"estimate", "lo", "hi"})
        self.assertEqual(set(gate["difference"]), {"estimate", "lo", "hi"})
        self.assertEqual(set(gate["decided"]), {"blocks", "lo", "hi"})
        # `change` is candidate/reference - 1.
        self.assertAlmostEqual(
            gate["change"]["estimate"], gate["mean_candidate"] / gate["mean_reference"] - 1,
            delta=1e-3)
        self.assertAlmostEqual(
            gate["difference"]["estimate"], gate["mean_candidate"] - gate["mean_reference"],
            places=9)

        infos = [c for c in verdict["comparisons"] if c["role"] == "info"]
        self.assertIn("size", {c["metric"] for c in infos})
        self.assertIn("wall_time", {c["metric"] for c in infos})
        for info in infos:
            self.assertIn(info["flag"], ("improvement", "worse", "none"))
            self.assertEqual(INFO_NEVER & set(info), set(), info)

    def test_updates_are_reports_too_and_their_runs_only_grow(self):
        events = self.events(
            PASS, *LINES, "--method", "fixed", "--runs", "200", self.values("t:100:1"),
            self.values("t:100:1"))
        updates = [event for event in events if event["event"] == "update"]
        counts = [update["runs"]["base"] for update in updates]
        self.assertEqual(counts, sorted(counts))
        for update in updates:
            self.assertLessEqual(REPORT - {"warnings"}, set(update))

    def test_a_benchmark_without_a_name_is_main(self):
        verdict = self.events(PASS, *LINES, self.values("t:100:1"), self.values("t:100:1"))[-1]
        self.assertEqual({c["benchmark"] for c in verdict["comparisons"]}, {"main"})

    def test_a_failure_is_told_with_its_run(self):
        failed = self.events(FAILED, "true", self.script("echo no >&2; exit 7"))[-1]
        self.assertEqual(failed["event"], "failed")
        self.assertLessEqual({"error", "run"}, set(failed))
        self.assertLessEqual(
            {"benchmark", "arm", "block", "exit_code", "stderr_tail"}, set(failed["run"]))
        self.assertEqual(failed["run"]["exit_code"], 7)

    def test_every_command_has_json(self):
        session = self.events(PASS, *LINES, self.values("t:100:1"), self.values("t:100:1"))[-1][
            "session"]
        for words in (["list", "--all"], ["show", session], ["version"],
                      ["export", session, "--format", "json"]):
            with self.subTest(words=words):
                done = self.benchctl_json(*words)
                self.assert_exit(done, 0)
                self.assertNotEqual(done.events, [])
                for event in done.events:
                    assert_finite(self, event)

    def test_the_csv_export_has_a_row_for_each_measured_run(self):
        verdict = self.events(REGRESSION, *LINES, self.values("t:100:1"), self.values("t:110:1"))[-1]
        done = self.benchctl("export", verdict["session"], "--format", "csv")
        self.assert_exit(done, 0)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(
            list(rows[0])[:6], ["arm", "role", "benchmark", "pair", "order", "started_at"])
        blocks = verdict["runs"]["base"]
        self.assertEqual(len(rows), 2 * blocks)
        for arm in ("base", "candidate"):
            values = [float(row["t"]) for row in rows if row["arm"] == arm]
            mean = verdict["comparisons"][0][
                "mean_reference" if arm == "base" else "mean_candidate"]
            self.assertEqual(len(values), blocks)
            # The printed numbers have six decimals; sums of fewer than 1000 of them agree to 1e-9.
            self.assertAlmostEqual(sum(values) / blocks, mean, places=9)
        times = [row["started_at"] for row in rows]
        self.assertEqual(times, sorted(times))
        with_warmup = self.benchctl(
            "export", verdict["session"], "--format", "csv", "--with-warmup")
        self.assertEqual(len(with_warmup.stdout.splitlines()), 1 + 2 * (blocks + 1))

    def test_the_json_export_says_what_the_csv_says(self):
        session = self.events(PASS, *LINES, self.values("t:100:1"), self.values("t:100:1"))[-1][
            "session"]
        done = self.benchctl("export", session, "--format", "json")
        self.assert_exit(done, 0)
        for line in done.stdout.splitlines():
            assert_finite(self, read_line(line))

    def test_values_of_the_environment_are_never_told(self):
        secret = "correct-horse-battery-staple"
        done = self.benchctl_json(
            "compare", *LINES, "--env", f"PASSWORD={secret}", self.values("t:100:1"),
            self.values("t:100:1"))
        self.assert_exit(done, PASS)
        session = done.events[-1]["session"]
        for words in (["show", session], ["show", session, "--json"],
                      ["export", session, "--format", "json"], ["list", "--all", "--json"]):
            shown = self.benchctl(*words)
            self.assert_exit(shown, 0)
            self.assertNotIn(secret, shown.stdout)
        self.assertNotIn(secret, done.stdout)
        # It is also deleted from disk when the session has ended.
        for file in (self.folder / "state").rglob("*"):
            if file.is_file():
                self.assertNotIn(secret.encode(), file.read_bytes(), file)


if __name__ == "__main__":
    main()
