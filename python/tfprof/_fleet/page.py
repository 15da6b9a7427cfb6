"""One offline HTML page about a fleet: `-output html:outfile=FILE`.

It has no scripts, loads nothing, and forbids both by its content security
policy. The first line, which says what is lost, is the first thing on it. On a
server (serving.py) it begins with links to the other pages.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from tfprof._fleet import pictures
from tfprof._fleet.output import (
    Answer,
    Table,
    cell,
    readable,
    title,
    visible,
)
from tfprof._fleet.view import Fleet

POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
_MOST_ROWS = 200
_MOST_SPARKS = 12


def write_page(
    heading: str,
    answers: Sequence[Answer],
    fleet: Fleet | None = None,
    links: Mapping[str, str] | None = None,
    here: str = "",
) -> str:
    """A page with all answers; with pictures if there is a fleet.

    `links` are the addresses and titles of other pages; this one is `here`.
    """
    first = answers[0]
    parts = [
        _links(links or {}, here),
        f"<h1>{_escape(heading)}</h1>",
        f'<p class="{"lost" if _is_lost(first) else "first"}">'
        f"{_escape(first.first)}</p>",
    ]
    said = [s for answer in answers for s in answer.sentences]
    for sentence in dict.fromkeys(said):
        parts.append(f"<p>{_escape(readable(sentence))}</p>")
    if fleet is not None:
        parts += [_heat_map(fleet), _distribution(fleet)]
    shown = set()
    for answer in answers:
        for table in answer.tables:
            if table.name in shown:
                continue
            shown.add(table.name)
            parts.append(_table(table))
            if fleet is not None and table.name == "stragglers" and table.rows:
                parts.append(_sparks(fleet, table))
    return _whole(heading, parts)


def write_message(text: str, links: Mapping[str, str], here: str) -> str:
    """A page that only says why there is no answer."""
    return _whole(
        "tfprof-fleet",
        [_links(links, here), f'<p class="lost">{_escape(text)}</p>'],
    )


def _links(links: Mapping[str, str], here: str) -> str:
    if not links:
        return ""
    return (
        "<nav>"
        + " ".join(
            f"<b>{_escape(name)}</b>"
            if address == here
            else f'<a href="{_escape(address)}">{_escape(name)}</a>'
            for address, name in links.items()
        )
        + "</nav>"
    )


def _whole(heading: str, parts: Sequence[str]) -> str:
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        f'content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, '
        'initial-scale=1">\n'
        f"<title>{_escape(heading)}</title>\n<style>\n{_STYLE}</style>\n"
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _is_lost(answer: Answer) -> bool:
    files = answer.facts.get("files") or {}
    return bool(
        answer.facts.get("missing")
        or answer.facts.get("missing_rank_steps")
        or set(files) - {"ok", "workers"}
    )


def _heat_map(fleet: Fleet) -> str:
    made = pictures.heat_map(fleet)
    if made is None:
        return ""
    binned = []
    if made.ranks_of_row > 1:
        binned.append(f"{made.ranks_of_row} neighbouring ranks are a row")
    if made.steps_of_column > 1:
        binned.append(f"{made.steps_of_column} steps are a column")
    note = (
        f"{' and '.join(binned)}; a cell shows the slowest of them."
        if binned
        else "A cell is a rank in a step."
    )
    low, middle, high = (readable(s) for s in pictures.legend_labels())
    # Cells must be tall enough to see and the map must fit a screen.
    height = min(560, max(120, made.rows * 9))
    return (
        "<h2>Own time of each rank in each step, against the median of the "
        f"step</h2>\n<p>{_escape(note)} No color: nothing is known.</p>\n"
        '<div class="map"><div class="ranks">'
        f"<span>rank {made.first_rank}</span>"
        f"<span>rank {made.last_rank}</span></div>"
        f'<img src="{made.image}" height="{height}" alt="Heat map of '
        f"{made.rows} rows and {made.columns} columns; the tables below have "
        'what it shows"></div>\n<div class="axis inside">'
        f"<span>step {made.first_step}</span>"
        f"<span>step {made.last_step}</span></div>\n"
        f'<div class="legend"><img src="{pictures.legend()}" alt="" '
        f'height="12"><div class="axis" style="'
        f'--median: {pictures.median_place():.3f}">'
        f"<span>{low}</span><span>{middle}</span><span>{high}</span></div></div>"
    )


def _distribution(fleet: Fleet) -> str:
    picture = pictures.distribution(fleet)
    if not picture:
        return ""
    return (
        "<h2>Own time of the ranks: their median step</h2>\n"
        f"{picture}\n<p>A bar of few ranks is drawn at least 3\u00a0% high.</p>"
    )


def _sparks(fleet: Fleet, table: Table) -> str:
    place = table.columns.index("rank")
    figures = "".join(
        f"<figure>{pictures.sparkline(fleet, row[place])}"
        f"<figcaption>rank {row[place]}</figcaption></figure>"
        for row in table.rows[:_MOST_SPARKS]
    )
    more = len(table.rows) - _MOST_SPARKS
    note = f" {more} more are in the table." if more > 0 else ""
    return (
        "<p>Own time over the steps; the gray line is the median of the "
        f"ranks, and the bottom is 0.{note}</p>\n"
        f'<div class="sparks">{figures}</div>'
    )


def _table(table: Table) -> str:
    parts = [f"<h2>{_escape(table.title)}</h2>"]
    if not table.rows:
        return "\n".join([*parts, f"<p>{_escape(readable(table.nothing))}</p>"])
    numbers = [
        all(isinstance(row[i], (int, float, type(None))) for row in table.rows)
        for i in range(len(table.columns))
    ]

    def row_of(tag: str, texts: Sequence[str]) -> str:
        return (
            "<tr>"
            + "".join(
                f"<{tag}{' class=n' if number else ''}>{_escape(text)}</{tag}>"
                for text, number in zip(texts, numbers)
            )
            + "</tr>"
        )

    lines = [row_of("th", [title(column) for column in table.columns])]
    for row in table.rows[:_MOST_ROWS]:
        texts = [
            readable(cell(c, value)) if number else cell(c, value)
            for c, value, number in zip(table.columns, row, numbers)
        ]
        lines.append(row_of("td", texts))
    parts.append(
        '<div class="wide" tabindex="0"><table>\n'
        + "\n".join(lines)
        + "\n</table></div>"
    )
    if len(table.rows) > _MOST_ROWS:
        parts.append(
            f"<p>{_MOST_ROWS} of {len(table.rows)} rows; -output csv has "
            "all.</p>"
        )
    return "\n".join(parts)


def _escape(text: str) -> str:
    return html.escape(visible(text))


_STYLE = """\
:root { color-scheme: light dark; --ink: #1c2126; --soft: #5a646e;
  --line: #d4d9de; --paper: #ffffff; --bar: #3f72b5; --warn: #a3261c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --soft: #9aa5b0; --line: #39424b; --paper: #14181c;
    --bar: #6fa0dd; --warn: #ff8f80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 16px; max-width: 1200px; color: var(--ink);
  background: var(--paper); font: 15px/1.45 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 0 0 14px; }
