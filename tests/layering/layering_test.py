"""Checks that the includes respect layers.py and that the check detects violations."""

import pathlib
import re
import tempfile
import unittest

import check_includes
import layers

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


class LayeringTest(unittest.TestCase):
    def test_every_include_of_the_project_keeps_to_the_table(self):
        self.assertEqual(check_includes.check_tree(REPOSITORY), [])

    def test_every_row_has_its_folder(self):
        for module, row in layers.TABLE.items():
            self.assertTrue((REPOSITORY / row["in"] / module).is_dir(), module)
        for room in layers.ROOMS:
            self.assertTrue((REPOSITORY / "client" / room).is_dir(), room)

    def test_a_warning_is_made_with_its_codes_severity_and_hint(self):
        past_it = re.compile(r'Warning\s*\{\s*\.?\w|\.code\s*=\s*"')
        for top in check_includes.TOPS:
            for file in sorted((REPOSITORY / top).rglob("*.cc")):
                if file == REPOSITORY / "core/model/warning.cc":
                    continue
                found = past_it.search(file.read_text(encoding="utf-8"))
                self.assertIsNone(found, f"{file}: {found}: use MakeWarning()")

    def test_nothing_is_decided_by_the_words_of_a_message(self):
        """Text is for people: what a client has to know is a field, a code or a trailer."""
        allowed = {
            "client/app/dispatch.cc": "an error of this process, which is rephrased",
            "client/commands/analyze.cc": "likewise",
            "client/link/daemon_link.cc": "texts of gRPC, which has no code for what they say",
            "client/link/login.cc": "what ssh and a benchctl on the other machine print",
            "client/pool/pool.cc": "what Slurm prints",
            "client/database/postgres_history.cc": "the newline at the end of libpq's",
            "client/present/findings.cc": "whether a line has to name the arm: layout alone",
        }
        texts = "message|why|hint|error|error_message|error_details|stderr_tail|log|what|finding"
        compared = re.compile(
            rf"\b(?:{texts})(?:\(\))?\s*\.\s*(?:starts_with|ends_with|find|contains|compare)\(")
        for file in sorted((REPOSITORY / "client").rglob("*.cc")):
            name = file.relative_to(REPOSITORY).as_posix()
            found = compared.search(file.read_text(encoding="utf-8"))
            if name in allowed:
                self.assertIsNotNone(found, f"{name} needs no exception any more")
            else:
                self.assertIsNone(found, f"{name}: {found}")

    def test_the_readme_has_the_same_table(self):
        words = {"Boost.Math": ["boost"], "gRPC": ["grpc"], "generated code": ["generated"],
                 "system calls": [], "–": []}
        described = {}
        for line in (REPOSITORY / "daemon/README.md").read_text().splitlines():
            row = re.match(r"\| `(core/|proto/|../|)(\w+)/` \|.*\| (.*) \|$", line)
            if row:
                top, module, may = row.groups()
                if module != "client":
                    self.assertEqual(layers.TABLE[module]["in"] + "/", top or "daemon/")
                described[module] = {
                    name for word in may.split(", ") for name in words.get(word, [word])}
        self.assertEqual(described.pop("client"), set(layers.CLIENT["may"]))
        self.assertEqual(
            described, {module: set(row["may"]) for module, row in layers.TABLE.items()})

    def test_the_readme_has_the_same_table_of_the_client(self):
        described = {}
        for line in (REPOSITORY / "daemon/README.md").read_text().splitlines():
            row = re.match(r"\| `../client/(\w+)/` \|.*\| (.*) \|$", line)
            if row:
                room, may = row.groups()
                described[room] = set(may.split(", "))
        self.assertEqual(described.pop("commands"), {"all but database"})
        self.assertEqual(
            {"commands": set(layers.ROOMS) - {"commands", "database"}, **described},
            {room: set(may) for room, may in layers.ROOMS.items()})

    def test_a_folder_of_the_client_includes_six_others_at_most(self):
        for room, may in layers.ROOMS.items():
            self.assertNotIn(room, may)
            self.assertTrue(set(may) <= set(layers.ROOMS), room)
            if room != "commands":
                self.assertLessEqual(len(may), 6, room)
                self.assertNotIn("commands", may, room)

    def test_no_row_of_the_client_allows_what_nobody_includes(self):
        needed = {room: set() for room in layers.ROOMS}
        for file in (REPOSITORY / "client").rglob("*"):
            if file.suffix not in (".h", ".cc"):
                continue
            room = file.relative_to(REPOSITORY / "client").parts[0]
            for _, quoted, _ in check_includes.includes_of(file):
                if quoted and quoted.startswith("client/"):
                    needed[room].add(quoted.split("/")[1])
        for room, may in layers.ROOMS.items():
            self.assertEqual(needed[room] - {room}, set(may), room)

    def test_rows_name_only_rows_above_them_or_libraries(self):
        # A module may only include modules above it, and there are no cycles.
        def reaches(module, seen):
            for name in layers.TABLE[module]["may"]:
                if name in layers.TABLE and name not in seen:
                    seen.add(name)
                    reaches(name, seen)
            return seen

        for module, row in layers.TABLE.items():
            for name in row["may"]:
                self.assertIn(name, [*layers.TABLE, *layers.OWNED], module)
            self.assertNotIn(module, reaches(module, set()), f"{module} is in an include cycle")


