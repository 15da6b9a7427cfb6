"""Answers as HTML for notebooks: tables with bars, without scripts.

All styles are in the elements, since notebooks remove <style> and <script> of
pages that they do not trust. Colours are half transparent, so they fit a light
and a dark page. Text of a profile is escaped, and characters that hide or
reorder text are shown as their codes.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfprof._engine.answer import Answer, Column, Table

MAX_ROWS = 50
MAX_LABEL = 60
MAX_FACTS = 8
SCALED_UNITS = {"micros": "ms", "bytes": "MB", "share": "%"}

# A time as the program writes it in texts.
_TIME = re.compile(r" [\d.]+(us|ms|sec|min)\b")
_BAR = "rgba(66, 133, 244, 0.28)"
_CELL = "padding:2px 10px;border:0;white-space:nowrap;"


def visible(text: Any) -> str:
    """Text whose every character can be seen."""
    return "".join(
        (
            f"\\u{ord(c):04x}"
            if unicodedata.category(c) in ("Cc", "Cf", "Cs")
            else c
        )
        for c in str(text)
    )


def escaped(text: Any) -> str:
    """A text of a profile as HTML."""
    return html.escape(visible(text))


def lines(text: str) -> str:
    """Sentences as HTML, each line on its own."""
    return "<br>".join(map(escaped, text.splitlines()))


def shorten(text: str, length: int = MAX_LABEL) -> str:
    """The end of a long name, which says most."""
    return text if len(text) <= length else "…" + text[1 - length :]


def is_sentence(text: str) -> bool:
    """Whether a text is words or a list of times, and not a name."""
    return (
        text.count(" ") >= max(4, len(text) // 16)
        or _TIME.search(text) is not None
    )


def scale(value: float, unit: str) -> float:
    """A value in the unit of SCALED_UNITS."""
    return value * {"micros": 1e-3, "bytes": 1e-6, "share": 100}.get(unit, 1)


def number(value: Any, unit: str) -> str:
    """A value with its unit, in three or four digits."""
    if value is None:
        return "–"
    if unit == "micros":
        for factor, name in ((1e6, "s"), (1e3, "ms")):
            if abs(value) >= factor:
                return f"{value / factor:.2f} {name}"
        return f"{value:g} µs"
    if unit == "bytes":
        for factor, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
            if abs(value) >= factor:
                return f"{value / factor:.2f} {name}"
        return f"{value:g} B"
    if unit == "share":
        return f"{100 * value:.1f} %"
    if unit == "count":
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _largest(table: Table, shown: list[dict[str, Any]]) -> dict[str, float]:
    """The value of a full bar for each column that has bars."""
    largest = {}
    for column in table.columns:
        if column.unit not in ("micros", "bytes", "share"):
            continue
        values = [row[column.name] for row in shown]
        top = max((abs(v) for v in values if v is not None), default=0)
        if top > 0:
            largest[column.name] = 1 if column.unit == "share" else top
    return largest


def _number_cell(value: Any, column: Column, full: float) -> str:
    style = _CELL + "text-align:right;"
    if full and value is not None:
        width = 100 * min(abs(value) / full, 1)
        style += (
            f"background:linear-gradient(to left,{_BAR} {width:.1f}%,"
            f"transparent {width:.1f}%);"
        )
    return f'<td style="{style}">{html.escape(number(value, column.unit))}</td>'


def _text_cell(value: Any, depth: int) -> str:
    text = visible("–" if value is None else value)
    style = (
        _CELL + f"text-align:left;padding-left:{10 + 14 * min(depth, 40)}px;"
    )
    if len(text) > MAX_LABEL and is_sentence(text):
        # Each end says something.
        style += "white-space:normal;min-width:24em;max-width:48em;"
        return f'<td style="{style}">{lines(value)}</td>'
    title = f' title="{html.escape(text)}"' if len(text) > MAX_LABEL else ""
    return f'<td style="{style}"{title}>{html.escape(shorten(text))}</td>'


def _says_something(content: Table, column: Column) -> bool:
    """Whether a person wants to see the column: not one of zeros."""
    # Cumulative sums are for reading down a report of text; bars show it here.
    if column.name == "depth" or column.name.startswith("cumulative_"):
        return False
    if column.name in ("name", "step") or len(content.columns) < 4:
        return True
    return any(row[column.name] not in (None, 0, "") for row in content.rows)


def table(content: Table) -> str:
    """The first rows of a table; a last line says how many are missing."""
    tree = any(column.name == "depth" for column in content.columns)
    columns = [c for c in content.columns if _says_something(content, c)]
    # The columns that name the row come first, whatever order a program gets.
    columns.sort(key=lambda column: column.name not in ("name", "step"))
    shown = content.rows[:MAX_ROWS]
    full = _largest(content, shown)
    lines = ['<table style="border-collapse:collapse;"><thead><tr>']
    for column in columns:
        align = "right" if column.is_number else "left"
        title = html.escape(f"{column.name}, {column.unit} {column.of}".strip())
        lines.append(
            f'<th style="{_CELL}text-align:{align};" title="{title}">'
            f"{html.escape(visible(column.title))}</th>"
        )
    lines.append("</tr></thead><tbody>")
    for row in shown:
        lines.append("<tr>")
        for column in columns:
            value = row[column.name]
            if column.is_number:
                cell = _number_cell(value, column, full.get(column.name, 0))
            else:
                depth = row["depth"] if tree and column.name == "name" else 0
                cell = _text_cell(value, depth)
            lines.append(cell)
        lines.append("</tr>")
    lines.append("</tbody></table>")
    if len(content.rows) > len(shown):
        lines.append(
            f"<p>{len(content.rows) - len(shown):,} more rows are in .rows and "
            ".to_pandas().</p>"
        )
    elif content.truncated:
        lines.append(
            f"<p>{len(content.rows):,} of {content.total_rows:,} rows are "
            "within the limits and filters.</p>"
        )
    return "".join(lines)


def _fact(name: str, value: Any) -> str:
    """A fact with its unit, which ends its name."""
    words = name.split("_")
    unit = words[-1] if words[-1] in ("micros", "bytes", "share") else ""
    if unit and isinstance(value, (int, float)):
        if len(words) > 1 and unit != "bytes":
            words = words[:-1]
        return f"{' '.join(words)}: {number(value, unit)}"
    return f"{' '.join(words)}: {visible(value)}"


def answer(
    content: Answer, first: str = "", folded: Collection[str] = ()
) -> str:
    """The facts, all tables that have rows, and the notes.

    `first` comes before them; it stands for the tables `folded`, which are
    folded up.
    """
    parts = [first]
    facts = [
        _fact(name, value)
        for name, value in content.facts.items()
        if value is not None
        and not isinstance(value, (dict, list))
        and (name, value) != ("step", -1)
    ]
    if facts:
        line = f"<p>{html.escape(' · '.join(facts))}</p>"
        if len(facts) > MAX_FACTS:
            line = (
                f"<details><summary>{len(facts)} facts</summary>{line}"
                "</details>"
            )
        parts.append(line)
    several = len(content.tables) > 1
    for name, part in content.tables.items():
        if several and not part.rows:
            continue
        title = html.escape(visible(name.replace("_", " ")))
        if name in folded:
            parts.append(
                f"<details><summary>{title}: {len(part.rows):,} "
                f"{'row' if len(part.rows) == 1 else 'rows'}</summary>"
                f"{table(part)}</details>"
            )
            continue
        if several:
            parts.append(f"<p><b>{title}</b></p>")
        parts.append(table(part))
    for note in content.notes:
        text = html.escape(visible(note.text.strip()))
        parts.append(f"<p><i>{note.level}: {text}</i></p>")
    return f'<div class="tfprof">{"".join(parts)}</div>'


class Html(str):
    """HTML that a notebook shows."""

    def _repr_html_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<tfprof page of {len(self):,} bytes>"


def frame(page: str, height: int) -> Html:
    """A page in a frame of its own, which has no access to the notebook."""
    return Html(
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts '
        f'allow-downloads allow-popups" style="width:100%;'
        f"height:{int(height)}px;border:1px solid rgba(128,128,128,0.4);"
        '"></iframe>'
    )
