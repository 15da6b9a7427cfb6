"""Pictures of a fleet for its page, without scripts: a heat map and charts.

The heat map is a PNG with one pixel for each cell, which the page enlarges. A
cell is the own time of a rank in a step as a share of the median of the step;
of more ranks or steps than fit, neighbours share a cell, which shows the
slowest of them, so that none is hidden. The charts are SVG.
"""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import NamedTuple

from tfprof._fleet.output import duration, readable
from tfprof._fleet.view import Fleet

_MOST_ROWS = 250
_MOST_COLUMNS = 200
# Own time as a share of the median, from the coldest to the hottest color.
_LOWEST, _HIGHEST = 0.7, 1.5
_COLORS = 128
_BARS = 40
_SPARK_POINTS = 120


class HeatMap(NamedTuple):
    image: str  # the address of the picture
    rows: int
    columns: int
    first_rank: int
    last_rank: int
    first_step: int
    last_step: int
    ranks_of_row: int
    steps_of_column: int


def heat_map(fleet: Fleet) -> HeatMap | None:
    """None: no rank has a step."""
    steps, first, last, begin, end = fleet.one(
        "SELECT count(DISTINCT step), min(rank), max(rank), min(step), "
        "max(step) FROM rank_steps"
    )
    if not steps:
        return None
    if fleet.expected is not None:  # missing ranks are rows without color
        first, last = min(0, first), max(last, fleet.expected - 1)
    ranks = last - first + 1
    of_row = -(-ranks // _MOST_ROWS)
    of_column = -(-steps // _MOST_COLUMNS)
    rows, columns = -(-ranks // of_row), -(-steps // of_column)
    pixels = [bytearray(columns) for _ in range(rows)]
    for row, column, share in fleet.rows(
        """
WITH middles AS (
  SELECT step, median(own_nanos) AS middle FROM rank_steps GROUP BY step
), placed AS (
  SELECT CAST(floor((rank - ?) / ?) AS BIGINT) AS row,
    CAST(floor((dense_rank() OVER (ORDER BY step) - 1) / ?) AS BIGINT) AS place,
    own_nanos / middle AS share
  FROM rank_steps JOIN middles USING (step) WHERE middle > 0
)
SELECT row, place, max(share) FROM placed GROUP BY row, place""",
        [first, of_row, of_column],
    ):
        scaled = (share - _LOWEST) / (_HIGHEST - _LOWEST)
        pixels[row][column] = 1 + round(
            min(1.0, max(0.0, scaled)) * (_COLORS - 1)
        )
    return HeatMap(
        _address(_png(pixels)),
        rows,
        columns,
        first,
        last,
        begin,
        end,
        of_row,
        of_column,
    )


def legend() -> str:
    """The address of a strip with all colors, from cold to hot."""
    return _address(_png([bytearray(range(1, _COLORS + 1))]))


def legend_labels() -> tuple[str, str, str]:
    return (f"{_LOWEST:.0%}", "100%", f"{_HIGHEST:.0%} or more")


def median_place() -> float:
    """Where the median is in the legend, from 0 to 1."""
    return (1 - _LOWEST) / (_HIGHEST - _LOWEST)


def distribution(fleet: Fleet) -> str:
    """SVG: how many ranks have which median own time."""
    values = sorted(
        row[0]
        for row in fleet.rows(
            "SELECT median(own_nanos) FROM rank_steps GROUP BY rank"
        )
    )
    if not values:
        return ""
    low, high = values[0], values[-1]
    width = (high - low) / _BARS or 1.0
    counts = [0] * _BARS
    for value in values:
        counts[min(_BARS - 1, int((value - low) / width))] += 1
    most = max(counts)
    bars = []
    for i, count in enumerate(counts):
        if not count:
            continue
        # A single slow rank must be seen beside thousands of others.
        height = max(3.0, 100 * count / most)
        begin = low + i * width
        label = readable(
            f"{count} ranks, {duration(begin)} to {duration(begin + width)}"
        )
        bars.append(
            f'<rect x="{i * 10 + 1}" y="{100 - height:.1f}" width="8" '
            f'height="{height:.1f}"><title>{html.escape(label)}</title></rect>'
        )
    return (
        f'<svg class="bars" viewBox="0 0 {_BARS * 10} 100" '
        'preserveAspectRatio="none" role="img" aria-label="Distribution of '
        f'the own time of {len(values)} ranks">{"".join(bars)}</svg>'
        f'<div class="axis"><span>{readable(duration(low))}</span>'
        f"<span>most: {most} ranks</span>"
        f"<span>{readable(duration(high))}</span></div>"
    )


def sparkline(fleet: Fleet, rank: int) -> str:
    """SVG: the own time of a rank over its steps, and the median of all."""
    (steps,) = fleet.one(
        "SELECT count(*) FROM rank_steps WHERE rank = ?", [rank]
    )
    points = fleet.rows(
        f"""
WITH middles AS (
  SELECT step, median(own_nanos) AS middle FROM rank_steps GROUP BY step
), numbered AS (
  SELECT own_nanos, middle,
    ntile({min(_SPARK_POINTS, max(1, steps))}) OVER (ORDER BY step) AS place
  FROM rank_steps JOIN middles USING (step) WHERE rank = ?
)
SELECT max(own_nanos), median(middle) FROM numbered GROUP BY place
ORDER BY place""",
        [rank],
    )
    top = max((max(point) for point in points), default=0) or 1
    step = 200 / max(1, len(points) - 1)

    def line(which: int, name: str) -> str:
        places = " ".join(
            f"{i * step:.1f},{42 - 40 * point[which] / top:.1f}"
            for i, point in enumerate(points)
        )
        return f'<polyline class="{name}" points="{places}"/>'

    return (
        '<svg class="spark" viewBox="0 0 200 44" preserveAspectRatio="none" '
        f'role="img" aria-label="Own time of rank {rank} over the steps">'
        f"{line(1, 'middle')}{line(0, 'own')}</svg>"
    )


def _png(rows: list[bytearray]) -> bytes:
    """A PNG with the palette; color 0 is transparent: no value."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return (
            struct.pack(">I", len(data))
            + kind
            + data
            + struct.pack(">I", check)
        )

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    pixels = b"".join(b"\0" + bytes(row) for row in rows)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"PLTE", b"\0\0\0" + _palette())
        + chunk(b"tRNS", b"\0")
        + chunk(b"IDAT", zlib.compress(pixels, 9))
        + chunk(b"IEND", b"")
    )


def _palette() -> bytes:
    """Blue, gray at the median, then yellow and red; seen on light and dark."""
    stops = [
        (0.0, (45, 95, 170)),
        (median_place(), (150, 165, 175)),
        (median_place() + 0.15, (235, 190, 60)),
        (1.0, (200, 30, 40)),
    ]
    data = bytearray()
    for i in range(_COLORS):
        at = i / (_COLORS - 1)
        (begin, low), (end, high) = next(
            pair for pair in zip(stops, stops[1:]) if at <= pair[1][0]
        )
        part = (at - begin) / (end - begin)
        data += bytes(round(a + (b - a) * part) for a, b in zip(low, high))
    return bytes(data)


def _address(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode()
