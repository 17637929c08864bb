"""Installs benchd on this machine as an administrator would, and removes it."""

import pathlib
import subprocess

TREE = pathlib.Path("install")
SOCKETS = ["benchd.socket", "benchd-runner.socket"]
SERVICES = ["benchd.service", "benchd-runner.service"]
CONFIG = pathlib.Path("/etc/benchd/benchd.toml")
BIN = pathlib.Path("/usr/local/bin")


def run(*command, check=True, timeout=120):
    done = subprocess.run(
        [str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=timeout)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout.strip()


def files():
    """The files from `cmake --install`, as paths on this machine."""
    return ["/" / path.relative_to(TREE) for path in TREE.rglob("*") if not path.is_dir()]


def install():
    run("cp", "-a", "--no-preserve=ownership", f"{TREE}/.", "/")
    run("systemd-sysusers")
    run("systemd-tmpfiles", "--create")
    run("systemctl", "daemon-reload")


def uninstall():
    """Users, configuration and recorded sessions belong to the administrator and stay."""
    run("systemctl", "disable", "--now", *SOCKETS, "benchd.service")
    run("systemctl", "stop", *SERVICES, "bench.slice")
    for path in files():
        path.unlink()
    run("systemctl", "daemon-reload")
