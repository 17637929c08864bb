"""Reads the #includes below core/, daemon/, proto/ and client/ and says which break the table in layers.py.

    check_includes.py ROOT      prints one line FILE:LINE: WHAT for each; exit code 1 if there is one
"""

import pathlib
import re
import sys

import layers

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
GROUPS = [(name, re.compile(pattern)) for name, pattern in layers.GROUPS]
COMPOSITION_ROOT = None
TOPS = ("core", "daemon", "proto", "client")


def group_of(header):
    for name, pattern in GROUPS:
        if pattern.match(header):
            return name
    return None


def row_for(path):
    """The row of the table for a file, its module's name, or an error text."""
    if path.parts[0] == "client":
        return layers.CLIENT, "client", None
    if len(path.parts) == 2:
        return COMPOSITION_ROOT, "daemon", None
    top, module = path.parts[:2]
    if layers.TABLE.get(module, {}).get("in") != top:
        return None, module, f"no row for {top}/{module} in tests/layering/layers.py"
    return layers.TABLE[module], module, None


def project_include(row, module, header):
    """What is wrong with an include of one of the project's own files, or None."""
    top, _, rest = header.partition("/")
    if top not in TOPS:
        return f'"{header}" is not rooted at the repository'
    if top == "client":
        return None if module == "client" else f'{module} may not include "{header}"'
    included = rest.partition("/")[0] if "/" in rest else "daemon"
    if included in layers.TABLE and layers.TABLE[included]["in"] != top:
        return f'"{header}": {included}/ is not in {top}/'
    if row is COMPOSITION_ROOT or included == module or included in row["may"]:
        return None
    return f'{module} may not include {included} ("{header}")'


def foreign_include(row, module, header):
    group = group_of(header)
    if group is None or row is COMPOSITION_ROOT:
        return None
    owned_elsewhere = group in layers.OWNED and group not in row["may"]
    if owned_elsewhere or group in row["never"]:
        return f"{module} may not include {group} (<{header}>)"
    return None


def check_file(root, path):
    row, module, error = row_for(path)
    if error:
        return [f"{path}:1: {error}"]
    problems = []
    text = (root / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quoted, angled = found.groups()
        header = quoted or angled
        # Generated headers are written in quotes like the project's own.
        if angled or group_of(header):
            problem = foreign_include(row, module, header)
        else:
            problem = project_include(row, module, header)
        if problem:
            problems.append(f"{path}:{number}: {problem}")
    return problems


def check_tree(root):
    root = pathlib.Path(root)
    problems = []
    for top in TOPS:
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".h", ".cc"):
                problems += check_file(root, file.relative_to(root))
    return problems


if __name__ == "__main__":
    found_problems = check_tree(sys.argv[1])
    print("\n".join(found_problems), end="\n" if found_problems else "")
    sys.exit(1 if found_problems else 0)
