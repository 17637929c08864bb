#!/usr/bin/env python3
"""Times a pull request from nothing to a comment, in a fresh Debian root.

    first_comment.py ARCHIVE [--release NAME] [--keep DIR]

mmdebstrap creates the root with what a hosted runner has and docs/ci.md needs: git, a compiler,
make, curl, jq and zstd. A user without rights then runs the steps of ci/github/action.yml on a
pull request that is 10 % slower (first_comment/job.py). ARCHIVE is the portable archive.

Needs root, Debian's mmdebstrap and the network; exits with 77 if one is missing.
"""

import argparse
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/e2e"))

import fresh_root  # noqa: E402

PACKAGES = ("ca-certificates", "curl", "gcc", "git", "jq", "libc6-dev", "make", "python3",
            "python3-yaml", "zstd")
FILES = ("ci/github", "tests/bench/first_comment", "tests/e2e/github_runner.py")


def make_root(root, release, archive):
    subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "--mode=root",
                    f"--include={','.join(PACKAGES)}", release, root], check=True)
    subprocess.run(["chroot", root, "useradd", "--create-home", "you"], check=True)
    for name in FILES:
        target = root / "srv/benchd" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (SOURCE / name).is_dir() else shutil.copy
        copy(SOURCE / name, target)
    shutil.copy(archive, root / "srv/archive.tar.zst")


def run_job(root, digest):
    """Runs the job as the user."""
    command = ("setpriv --reuid you --regid you --init-groups env -i HOME=/home/you "
               "PATH=/usr/bin:/bin LANG=C.UTF-8 python3 "
               f"/srv/benchd/tests/bench/first_comment/job.py /srv/archive.tar.zst {digest}")
    return subprocess.run(fresh_root.inside(root, command), stdin=subprocess.DEVNULL,
                          check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("--release", default="trixie", metavar="NAME", help="(default: trixie)")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the root in this folder")
    arguments = parser.parse_args()
    if not fresh_root.can_be_made("first-comment"):
        return fresh_root.SKIPPED
    root = arguments.keep or pathlib.Path(tempfile.mkdtemp(prefix="benchd-root-"))
    root.chmod(0o755)
    try:
        make_root(root, arguments.release, arguments.archive)
        return run_job(root, hashlib.sha256(arguments.archive.read_bytes()).hexdigest())
    finally:
        if not arguments.keep:
            shutil.rmtree(root)


if __name__ == "__main__":
    sys.exit(main())
