"""vitest, tinybench and mitata, run by the real daemon: see live_tools.py.

The packages of npm are in the folder BENCHD_NODE_MODULES.
"""

import os
import pathlib
import shutil

from live_tools import SOURCES, LiveTest, ThreeTries, needs, variables
from main import main

MODULES = pathlib.Path(os.environ.get("BENCHD_NODE_MODULES", "/nonexistent"))


def needs_npm(package):
    return needs(f"{package} of npm", shutil.which("node") and (MODULES / package).exists())


class JavascriptTest(LiveTest):
    def setUp(self):
        super().setUp()
        (self.folder / "node_modules").symlink_to(MODULES)
        for source in SOURCES.glob("*js"):
            shutil.copy(source, self.folder)


@needs_npm("vitest")
class VitestTest(ThreeTries, JavascriptTest):
    tool = "vitest"
    words = "vitest bench --run --outputJson=out.json"
    options = ("--parse", "vitest", "--parse-file", "out.json")
    # A quartile of a thousand calls, which a busy machine hardly changes.
    gate = "* > planted/p75"
    refusal = ("steady' has no samples: it failed",)

    def arm(self, share=0.0, fail=False):
        return f"{variables(share, fail)} node_modules/.bin/{self.words}"


@needs_npm("tinybench")
class TinybenchTest(ThreeTries, JavascriptTest):
    tool = "tinybench"
    words = "node tinybench.mjs"
    options = ("--parse", "tinybench")
    gate = "planted/p50"
    refusal = ("'steady' failed",)

    def arm(self, share=0.0, fail=False):
        return f"{variables(share, fail)} {self.words}"


@needs_npm("mitata")
class MitataTest(ThreeTries, JavascriptTest):
    tool = "mitata"
    words = "node mitata.mjs"
    options = ("--parse", "mitata")
    gate = "planted/p50"
    refusal = ("'steady' failed",)

    def arm(self, share=0.0, fail=False):
        return f"{variables(share, fail)} {self.words}"


if __name__ == "__main__":
    main()