class FixtureTest(unittest.TestCase):
    """One tree per kind of rule, each with one violating include."""

    def problems(self, path, line):
        return self.problems_of({path: line})

    def problems_of(self, line_of):
        with tempfile.TemporaryDirectory(prefix="benchd-layering-") as root:
            for path, line in line_of.items():
                file = pathlib.Path(root, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"#pragma once\n\n#include <string>\n{line}\n")
            return check_includes.check_tree(root)

    def assert_refused(self, path, line, what):
        self.assertEqual(self.problems(path, line), [f"{path}:4: {what}"])

    def assert_allowed(self, path, line):
        self.assertEqual(self.problems(path, line), [])

    def test_a_layer_may_not_include_one_above_it(self):
        self.assert_refused(
            "core/base/a.h", '#include "core/model/run.h"',
            'base may not include model ("core/model/run.h")')
        self.assert_refused(
            "daemon/store/a.cc", '#include "daemon/session/run_session.h"',
            'store may not include session ("daemon/session/run_session.h")')
        self.assert_refused(
            "daemon/runner_link/a.cc", '#include "daemon/store/store.h"',
            'runner_link may not include store ("daemon/store/store.h")')

    def test_a_layer_may_include_itself_and_those_below_it(self):
        self.assert_allowed("daemon/queue/a.h", '#include "daemon/queue/queue.h"')
        self.assert_allowed("daemon/queue/a.h", '#include "core/parse/command_line.h"')
        self.assert_allowed("daemon/runner/a.cc", '#include "daemon/kernel/kernel_files.h"')

    def test_statistics_are_pure(self):
        for header, group in [
            ("asio.hpp", "asio"), ("grpcpp/grpcpp.h", "grpc"), ("sqlite3.h", "sqlite"),
            ("spdlog/spdlog.h", "spdlog"), ("fmt/ostream.h", "spdlog"), ("chrono", "chrono"),
            ("thread", "thread"), ("mutex", "thread"), ("filesystem", "filesystem"),
            ("fstream", "stream"), ("unistd.h", "system"), ("sys/stat.h", "system"),
        ]:
            self.assert_refused(
                "core/stats/a.cc", f"#include <{header}>",
                f"stats may not include {group} (<{header}>)")
        self.assert_allowed("core/stats/a.cc", "#include <boost/math/distributions/normal.hpp>")
        self.assert_allowed("core/stats/a.cc", "#include <fmt/format.h>")

    def test_values_and_planning_do_no_io(self):
        for module in ("model", "parse", "analysis"):
            for header, group in [("fstream", "stream"), ("asio/io_context.hpp", "asio"),
                                  ("unistd.h", "system"), ("filesystem", "filesystem")]:
                self.assert_refused(
                    f"{layers.TABLE[module]['in']}/{module}/a.cc", f"#include <{header}>",
                    f"{module} may not include {group} (<{header}>)")
        self.assert_allowed("core/model/a.h", "#include <chrono>")
        self.assert_refused("daemon/session/schedule.cc", "#include <asio/post.hpp>",
                            "session may not include asio (<asio/post.hpp>)")
        self.assert_allowed("daemon/session/a.cc", "#include <asio/post.hpp>")

    def test_libraries_stay_with_their_owners(self):
        self.assert_refused(
            "daemon/session/a.cc", "#include <grpcpp/server.h>",
            "session may not include grpc (<grpcpp/server.h>)")
        self.assert_refused(
            "daemon/queue/a.cc", '#include "benchd/v1/session.pb.h"',
            "queue may not include generated (<benchd/v1/session.pb.h>)")
        self.assert_refused(
            "daemon/rpc/a.cc", "#include <sqlite3.h>", "rpc may not include sqlite (<sqlite3.h>)")
        self.assert_refused(
            "daemon/runner/a.cc", "#include <asio/post.hpp>",
            "runner may not include asio (<asio/post.hpp>)")
        self.assert_refused(
            "proto/convert/a.cc", "#include <grpcpp/server.h>",
            "convert may not include grpc (<grpcpp/server.h>)")
        self.assert_allowed("proto/convert/a.cc", '#include "benchd/v1/session.pb.h"')
        self.assert_allowed("daemon/store/a.cc", "#include <sqlite3.h>")
        self.assert_allowed("daemon/rpc/a.cc", '#include "benchd/v1/session.grpc.pb.h"')

    def test_the_client_knows_nothing_of_the_daemon(self):
        self.assert_refused(
            "client/app/a.cc", '#include "daemon/queue/queue.h"',
            'client may not include queue ("daemon/queue/queue.h")')
        self.assert_refused(
            "client/app/a.cc", '#include "daemon/config.h"',
            'client may not include daemon ("daemon/config.h")')
        self.assert_refused(
            "daemon/rpc/a.cc", '#include "client/present/text.h"',
            'rpc may not include "client/present/text.h"')
        self.assert_allowed("client/present/a.cc", '#include "benchd/v1/session.pb.h"')
        self.assert_allowed("client/app/a.cc", '#include "core/analysis/table_analysis.h"')

    def test_the_folders_of_the_client_keep_to_their_rows(self):
        self.assert_refused(
            "client/present/a.cc", '#include "client/link/daemon_link.h"',
            'client/present may not include client/link ("client/link/daemon_link.h")')
        self.assert_refused(
            "client/session/a.h", '#include "client/commands/compare.h"',
            'client/session may not include client/commands ("client/commands/compare.h")')
        self.assert_allowed("client/session/a.h", '#include "client/session/follow.h"')
        self.assert_allowed("client/session/a.h", '#include "client/link/daemon_link.h"')
        self.assert_allowed("client/commands/a.cc", '#include "client/report/page.h"')

    def test_a_file_of_the_client_lies_in_a_folder_with_a_row(self):
        for path, folder in (("client/a.cc", "client/"), ("client/misc/a.cc", "client/misc")):
            self.assertEqual(
                self.problems(path, '#include "core/base/result.h"'),
                [f"{path}:1: no row for {folder} in tests/layering/layers.py"])

    def test_includes_of_the_client_do_not_go_round_in_a_circle(self):
        self.assertEqual(
            self.problems_of({"client/link/a.h": '#include "client/git/b.h"',
                              "client/git/b.h": "",
                              "client/git/b.cc": '#include "client/link/c.h"',
                              "client/link/c.h": '#include "client/link/a.h"',
                              "client/app/d.cc": '#include "client/link/a.h"'}),
            ["client/link/a: includes go round in a circle: "
             "client/link/a -> client/git/b -> client/link/c -> client/link/a"])
        self.assertEqual(
            self.problems_of({"client/link/a.h": '#include "client/git/b.h"',
                              "client/link/a.cc": '#include "client/link/a.h"',
                              "client/git/b.h": '#include "client/git/c.h"',
                              "client/git/c.h": ""}), [])

    def test_includes_are_rooted_at_the_repository(self):
        self.assert_refused(
            "core/base/a.cc", '#include "error.h"', '"error.h" is not rooted at the repository')
        self.assert_refused(
            "core/base/a.cc", '#include "tests/support/fake.h"',
            '"tests/support/fake.h" is not rooted at the repository')

    def test_a_folder_without_a_row_is_an_error(self):
        self.assertEqual(
            self.problems("daemon/misc/a.h", '#include "core/base/result.h"'),
            ["daemon/misc/a.h:1: no row for daemon/misc in tests/layering/layers.py"])

    def test_the_composition_root_may_include_everything(self):
        self.assert_allowed("daemon/main.cc", '#include "daemon/store/store.h"')
        self.assert_allowed("daemon/main.cc", "#include <sqlite3.h>")

    def test_nobody_includes_the_composition_root(self):
        self.assert_refused(
            "daemon/rpc/a.cc", '#include "daemon/config.h"',
            'rpc may not include daemon ("daemon/config.h")')

    def test_commented_out_includes_do_not_count(self):
        self.assert_allowed("core/stats/a.cc", "// #include <thread>")


if __name__ == "__main__":
    unittest.main(verbosity=2)
