"""Every option that `help compare` and `help measure` list is accepted by its command, and what a
command refuses or advises names only options that it has."""

import re

from git_repository import GitRepository
from main import main
from support import USAGE, DaemonTest

# Values of options whose placeholder does not say enough.
VALUES = {
    "early-looks": ["off"],
    "accept-exit": ["0,3"], "benchmark": ["mine"], "confidence": ["95%"], "alpha": ["5%"],
    "pass-confidence": ["95%"], "cwd": ["/"], "env": ["A=b"], "error-rate": ["fdr"],
    "input": ["/dev/null"], "isolation": ["off"], "label": ["k=v"],
    "machine-profile": ["default"], "margin": ["-5%"], "metric": ["cpu_time"],
    "max-time": ["10s"], "output": ["log"], "name": ["mine"],
    "at-limit": ["estimate"], "schedule": ["coin"], "sided": ["one"], "time-unit": ["ms"],
    "timeout": ["10s"], "priority": ["-1"], "method": ["welch"],
}
# Options that need others, another command or another machine.
NEED_MACHINES = {"host", "pool", "machines", "pool-folder", "dry-run"}  # test_remote, test_pool
COMMITS = ("--git", "HEAD~1..HEAD")


def listed(text):
    """The options of a help text: name and placeholder."""
    found = re.findall(r"^ +(?:-\w, )?--([a-z-]+)(?:\[=\w+\])?((?: [^\s]+)*)", text, re.MULTILINE)
    return {name: placeholder.split("  ")[0].strip() for name, placeholder in found}


