"""Draws sentences at random from docs, help, messages and comments, for somebody to judge.

    /usr/bin/python3 ci/sentences.py [--count 100] [--seed N] [--kind docs,help,messages,comments]

Each kind has an equal share. The seed is printed, so that a draw can be repeated. A sentence of a
message is a string literal of the product with at least four words; {} stands for what the program
inserts.
"""

import argparse
import pathlib
import random
import re

SOURCE = pathlib.Path(__file__).resolve().parents[1]
_CODE = ("core", "daemon", "client", "proto")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_FEWEST_WORDS = 4


def sentences(text):
    """Those of a paragraph, on one line each."""
    for sentence in _END.split(" ".join(text.split())):
        if len(sentence.split()) >= _FEWEST_WORDS:
            yield sentence


def files(*patterns):
    for folder in _CODE:
        for pattern in patterns:
            yield from sorted((SOURCE / folder).rglob(pattern))


def named(path, line):
    return f"{path.relative_to(SOURCE)}:{line}"


def docs():
    pages = [*sorted(SOURCE.glob("*.md")), *sorted((SOURCE / "docs").glob("*.md")),
             SOURCE / "daemon/README.md"]
    for page in pages:
        text = re.sub(r"<!--.*?-->", lambda m: "\n" * m.group().count("\n"), page.read_text(), flags=re.DOTALL)
        text = re.sub(r"^ *```.*?^ *```", lambda m: "\n" * m.group().count("\n"), text,
                      flags=re.DOTALL | re.MULTILINE)
        paragraph, begun = [], 0
        for number, line in enumerate([*text.splitlines(), ""], 1):
            ends = not line.strip() or re.match(r"\s*([-*#|]|\d+\.)\s?", line)
            if ends and paragraph:
                yield from ((named(page, begun), one) for one in sentences(" ".join(paragraph)))
                paragraph = []
            if line.strip() and not re.match(r"\s*[#|]", line):
                begun = begun if paragraph else number
                paragraph.append(re.sub(r"^\s*([-*]|\d+\.)\s", "", line))


def help_texts():
    page = SOURCE / "tests/golden/client/help.txt"
    text, begun = "", 0
    for number, line in enumerate([*page.read_text().splitlines(), ""], 1):
        option = re.match(r"  (?:-\w, |    )?-?-?\S+(?: \S+)*?(?:\s{2,}|$)(.*)", line)
        continues = text and line.startswith("        ")
        if text and not continues:
            yield from ((named(page, begun), one) for one in sentences(text))
            text = ""
        if line.startswith("usage") or not line.strip():
            continue
        begun = begun if text else number
        text = f"{text} {option.group(1) if option and not continues else line.strip()}".strip()


def _spoken(literals):
    """The sentences of literals that people read; arguments are separated by NUL bytes."""
    for text in literals.replace("\\n", " ").split("\0"):
        if not re.search(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA)\b|[<>]|:\d|\w\(|;[a-z]", text):
            yield from sentences(text)


def messages():
    for path in files("*.cc", "*.h"):
        literal, begun, before = "", 0, ""
        for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
            code = line.strip() if line.strip()[:2] not in ("//", "#i") else ""
            found = _LITERAL.findall(code)
            joins = literal and (code.startswith('"') or before.endswith("+"))
            if literal and not joins:
                yield from ((named(path, begun), one) for one in _spoken(literal))
                literal = ""
            if found:
                begun = begun if literal else number
                adjacent = before.endswith('"') and code.startswith('"')
                # What stands between two literals of a line: an argument ends, or a value is inserted.
                between = _LITERAL.split(code)[2:-1:2]
                joined = found[0] + "".join(
                    ("\0" if "," in gap else "{}") + part for gap, part in zip(between, found[1:]))
                literal += ("{}" if literal and not adjacent else "") + joined
            before = code


def comments():
    for path in files("*.cc", "*.h", "*.proto"):
        block, begun = [], 0
        for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
            found = re.match(r"\s*///?<?\s?(.*)", line) or re.search(r"\s///?<\s(.*)", line)
            alone = found and not re.match(r"\s*//", line)
            if block and (not found or alone or not found.group(1)):
                yield from ((named(path, begun), one) for one in sentences(" ".join(block)))
                block = []
            if found and "NOLINT" not in line and "clang-format" not in line:
                begun = begun if block else number
                block.append(re.sub(r"^@(param \w+|errors|return)\s*", "", found.group(1)))


def main():
    kinds = {"docs": docs, "help": help_texts, "messages": messages, "comments": comments}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--kind", default=",".join(kinds))
    options = parser.parse_args()
    wanted = options.kind.split(",")
    print(f"seed {options.seed}")
    draw = random.Random(options.seed)
    for index, kind in enumerate(wanted):
        found = sorted(set(kinds[kind]()))
        share = options.count * (index + 1) // len(wanted) - options.count * index // len(wanted)
        print(f"\n{kind}: {share} of {len(found)}")
        for where, sentence in draw.sample(found, min(share, len(found))):
            print(f"  {where}: {sentence}")


if __name__ == "__main__":
    main()
