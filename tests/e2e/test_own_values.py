"""What single arms may have of their own: prepare, conclude, env, input and shell."""

import shutil
import subprocess
import unittest

from main import main
from support import FAILED, PASS, REGRESSION, UNDECIDED, USAGE, DaemonTest

LINES = ("--parse", "lines", "--metric", "n:2%:lower")
COUNTS = ("--parse", "lines", "--metric", "n:exact:lower")
ARRAY = "n=(7 8); echo n ${#n[@]}"  # not in POSIX


class OwnValuesTest(DaemonTest):
    def file(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def means(self, done):
        gate = next(c for c in done.events[-1]["comparisons"] if c["metric"] == "n")
        return gate["mean_reference"], gate["mean_candidate"]

    def refused(self, *words, names):
        done = self.benchctl("compare", *LINES, *words)
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, *names)

    def shown(self, done):
        shown = self.benchctl("show", done.events[0]["session"])
        self.assert_exit(shown, PASS)
        return shown.stdout

    # ---- one for each command, in order ----

    def test_each_command_reads_its_own_input(self):
        a, b = self.file("a", "n 1000\n"), self.file("b", "n 2000\n")
        done = self.benchctl_json("compare", *LINES, "--input", a, "--input", b, "cat", "cat")
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.means(done), (1000, 2000))
        arms = self.session(done.events[0]["session"])["spec"]["benchmarks"][0]["arms"]
        self.assertEqual([arm["input"] for arm in arms], [f"{self.folder}/a", f"{self.folder}/b"])
        shown = self.shown(done)
        self.assertIn(f"with       base: input {self.folder}/a\n", shown)
        again = next(line for line in shown.splitlines() if line.startswith("again: "))
        words = again.removeprefix("again: ").replace("benchctl compare", "", 1).split()
        repeated = self.benchctl("compare", "--json", *words)  # the line ends with the commands
        self.assert_exit(repeated, REGRESSION)
        self.assertEqual(self.means(repeated), (1000, 2000))

    def test_the_placebo_reads_that_of_its_reference(self):
        a, b = self.file("a", "n 1000\n"), self.file("b", "n 1000\n")
        done = self.benchctl_json("compare", *LINES, "--placebo", "--input", a, "--input", b,
                                  "cat", "cat")
        self.assert_exit(done, PASS)

    def test_a_number_of_values_that_fits_no_arms_is_refused(self):
        three = [word for name in "abc" for word in ("--prepare", f"touch {name}")]
        self.refused(*three, "true", "true", names=["--prepare touch c", "3 values for 2 arms"])
        self.refused("--input", "a", "--input", "b", "true", "true", "true",
                     names=["--input b", "2 values for 3 arms"])
        self.refused("--shell", "--shell=sh", "--shell", "true", "true",
                     names=["--shell", "3 values for 2 arms"])
        self.assertEqual(self.benchctl("list", "--all", "--json").stdout, "")

    def test_a_variable_may_belong_to_one_arm(self):
        done = self.benchctl_json(
            "compare", *LINES, "--shell", "--env", "N=1000", "--env", "candidate:N=2000",
            "echo n $N", "echo n $N")
        self.assert_exit(done, REGRESSION)
        self.assertEqual(self.means(done), (1000, 2000))
        self.assertIn("with       candidate: shell sh, env N\n", self.shown(done))
        self.refused("--env", "candidat:N=1", "true", "true",
                     names=["--env candidat:N=1", "no arm", "did you mean candidate?"])

    # ---- in a file ----

    def test_a_suite_gives_each_arm_its_own(self):
        self.file("in-old", "n 1000\n")
        self.file("in-new", "n 2000\n")
        self.file("suite.toml", f"""
[defaults]
parse = "lines"
metric = "n:2%:lower"
shell = true
[[arm]]
name = "old"
prepare = "echo $BENCHD_ARM {{name}} >>prepared"
input = "in-{{name}}"
env = {{ MORE = "1" }}
[[arm]]
name = "new"
prepare = "true"
input = "in-{{name}}"
[[benchmark]]
command = "cat; echo more ${{MORE:-0}}"
""")
        done = self.benchctl_json("compare", "-f", "suite.toml", "--runs", "2", "--warmup", "0")
        self.assertIn(done.code, (REGRESSION, UNDECIDED), done)
        self.assertEqual(self.means(done), (1000, 2000))
        more = next(c for c in done.events[-1]["comparisons"] if c["metric"] == "more")
        self.assertEqual((more["mean_reference"], more["mean_candidate"]), (1, 0))
        self.assertEqual((self.folder / "prepared").read_text(), "old old\n" * 2)

    def test_no_arm_is_without_an_input_while_another_has_one(self):
        self.file("in", "n 1000\n")
        self.file("suite.toml", """
[[arm]]
name = "old"
input = "in"
[[arm]]
name = "new"
[[benchmark]]
command = "cat"
""")
        done = self.benchctl("compare", "-f", "suite.toml")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "input", "1 of 2 arms")

    # ---- shells ----

    @unittest.skipIf(shutil.which("bash") is None, "bash is not installed")
    def test_another_shell_understands_its_own_syntax(self):
        done = self.benchctl_json(
            "compare", *COUNTS, "--shell=bash", "--prepare", "x=(1); [[ ${#x[@]} == 1 ]]", ARRAY,
            ARRAY)
        self.assert_exit(done, PASS)
        self.assertEqual(self.means(done), (2, 2))
        self.assertIn("--shell=bash ", self.shown(done))
        arm = self.session(done.events[0]["session"])["spec"]["benchmarks"][0]["arms"][0]
        self.assertEqual((arm["shell"], arm["interpreter"]), (True, "bash"))
        done = self.benchctl_json("compare", *COUNTS, "--shell", f"--shell={shutil.which('bash')}",
                                  "echo n 2", ARRAY)
        self.assert_exit(done, PASS)

    @unittest.skipIf(subprocess.run(["sh", "-c", ARRAY], capture_output=True).returncode == 0,
                     "sh understands arrays")
    def test_sh_fails_on_the_syntax_of_another_shell(self):
        done = self.benchctl("compare", *LINES, "--shell", ARRAY, ARRAY)
        self.assert_exit(done, FAILED)
        self.assertIn("exited with code", done.stderr)

    def test_a_separate_word_is_a_command_and_no_shell(self):
        done = self.benchctl_json("compare", *LINES, "--shell", "echo n 1000 | cat", "echo n 1000")
        self.assert_exit(done, PASS)
        self.assertEqual(done.events[-1]["runs"].keys(), {"base", "candidate"})

    def test_a_shell_that_is_not_there_is_named(self):
        missing = "shell: command 'no-such-shell': not found in PATH"
        self.refused("--shell=no-such-shell", "true", "true", names=[missing])
        self.refused("--shell=no-such-shell", "--setup", "true", "true", "true", names=[missing])
        self.refused("--shell=./no/shell", "true", "true", names=[f"{self.folder}/no/shell"])
        self.refused("--shell=", "true", "true", names=["--shell: missing value"])

    def test_the_shell_must_not_change_during_the_session(self):
        self.script('exec /bin/sh "$@"', name="own-shell")
        same = ("compare", *LINES, "--shell=./own-shell", "echo n 1000", "echo n 1000")
        self.assert_exit(self.benchctl(*same), PASS)
        done = self.benchctl(*same, "--prepare", "echo '# more' >>own-shell")
        self.assert_exit(done, FAILED)
        self.assertIn("changed", done.stderr)


if __name__ == "__main__":
    main()
