"""Runs the install.sh of the portable archive on small files, for a user.

What it does as root with systemd is tested in an emulated machine (tests/vm/guest/test_archive.py).
"""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from main import main  # noqa: E402

FILES = {"bin/benchctl": 0o755, "libexec/benchd/benchd-helper": 0o711,
         "lib/systemd/system/benchd.service": 0o644, "share/man/man1/benchctl.1": 0o644}


class InstallTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))
        self.home = self.folder / "home of a user"
        self.home.mkdir()
        self.source = self.unpack("the archive", FILES)

    def unpack(self, name, files):
        """An unpacked archive with these files."""
        source = self.folder / name
        lines = []
        for file, mode in files.items():
            path = source / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name}: {file}\n")
            path.chmod(0o700)
            lines.append(f"{mode:o} {file}\n")
        (source / "manifest").write_text("".join(lines))
        shutil.copy(ROOT / "ci/archive/install.sh", source)
        return source

    def install(self, *words, source=None, code=0, **options):
        environment = dict(os.environ, HOME=str(self.home), **options.pop("env", {}))
        done = subprocess.run(
            ["sh", (source or self.source) / "install.sh", *words], env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **options)
        self.assertEqual(done.returncode, code, done)
        return done.stdout + done.stderr

    def installed(self, prefix):
        return sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*")
                      if not path.is_dir())

    def test_a_user_gets_all_but_the_services(self):
        said = self.install()
        prefix = self.home / ".local"
        self.assertEqual(self.installed(prefix), [
            "bin/benchctl", "libexec/benchd/benchd-helper", "share/benchd/manifest",
            "share/man/man1/benchctl.1"])
        for file in ("bin/benchctl", "libexec/benchd/benchd-helper", "share/man/man1/benchctl.1"):
            self.assertEqual(stat.S_IMODE((prefix / file).stat().st_mode), FILES[file], file)
        self.assertIn(f"installed below {prefix}", said)
        self.assertIn(f'export PATH="{prefix}/bin:$PATH"', said)

    def test_a_private_umask_hides_no_file(self):
        self.install(umask=0o077)
        self.assertEqual(stat.S_IMODE((self.home / ".local/bin/benchctl").stat().st_mode), 0o755)

    def test_a_relative_prefix_is_printed_whole(self):
        said = self.install("--prefix", "some/where", cwd=self.folder, env={"CDPATH": "/"})
        self.assertIn(f"installed below {self.folder}/some/where\n", said)

    def test_started_from_another_folder_with_cdpath(self):
        self.install(cwd=self.folder, source=pathlib.Path("the archive"),
                     env={"CDPATH": str(self.folder)})

    def test_removing_leaves_the_files_of_others(self):
        other = self.home / ".local/share/other"
        other.parent.mkdir(parents=True)
        other.write_text("kept")
        self.install()
        self.install("--remove")
        self.assertEqual(self.installed(self.home / ".local"), ["share/other"])
        said = self.install("--remove", code=2)
        self.assertIn("benchd is not installed there from an archive", said)

    def test_an_upgrade_removes_what_the_new_version_lacks(self):
        files = {name: mode for name, mode in FILES.items() if "helper" not in name}
        files["share/new one"] = 0o644
        newer = self.unpack("newer", files)
        self.install()
        self.install(source=newer)
        prefix = self.home / ".local"
        self.assertEqual(self.installed(prefix), [
            "bin/benchctl", "share/benchd/manifest", "share/man/man1/benchctl.1", "share/new one"])
        self.assertEqual((prefix / "bin/benchctl").read_text(), "newer: bin/benchctl\n")
        # The older archive removes what the newer one installed.
        self.install("--remove")
        self.assertEqual(self.installed(prefix), [])

    def test_an_archive_that_was_unpacked_into_the_prefix_is_refused(self):
        for action in ([], ["--remove"]):
            said = self.install("--prefix", str(self.source), *action, code=2)
            self.assertIn("unpack" if not action else "not installed there", said)
        self.assertTrue((self.source / "bin/benchctl").exists())

    def test_usage(self):
        for words, text in ((["--prefix"], "missing folder"), (["--all"], "unknown option '--all'"),
                            (["--system", "--prefix", "/x"], "the services need /usr/local")):
            said = self.install(*words, code=2)
            self.assertIn(text, said)
        (self.source / "manifest").unlink()
        self.assertIn("manifest is missing", self.install(code=2))


if __name__ == "__main__":
    main()
