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

from tfprof._fleet import statistics
from tfprof._fleet.asking import begin
from tfprof._fleet.output import Answer, Table
from tfprof._fleet.view import Fleet

# Fewer steps show no trend beyond chance in a large fleet.
_LEAST_STEPS = 8
# Of a longer run, neighbouring steps count together.
_MOST_POINTS = 100


def drift(fleet: Fleet) -> Answer:
    """Trends of the own time over the steps, of the job and of each rank."""
    answer = begin("drift", fleet)
    columns = ["steps", "first_nanos", "last_nanos", "change_share", "z"]
    steps, series = fleet.one(
        "SELECT count(DISTINCT step), count(DISTINCT rank) + 1 FROM rank_steps"
    )
    if steps < _LEAST_STEPS:
        nothing = (
            f"not looked for: that needs {_LEAST_STEPS} steps, and there are "
            f"{steps}"
        )
        answer.tables += [
            Table("job", "The whole job", columns, [], nothing),
            Table("ranks", "Ranks", ["rank", *columns], [], nothing),
        ]
        return answer
    limit = statistics.limit(series)
    fleet.table("points", _POINTS.format(points=min(steps, _MOST_POINTS)))
    trends = []
    for rank, points, larger, count in fleet.rows(_TRENDS):
        z = _mann_kendall(points, larger)
        if points >= _LEAST_STEPS and z > limit:
            trends.append((rank, count, z))
    job, ranks = [], []
    for rank, count, z in trends:
        first, change = _size(fleet, rank)
        if not change > statistics.SLOW - 1:
            continue
        row = [count, first, first * (1 + change), change, z]
        if rank is None:
            job.append(row)
        else:
            ranks.append([rank, *row])
    ranks.sort(key=lambda row: (-row[4], row[0]))
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


def _mann_kendall(points: int, larger: int) -> float:
    """z of the number of pairs that rise minus those that fall."""
    variance = points * (points - 1) * (2 * points + 5) / 18
    return max(0, larger - 1) / math.sqrt(variance) if variance else 0.0


def _size(fleet: Fleet, rank: int | None) -> tuple[float, float]:
    """The own time at the beginning, and the change as a share of it."""
    slope, middle, center, first, last, own = fleet.one(
        """
WITH one AS (SELECT * FROM points WHERE rank IS NOT DISTINCT FROM ?)
SELECT (SELECT median((b.value - a.value) / (b.place - a.place))
        FROM one a JOIN one b ON a.place < b.place),
  median(value), median(place), min(place), max(place),
  (SELECT median(own_nanos) FROM rank_steps WHERE ? IS NULL OR rank = ?)
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
  SELECT step, median(own_nanos) AS middle FROM rank_steps GROUP BY step
), numbered AS (
  SELECT step, middle, ntile({points}) OVER (ORDER BY step) AS place
  FROM middles
)
SELECT CAST(NULL AS BIGINT) AS rank, place, median(middle) AS value,
  count(*) AS steps
FROM numbered GROUP BY place
UNION ALL
SELECT rank, place, median(own_nanos / middle), count(*)
FROM rank_steps JOIN numbered USING (step) WHERE middle > 0
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
