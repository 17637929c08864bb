"""`benchctl explain`: which functions changed, in samples of the arms of a session.

tests/bench/profiles.py measures how small a change is found, and how often wrongly. Here it is a
function that takes twice as long. The second class has programs that are hostile to a profiler:
their session ends with an explanation or an error, and the daemon is not affected.

BENCHD_TEST_SOAK=1 has the full sizes.
"""

import contextlib
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import time
import unittest
import uuid
import xml.etree.ElementTree

import perf_events
from main import SOAK, main, seed
from support import (FAILED, PASS, PROGRAMS, REGRESSION, TIMEOUT_S, UNDECIDED, USAGE, DaemonTest,
                     wait_for_no_process_with)

PROFILED = PROGRAMS / "profiled"
VERDICTS = {"pass": PASS, "regression": REGRESSION, "undecided": UNDECIDED}
# Few functions and a large change: some hundred samples are enough, on a busy machine as well.
OFTEN = ("--frequency", "4000")
SVG = "{http://www.w3.org/2000/svg}"


class ProfileTest(DaemonTest):
    @classmethod
    def setUpClass(cls):
        refusal = perf_events.refusal()
        if refusal:
            raise unittest.SkipTest(refusal)

    def measured(self, base, candidate):
        """The ID of a session of two runs of each command."""
        done = self.benchctl_json("compare", "--runs", "2", "--warmup", "0", "--metric",
                                  "cpu_time:2%", base, candidate)
        self.assertIn(done.code, VERDICTS.values(), done)
        return done.events[-1]["session"]

    def explain(self, *words, runs=8):
        done = self.benchctl_json("explain", *words, *OFTEN, "--runs", str(runs))
        self.assert_exit(done, PASS)
        return done.events[-1]

    def one_explanation(self, last):
        self.assertEqual(len(last["explanations"]), 1, last)
        explanation = last["explanations"][0]
        self.assertGreater(explanation["samples_reference"], 0)
        self.assertGreater(explanation["samples_candidate"], 0)
        return explanation

    def changed(self, explanation):
        return [one["function"] for one in explanation["functions"] if one["changed"]]


