"""A fresh Debian root in which a bench runs commands. Needs root, mmdebstrap and the network."""

import os
import shutil
import sys

SKIPPED = 77


def can_be_made(bench):
    """Whether this machine can make a root; says why not."""
    if os.geteuid() == 0 and shutil.which("mmdebstrap"):
        return True
    print(f"skipped: {bench}: needs root and Debian's mmdebstrap", file=sys.stderr)
    return False


def inside(root, command):
    """The words that run a shell command in the root, with the usual file systems mounted."""
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
            f"mount --rbind /dev {root}/dev && mount -t proc proc {root}/proc && "
            f"mount -t sysfs sysfs {root}/sys && mount -t tmpfs -o mode=755 tmpfs {root}/run && "
            f"exec chroot {root} {command}"]
