"""The Debian packages on this machine, for the tests that install, upgrade and purge them."""

import os
import pathlib

import e2e_support
import installation
import pristine
from guest import GuestTest, run, unit

PACKAGES = pathlib.Path("packages").resolve()
NAMES = ["benchctl", "benchd"]
# Unpacking is the slowest operation on an emulated machine.
APT = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", "--quiet"]
APT_S = 350
PUSH_STATE = pathlib.Path("/var/lib/benchd-push")
ENABLED = [*installation.SOCKETS, "benchd.service"]
UNITS = [*installation.SOCKETS, *installation.SERVICES]
# Files of benchd that only dpkg may leave behind.
TRACES = ["/etc/benchd", "/var/lib/benchd", "/run/benchd", "/run/benchd-runner",
          "/usr/libexec/benchd", "/usr/share/benchd", "/usr/share/doc/benchd"]
PUSH_TRACES = ["/usr/bin/benchd-push", "/usr/lib/systemd/system/benchd-push.service",
               "/usr/lib/sysusers.d/benchd-push.conf", "/usr/lib/tmpfiles.d/benchd-push.conf",
               "/usr/share/man/man8/benchd-push.8.gz", "/usr/share/doc/benchd-push",
               str(PUSH_STATE)]
# Lists the parts of packages that this machine's image omits.
EXCLUDES = pathlib.Path("/etc/dpkg/dpkg.cfg.d/99mmdebstrap")


def packages(*names):
    return [next(PACKAGES.glob(f"{name}_*.deb")) for name in names or NAMES]


def apt(*words):
    return run(*APT, *words, timeout=APT_S)


def installed_version(name):
    return run("dpkg-query", "--show", "--showformat=${Version}", name)


class PackageCase(GuestTest):
    """A step of an administrator. It may leave benchd installed for the next one."""

    def setUp(self):
        e2e_support.DaemonTest.setUp(self)
        self.folder.chmod(0o755)
        EXCLUDES.unlink(missing_ok=True)

    def _stop_and_look(self):
        for client in self._clients:
            client.close()

    def assert_no_trace(self):
        self.assertEqual(pristine.left(), [])
        self.assertEqual([path for path in TRACES + PUSH_TRACES if os.path.lexists(path)], [])
        links = [str(path) for path in pathlib.Path("/etc/systemd").rglob("bench*")]
        links += map(str, pathlib.Path("/var/lib/systemd").rglob("*bench*"))
        self.assertEqual(links, [])

    def assert_no_units(self):
        # As usual in Debian, units of removed packages stay enabled, without a file, until purge.
        units = run("systemctl", "list-units", "--all", "--no-legend", "--plain", "bench*")
        there = [line for line in units.splitlines() if "not-found inactive dead" not in line]
        self.assertEqual(there, [])
        for name in UNITS:
            self.assertEqual(unit(name, "LoadState"), "not-found", name)
        running = [e2e_support.name_of(pid) for pid in e2e_support.all_pids()]
        self.assertEqual([name for name in running if name.startswith("bench")], [])

    def assert_running(self):
        for name in ENABLED:
            self.assertEqual(run("systemctl", "is-enabled", name), "enabled")
            self.assertEqual(unit(name, "ActiveState"), "active", name)
        self.assertRegex(unit("benchd.service", "FragmentPath"), "^(/usr)?/lib/systemd/system/")
