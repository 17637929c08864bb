"""Reports the #includes in core/, daemon/, proto/ and client/ that violate the tables in layers.py,
and include cycles.

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
        room = path.parts[1] if len(path.parts) > 2 else ""
        if room not in layers.ROOMS:
            return None, "client", f"no row for client/{room} in tests/layering/layers.py"
        return layers.CLIENT, "client", None
    if len(path.parts) == 2:
        return COMPOSITION_ROOT, "daemon", None
    top, module = path.parts[:2]
    if layers.TABLE.get(module, {}).get("in") != top:
        return None, module, f"no row for {top}/{module} in tests/layering/layers.py"
    row = layers.TABLE[module]
    if path.with_suffix("").as_posix() in layers.PURE:
        row = {**row, "may": [name for name in row["may"] if name not in layers.OWNED], "never": layers.IO}
    return row, module, None


def room_include(room, header):
    """The problem with an include from one folder of client/ to another, or None."""
    included = header.split("/")[1]
    if included == room or included in layers.ROOMS[room]:
        return None
    return f'client/{room} may not include client/{included} ("{header}")'


def project_include(row, module, path, header):
    """The problem with an include of a project file, or None."""
    top, _, rest = header.partition("/")
    if top not in TOPS:
        return f'"{header}" is not rooted at the repository'
    if top == "client":
        if module != "client":
            return f'{module} may not include "{header}"'
        return room_include(path.parts[1], header)
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


def includes_of(file):
    """The line number, the quoted name and the angle-bracketed name of each include."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        found = INCLUDE.match(line)
        if found:
            yield number, *found.groups()


def check_file(root, path):
    row, module, error = row_for(path)
    if error:
        return [f"{path}:1: {error}"]
    problems = []
    for number, quoted, angled in includes_of(root / path):
        header = quoted or angled
        # Generated headers are quoted like the project's own.
        if angled or group_of(header):
            problem = foreign_include(row, module, header)
        else:
            problem = project_include(row, module, path, header)
        if problem:
            problems.append(f"{path}:{number}: {problem}")
    return problems


def circles(included):
    """The cycles of a graph (name: names), each once and as one path, in order of names."""
    found = []
    gone = set()

    def visit(name, way):
        if name in way:
            found.append(way[way.index(name):] + [name])
        elif name not in gone:
            for other in sorted(included.get(name, ())):
                visit(other, way + [name])
            gone.add(name)

    for name in sorted(included):
        visit(name, [])
    return found


def check_circles(root, files):
    """Treats a source file and its header as one: their includes must not lead back to them."""
    included = {}
    for path in files:
        name = path.with_suffix("").as_posix()
        headers = {quoted.removesuffix(".h") for _, quoted, _ in includes_of(root / path) if quoted}
        included.setdefault(name, set()).update(headers - {name})
    return [f"{way[0]}: includes go round in a circle: " + " -> ".join(way)
            for way in circles(included)]


def check_tree(root):
    root = pathlib.Path(root)
    files = [file.relative_to(root) for top in TOPS for file in sorted((root / top).rglob("*"))
             if file.suffix in (".h", ".cc")]
    problems = [problem for path in files for problem in check_file(root, path)]
    return problems + check_circles(root, files)


if __name__ == "__main__":
    found_problems = check_tree(sys.argv[1])
    print("\n".join(found_problems), end="\n" if found_problems else "")
    sys.exit(1 if found_problems else 0)
