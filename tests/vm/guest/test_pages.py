"""Types every block of README.md and docs/ that is tagged `vm`, on a machine without benchd.

A reader who may use sudo types the lines as the pages show them, in one shell per page. Programs
that a block builds were built before (`./dev`), and a folder with them replaces the clone (`git`):
both are in the reader's PATH or folder. Everything else is real: apt, systemd and benchctl.
"""

import grp
import pathlib
import shutil

import e2e_support
import installation
import pages
from debian_packages import APT, APT_S, EXCLUDES, NAMES, packages
from guest import GuestTest, login, run
from typist import Typist

READER = "you"
# On the emulated machine; the longest block installs packages.
BLOCK_S = 2 * APT_S


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


class PagesTest(GuestTest):
    def setUp(self):
        e2e_support.DaemonTest.setUp(self)
        EXCLUDES.unlink(missing_ok=True)
        run("useradd", "--create-home", "--shell", "/bin/bash", READER)
        self.home = pathlib.Path("/home") / READER
        rule = pathlib.Path("/etc/sudoers.d/you")
        rule.write_text(f"{READER} ALL=(ALL) NOPASSWD: ALL\n")
        self.addCleanup(run, "userdel", "--remove", READER)
        self.addCleanup(rule.unlink)

    def _stop_and_look(self):
        pass

    def make_checkout(self, folder):
        """Creates the result of `git clone`, and of ./dev and cmake in it."""
        (folder / "build/package").mkdir(parents=True)
        for package in packages():
            shutil.copy(package, folder / "build/package")
        script(folder / "dev", 'case $1 in build | package) ;; *) exit 2 ;; esac')

    def type_page(self, page, folder):
        """Types a page's blocks, starting in that folder of the reader; returns their number."""
        self.make_checkout(self.home / "made")
        tree = installation.TREE.resolve()
        script(self.home / "bin/git",
               'test "$1" = clone && cp -r ~/made "$(basename "$2" .git)"')
        # The only thing that it asks for.
        script(pathlib.Path("/usr/bin/cmake"),
               f'test "$*" = "--install build/release" && cp -a --no-preserve=ownership {tree}/. /')
        self.addCleanup(pathlib.Path("/usr/bin/cmake").unlink)
        run("chown", "-R", f"{READER}:", self.home)
        shell = Typist(login(READER), BLOCK_S)
        self.addCleanup(shell.close)
        shell.begin()
        shell.run('export PATH=~/bin:$PATH USER=you; cd ' + folder)
        typed = [block for block in pages.blocks(page) if block.kind == "vm"]
        for block in typed:
            with self.subTest(block.where):  # each has the full time of the hang watch
                print(f"{shell.follow(block):6.1f} s  {block.where}", flush=True)
        return len(typed)

    def assert_runs(self):
        run("systemctl", "is-active", *installation.SOCKETS, "benchd.service")
        self.assertIn(READER, grp.getgrnam("benchd").gr_mem)

    def purge(self):
        run("systemctl", "stop", *installation.SOCKETS, *installation.SERVICES)
        run(*APT, "purge", *NAMES, timeout=APT_S)

    def test_the_ten_minutes(self):
        self.addCleanup(self.purge)
        typed = self.type_page(pages.SOURCE / "docs/first-verdict.md", "~")
        self.assertEqual(typed, 3)
        self.assert_runs()

    def test_the_readme(self):
        self.addCleanup(self.purge)
        self.assertEqual(self.type_page(pages.SOURCE / "README.md", "~/made"), 1)
        self.assert_runs()

    def test_without_packages(self):
        self.addCleanup(installation.uninstall)
        self.assertEqual(self.type_page(pages.SOURCE / "docs/service.md", "~/made"), 1)
        self.assert_runs()

    def test_no_page_is_forgotten(self):
        tagged = {block.page for page in pages.pages() for block in pages.blocks(page)
                  if block.kind == "vm"}
        self.assertEqual(tagged, {"README.md", "docs/first-verdict.md", "docs/service.md"})
