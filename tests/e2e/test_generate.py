"""`generate man` and `generate completions`, as in a package's build.

tests/install checks their output.
"""

import subprocess

from main import main
from support import PASS, USAGE, DaemonTest


class GenerateTest(DaemonTest):
    starts_daemon = False

    def generated(self, what, folder):
        path = self.folder / folder
        self.assert_exit(self.benchctl("generate", what, path), PASS)
        return {str(file.relative_to(path)): file.read_text() for file in path.rglob("*")
                if file.is_file()}

    def test_pages_are_the_same_each_time(self):
        pages = self.generated("man", "a")
        self.assertEqual(self.generated("man", "b"), pages)
        for name, text in pages.items():
            title = name.removeprefix("man1/").removesuffix(".1").upper().replace("-", r"\-")
            self.assertIn(f".TH {title} 1 ", text, name)

    def test_completions_are_scripts(self):
        files = self.generated("completions", "a")
        self.assertEqual(self.generated("completions", "b"), files)
        self.assertEqual(sorted(files), ["bash-completion/completions/benchctl",
                                         "fish/vendor_completions.d/benchctl.fish",
                                         "zsh/vendor-completions/_benchctl"])
        subprocess.run(["bash", "-n", self.folder / "a" / sorted(files)[0]], check=True)

    def test_a_folder_that_cannot_be_made_is_named(self):
        done = self.benchctl("generate", "man", "/dev/null/man")
        self.assert_exit(done, USAGE)
        self.assert_one_error(done, "/dev/null/man")


if __name__ == "__main__":
    main()