a { color: var(--bar); }
h1 { font-size: 22px; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 28px 0 6px; }
p { margin: 4px 0 8px; color: var(--soft); overflow-wrap: anywhere; }
.first { color: var(--ink); }
.lost { color: var(--warn); }
.map { display: flex; gap: 8px; }
.map img { flex: 1; min-width: 0; border: 1px solid var(--line);
  image-rendering: pixelated; }
.ranks { display: flex; flex-direction: column; width: 76px; flex: none;
  justify-content: space-between; text-align: right; }
.ranks, .axis, figcaption { font-size: 13px; color: var(--soft); }
.axis { display: flex; justify-content: space-between; }
.legend .axis { display: grid;
  grid-template-columns: calc(100% * var(--median)) 1fr auto; }
.inside { padding-left: 84px; }
.legend { max-width: 420px; margin: 10px 0 0 84px; }
.legend img { width: 100%; display: block; image-rendering: pixelated; }
.bars { width: 100%; height: 120px; border-bottom: 1px solid var(--line); }
.bars rect { fill: var(--bar); }
.sparks { display: grid; gap: 12px;
  grid-template-columns: repeat(auto-fill, minmax(160px, 1fr)); }
figure { margin: 0; }
.spark { width: 100%; height: 44px; border-bottom: 1px solid var(--line); }
.spark polyline { fill: none; stroke-width: 1.5;
  vector-effect: non-scaling-stroke; }
.own { stroke: var(--bar); }
.middle { stroke: var(--soft); stroke-dasharray: 3 3; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 14px 3px 0; text-align: left; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
.n { text-align: right; }
"""
