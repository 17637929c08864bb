"""The builds of docs/layouts.md that use the seed, verbatim, on a small project."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import pages
from git_repository import GitRepository
from main import main
from support import FAILED, PASS, REGRESSION, UNDECIDED, DaemonTest

# Seven files, the minimum for GNU ld's order, with one function each.
FUNCTIONS = range(1, 8)
C_MAIN = ("".join(f"int f{i}(int);\n" for i in FUNCTIONS) +
          "int main(void) { return " + "".join(f"f{i}(" for i in FUNCTIONS) + "0" +
          ")" * len(FUNCTIONS) + " != 28; }\n")
RUST_MAIN = ("".join(f"#[inline(never)] #[no_mangle] pub fn f{i}(x: u64) -> u64 {{ x * {i} + 1 }}\n"
                     for i in FUNCTIONS) +
             "fn main() { let x = std::env::args().count() as u64; std::process::exit(((" +
             " ^ ".join(f"f{i}(x)" for i in FUNCTIONS) + ") > 1000) as i32) }\n")


def command_with(word):
    """The page's command with a build that calls that program."""
    [text] = [block.text for block in pages.blocks(pages.SOURCE / "docs/layouts.md")
              if block.argument == f"tests/e2e/{pathlib.Path(__file__).name}" and
              re.search(rf"^\s*{word} ", block.text, re.MULTILINE)]
    return text


class LayoutBuildsTest(GitRepository, DaemonTest):
    def client_environment(self, **more):
        # cargo writes to the test's folder; rustup's toolchains are the machine's.
        rustup = os.environ.get("RUSTUP_HOME", str(pathlib.Path.home() / ".rustup"))
        environment = super().client_environment(
            RUSTUP_HOME=rustup, CARGO_HOME=str(self.folder / "cargo"), **more)
        environment.pop("CARGO_TARGET_DIR", None)
        return environment

    def need(self, *programs):
        for program in programs:
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed")

    def write_c(self):
        for i in FUNCTIONS:
            self.write(f"f{i}.c", f"int f{i}(int x) {{ return x + {i}; }}\n")
        self.write("main.c", C_MAIN)

    def commit_twice(self):
        self.commit()
        self.git("tag", "v1.0")
        self.commit(message="the same again")

    def built(self, command):
        """The programs measured by the page's command: their hashes and orders of functions."""
        # Four builds per arm and few runs are enough here.
        command, count = re.subn(r"--layouts 8", "--layouts 4 --runs 8 --seed 5 --json", command)
        self.assertEqual(count, 1)
        done = self.shell(command)
        self.assertIn(done.code, (PASS, REGRESSION, UNDECIDED), f"{done.stdout}\n{done.stderr}")
        session = json.loads(done.stdout.splitlines()[-1])["session"]
        shown = self.benchctl_json("show", session).events[0]
        programs = [pathlib.Path(arm["cwd"], arm["command"])
                    for arm in shown["spec"]["benchmarks"][0]["arms"]]
        self.assertEqual(len(programs), 8)
        hashes = [hashlib.sha256(program.read_bytes()).hexdigest() for program in programs]
        return hashes, [self.functions_of(program) for program in programs]

    def functions_of(self, program):
        listed = subprocess.run(["nm", "-n", program], check=True, capture_output=True, text=True)
        functions = re.findall(r" [tT] (f[1-7]|main)$", listed.stdout, re.MULTILINE)
        self.assertGreaterEqual(len(functions), len(FUNCTIONS), listed.stdout)
        return tuple(functions)

    def assert_uses_the_seed(self, command):
        self.commit_twice()
        hashes, orders = self.built(command)
        self.assertEqual(len(set(hashes)), 8, "another seed, another program")
        self.assertGreater(len(set(orders)), 1, "the order of functions differs")
        self.assertEqual(len({tuple(sorted(order)) for order in orders}), 1, orders)
        worktrees = pathlib.Path(self.client_environment()["HOME"], ".cache/benchd/worktrees")
        shutil.rmtree(worktrees)
        self.assertEqual(self.built(command)[0], hashes, "the same seeds, the same programs")

    def test_cmake_and_lld(self):
        self.need("cmake", "ld.lld", "nm")
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(bench C)\n"
                   "file(GLOB sources *.c)\nadd_executable(bench ${sources})\n")
        self.write_c()
        self.assert_uses_the_seed(command_with("cmake"))

    def test_a_build_with_debug_information_that_ignores_the_seed_is_not_seen(self):
        # The page warns of this.
        self.need("cc")
        self.write_c()
        self.commit_twice()
        for options, seen in (("-g", False), ("-g -ffile-prefix-map=$PWD=.", True)):
            done = self.benchctl("compare", "--git", "v1.0..main", "--layouts", "4", "--runs", "8",
                                 "--build", f"cc {options} *.c -o bench", "--", "./bench",
                                 cwd=self.repository)
            self.assertEqual("the build ignored BENCHD_LAYOUT_SEED" in done.stderr, seen, done)
            self.assertEqual(done.code == FAILED, seen, done)

    def test_cargo(self):
        self.need("cargo", "nm")
        if subprocess.run(["cargo", "--version"], env=self.client_environment(),
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("cargo has no toolchain")
        self.write("Cargo.toml", '[package]\nname = "bench"\nversion = "0.1.0"\nedition = "2021"\n')
        (self.repository / "src").mkdir()
        self.write("src/main.rs", RUST_MAIN)
        self.assert_uses_the_seed(command_with("cargo"))

    def test_gnu_ld(self):
        self.need("cc", "nm")
        self.write_c()
        self.assert_uses_the_seed(command_with("ls"))


if __name__ == "__main__":
    main()