class HelpOptionsTest(GitRepository, DaemonTest):
    def setUp(self):
        super().setUp()
        for message in ("one", "two"):
            self.commit("t:10:0", message=message)

    def words_of(self, name, placeholder, command):
        """A command line that uses the option, for a command that takes that many programs."""
        programs = ["true"] * (2 if command == "compare" else 1)
        runs = ["-r", "8"]
        lines = self.script("echo t ${1:-7}", name="lines")
        special = {
            "file": ["--file", str(self.suite(command))],
            "reference": [*runs, "--reference", "old=true", "true"],
            "against": [*runs, "--against", "kept"],
            "save": ["--save", "again", "true"],
            "precision": ["--precision", "90%", "--max-time", "1s", *programs],
            "rule": ["--rule", "precision:90%", "--max-time", "1s", *programs],
            "runs": ["--runs", "8", *programs],
            "max-runs": ["--max-runs", "20", "--max-time", "1s", *programs],
            "min-runs": ["--min-runs", "8", "--max-runs", "20", "--max-time", "1s", *programs],
            "estimator": ["--estimator", "median", "-r", "100", *programs],
            "parse": [*runs, "--parse", "lines", "--metric", "t:lower", *[lines] * len(programs)],
            "parse-file": [*runs, "--parse", "lines", "--parse-file", "a*.txt", "--metric",
                           "t:lower", *["sh -c 'echo t 7 >a.txt'"] * len(programs)],
            "harness": [*runs, "--harness", "google-benchmark", *programs],
            "no-groups": [*runs, "--no-groups", *programs],
            "only": ["--file", str(self.suite(command)), "--only", "m*"],
            "parameter-list": [*runs, "-L", "t", "1,2", *[f"{lines} {{t}}"] * len(programs)],
            "parameter-scan": [*runs, "-P", "t", "1", "2", "1",
                               *[f"{lines} {{t}}"] * len(programs)],
            "control": [*runs, "-L", "t", "1,2", "--control", "t=1",
                        *[f"{lines} {{t}}"] * len(programs)],
            "between": [*runs, "-L", "t", "1,2", "--between", "t", f"{lines} {{t}}"],
            "git": [*runs, *COMMITS, "true"],
            "same-is-pass": [*runs, *COMMITS, "--same-is-pass", "true"],
            "build": [*runs, *COMMITS, "--build", "true", "true"],
            "layouts": [*runs, *COMMITS, "--build", "true", "--layouts", "4", "true"],
            "shell": [*runs, "--shell=sh", *programs],
            "socket": [*runs, "--socket", str(self.daemon.socket), *programs],
            "cpus": [*runs, "--cpus", self.benchmark_cpu(), *programs],
            "help": ["--help"],
        }
        if name in special:
            return special[name]
        value = VALUES.get(name)
        if value is None and name.startswith("export-"):
            value = [str(self.folder / f"exported-{command}.{name}")]
        if value is None and placeholder:
            value = {"N": ["2"], "C": ["true"]}[placeholder]
        return [*runs, f"--{name}", *(value or []), *programs]

    def benchmark_cpu(self):
        (status,) = self.benchctl_json("machine", "status").events
        return str(status["benchmark_cpus"][0])

    def suite(self, command):
        arms = '[[arm]]\nname = "a"\ncommand = "true"\n'
        if command == "compare":
            arms += '[[arm]]\nname = "b"\ncommand = "true"\n'
        file = self.folder / f"{command}.toml"
        file.write_text('[defaults]\nruns = 8\n' + arms + '[[benchmark]]\nname = "main"\n')
        return file

    def assert_takes_its_options(self, command):
        options = listed(self.benchctl("help", command).stdout)
        self.assertGreater(len(options), 50)
        self.assert_exit(self.benchctl("compare", "--save", "kept", "true"), 0)
        for name, placeholder in options.items():
            if name in NEED_MACHINES:
                continue
            with self.subTest(option=name):
                done = self.benchctl(command, *self.words_of(name, placeholder, command),
                                     cwd=self.repository)
                self.assertNotEqual(done.code, USAGE, done)
        return set(options)

    def test_compare_takes_every_option_of_its_help(self):
        self.assertIn("pass-confidence", self.assert_takes_its_options("compare"))

    def test_measure_takes_every_option_of_its_help(self):
        self.assertIn("precision", self.assert_takes_its_options("measure"))

    def test_measure_knows_no_option_that_only_a_comparison_has(self):
        options = {command: listed(self.benchctl("help", command).stdout)
                   for command in ("compare", "measure")}
        only_compared = {"margin", "pass-confidence", "sided", "error-rate", "method", "rule",
                         "fail-fast", "confirm", "control", "schedule", "placebo", "git", "build"}
        self.assertLessEqual(only_compared, set(options["compare"]))
        self.assertFalse(only_compared & set(options["measure"]))
        for name in sorted(set(options["compare"]) - set(options["measure"])):
            with self.subTest(option=name):
                value = ["1"] if options["compare"][name] else []
                done = self.benchctl("measure", f"--{name}", *value, "true")
                # Even an unknown --bisect has the exit codes of a bisection.
                self.assert_exit(done, 128 if name == "bisect" else USAGE)
                self.assert_one_error(done, f"--{name}: unknown option")

    def test_hints_name_only_options_of_the_command(self):
        known = set(listed(self.benchctl("help", "measure").stdout))
        file = self.folder / "wrong.toml"
        arm = '[[arm]]\nname = "a"\ncommand = "true"\n'
        for words in (("--precision", "5", "true"), ("--precision", "x", "true"),
                      ("--precision", "0", "true"), ("--precision", "1%", "-r", "5", "true"),
                      ("--runs", "1", "true"), ("--max-runs", "1", "true"),
                      ("--min-runs", "3", "true"),
                      ("--estimator", "hl", "true"), ("--estimator", "quantile:2", "true"),
                      ("--metric", "wall_time:+1ms", "true"), ("--metric", "nonsense", "true"),
                      ("--metric", "wall_time:-1%", "true"), ("--metric", "max_rss:exact", "true"),
                      ("--metric", "wall_time:1%", "-r", "5", "true"), ("--alpha", "2", "true"),
                      ("--confidence", "200%", "true"), ("--parse", "none", "true"),
                      ("--only", "x", "true"), ("--pass-confidence", "95%", "true"),
                      ("--max-runs", "4", "true"), 'rule = "precision:2%"\nruns = 5'):
            if isinstance(words, str):
                file.write_text(f"[defaults]\n{words}\n{arm}")
                words = ("-f", str(file))
            with self.subTest(words=words, text=file.read_text() if "-f" in words else ""):
                done = self.benchctl("measure", *words)
                self.assert_exit(done, USAGE)
                self.assert_one_error(done)
                hint = done.stderr.partition("hint: ")[2]
                for name in re.findall(r"--([a-z][a-z-]+)", hint):
                    self.assertIn(name, known, done)
                self.assertNotIn("_confidence:", done.stderr)

    def test_a_precision_needs_a_percent_sign_as_a_margin_does(self):
        for words, hint in ((("measure", "--precision", "5", "true"), "write --precision 5%"),
                            (("measure", "--precision", "0", "true"), "write --precision 1%"),
                            (("measure", "--runs", "1", "true"), "--runs 2"),
                            (("compare", "--rule", "precision:5", "true", "true"),
                             "write precision:5%")):
            with self.subTest(words=words):
                done = self.benchctl(*words)
                self.assert_exit(done, USAGE)
                self.assert_one_error(done, hint)


if __name__ == "__main__":
    main()
