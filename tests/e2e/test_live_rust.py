"""libtest and Criterion, run by the real daemon: see live_tools.py.

They are built offline, from the crates of librust-criterion-dev. libtest's benchmarks need nightly
features, which RUSTC_BOOTSTRAP enables in any compiler.
"""

import json
import os
import pathlib
import shutil

from live_tools import SOURCES, LiveTest, ThreeTries, build, builds, needs, needs_program, variables
from main import main

CRATES = pathlib.Path("/usr/share/cargo/registry")


def build_benches():
    """{name: program} of the bench targets. Cargo only compiles what has changed."""
    source = builds() / "rust"
    shutil.copytree(SOURCES / "rust", source, dirs_exist_ok=True)
    (source / ".cargo").mkdir(exist_ok=True)
    (source / ".cargo/config.toml").write_text(
        '[source.crates-io]\nreplace-with = "debian"\n'
        f'[source.debian]\ndirectory = "{CRATES}"\n')
    messages = build(["cargo", "bench", "--no-run", "--offline", "--message-format=json"],
                     cwd=source, env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
    built = (json.loads(line) for line in messages.splitlines())
    return {one["target"]["name"]: one["executable"] for one in built
            if one["reason"] == "compiler-artifact" and "bench" in one["target"]["kind"]}


@needs_program("cargo", "cargo")
@needs("librust-criterion-dev", any(CRATES.glob("criterion-0*")))
class RustTest(LiveTest):
    @classmethod
    def setUpClass(cls):
        cls.programs = build_benches()


class LibtestTest(ThreeTries, RustTest):
    tool = "libtest"
    words = "libtest-0123456789abcdef"
    options = ("--harness", "libtest")
    gate = "time"
    one = ("--only", "planted")
    refusal = ("steady",)

    def arm(self, share=0.0, fail=False):
        return f"{variables(share, fail)} {self.programs['libtest']}"


class CriterionTest(ThreeTries, RustTest):
    tool = "Criterion"
    words = "criterion-0123456789abcdef"
    options = ("--harness", "criterion", "--estimator", "median")
    gate = "time"
    one = ("--only", "planted")
    refusal = ("steady",)

    def arm(self, share=0.0, fail=False):
        return f"{variables(share, fail, CRITERION_HOME='criterion')} {self.programs['criterion']}"


class CriterionFilesTest(ThreeTries, RustTest):
    """The samples that Criterion writes to its folder, without the harness."""

    tool = "Criterion, its files"
    words = "criterion-0123456789abcdef --bench"
    options = ("--parse", "criterion", "--parse-file", "criterion/**/new/*.json",
               "--estimator", "median")
    gate = "planted/time"
    refusal = ("exited with code 101",)

    def arm(self, share=0.0, fail=False):
        return (f"{variables(share, fail, CRITERION_HOME='criterion')} "
                f"{self.programs['criterion']} --bench")


if __name__ == "__main__":
    main()
