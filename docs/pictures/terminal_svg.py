"""Draws the README's picture, a comparison as it runs, from a golden terminal state.

    /usr/bin/python3 docs/pictures/terminal_svg.py           writes compare-light.svg and compare-dark.svg
    /usr/bin/python3 docs/pictures/terminal_svg.py --check   exits with 1 if they are not up to date

The picture shows what a test expects benchctl to draw (tests/golden/client/live_suite.txt), so it
cannot show anything that benchctl does not. Glyphs that draw, such as bars and intervals, become
shapes, and each word is fitted to its columns: the picture does not depend on the reader's fonts.
"""

import argparse
import pathlib
import re
import sys
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parents[1] / "tests/golden"

# What a user types for it, above what the golden file has.
COMMAND = "$ benchctl compare -f suite.toml"

# Pixels.
COLUMN = 8
ROW = 20
FONT = 13.3
MARGIN = 16

THEMES = {
    "light": {"back": "#ffffff", "edge": "#d0d7de", "text": "#1f2328", "dim": "#656d76",
              "red": "#cf222e", "green": "#1a7f37", "yellow": "#9a6700", "bar": "#0969da",
              "rest": "#d8dee4"},
    "dark": {"back": "#0d1117", "edge": "#30363d", "text": "#e6edf3", "dim": "#8b949e",
             "red": "#ff7b72", "green": "#3fb950", "yellow": "#d29922", "bar": "#58a6ff",
             "rest": "#30363d"},
}

# The escape sequences that benchctl prints.
_ESCAPE = re.compile(r"\x1b\[(\d*)m")
_COLORS = {"": "text", "0": "text", "2": "dim", "31": "red", "32": "green", "33": "yellow"}


def fail(message, hint):
    sys.exit(f"error: {message}\nhint: {hint}")


def screen():
    """The lines of the terminal: the stage of a suite that the golden file has in color."""
    path = GOLDEN / "client/live_suite.txt"
    colored = [stage for stage in path.read_text().rstrip("\n").split("\n\n") if "\x1b" in stage]
    if len(colored) != 1:
        fail(f"{path.name}: {len(colored)} stages in color, 1 expected", "adapt screen()")
    keys = (GOLDEN / "terminal/live_80x24.txt").read_text().rstrip("\n").split("\n")[-1]
    return [COMMAND, *colored[0].split("\n"), keys]


def pieces(line):
    """The line's text by color: (first column, color, text)."""
    column, color = 0, "text"
    for index, part in enumerate(_ESCAPE.split(line)):
        if index % 2:
            color = _COLORS[part]
        elif part:
            yield column, color, part
            column += len(part)


def plain(line):
    return _ESCAPE.sub("", line)


def shape(glyph, color, x, y):
    """A glyph that draws, as SVG, in the cell whose upper left corner is (x, y); None for others."""
    middle, center = y + ROW // 2, x + COLUMN // 2
    if glyph in "█░":
        paint = "bar" if glyph == "█" else "rest"
        return f'<rect class="{paint}" x="{x}" y="{y + 4}" width="{COLUMN}" height="{ROW - 8}"/>'
    if glyph == "━":
        return f'<rect class="{color}" x="{x}" y="{middle - 1}" width="{COLUMN}" height="2"/>'
    if glyph == "●":
        return f'<circle class="{color}" cx="{center}" cy="{middle}" r="4"/>'
    if glyph in "┊│":
        dashes = ' stroke-dasharray="3 3"' if glyph == "┊" else ""
        return f'<path class="mark" d="M{center} {y + 1}v{ROW - 2}"{dashes}/>'
    return None


def drawn(line, y):
    """A line as SVG elements: its shapes, and each group of words in its columns."""
    for start, color, text in pieces(line):
        letters = list(text)
        for offset, glyph in enumerate(text):
            element = shape(glyph, color, MARGIN + (start + offset) * COLUMN, y)
            if element is not None:
                letters[offset] = " "
                yield element
        for words in re.finditer(r"\S+(?: \S+)*", "".join(letters)):
            x, width = MARGIN + (start + words.start()) * COLUMN, len(words.group()) * COLUMN
            yield (f'<text class="{color}" x="{x}" y="{y + 14}" textLength="{width}">'
                   f"{escape(words.group())}</text>")


def picture(theme):
    lines, colors = screen(), THEMES[theme]
    width = max(len(plain(line)) for line in lines) * COLUMN + 2 * MARGIN
    height = len(lines) * ROW + 2 * MARGIN
    rows = "; ".join(" ".join(re.sub("[━●┊│]", " ", plain(line)).split()) for line in lines[4:-1])
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="title">',
        f'<title id="title">{escape(f"{COMMAND[2:]}: {lines[1]}: {rows}")}</title>',
        "<style>",
        "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        f"font-size:{FONT}px;white-space:pre}}",
        *(f".{name}{{fill:{colors[name]}}}" for name in (*dict.fromkeys(_COLORS.values()), "bar", "rest")),
        f".mark{{stroke:{colors['dim']};fill:none}}",
        "</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6" '
        f'fill="{colors["back"]}" stroke="{colors["edge"]}"/>',
        *(element for row, line in enumerate(lines) for element in drawn(line, MARGIN + row * ROW)),
        "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit with 1 if a picture is not up to date")
    check = parser.parse_args().check
    stale = []
    for theme in THEMES:
        path, svg = HERE / f"compare-{theme}.svg", picture(theme)
        if not check:
            path.write_text(svg)
        elif not path.exists() or path.read_text() != svg:
            stale.append(path.name)
    if stale:
        fail(f"out of date: {', '.join(stale)}: the golden terminal state has changed",
             "run /usr/bin/python3 docs/pictures/terminal_svg.py")


if __name__ == "__main__":
    main()
