"""Every block of README.md and docs/ does what its page claims (see pages.py)."""

import collections
import os
import re
import shutil
import subprocess
import sys
import unittest

import pages
from main import main
from support import BIN, PROGRAMS, DaemonTest

PAGE_S = 300  # for the commands of one block, each a few runs of milliseconds


class BlocksTest(unittest.TestCase):
    def test_each_says_what_is_done_with_it(self):
        counts = collections.Counter()
        for page in pages.pages():
            for block in pages.blocks(page):
                with self.subTest(block.where):
                    self.assertIn(block.kind, ("run", "file", "vm", "tested", "shown"),
                                  "write ```LANGUAGE run, file=NAME, vm, tested: FILE or shown: REASON")
                    if block.kind == "shown":
                        self.assertGreater(len(block.argument), 10, "why is it only shown?")
                    if block.kind == "tested":
                        self.assertTrue((pages.SOURCE / block.argument).exists())
                    counts[block.kind] += 1
        print(" ".join(f"{kind}: {count}" for kind, count in sorted(counts.items())), flush=True)
        self.assertGreater(counts["run"] + counts["vm"] + counts["tested"], counts["shown"])

    def test_no_command_hides_in_an_indented_block(self):
        for page in pages.pages():
            fenced = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
            for line in fenced.splitlines():
                self.assertNotRegex(line, r"^    (\$ )?(sudo |benchctl |benchd |git |\./dev )", page)

    def test_the_pictures_are_those_of_the_golden_files(self):
        script = pages.SOURCE / "docs/pictures/terminal_svg.py"
        done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_links_to_files_lead_somewhere(self):
        for page in pages.pages():
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")


class PageTest(DaemonTest):
    """Runs a page's blocks in order, as a reader would, in one folder and with one daemon."""

    def read(self, page):
        for program in pages.needs(page):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed: apt-get install {program}")
        folder = self.folder / "page"
        folder.mkdir()
        environment = dict(
            self.daemon.environment, BENCHD_SOCKET=str(self.daemon.socket), SOURCE=str(pages.SOURCE),
            PROGRAMS=str(PROGRAMS), PYTHONPATH=os.environ["BENCHD_TEST_PYTHON"],
            PATH=f"{BIN}:{os.environ.get('PATH', '')}", NO_COLOR="1",
            GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.org",
            GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@example.org")

        def execute(command, text, where, expected=0):
            done = subprocess.run(
                command, input=text, cwd=folder, env=environment, capture_output=True, text=True,
                timeout=PAGE_S)
            self.assertEqual(done.returncode, expected,
                             f"{where}\n{text}\n{done.stdout}\n{done.stderr}")

        prepare = pages.setup(page)
        if prepare:
            execute(["bash", "-euo", "pipefail", "-s"], prepare, f"{page.name}: setup")
        for block in pages.blocks(page):
            if block.kind == "file":
                (folder / block.argument).write_text(block.text)
                if block.argument == "benchd.toml":
                    execute([BIN / "benchd", "--check-config", "--config", block.argument], None,
                            block.where)
            elif block.kind == "run" and block.language == "python":
                execute(["/usr/bin/python3", "-"], block.text, block.where, block.exit_code)
            elif block.kind == "run":
                self.assertTrue(block.commands(), f"{block.where}: no line begins with `$ `")
                # A command that reads stdin would consume the rest of the page.
                execute(["bash", "-uo", "pipefail", "-ec", block.commands()], None, block.where,
                        block.exit_code)


def add_tests():
    """Creates one test per page that has blocks to run."""
    for page in pages.pages():
        if not any(block.kind in ("run", "file") for block in pages.blocks(page)):
            continue
        name = "test_" + re.sub(r"\W", "_", page.stem.lower())
        setattr(PageTest, name, lambda self, page=page: self.read(page))


add_tests()

if __name__ == "__main__":
    main()