class ExplainTest(ProfileTest):
    def test_the_function_that_takes_twice_as_long_is_found_and_shown(self):
        session = self.measured(f"{PROFILED} work 1", f"{PROFILED} work 2")
        history = self.benchctl("history").stdout
        last = self.explain(session, "--svg", "flame.svg")
        self.assertNotEqual(last["session"], session)
        with self.subTest("found"):
            self.assert_found(self.one_explanation(last))
        with self.subTest("shown again"):
            self.assert_shown_again(last)
        with self.subTest("not in the history"):
            self.assertEqual(self.benchctl("history").stdout, history)
            self.assertNotIn(last["session"], history)
        with self.subTest("drawn"):
            self.assert_drawn(self.folder / "flame.svg")
        with self.subTest("folded"):
            self.assert_folded(last["session"])
        with self.subTest("values"):
            self.assertEqual(self.values_of(session), 4, "runs of the measured session")

    def test_a_session_with_early_looks_is_explained(self):
        done = self.benchctl_json("compare", "--early-looks", "on", "--metric", "cpu_time:2%",
                                  f"{PROFILED} work 1", f"{PROFILED} work 2")
        self.assertIn(done.code, VERDICTS.values(), done)
        self.one_explanation(self.explain(done.events[-1]["session"], runs=2))

    def test_a_program_that_a_signal_ends_keeps_its_samples(self):
        killed = [f"sh -c '{PROFILED} work {number}; kill -9 $$'" for number in (1, 2)]
        done = self.benchctl_json("compare", "-i", "--runs", "2", "--warmup", "0", "--metric",
                                  "cpu_time:2%", *killed)
        self.assertIn(done.code, VERDICTS.values(), done)
        explanation = self.one_explanation(self.explain(done.events[-1]["session"], runs=4))
        self.assertEqual(explanation["blocks"], 4)

    def assert_found(self, explanation):
        first = explanation["functions"][0]
        self.assertIn("Grow", first["function"])
        self.assertEqual(self.changed(explanation)[:1], [first["function"]])
        self.assertGreater(first["self"]["lo"], 0)
        # Of four equal loops, one is executed twice.
        self.assertAlmostEqual(first["self_candidate"] / first["self_reference"], 2, delta=0.5)
        self.assertAlmostEqual(explanation["seconds_candidate"] / explanation["seconds_reference"],
                               1.25, delta=0.2)
        self.assertAlmostEqual(first["self"]["estimate"],
                               first["self_candidate"] - first["self_reference"], places=9)
        if "explained" in explanation:
            self.assertAlmostEqual(explanation["explained"], 1, delta=0.5)
        names = [one["function"] for one in explanation["functions"]]
        for name in ("Parse", "Merge", "Print"):
            self.assertTrue(any(name in one for one in names), names)
        self.assertLess(explanation["unnamed"], 0.1)

    def assert_shown_again(self, last):
        shown = self.session(last["session"])
        self.assertEqual(shown["report"]["explanations"], last["explanations"])
        again = self.benchctl_json("explain", last["session"])
        self.assert_exit(again, PASS)
        self.assertEqual(again.events[-1]["explanations"], last["explanations"])
        for words in (("explain", last["session"]), ("show", last["session"])):
            text = self.benchctl(*words)
            self.assertIn(text.code, VERDICTS.values(), text)
            self.assertIn("Grow", text.stdout)

    def assert_drawn(self, path):
        text = path.read_text()
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(root.tag, SVG + "svg")
        self.assertEqual(list(root.iter(SVG + "script")), [])
        self.assertNotIn("javascript:", text)
        attributes = {name for element in root.iter() for name in element.attrib}
        self.assertEqual([name for name in attributes if name.startswith("on")], [])
        titles = [title.text for title in root.iter(SVG + "title")]
        self.assertTrue(any("Grow" in (title or "") for title in titles), titles[:10])

    def assert_folded(self, session):
        done = self.benchctl("export", session, "--format", "folded")
        self.assert_exit(done, PASS)
        lines = done.stdout.splitlines()
        self.assertGreater(len(lines), 3)
        for line in lines:
            self.assertRegex(line, r"^\S.* \d+$")
        grown = [line for line in lines if "Grow" in line.rpartition(" ")[0].split(";")[-1]]
        self.assertNotEqual(grown, [], lines)
        self.assertTrue(any("main" in line for line in grown), grown)

    def values_of(self, session):
        """The number of rows of a session's runs."""
        done = self.benchctl("export", session, "--format", "csv")
        self.assert_exit(done, PASS)
        return len(done.stdout.splitlines()) - 1

    def test_the_same_program_twice_differs_in_no_function(self):
        session = self.measured(f"{PROFILED} work 1", f"{PROFILED} work 1")
        # Each has a probability of at most 1 % of a wrong function; both have 1 in 10,000.
        found = [self.changed(self.one_explanation(self.explain(session))) for _ in range(2)]
        self.assertIn([], found)

    def test_a_stripped_program_has_addresses_and_a_hint(self):
        if not shutil.which("strip"):
            self.skipTest("strip is not installed")
        bare = self.folder / "bare"
        subprocess.run(["strip", "-o", bare, PROFILED], check=True)
        session = self.measured(f"{bare} work 1", f"{bare} work 2")
        last = self.explain(session, runs=4)
        explanation = self.one_explanation(last)
        names = [one["function"] for one in explanation["functions"]]
        self.assertTrue(any(name.startswith("[bare+0x") for name in names), names)
        self.assertEqual([name for name in names if "Grow" in name], [])
        self.assertGreater(explanation["unnamed"], 0.5)
        text = self.benchctl("explain", last["session"])
        self.assert_exit(text, PASS)
        self.assertIn("build with symbols", " ".join(text.stdout.split()))

    def test_code_that_the_program_compiled_has_the_names_of_its_map(self):
        map_file = self.folder / "perf.map"
        map_file.write_text("1000000000 1000 compiled_loop\n")
        with removed_maps(map_file):
            session = self.measured(f"{PROFILED} jit {map_file}", f"{PROFILED} work 1")
            last = self.explain(session, runs=2)
        names = {one["function"] for one in self.one_explanation(last)["functions"]}
        self.assertTrue(any(name.startswith("compiled_loop") for name in names), names)

    def test_compare_explains_a_change_and_keeps_its_exit_code(self):
        # Twice the time: 8 runs decide that on a busy machine, too.
        slower = self.compare_and_explain("work 1", "work 5")
        self.assert_exit(slower, REGRESSION)
        self.assertIn("Grow", slower.stdout)
        same = self.compare_and_explain("work 1", "work 1")
        self.assertIn(same.code, VERDICTS.values(), same)
        self.assertEqual(same.code, VERDICTS[self.newest_verdict()], same)

    def compare_and_explain(self, base, candidate):
        return self.benchctl("compare", "--explain", "--runs", "8", "--max-time", "20s", "--metric",
                             "cpu_time:10%", f"{PROFILED} {base}", f"{PROFILED} {candidate}")

    def newest_verdict(self):
        """The verdict of the newest session that was not sampled."""
        for event in self.benchctl_json("list", "--all").events:
            shown = self.session(event["session"])
            if "profile" not in shown["spec"]:
                return shown["report"]["verdict"]
        raise AssertionError("no session")

    def test_only_comparisons_that_have_ended_are_explained(self):
        unknown = self.benchctl("explain", "zzzzzzzz")
        self.assertNotEqual(unknown.code, PASS)
        self.assert_one_error(unknown, "zzzzzzzz")
        nothing = self.benchctl("explain")
        self.assert_exit(nothing, USAGE)
        self.assert_one_error(nothing, "explain")

    def test_a_sampled_session_survives_a_kill_of_the_daemon(self):
        self.marker = f"explain-{os.getpid()}-{time.monotonic_ns()}"
        program = self.folder / self.marker
        shutil.copy(PROFILED, program)
        session = self.measured(f"{program} work 1", f"{program} work 2")
        self.explain(session, runs=2)
        before = self.leftovers()
        submitted = self.benchctl_json("explain", session, *OFTEN, "--runs", "8", "--detach")
        self.assert_exit(submitted, PASS)
        sampled = submitted.events[-1]["session"]
        self.wait_until_running(sampled)
        self.kill_and_restart()
        watched = self.benchctl_json("watch", sampled)
        self.assertIn(watched.code, VERDICTS.values(), f"{watched}\n{self.daemon.log_text()}")
        self.assert_found(self.one_explanation(watched.events[-1]))
        self.assertEqual(wait_for_no_process_with(self.marker), [])
        self.assertEqual(self.leftovers(), before)

    def wait_until_running(self, session):
        """Waits until a sampled run is being executed."""
        client = self.start_client("watch", session)
        client.next()
        deadline = time.monotonic() + TIMEOUT_S
        while wait_for_no_process_with(self.marker, timeout=0) == []:
            self.assertLess(time.monotonic(), deadline, "no run of the sampled session")
            time.sleep(0.005)
        client.close()

    def leftovers(self):
        """What a profile could leave: files, and open events and memory of the daemon's processes.

        benchd's own files differ in number only while it writes.
        """
        files = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                 if not path.name.startswith(("benchd.db", "client-"))}
        pids = (self.daemon.pid, self.daemon.runner_pid())
        return files, [perf_events.profile_files(pid) for pid in pids]


