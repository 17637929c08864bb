"""Five programs of 30 functions each, which can be built with more work in one of them.

A program's functions take very different shares of a run: four of them a tenth to a fifth each,
the other 26 together the rest. Which function has which share is drawn by the seed.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FUNCTIONS = 30
# In per cent of the rounds. A planted function is one of the first four.
LARGE = [18.0, 15.0, 13.0, 11.0]
SMALL = [3.4, 3.2, 3.0, 2.8, 2.6, 2.4, 2.2, 2.0, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1, 1.0, 1.0,
         1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.8]


class Plant:
    """Which function has which share, and which one does more work in the candidate."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.order = draw.sample(range(FUNCTIONS), FUNCTIONS)  # by their share, largest first
        self.function = draw.choice(self.order[:len(LARGE)])

    def share(self, function):
        shares = LARGE + SMALL
        return shares[self.order.index(function)] / sum(shares)

    def rounds(self, per_call, more=0.0):
        """The rounds of each function in a call. @param more  work of the planted one"""
        numbers = [round(self.share(number) * per_call) for number in range(FUNCTIONS)]
        numbers[self.function] = round(numbers[self.function] * (1 + more))
        return numbers


class Program:
    """A program with `per_call` rounds of all functions together in a call."""

    name = ""
    per_call = 9000
    compiler = "gcc"

    def build(self, folder, rounds):
        """Builds it in a new folder."""
        folder.mkdir(parents=True)
        numbers = ",".join(map(str, rounds))
        subprocess.run(self.build_words(folder, numbers), check=True, cwd=HERE,
                       env=dict(os.environ, ROUNDS=numbers))

    def build_words(self, folder, numbers):
        raise NotImplementedError

    def words(self, folder, calls):
        """The command that makes that many calls of all functions."""
        return [str(folder / self.name), str(calls)]

    def pattern(self, function):
        """A regular expression that finds the name of one of its functions in a profile."""
        raise NotImplementedError

    def calls_of(self, folder, seconds):
        """The number of calls that take about that much CPU time here."""
        calls = 1
        while True:
            before = os.times()
            subprocess.run(self.words(folder, calls), check=True, stdout=subprocess.DEVNULL)
            after = os.times()
            took = (after.children_user + after.children_system
                    - before.children_user - before.children_system)
            # os.times() ticks a hundred times per second.
            if took >= 0.2:
                return max(1, round(calls * seconds / took))
            calls *= 4


class CompiledC(Program):
    sources = ()
    options = ()

    def build_words(self, folder, numbers):
        return [self.compiler, "-O2", "-g", f"-DROUNDS={numbers}", *self.options, "-o",
                folder / self.name, *self.sources]


class Templates(CompiledC):
    """C++ with templates and inlining."""

    name = "templates"
    compiler = "g++"
    sources = ("templates.cc",)

    def pattern(self, function):
        kinds = (rf"\bMix<{function}>", rf"\bTable<{function}>::Walk", rf"\bPlain{function}(?!\d)")
        return kinds[function // 10]


class Pages(CompiledC):
    """C with static functions of the same names in two files."""

    name = "pages"
    sources = ("pages_a.c", "pages_b.c")
    names = ("scan", "parse", "merge", "split", "hash", "pack", "unpack", "find", "insert",
             "erase", "sort", "copy", "count", "check", "fold")

    def pattern(self, function):
        file = "pages_a" if function < len(self.names) else "pages_b"
        return rf"^{self.names[function % len(self.names)]}(?![a-z]).* \({file}\.c\)"


class Threads(CompiledC):
    """Eight threads."""

    name = "threads"
    sources = ("threads.c",)
    options = ("-pthread",)

    def pattern(self, function):
        return rf"^stage_{function}(?!\d)"


class Rust(Program):
    name = "stages"
    compiler = "rustc"

    def build_words(self, folder, numbers):
        return ["rustc", "--edition", "2021", "-O", "-g", "-o", folder / self.name, "stages.rs"]

    def pattern(self, function):
        kinds = (rf"\bplain_{function}(?!\d)", rf"\bStage{function}(?!\d)",
                 rf"\binlined_{function}(?!\d)")
        return kinds[function // 10]


class Python(Program):
    """C code that Python calls: a library by ctypes, and json, re and zlib.

    With -X perf, samples are in the interpreter, whatever function of Python it executes: a
    function of Python has a total, but hardly any time of its own.
    """

    name = "library"
    per_call = 1_350_000  # nine tenths of the run

    def build_words(self, folder, numbers):
        return ["gcc", "-O2", "-g", "-shared", "-fPIC", f"-DROUNDS={numbers}", "-o",
                folder / "library.so", "library.c"]

    def words(self, folder, calls):
        return ["/usr/bin/python3", str(HERE / "library.py"), str(folder / "library.so"),
                str(calls)]

    def pattern(self, function):
        return rf"^stage_{function}(?!\d)"


PROGRAMS = {"c++": Templates(), "c": Pages(), "rust": Rust(), "python": Python(),
            "threads": Threads()}


def available(names):
    """Those whose compiler is installed; the others are named on stderr."""
    found = {}
    for name in names:
        compiler = PROGRAMS[name].compiler
        if shutil.which(compiler):
            found[name] = PROGRAMS[name]
        else:
            print(f"skipped: {name}: {compiler} is not installed", file=sys.stderr)
    return found
