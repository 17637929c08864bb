"""Prints files, lines of code and share of comments by folder, for the C++ files that git tracks.

A line of code is neither blank nor only a comment. `./dev size` calls this.
"""

import collections
import dataclasses
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass
class Size:
    files: int = 0
    code: int = 0
    comments: int = 0

    def add(self, path):
        self.files += 1
        for line in path.read_text(encoding="utf-8").splitlines():
            text = line.strip()
            self.comments += text.startswith("//")
            self.code += bool(text) and not text.startswith("//")

    def row(self, name):
        lines = max(1, self.code + self.comments)
        return (f"{name:<20} {self.files:4} files {self.code:6} lines of code "
                f"{100 * self.comments / lines:5.1f} % comments")


def main():
    listed = subprocess.run(["git", "ls-files", "-z", "--", "*.h", "*.cc"], cwd=SOURCE,
                            capture_output=True, text=True, check=True).stdout
    folders, sums = collections.defaultdict(Size), collections.defaultdict(Size)
    for name in filter(None, listed.split("\0")):
        path = pathlib.PurePath(name)
        is_test = path.parts[0] == "tests"
        if not is_test:
            folders["/".join(path.parts[:2] if len(path.parts) > 2 else path.parts[:1])].add(SOURCE / name)
        sums["tests" if is_test else "product"].add(SOURCE / name)
    for name, size in sorted(folders.items()) + sorted(sums.items()):
        print(size.row(name))


if __name__ == "__main__":
    main()
