"""Rows of figures, each measured several times in turn, for a table and for JSON."""

import statistics


def spread(values):
    """The median and range over the rounds."""
    return {"median": statistics.median(values), "low": min(values), "high": max(values),
            "rounds": len(values)}


def number(value):
    """Three significant digits, without an exponent."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    size = abs(value)
    if value == int(value) and size < 1e6 or size >= 100:
        return f"{value:.0f}"
    return f"{value:.{1 if size >= 10 else 2 if size >= 1 else 3}f}"


def cell(value):
    if isinstance(value, dict):
        if value["low"] == value["high"]:
            return number(value["median"])
        return f"{number(value['median'])} ({number(value['low'])} to {number(value['high'])})"
    return number(value)


class Table:
    """The result of one part. A column is (key of the row, heading)."""

    def __init__(self, title, columns):
        self.title = title
        self.columns = columns
        self.rows = []
        self.notes = []

    def add(self, **row):
        self.rows.append(row)

    def note(self, text):
        self.notes.append(text)

    def text(self):
        """Markdown, aligned for reading as plain text."""
        lines = [[heading for _, heading in self.columns]]
        lines += [[cell(row.get(key)) for key, _ in self.columns] for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        shown = [
            "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |"
            for line in lines]
        shown.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
        return "\n".join([f"**{self.title}**", "", *shown, "", *(f"- {n}" for n in self.notes)])

    def json(self):
        return {"title": self.title, "rows": self.rows, "notes": self.notes}
