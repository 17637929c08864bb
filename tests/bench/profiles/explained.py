"""Sessions and their explanations, by benchctl."""

import json
import time


def measured_session(tool, base, candidate, *options):
    """Compares two commands, by default in the fewest runs, and returns the session's ID."""
    words = options or ("--runs", "2", "--warmup", "0")
    last, _ = tool.compare("--metric", "cpu_time:2%", *words, base, candidate)
    return last["session"]


def read_last(text):
    """The sampled session in the output of `explain --json`, which has one explanation."""
    last = json.loads(text.splitlines()[-1])
    if len(last.get("explanations", [])) != 1:
        raise SystemExit(f"error: explain: expected one explanation: {text}")
    return last


def explain(tool, session, *options):
    """Explains a session; returns the sampled session, and the seconds that this took."""
    begin = time.monotonic()
    done = tool.run("explain", session, "--json", *options)
    return read_last(done.stdout), time.monotonic() - begin


def options_of(given, **defaults):
    """The options of explain that the caller chose, or else the defaults."""
    words = []
    for name in ("runs", "frequency", "max_time", "call_graph"):
        value = getattr(given, name)
        if value is None:
            value = defaults.get(name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words
