"""Prints gcovr's JSON summary as a table: lines reached, by folder of the product."""

import collections
import json
import pathlib
import sys


def main():
    files = json.loads(pathlib.Path(sys.argv[1]).read_text())["files"]
    lines = collections.defaultdict(lambda: [0, 0])
    for file in files:
        for key in (str(pathlib.PurePath(file["filename"]).parent), "total"):
            lines[key][0] += file["line_covered"]
            lines[key][1] += file["line_total"]
    total = lines.pop("total")
    for folder, (covered, known) in (*sorted(lines.items()), ("total", total)):
        print(f"{folder:32}{covered:8} of {known:6} lines{100 * covered / max(known, 1):8.2f} %")


if __name__ == "__main__":
    main()