@contextlib.contextmanager
def removed_maps(file):
    """Removes the links in /tmp that `profiled jit` makes to a file. A JIT compiler leaves them."""
    try:
        yield
    finally:
        for path in pathlib.Path("/tmp").glob("perf-*.map"):
            with contextlib.suppress(FileNotFoundError):
                if path.samefile(file):
                    path.unlink()


def damaged(source, target, draw, names):
    """A copy of an ELF file in which the sections of these names have random bytes.

    Programs run without these sections: no segment contains them.
    """
    data = bytearray(source.read_bytes())
    table, = struct.unpack_from("<Q", data, 0x28)  # e_shoff
    entry, count, strings = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * entry) for i in range(count)]
    names_at = sections[strings][4]
    hit = []
    for name_at, _, _, _, offset, size in sections:
        name = bytes(data[names_at + name_at:]).split(b"\0", 1)[0].decode()
        if name in names:
            hit.append(name)
            data[offset:offset + size] = draw.randbytes(size)
    target.write_bytes(data)
    target.chmod(0o755)
    return hit


class HostileProfileTest(ProfileTest):
    """Sessions that sample a hostile candidate. Each has two runs of each arm."""

    def sample(self, candidate, base=f"{PROFILED} work 1"):
        """Samples both commands; returns the last event, which has an explanation or an error."""
        from grpc_client import Link, session_pb2
        arms = [session_pb2.Arm(command=command, cwd=str(self.folder))
                for command in (base, candidate)]
        spec = session_pb2.SessionSpec(
            benchmarks=[session_pb2.Benchmark(arms=arms)], warmup=0,
            limits=session_pb2.Limits(runs=2, timeout_seconds=30),
            profile=session_pb2.Profile(frequency_hz=1000),
            environment={"PATH": "/usr/bin:/bin"})
        link = Link(self.daemon.socket)
        self.addCleanup(link.close)
        session = link.submit(spec, str(uuid.uuid4()))
        watched = self.benchctl_json("watch", session)
        last = watched.events[-1]
        if watched.code == FAILED:
            self.assertEqual(last["event"], "failed", last)
            self.assertRegex(last["error"], r"^\S.+: \S.+")
        else:
            self.assertIn(watched.code, VERDICTS.values(), watched)
            self.one_explanation(last)
        print(f"{self.id().rpartition('.')[2]}: {last.get('error', 'explained')}", flush=True)
        return last

    def names(self, last):
        return [one["function"] for one in last["explanations"][0]["functions"]]

    def test_many_symbols(self):
        last = self.sample(f"{PROGRAMS / 'many_symbols'}")
        self.assertIn("main", " ".join(self.names(last)))
        self.assert_unharmed()

    def test_damaged_debug_information(self):
        draw = random.Random(seed())
        parts = {"symbols": (".symtab", ".strtab"),
                 "lines": (".debug_line", ".debug_line_str", ".debug_str"),
                 "entries": (".debug_info", ".debug_abbrev", ".debug_aranges", ".debug_rnglists")}
        for name, sections in parts.items():
            with self.subTest(name):
                program = self.folder / name
                self.assertNotEqual(damaged(PROFILED, program, draw, sections), [])
                self.sample(f"{program} work 1")
        self.assert_unharmed()

    def test_a_file_that_is_mapped_and_is_hardly_elf(self):
        draw = random.Random(seed())
        header = bytearray(draw.randbytes(8192))
        header[:64] = PROFILED.read_bytes()[:64]
        # Sections and segments beyond the end of the file, and as many as there can be.
        struct.pack_into("<QQ", header, 0x20, 2**63 - 64, 2**64 - 64)
        struct.pack_into("<HHHHH", header, 0x36, 56, 0xFFFF, 64, 0xFFFF, 0xFFFE)
        for name, content in (("beyond", header), ("random", draw.randbytes(8192)),
                              ("inside", header[:0x28] + struct.pack("<Q", 64) + header[0x30:])):
            with self.subTest(name):
                file = self.folder / name
                file.write_bytes(content)
                self.sample(f"{PROFILED} mapped {file}")
        self.assert_unharmed()

    def test_a_large_map_of_compiled_code(self):
        lines = "".join(f"{0x2000000000 + 64 * i:x} 40 compiled function {i} of a large program\n"
                        for i in range(20_000))
        map_file = self.folder / "perf.map"
        with map_file.open("w") as file:
            file.write("1000000000 1000 compiled_loop\n")
            while file.tell() < (2**30 if SOAK else 100_000_000):
                file.write(lines)
        with removed_maps(map_file):
            self.sample(f"{PROFILED} jit {map_file}")
        self.assert_unharmed()

    def test_many_threads(self):
        threads = 2000 if SOAK else 500
        last = self.sample(f"{PROGRAMS / 'spin'} {50_000 // threads} {threads}")
        self.assertIn("explanations", last)
        self.assert_unharmed()

    def test_a_program_that_executes_itself_again_and_again(self):
        last = self.sample(f"{PROFILED} exec {5000 if SOAK else 1000}")
        self.assertIn("Grow", " ".join(self.names(last)))
        self.assert_unharmed()


if __name__ == "__main__":
    main()
