"""The blocks of README.md and docs/, tagged in the source of their page.

The word after the language of a fence selects how its block is tested:

    ```sh run                each line is executed by bash, in a folder for this page
    ```sh run exit=1         and the last command exits with this code (default 0)
    ```toml file=suite.toml  the block is written to that file, for the blocks after it
    ```python run            executed by Debian's Python
    ```console run           lines that begin with `$ ` are executed; what they print is an example
    ```sh vm                 executed in the emulated machine, by tests/vm/guest/test_pages.py
    ```sh tested: FILE       covered by that test
    ```text shown: REASON    not tested, because of REASON

An HTML comment, which readers do not see, sets up what a page needs:

    <!-- setup
    ...shell commands, in the same folder, before the page's first block...
    -->

`<!-- needs hyperfine gcc -->` names programs without which the page is skipped.
"""

import dataclasses
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`]*)$")
_SETUP = re.compile(r"<!-- setup\n(.*?)-->", re.DOTALL)


@dataclasses.dataclass
class Block:
    """A fenced block: its place, its language, its kind of test, and its lines."""

    page: str
    line: int
    language: str
    kind: str  # run, file, vm, tested, shown; "" if the page does not specify it
    argument: str  # the name of the file, or the reason
    exit_code: int
    text: str

    @property
    def where(self):
        return f"{self.page}:{self.line}"

    def commands(self):
        """The lines that a reader would type."""
        if self.language != "console":
            return self.text
        return "".join(line[2:] + "\n" for line in self.text.splitlines() if line.startswith("$ "))


def pages():
    """Every page that users read, README.md first."""
    return [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]


def _tag(words):
    """The kind, argument and exit code after the language."""
    if not words:
        return "", "", 0
    first, _, rest = words.partition(" ")
    if first in ("shown:", "tested:"):
        return first[:-1], rest, 0
    if first.startswith("file="):
        return "file", first[len("file="):], 0
    code = re.fullmatch(r"exit=(\d+)", rest.strip()) if rest else None
    return first, "", int(code.group(1)) if code else 0


def blocks(page):
    """The fenced blocks of a page, in order."""
    name, found, begun = str(page.relative_to(SOURCE)), [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = _FENCE.match(line)
        if fence and begun is None:
            language, _, words = fence.group("info").strip().partition(" ")
            begun = Block(name, number, language, *_tag(words.strip()), "")
            indent = len(fence.group("indent"))
        elif fence:
            found.append(begun)
            begun = None
        elif begun is not None:
            begun.text += line[indent:] + "\n"
    if begun is not None:
        raise ValueError(f"{begun.where}: the block is not closed")
    return found


def needs(page):
    """Optional programs that a page's blocks call."""
    return " ".join(re.findall(r"<!-- needs (.*?) -->", page.read_text())).split()


def setup(page):
    """The shell commands in a page's comments."""
    return "".join(_SETUP.findall(page.read_text()))
