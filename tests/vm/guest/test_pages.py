"""Every block of README.md and docs/ that is tagged `vm`, typed by a reader on a machine without benchd.

As the pages say, line by line, in one shell a page, by somebody who may use sudo. What a block
compiles was compiled before (`./dev`) and what it clones is a folder with that (`git`): both stand in
the reader's PATH or folder. All else is done for real, by apt, systemd and benchctl.
"""

import grp
import pathlib
import shutil

import e2e_support
import installation
import pages
from guest import GuestTest, login, run
from test_package import APT, APT_S, EXCLUDES, NAMES, packages
from typist import Typist

READER = "you"
# Of the emulated machine; the longest is the installation of packages.
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
        """What `git clone` gives, and what ./dev and cmake have made of it."""
        (folder / "build/package").mkdir(parents=True)
        for package in packages():
            shutil.copy(package, folder / "build/package")
        script(folder / "dev", 'case $1 in build | package) ;; *) exit 2 ;; esac')

    def type_page(self, page, folder):
        """Types its blocks, from that folder of the reader's on; how many."""
        self.make_checkout(self.home / "made")
        tree = installation.TREE.resolve()
        script(self.home / "bin/git",
               'test "$1" = clone && cp -r ~/made "$(basename "$2" .git)"')
        # The only thing that it is asked for.
        script(pathlib.Path("/usr/local/bin/cmake"),
               f'test "$*" = "--install build/release" && cp -a --no-preserve=ownership {tree}/. /')
        self.addCleanup(pathlib.Path("/usr/local/bin/cmake").unlink)
        run("chown", "-R", f"{READER}:", self.home)
        shell = Typist(login(READER), BLOCK_S)
        self.addCleanup(shell.close)
        shell.begin()
        shell.run('export PATH=~/bin:$PATH USER=you; cd ' + folder)
        typed = [block for block in pages.blocks(page) if block.kind == "vm"]
        for block in typed:
            with self.subTest(block.where):  # each has the hang watch's time for itself
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
