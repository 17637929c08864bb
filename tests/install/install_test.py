"""`cmake --install` puts all files in place, and systemd accepts the units.

Run by ctest; BENCHD_BUILD_DIR and BENCHD_PREFIX come from tests/CMakeLists.txt.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ["BENCHD_BUILD_DIR"]
PREFIX = os.environ["BENCHD_PREFIX"]
CMAKE = os.environ.get("BENCHD_CMAKE", "cmake")
SYSTEM_UNITS = pathlib.Path("/usr/lib/systemd/system")
ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAMS = [
    "bin/benchctl",
    "bin/benchd",
    "libexec/benchd/benchd-helper",
    "libexec/benchd/benchd-runner",
]
UNITS = [
    "bench.slice",
    "benchd-runner.service",
    "benchd-runner.socket",
    "benchd.service",
    "benchd.socket",
]
# Only built if libpq-dev is installed.
PUSH = (pathlib.Path(BUILD) / "bin/benchd-push").exists()
if PUSH:
    PROGRAMS += ["bin/benchctl-database", "bin/benchd-push"]
    UNITS.append("benchd-push.service")
DATA = ["share/benchd/benchctl-v1.schema.json"] + ["lib/systemd/system/" + unit for unit in UNITS] + [
    "lib/sysusers.d/benchd.conf",
    *(["lib/sysusers.d/benchd-push.conf", "lib/tmpfiles.d/benchd-push.conf",
       "share/man/man8/benchd-push.8"] if PUSH else []),
    "lib/tmpfiles.d/benchd.conf",
] + [
    "share/benchd/" + str(file.relative_to(ROOT)) for file in sorted(ROOT.glob("proto/**/*.proto"))
] + [
    "share/benchd/" + str(file.relative_to(ROOT)) for file in sorted(ROOT.glob("adapters/*.toml"))
]
# The permitted result of `systemd-analyze security`: 0 is locked down, 10 is wide open.
HIGHEST_EXPOSURE = 2.0
# manual_test.py checks their contents.
DATA += ["share/man/man8/benchd.8", "share/man/man5/benchd.toml.5"] + [
    "share/" + place + str(file.relative_to(made))
    for made, place in ((pathlib.Path(BUILD) / "client/manual/man", "man/"),
                        (pathlib.Path(BUILD) / "client/manual/share", ""))
    for file in sorted(made.rglob("*")) if file.is_file()
]


def run(*command):
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )


class InstalledTree(unittest.TestCase):
    """Installs into a temporary root for the tests of the classes below."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="benchd-install-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.root = pathlib.Path(cls.temporary.name)
        environment = dict(os.environ, DESTDIR=str(cls.root))
        done = subprocess.run(
            [CMAKE, "--install", BUILD], env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120,
        )
        if done.returncode != 0:
            raise AssertionError("cmake --install failed:\n" + done.stdout + done.stderr)
        cls.installed = cls.root / PREFIX.lstrip("/")


