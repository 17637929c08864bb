"""The manual and the completions are well-formed and match the programs exactly.

Run by ctest; BENCHD_BUILD_DIR comes from tests/CMakeLists.txt.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["BENCHD_BUILD_DIR"])
BIN = BUILD / "bin"
PAGES = sorted((BUILD / "client/manual/man/man1").glob("*.1"))
DAEMON_PAGES = [BUILD / "daemon/man/benchd.8", BUILD / "daemon/man/benchd.toml.5"]
# Only built if libpq-dev is installed.
PUSH = BIN / "benchd-push"
PUSH_PAGE = BUILD / "daemon/man/benchd-push.8"
SHARE = BUILD / "client/manual/share"
BASH = SHARE / "bash-completion/completions/benchctl"
ZSH = SHARE / "zsh/vendor-completions/_benchctl"
FISH = SHARE / "fish/vendor_completions.d/benchctl.fish"


def run(*command, **options):
    return subprocess.run(
        [str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60, **options
    )


def help_of(*words):
    return run(BIN / "benchctl", *words, "--help").stdout


def commands():
    """Every command of `benchctl help`."""
    return re.findall(r"^  (\w+(?: \w+)?)   ", help_of(), re.MULTILINE)


def options_in(text):
    """Long options in a help text, each at the beginning of its line."""
    return set(re.findall(r"^ {2,6}(?:-\w, ?)?(--[\w-]+)", text, re.MULTILINE))


def tags(page):
    """The bold words of the line after each .TP, as printed."""
    found = re.findall(r"^\.TP\n(.+)$", page.read_text(), re.MULTILINE)
    return [word.replace("\\-", "-") for tag in found for word in re.findall(r"\\fB(.+?)\\fR", tag)]


class ManualTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "no man-db or groff")
    def test_groff_has_nothing_to_complain_about(self):
        for page in PAGES + DAEMON_PAGES + ([PUSH_PAGE] if PUSH.exists() else []):
            done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)

    def test_every_command_has_a_page_with_its_options(self):
        names = commands()
        self.assertIn("machine status", names)
        self.assertEqual(
            sorted(page.stem for page in PAGES),
            sorted(["benchctl"] + ["benchctl-" + name.replace(" ", "-") for name in names]),
        )
        for name in names:
            page = BUILD / f"client/manual/man/man1/benchctl-{name.replace(' ', '-')}.1"
            listed = {tag for tag in tags(page) if tag.startswith("--")}
            self.assertEqual(listed, options_in(help_of(*name.split())), name)

    def test_the_overview_names_every_command(self):
        overview = tags(BUILD / "client/manual/man/man1/benchctl.1")
        for name in commands():
            self.assertIn("benchctl-" + name.replace(" ", "-"), overview)

    def test_the_daemons_page_has_their_options(self):
        text = DAEMON_PAGES[0].read_text()
        for program, heading in (("bin/benchd", "OPTIONS OF BENCHD"),
                                 ("bin/benchd-runner", "OPTIONS OF BENCHD-RUNNER")):
            self.assert_has_options(text, heading, BUILD / program)

    def assert_has_options(self, page, heading, program):
        """Compares the options in that section of the page with the program's help."""
        section = page.split(".SH " + heading + "\n")[1].split(".SH ")[0]
        said = set(re.findall(r"\\fB(\\-\\-[\w\\-]+)\\fR", section.replace("\\|", "")))
        said = {option.replace("\\-", "-") for option in said}
        helped = set(re.findall(r"(?<!\w)--[\w-]+", run(program, "--help").stdout))
        self.assertEqual(said, helped, program)

    @unittest.skipUnless(PUSH.exists(), "built without libpq-dev")
    def test_the_pushers_page_has_its_options(self):
        self.assert_has_options(PUSH_PAGE.read_text(), "OPTIONS", PUSH)

    def known(self, text):
        """The list that --check-config prints for an unknown key without a similar one."""
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(text)
            file.flush()
            done = run(BIN / "benchd", "--user", "--check-config", "--config", file.name)
        listed = re.search(r"^hint: known: (.+)$", done.stderr, re.MULTILINE)
        self.assertIsNotNone(listed, done.stderr)
        return set(listed[1].split(", "))

    def test_the_configurations_page_has_its_keys(self):
        text = DAEMON_PAGES[1].read_text()
        sections = dict(re.findall(r"^\.SH \[([\w.]+)\]\n(.*?)(?=^\.SH )", text, re.M | re.S))
        self.assertEqual({name.split(".")[0] for name in sections}, self.known("[qqqqqqqqq]\n"))
        for name, body in sections.items():
            keys = set(re.findall(r"^\.TP\n\\fB(\w+)\\fR", body, re.MULTILINE))
            self.assertEqual(keys, self.known(f"[{name}]\nqqqqqqqqq = 1\n"), name)


