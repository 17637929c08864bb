#!/usr/bin/env python3
"""Follows and times the ten minutes of docs/first-verdict.md literally in a fresh Debian root.

    first_verdict.py PROGRAMS [--page PAGE] [--keep DIR]

mmdebstrap creates the root from this machine's apt sources, with the page's prerequisites: git,
sudo and a user who may use it. A shell in it receives every block of the page line by line. The
address to clone leads to this repository (git's url.*.insteadOf); everything else comes from the
network. There is no systemd, so the user's own daemon runs.

Needs root, Debian's mmdebstrap and the network; exits with 77 if one is missing. PROGRAMS is the
folder of the end-to-end tests' programs; the page compares two of them.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/e2e"))

import fresh_root  # noqa: E402
import pages  # noqa: E402
from typist import Typist  # noqa: E402

TIMEOUT_S = 3 * 3600  # a complete build, on a shared machine
PACKAGES = ("adduser", "ca-certificates", "git", "login", "passwd", "sudo")
ORIGIN = "https://git.example/benchd.git"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, command))}: exit code {done.returncode}")


def make_root(root, programs):
    lists = [path for path in ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")
             if os.path.exists(path) and os.path.getsize(path)]
    run("mmdebstrap", "--quiet", "--variant=minbase", "--mode=root",
        f"--include={','.join(PACKAGES)}", "bookworm", root, *lists[:1], stderr=subprocess.DEVNULL)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    run("chroot", root, "useradd", "--create-home", "--shell", "/bin/bash", "you")
    (root / "etc/sudoers.d/you").write_text("you ALL=(ALL) NOPASSWD: ALL\n")
    # From the committed work tree, without the results of builds.
    run("git", "clone", "--quiet", "--bare", SOURCE, root / "srv/benchd.git")
    (root / "etc/gitconfig").write_text(
        f'[url "/srv/benchd.git"]\n\tinsteadOf = {ORIGIN}\n[safe]\n\tdirectory = *\n')
    shutil.copytree(programs, root / "opt/programs")


def shell_in(root):
    """A login shell of the user, with the usual file systems mounted."""
    return Typist(fresh_root.inside(root, "su - you"), TIMEOUT_S)


def follow(root, page):
    """The seconds of each block, in order."""
    shell = shell_in(root)
    told = []
    try:
        shell.begin()
        shell.run("export PROGRAMS=/opt/programs")
        prepared = False
        for block in pages.blocks(page):
            if block.kind not in ("vm", "run"):
                continue
            if block.kind == "run" and not prepared:
                # The page's two programs, which readers already have.
                for line in pages.setup(page).splitlines():
                    shell.run(line)
                prepared = True
            seconds = shell.follow(block)
            first = block.commands().splitlines()[0]
            told.append(seconds)
            print(f"{seconds:8.1f} s  {block.where:28} {first[:60]}", flush=True)
    finally:
        shell.close()
    return told


def main():
    parser = argparse.ArgumentParser(description="The ten minutes, in a fresh root, timed.")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, default=SOURCE / "docs/first-verdict.md")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the root in this folder")
    arguments = parser.parse_args()
    if not fresh_root.can_be_made("first-verdict"):
        return fresh_root.SKIPPED
    root = arguments.keep or pathlib.Path(tempfile.mkdtemp(prefix="benchd-root-"))
    begin = time.monotonic()
    try:
        make_root(root, arguments.programs)
        print(f"{time.monotonic() - begin:8.1f} s  a fresh root (not counted)", flush=True)
        print(f"{sum(follow(root, arguments.page.resolve())):8.1f} s  in all")
    finally:
        if not arguments.keep:
            shutil.rmtree(root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