class DefaultConfigurationTest(InstalledTree):
    """systemd/benchd.toml, which the package benchd puts into /etc/benchd."""

    text = (ROOT / "systemd/benchd.toml").read_text()

    def check(self, text):
        file = self.root / "benchd.toml"
        file.write_text(text)
        # --user, because in system mode the file must belong to root.
        return run(self.installed / "bin/benchd", "--user", "--check-config", "--config", file)

    def test_it_changes_nothing(self):
        values = [line for line in self.text.splitlines() if line and line[0] not in "#["]
        self.assertEqual(values, [])
        self.assertEqual(self.check(self.text).returncode, 0)

    def test_every_line_that_is_commented_out_is_valid(self):
        text, count = re.subn(r"^#(\w+ = )", r"\1", self.text, flags=re.MULTILINE)
        self.assertGreater(count, 10)
        done = self.check(text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(self.check(text.replace("keep_days", "keep_dyas")).returncode, 0)


class FilesTest(InstalledTree):
    def test_installs_exactly_these_files(self):
        found = sorted(
            str(path.relative_to(self.installed))
            for path in self.installed.rglob("*")
            if not path.is_dir()
        )
        self.assertEqual(found, sorted(PROGRAMS + DATA))

    def test_programs_can_be_executed_and_data_cannot(self):
        for name in PROGRAMS:
            self.assertTrue(os.access(self.installed / name, os.X_OK), name)
        for name in DATA:
            self.assertEqual((self.installed / name).stat().st_mode & 0o777, 0o644, name)

    def test_the_helper_cannot_be_read_by_those_whom_it_works_for(self):
        # So that other users cannot trace it (ptrace(2), execve(2)).
        for name in PROGRAMS:
            wanted = 0o711 if name.endswith("/benchd-helper") else 0o755
            self.assertEqual((self.installed / name).stat().st_mode & 0o777, wanted, name)

    def test_services_name_programs_that_are_installed(self):
        named = set()
        for name in DATA:
            text = (self.installed / name).read_text()
            self.assertNotIn("@CMAKE", text, name)
            named.update(re.findall(r"^Exec\w+=(\S+)", text, re.MULTILINE))
        self.assertEqual(
            named,
            {PREFIX + "/bin/benchd", PREFIX + "/libexec/benchd/benchd-runner"}
            | ({PREFIX + "/bin/benchd-push"} if PUSH else set()),
        )

    def test_the_runner_has_no_sandbox_that_children_would_inherit(self):
        text = (self.installed / "lib/systemd/system/benchd-runner.service").read_text()
        settings = re.findall(r"^(\w+)=", text, re.MULTILINE)
        self.assertIn("Delegate", settings)
        inherited = re.compile(
            r"(Protect|Private|Restrict|SystemCall|Capability|Ambient|NoNew|MemoryDeny|Lock|Proc"
            r"|Device|IPAddress|ReadOnly|Inaccessible|Temporary|Limit|OOMScore|Nice|CPU|IOSched"
            r"|UMask|User|Group|Environment)"
        )
        self.assertEqual([name for name in settings if inherited.match(name)], [])

    def test_the_daemon_has_its_own_limits_and_not_what_systemd_happens_to_give(self):
        text = (self.installed / "lib/systemd/system/benchd.service").read_text()
        limits = dict(re.findall(r"^(LimitNOFILE|TasksMax|MemoryHigh)=(\w+)$", text, re.MULTILINE))
        self.assertEqual(set(limits), {"LimitNOFILE", "TasksMax", "MemoryHigh"})
        # Eight users at their connection limit (core/model/limits.h) must leave room for others.
        table = (ROOT / "core/model/limits.h").read_text()
        of_a_user = int(re.search(r'"connections_a_user", "connections",\s+kPieces,\s+true,\s+(\d+)', table)[1])
        self.assertGreater(int(limits["LimitNOFILE"]), 8 * of_a_user)


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
@unittest.skipUnless(SYSTEM_UNITS.is_dir(), "systemd's own units are not installed")
class UnitTest(InstalledTree):
    """The installed tree and systemd's own units, as a root directory for systemd-analyze."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shutil.copytree(
            SYSTEM_UNITS,
            cls.root / str(SYSTEM_UNITS).lstrip("/"),
            symlinks=True,
            dirs_exist_ok=True,
        )

    def test_systemd_finds_nothing_to_complain_about(self):
        done = run("systemd-analyze", "verify", "--man=no", "--root=" + str(self.root), *UNITS)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_systemd_would_complain_about_a_mistake(self):
        folder = self.installed / "lib/systemd/system"
        wrong = folder / "benchd-wrong.service"
        text = (folder / "benchd.service").read_text()
        wrong.write_text(text.replace("Type=notify", "Type=notify-me"))
        self.addCleanup(wrong.unlink)
        done = run("systemd-analyze", "verify", "--man=no", "--root=" + str(self.root), wrong.name)
        self.assertIn("notify-me", done.stdout + done.stderr)

    def test_benchd_is_locked_up(self):
        done = run(
            "systemd-analyze", "security", "--no-pager", "--offline=true",
            "--root=" + str(self.root), "benchd.service",
        )
        found = re.search(r"Overall exposure level for benchd.service: ([0-9.]+)", done.stdout)
        self.assertIsNotNone(found, done.stdout + done.stderr)
        print(found.group(0))
        self.assertLess(float(found.group(1)), HIGHEST_EXPOSURE)

    @unittest.skipUnless(PUSH, "built without libpq-dev")
    def test_the_pusher_is_locked_up_but_for_its_network(self):
        done = run(
            "systemd-analyze", "security", "--no-pager", "--offline=true",
            "--root=" + str(self.root), "benchd-push.service",
        )
        found = re.search(r"Overall exposure level for benchd-push.service: ([0-9.]+)", done.stdout)
        self.assertIsNotNone(found, done.stdout + done.stderr)
        print(found.group(0))
        self.assertLess(float(found.group(1)), HIGHEST_EXPOSURE)

    @unittest.skipUnless(shutil.which("systemd-sysusers"), "systemd-sysusers is not installed")
    def test_users_and_groups_are_well_formed(self):
        made = {"benchd": ("Creating user 'benchd'", "Creating group 'benchd-admin'")}
        if PUSH:
            made["benchd-push"] = ("Creating user 'benchd-push'",)
        for name, expected in made.items():
            done = run(
                "systemd-sysusers", "--dry-run", "--root=" + str(self.root),
                str(self.installed / f"lib/sysusers.d/{name}.conf"),
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            for one in expected:
                self.assertIn(one, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