class CompletionTest(unittest.TestCase):
    def syntax_is_right(self, shell, script):
        done = run(shell, "-n", script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bash_takes_the_script(self):
        self.syntax_is_right("bash", BASH)

    def complete(self, line, **options):
        """bash's completions of the last word of `line`, split as readline does at = signs."""
        words = [word for word in re.split(r"(=)|\s", line) if word is not None]
        while "" in words[:-1]:
            words.remove("")
        quoted = " ".join("'" + word + "'" for word in words)
        script = (f". {BASH}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _benchctl; "
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = run("bash", "--norc", "-c", script, **options)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split("\n")) - {""}

    def test_commands_and_groups(self):
        offered = self.complete("benchctl ")
        self.assertEqual(offered, {name.split()[0] for name in commands()})
        self.assertEqual(self.complete("benchctl co"), {"combine", "compare"})
        self.assertEqual(self.complete("benchctl machine "),
                         {"status", "doctor", "apply", "restore", "reserve"})
        self.assertEqual(self.complete("benchctl --json ca"), {"cancel", "calibrate"})
        self.assertEqual(self.complete("benchctl help machine re"), {"restore", "reserve"})
        self.assertEqual(self.complete("benchctl generate "), set())

    def test_options_of_the_command(self):
        self.assertEqual(self.complete("benchctl compare --par"),
                         {"--parse", "--parse-file", "--parameter-list", "--parameter-scan"})
        self.assertEqual(self.complete("benchctl list --sta"), {"--state"})
        self.assertEqual(self.complete("benchctl --no"), {"--no-autostart"})
        self.assertIn("-w", self.complete("benchctl compare -"))
        self.assertEqual(self.complete("benchctl compare -- --m"), set())

    def test_fixed_words_of_values(self):
        methods = {"paired", "welch", "exact-t", "fixed", "layouts"}
        self.assertEqual(self.complete("benchctl compare --method "), methods)
        self.assertEqual(self.complete("benchctl compare --method="), methods)
        self.assertEqual(self.complete("benchctl compare --method=p"), {"paired"})
        self.assertEqual(self.complete("benchctl compare --sided t"), {"two"})
        self.assertEqual(self.complete("benchctl compare -n "), set())
        self.assertEqual(self.complete("benchctl compare -P n 1 --me"), set(), "a number")
        self.assertEqual(self.complete("benchctl compare -P n 1 2 1 --metr"), {"--metric"})

    def test_files_and_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "some file.toml").touch()
            (pathlib.Path(folder) / "sub").mkdir()
            at = {"cwd": folder}
            self.assertEqual(self.complete("benchctl compare -f ", **at), {"some file.toml", "sub"})
            self.assertEqual(self.complete("benchctl compare --cwd ", **at), {"sub"})
            self.assertEqual(self.complete("benchctl analyze so", **at), {"some file.toml"})
            self.assertEqual(self.complete("benchctl pause so", **at), set())

    def test_sessions_are_asked_for_without_starting_a_daemon(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "benchctl"
            program.write_text(
                '#!/bin/sh\necho "$@" >> ' + folder + "/asked\n"
                'echo "ID  STATE"\necho "k3x9m2pq  running"\necho "a1  queued"\n'
                'case "$*" in *done) echo "z9  done";; esac\n')
            program.chmod(0o755)
            line = str(program)
            self.assertEqual(self.complete(line + " watch "), {"k3x9m2pq", "a1"})
            self.assertEqual(self.complete(line + " show "), {"k3x9m2pq", "a1", "z9"})
            self.assertEqual(self.complete(line + " cancel k"), {"k3x9m2pq"})
            asked = (pathlib.Path(folder) / "asked").read_text().splitlines()
            self.assertTrue(asked)
            for words in asked:
                self.assertTrue(words.startswith("--no-autostart list"), words)

    def test_stored_arms_are_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            line = str(fake_benchctl(folder))
            self.assertEqual(self.complete(line + " compare --against "), {"main", "v1.0"})
            self.assertEqual(self.complete(line + " arm remove m"), {"main"})


def fake_benchctl(folder):
    """A replacement for benchctl that knows two sessions and two stored arms."""
    program = pathlib.Path(folder) / "benchctl"
    program.write_text(
        "#!/bin/sh\ncase \"$*\" in\n"
        "  'arm list') printf 'NAME  SAVED\\nmain  2026-01-02\\nv1.0  2026-01-02\\n' ;;\n"
        "  *done) printf 'ID  STATE\\nz9  done\\n' ;;\n"
        "  '--no-autostart list') printf 'ID  STATE\\nk3x9m2pq  running\\n' ;;\n"
        "esac\n")
    program.chmod(0o755)
    return program


class OtherShell:
    """The completions that a shell offers to a user; `ask` returns the words for a line."""

    shell = ""

    def setUp(self):
        if shutil.which(self.shell) is None:
            self.skipTest(f"{self.shell} is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        fake_benchctl(self.folder)
        self.environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}",
                                HOME=str(self.folder), XDG_CONFIG_HOME=str(self.folder))

    def complete(self, line):
        done = subprocess.run(
            self.command(line), env=self.environment, cwd=self.folder, capture_output=True,
            text=True, timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {word.split("\t")[0] for word in done.stdout.splitlines()} - {""}

    def test_it_takes_the_script(self):
        done = run(self.shell, "-n", self.script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_commands_and_groups(self):
        self.assertEqual(self.complete("benchctl ca"), {"cancel", "calibrate"})
        self.assertEqual(self.complete("benchctl machine "),
                         {"status", "doctor", "apply", "restore", "reserve"})
        self.assertEqual(self.complete("benchctl arm "), {"list", "remove"})

    def test_options_and_fixed_words_of_their_values(self):
        self.assertEqual(self.complete("benchctl compare --par"),
                         {"--parse", "--parse-file", "--parameter-list", "--parameter-scan"})
        self.assertEqual(self.complete("benchctl compare --method "),
                         {"paired", "welch", "exact-t", "fixed", "layouts"})

    def test_files(self):
        (self.folder / "suite.toml").touch()
        self.assertIn("suite.toml", self.complete("benchctl compare -f su"))

    def test_sessions_and_stored_arms(self):
        self.assertEqual(self.complete("benchctl cancel k"), {"k3x9m2pq"})
        self.assertLessEqual({"k3x9m2pq", "z9"}, self.complete("benchctl show "))
        self.assertEqual(self.complete("benchctl arm remove m"), {"main"})
        self.assertEqual(self.complete("benchctl compare --against v"), {"v1.0"})


class ZshTest(OtherShell, unittest.TestCase):
    shell, script = "zsh", ZSH

    def command(self, line):
        return ["zsh", "-f", str(pathlib.Path(__file__).with_name("complete.zsh")),
                str(ZSH.parent), line]


class FishTest(OtherShell, unittest.TestCase):
    shell, script = "fish", FISH

    def command(self, line):
        return ["fish", "--no-config", "-c", f"source {FISH}; complete -C '{line}'"]


if __name__ == "__main__":
    unittest.main(verbosity=2)
