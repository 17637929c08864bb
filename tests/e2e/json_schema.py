"""Checks benchctl's JSON against docs/schema: an undocumented field fails the test.

Needs python3-jsonschema; without it support.py checks nothing, and test_json.py is skipped.
"""

import json
import pathlib

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schema/benchctl-v1.schema.json").read_text())
_VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
_seen = set()


def _shape(value):
    """The structure without values: updates arrive twenty times per second and repeat theirs."""
    if isinstance(value, dict):
        return tuple((name, _shape(item)) for name, item in sorted(value.items()))
    if isinstance(value, list):
        return tuple({_shape(item) for item in value})
    return type(value).__name__


def problems(line):
    """The schema's objections to an object, one sentence each."""
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in _VALIDATOR.iter_errors(line)]


def check(line):
    """Fails unless the schema describes that object. Each shape is checked once."""
    shape = (line.get("event"), _shape(line))
    if shape in _seen:
        return
    found = problems(line)
    if found:
        raise AssertionError(f"not in docs/schema: {found}\n{line}")
    _seen.add(shape)
