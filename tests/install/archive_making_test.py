"""`./dev package --archive` on a small checkout, with stand-ins for CMake and zstd."""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from main import main  # noqa: E402

COPIED = ["dev", "ci/packages.sh", "ci/commit_time.sh", "ci/archive/install.sh", "README.md",
          "LICENSE", "docs/changelog.md"]
# Installs with the permissions of CMake: those of folders depend on the umask.
CMAKE = """#!/bin/sh
echo "$*" >>"$CALLED"
[ "$1" = --install ] || exit 0
place=$DESTDIR/usr/local
mkdir -p "$place/bin" "$place/lib" "$place/libexec/benchd" "$place/share/zsh/vendor-completions"
for file in bin/benchctl lib/unit libexec/benchd/benchd-helper \
  share/zsh/vendor-completions/_benchctl share/B share/a; do echo "$file" >"$place/$file"; chmod 644 "$place/$file"; done
chmod 755 "$place/bin/benchctl"
chmod 711 "$place/libexec/benchd/benchd-helper"
"""
# Without compression: its last argument is the file.
ZSTD = '#!/bin/sh\nfor file; do :; done\ncat >"$file"\n'
NAME = "benchd-1.2.3-linux-x86_64"
# Of which this machine has the licence, as every Debian has.
LIBRARY = "libc6"
TIME = 1700000000


@unittest.skipUnless(pathlib.Path(f"/usr/share/doc/{LIBRARY}/copyright").exists(),
                     "this is not a Debian system")
class MakingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="benchd-archive-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))
        self.checkout = self.folder / "a checkout"
        for name in COPIED:
            (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.checkout / name)
        self.write("tests/install/archive_test.py", "")
        self.build = self.checkout / "build/archive"
        self.write("build/archive/CMakeCache.txt", "CMAKE_PROJECT_VERSION:STATIC=1.2.3\n")
        self.write("build/archive/CPackConfig.cmake",
                   'set(CPACK_RPM_PACKAGE_ARCHITECTURE "x86_64")\n'
                   f'set(CPACK_BENCHD_STATIC_LIBRARIES "{LIBRARY}")\n')
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for name, text in (("cmake", CMAKE), ("zstd", ZSTD),
                           ("dpkg-query", "#!/bin/sh\nprintf installed\n")):
            (self.programs / name).write_text(text)
            (self.programs / name).chmod(0o755)

    def write(self, name, text):
        (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (self.checkout / name).write_text(text)

    def make(self, umask=0o022, **more):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("SOURCE_DATE_EPOCH", "CMAKE_TOOLCHAIN_FILE")}
        environment |= {"PATH": f"{self.programs}:{os.environ['PATH']}",
                        "CALLED": str(self.folder / "called"),
                        "GIT_CEILING_DIRECTORIES": str(self.folder)} | more
        return subprocess.run([self.checkout / "dev", "package", "--archive"], env=environment,
                              umask=umask, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60)

    def archive(self, **options):
        done = self.make(**options)
        self.assertEqual(done.returncode, 0, done)
        return (self.build / f"{NAME}.tar.zst").read_bytes()

    def members(self):
        with tarfile.open(self.build / f"{NAME}.tar.zst") as tar:
            return {entry.name.removeprefix(f"{NAME}/"): entry for entry in tar}

    def test_neither_umask_nor_locale_changes_it(self):
        made = {self.archive(umask=umask, LC_ALL=locale, SOURCE_DATE_EPOCH=str(TIME))
                for umask, locale in ((0o022, "C"), (0o077, "en_US.UTF-8"), (0o002, "C.UTF-8"))}
        self.assertEqual(len(made), 1)
        members = self.members()
        for name, entry in members.items():
            self.assertIn(entry.mode, (0o644, 0o755), name)
            self.assertEqual((entry.uid, entry.gid, entry.mtime), (0, 0, TIME), name)
        with tarfile.open(self.build / f"{NAME}.tar.zst") as tar:
            manifest = tar.extractfile(f"{NAME}/manifest").read().decode()
            self.assertEqual(tar.extractfile(f"{NAME}/processor").read(), b"x86_64\n")
        self.assertEqual(manifest.splitlines(), [
            "755 bin/benchctl", "644 lib/unit", "711 libexec/benchd/benchd-helper",
            "644 share/B", "644 share/a", "644 share/doc/benchd/licenses/LICENSE",
            f"644 share/doc/benchd/licenses/{LIBRARY}",
            "644 share/zsh/site-functions/_benchctl"])

    def test_those_of_earlier_versions_are_removed(self):
        for name in ("benchd-1.2.2-linux-x86_64", "benchd-1.2.2-linux-aarch64"):
            for end in ("", ".sha256"):
                (self.build / f"{name}.tar.zst{end}").touch()
        self.archive(SOURCE_DATE_EPOCH=str(TIME))
        self.assertEqual(sorted(file.name for file in self.build.glob("*.tar.zst*")), [
            "benchd-1.2.2-linux-aarch64.tar.zst", "benchd-1.2.2-linux-aarch64.tar.zst.sha256",
            f"{NAME}.tar.zst", f"{NAME}.tar.zst.sha256"])

    def test_a_missing_licence_is_an_error(self):
        self.write("build/archive/CPackConfig.cmake",
                   'set(CPACK_RPM_PACKAGE_ARCHITECTURE "x86_64")\n')
        done = self.make(SOURCE_DATE_EPOCH=str(TIME))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("does not name the libraries in the programs", done.stderr)
        self.assertFalse((self.build / f"{NAME}.tar.zst").exists())

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_its_time_is_that_of_the_last_commit(self):
        done = self.make()
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stderr, f"error: archive: {self.checkout} has no commit, whose time "
                         "the files would get\nhint: SOURCE_DATE_EPOCH=$(date +%s) ./dev package "
                         "--archive\n")
        # That is known before the build.
        self.assertFalse((self.folder / "called").exists())
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
            subprocess.run([*git, *words], cwd=self.checkout, check=True,
                           env=dict(os.environ, GIT_COMMITTER_DATE=f"{TIME} +0000"))
        if os.getuid() == 0:
            # As with sudo in a checkout of a user, which git refuses to read.
            subprocess.run(["chown", "-R", "65534:65534", self.checkout], check=True)
        self.archive()
        self.assertEqual({entry.mtime for entry in self.members().values()}, {TIME})


if __name__ == "__main__":
    main()
