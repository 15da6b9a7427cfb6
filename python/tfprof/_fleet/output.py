"""Answers about a fleet, as a table, JSON, CSV or Markdown (HTML: page.py)."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import re
import textwrap
import unicodedata
from typing import Any

FORMATS = ("table", "json", "csv", "markdown", "html")
_SHORTEST_NAME = 12
# Prose needs more lines where a name is cut.
_PROSE = frozenset(("message", "what", "why"))
_SHORTEST_PROSE = 30
_MOST_LINES = 8
# Columns of texts; others have numbers, or what the rank map has.
_TEXTS = frozenset(
    (
        "class",
        "communicator",
        "device",
        "host",
        "kind",
        "members",
        "message",
        "name",
        "of_communicators",
        "part",
        "path",
        "place",
        "question",
        "rule",
        "severity",
        "status",
        "subject",
        "what",
        "why",
    )
)


@dataclasses.dataclass
class Table:
    """Rows of values; a column whose name ends in _nanos is a time."""

    name: str
    title: str
    columns: list[str]
    rows: list[list[Any]]
    # What was looked for, if there are no rows.
    nothing: str = "none"


@dataclasses.dataclass
class Answer:
    """What a question says: a first line, sentences, and tables."""

    name: str
    first: str
    facts: dict[str, Any]
    tables: list[Table]
    sentences: list[str] = dataclasses.field(default_factory=list)
    # True: ranks or files are lost, or a rule failed.
    bad: bool = False


def write(answer: Answer, form: str, width: int) -> str:
    if form == "json":
        return _json(answer)
    if form == "csv":
        return _csv(answer)
    if form == "markdown":
        return _markdown(answer)
    return _text(answer, width)


def visible(value: Any) -> str:
    """A text without control characters, which a file name may have."""
    return "".join(
        c if unicodedata.category(c)[0] != "C" else f"\\x{ord(c):02x}"
        for c in str(value)
    )


def cell(column: str, value: Any) -> str:
    if value is None:
        return "-"
    if column.endswith("_nanos") or column == "nanos":
        return duration(value)
    if column.endswith("_share"):
        return f"{100 * value:.1f}%"
    if column.endswith("_bytes") or column == "bytes":
        return size(value)
    if isinstance(value, float):
        return f"{value:.2f}"
    return visible(value)


def duration(nanos: float) -> str:
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if abs(nanos) >= unit:
            return f"{nanos / unit:.2f}{name}"
    return f"{nanos:.0f}ns"


def size(count: float) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if abs(count) >= unit:
            return f"{count / unit:.2f}{name}"
    return f"{count:.0f}B"


# Not in names: "12ms" of "run/12ms" stays.
_MEASURE = re.compile(
    r"(?<![\w.:/])([+-]?\d[\d,]*(?:\.\d+)?)(ns|us|ms|s|[KMGT]?B|%)(?!\w)"
)


def readable(text: str) -> str:
    """Text of the terminal as pages write it: "956.25us" is "956.25 µs"."""
    return _MEASURE.sub(
        lambda m: f"{m[1]}\u00a0{'µs' if m[2] == 'us' else m[2]}", text
    )


def unit(column: str) -> str:
    """text, bytes, share or number, which may be nanoseconds by its name."""
    if column in _TEXTS:
        return "text"
    if column == "bytes" or column.endswith("_bytes"):
        return "bytes"
    return "share" if column.endswith("_share") else "number"


def title(column: str) -> str:
    if column == "nanos":
        return "time"
    for ending in ("_nanos", "_bytes"):
        column = column.removesuffix(ending)
    if column.endswith("_share"):
        column = column.removesuffix("_share") + " %"
    return column.replace("_", " ")


def _text(answer: Answer, width: int) -> str:
    lines = []
    for sentence in (answer.first, *answer.sentences):
        lines += textwrap.wrap(visible(sentence), width, subsequent_indent="  ")
    for table in answer.tables:
        lines += ["", f"{table.title}:"]
        if not table.rows:
            lines += textwrap.wrap(
                table.nothing,
                width,
                initial_indent="  ",
                subsequent_indent="  ",
            )
            continue
        lines += _aligned(table, width)
    return "\n".join(lines) + "\n"


def _aligned(table: Table, width: int) -> list[str]:
    texts = [[title(c) for c in table.columns]]
    texts += [
        [cell(c, v) for c, v in zip(table.columns, row)] for row in table.rows
    ]
    widths = [max(len(row[i]) for row in texts) for i in range(len(texts[0]))]
    numbers = [
        all(isinstance(row[i], (int, float, type(None))) for row in table.rows)
        for i in range(len(widths))
    ]
    over = sum(widths) + 2 * len(widths) - width
    prose = [column in _PROSE for column in table.columns]
    for i in sorted(
        range(len(widths)), key=lambda i: (not prose[i], -widths[i])
    ):
        if over > 0 and not numbers[i]:
            least = _SHORTEST_PROSE if prose[i] else _SHORTEST_NAME
            shorter = max(least, widths[i] - over)
            if shorter < widths[i]:
                over -= widths[i] - shorter
                widths[i] = shorter
    lines = []
    for row in texts:
        cells = [
            textwrap.wrap(
                text,
                w,
                break_on_hyphens=False,
                max_lines=_MOST_LINES,
                placeholder=" …",
            )
            if is_prose
            else [_shorten(text, w)]
            for text, w, is_prose in zip(row, widths, prose)
        ]
        lines += [
            "".join(
                f"  {text:>{w}}" if number else f"  {text:<{w}}"
                for text, w, number in zip(line, widths, numbers)
            ).rstrip()
            for line in itertools.zip_longest(*cells, fillvalue="")
        ]
    return lines


def _shorten(text: str, width: int) -> str:
    """The middle of a name says least."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def _json(answer: Answer) -> str:
    data = {
        "schema": f"tfprof.fleet.{answer.name}",
        "version": 1,
        "facts": answer.facts,
        "notes": [answer.first, *answer.sentences],
        "tables": {
            table.name: {
                "columns": table.columns,
                "rows": [dict(zip(table.columns, r)) for r in table.rows],
            }
            for table in answer.tables
        },
    }
    return json.dumps(data, indent=1) + "\n"


def _csv(answer: Answer) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, table in enumerate(answer.tables):
        if number:
            writer.writerow([])
        writer.writerow(["table", *table.columns])
        for row in table.rows:
            writer.writerow([table.name, *(_safe(value) for value in row)])
    return out.getvalue()


def _safe(value: Any) -> Any:
    """A spreadsheet would run a text that begins like a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t"):
        return f"'{value}"
    return value


def _markdown(answer: Answer) -> str:
    lines = [answer.first, ""]
    for sentence in answer.sentences:
        lines += [sentence, ""]
    for table in answer.tables:
        lines += [f"## {table.title}", ""]
        if not table.rows:
            lines += [table.nothing, ""]
            continue
        lines.append("| " + " | ".join(map(title, table.columns)) + " |")
        lines.append("|" + "---|" * len(table.columns))
        for row in table.rows:
            texts = (
                cell(c, v).replace("|", "\\|").replace("<", "&lt;")
                for c, v in zip(table.columns, row)
            )
            lines.append("| " + " | ".join(texts) + " |")
        lines.append("")
    return "\n".join(lines)
