"""Does a run become slower over its steps: `drift`.

The whole job is judged by the median own time of each step, a rank by its own
time against that median, so that it is not blamed for what all do. The test is
that of Mann and Kendall, which looks only at which of two steps is longer: a
few long steps make no trend. The size of a trend is the median slope over all
pairs of steps (Theil and Sen). It must also make the last step 5 % longer than
the first.

Steps that are close to each other may be alike for a reason that passes, which
the test does not know. So a trend says that the recorded steps became longer,
not that later ones will.
"""

from __future__ import annotations

import math
from typing import Any

from tfprof._fleet import statistics
from tfprof._fleet.asking import begin
from tfprof._fleet.output import Answer, Table
from tfprof._fleet.view import Fleet

# Fewer steps show no trend beyond chance in a large fleet.
LEAST_STEPS = 8
# Of a longer run, neighbouring steps count together.
_MOST_POINTS = 100


def drift(fleet: Fleet) -> Answer:
    """Trends of the own time over the steps, of the job and of each rank."""
    answer = begin("drift", fleet)
    columns = ["steps", "first_nanos", "last_nanos", "change_share", "z"]
    steps, series = fleet.one(
        "SELECT count(DISTINCT step), count(DISTINCT rank) + 1 FROM rank_steps"
    )
    if steps < LEAST_STEPS:
        nothing = (
            f"not looked for: that needs {LEAST_STEPS} steps, and there are "
            f"{steps}"
        )
        answer.tables += [
            Table("job", "The whole job", columns, [], nothing),
            Table("ranks", "Ranks", ["rank", *columns], [], nothing),
        ]
        return answer
    limit = statistics.limit(series)
    job, ranks = trends(fleet, "rank_steps", "own_nanos")
    rule = (
        f"is {statistics.SLOW - 1:.0%} slower at the end than at the start, "
        f"beyond chance (z above {limit:.1f})"
    )
    answer.tables.append(
        Table(
            "job",
            "The whole job becomes slower",
            columns,
            job,
            f"no: the median own time is not one that {rule}",
        )
    )
    answer.tables.append(
        Table(
            "ranks",
            "Ranks that become slower than the others",
            ["rank", *columns],
            ranks,
            f"none of {series - 1} ranks {rule}",
        )
    )
    answer.facts["limit"] = limit
    answer.bad = answer.bad or bool(job or ranks)
    return answer


def trends(
    fleet: Fleet, source: str, value: str
) -> tuple[list[list[Any]], list[list[Any]]]:
    """What rises: rows of the job, and of ranks against its median.

    `source` has a row for each rank and step. A row of the answer is how many
    steps there are, the value at the first and at the last one, the change as a
    share, and z; that of a rank begins with the rank, the largest change first.
    """
    steps, series = fleet.one(
        f"SELECT count(DISTINCT step), count(DISTINCT rank) + 1 FROM {source}"
    )
    if steps < LEAST_STEPS:
        return [], []
    limit = statistics.limit(series)
    points_sql = _POINTS.format(
        points=min(steps, _MOST_POINTS), source=source, value=value
    )
    fleet.table("points", points_sql)
    found = []
    for rank, points, larger, count in fleet.rows(_TRENDS):
        z = _mann_kendall(points, larger)
        if points >= LEAST_STEPS and z > limit:
            found.append((rank, count, z))
    job: list[list[Any]] = []
    ranks: list[list[Any]] = []
    for rank, count, z in found:
        first, change = _size(fleet, source, value, rank)
        if not change > statistics.SLOW - 1:
            continue
        row = [count, first, first * (1 + change), change, z]
        if rank is None:
            job.append(row)
        else:
            ranks.append([rank, *row])
    ranks.sort(key=lambda row: (-row[4], row[0]))
    return job, ranks


def _mann_kendall(points: int, larger: int) -> float:
    """z of the number of pairs that rise minus those that fall."""
    variance = points * (points - 1) * (2 * points + 5) / 18
    return max(0, larger - 1) / math.sqrt(variance) if variance else 0.0


def _size(
    fleet: Fleet, source: str, value: str, rank: int | None
) -> tuple[float, float]:
    """The value at the beginning, and the change as a share of it."""
    slope, middle, center, first, last, own = fleet.one(
        f"""
WITH one AS (SELECT * FROM points WHERE rank IS NOT DISTINCT FROM ?)
SELECT (SELECT median((b.value - a.value) / (b.place - a.place))
        FROM one a JOIN one b ON a.place < b.place),
  median(value), median(place), min(place), max(place),
  (SELECT median({value}) FROM {source} WHERE ? IS NULL OR rank = ?)
FROM one""",
        [rank] * 3,
    )
    begin_value = middle + slope * (first - center)
    if begin_value <= 0:
        return own, math.inf
    # Values of a rank are shares of the median of the job.
    start = begin_value if rank is None else own * begin_value / middle
    return start, slope * (last - first) / begin_value


# Points of the job have no rank, and nanoseconds; those of a rank are shares of
# the median of their step.
_POINTS = """
WITH middles AS (
  SELECT step, median({value}) AS middle FROM {source} GROUP BY step
), numbered AS (
  SELECT step, middle, ntile({points}) OVER (ORDER BY step) AS place
  FROM middles
)
SELECT CAST(NULL AS BIGINT) AS rank, place, median(middle) AS value,
  count(*) AS steps
FROM numbered GROUP BY place
UNION ALL
SELECT rank, place, median({value} / middle), count(*)
FROM {source} JOIN numbered USING (step) WHERE middle > 0
GROUP BY rank, place"""

_TRENDS = """
WITH pairs AS (
  SELECT a.rank, sum(sign(b.value - a.value)) AS larger
  FROM points a JOIN points b
    ON a.rank IS NOT DISTINCT FROM b.rank AND a.place < b.place GROUP BY a.rank
), counted AS (
  SELECT rank, count(*) AS points, sum(steps) AS steps FROM points GROUP BY rank
)
SELECT c.rank, points, CAST(coalesce(larger, 0) AS BIGINT), steps
FROM counted c LEFT JOIN pairs p ON c.rank IS NOT DISTINCT FROM p.rank
ORDER BY c.rank NULLS FIRST"""
