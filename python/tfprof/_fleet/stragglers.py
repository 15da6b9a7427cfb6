"""Ranks that are slower than the others, when, and why.

A rank is slow in a step if its own time is above 1.05 times the median of the
ranks and further away from it than noise, with a limit that follows from the
number of ranks and steps. The reason is the part of its account that grew most
against the median rank in the same steps. Communication is never the reason: a
rank that waits is not the slow one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tfprof._fleet import places, statistics
from tfprof._fleet.view import Fleet

_MOST_NAMED = 2


class Straggler(NamedTuple):
    rank: int
    slow_steps: int
    steps: int
    lost: int  # own time above the median, in its slow steps
    z: float
    why: str
    place: str | None  # the slow host, stage or other place that it is of


def looked_for(fleet: Fleet) -> str:
    ranks, pairs = fleet.one(
        "SELECT count(DISTINCT rank), count(*) FROM rank_steps"
    )
    if ranks < statistics.LEAST_PEERS:
        return (
            f"not looked for: {ranks} ranks have no spread to compare with, "
            f"{statistics.LEAST_PEERS} are needed"
        )
    return (
        f"none: no own time is above {statistics.SLOW} times the median of "
        f"its step and {statistics.limit(pairs):.1f} spreads away from it, in "
        f"{pairs} steps of {ranks} ranks"
    )


def find_stragglers(fleet: Fleet) -> list[Straggler]:
    """The slow ranks, the one that costs most first."""
    ranks, pairs = fleet.one(
        "SELECT count(DISTINCT rank), count(*) FROM rank_steps"
    )
    if ranks < statistics.LEAST_PEERS:
        return []
    fleet.table(
        "slow",
        f"""
WITH middles AS (
  SELECT step, median(own_nanos) AS middle FROM rank_steps GROUP BY step
), away AS (
  SELECT rank, step, own_nanos, middle, own_nanos - middle AS more
  FROM rank_steps JOIN middles USING (step)
), spreads AS (
  SELECT step, greatest(1.4826 * median(abs(more)),
    {statistics.LEAST_SPREAD} * any_value(middle), 1) AS spread
  FROM away GROUP BY step
)
SELECT rank, step, more, more / spread AS z
FROM away JOIN spreads USING (step)
WHERE own_nanos > {statistics.SLOW} * middle AND more / spread > ?""",
        [statistics.limit(pairs)],
    )
    found = fleet.rows(
        "SELECT rank, count(*), min(steps), sum(more), max(z) FROM slow JOIN "
        "(SELECT rank, count(*) AS steps FROM rank_steps GROUP BY rank) "
        "USING (rank) GROUP BY rank ORDER BY 4 DESC, 1"
    )
    slow_places = places.find_slow_places(fleet)
    return [
        Straggler(
            rank,
            slow,
            steps,
            round(lost),
            z,
            _why(fleet, rank),
            ", ".join(p.text for p in slow_places if rank in p.ranks) or None,
        )
        for rank, slow, steps, lost, z in found
    ]


def looked_for_ops(fleet: Fleet) -> str:
    ranks, steps = _ranks_and_steps(fleet)
    if ranks < statistics.LEAST_PEERS or steps < statistics.LEAST_STEPS:
        return (
            f"not looked for: that needs {statistics.LEAST_PEERS} ranks and "
            f"{statistics.LEAST_STEPS} steps, and there are {ranks} and {steps}"
        )
    return (
        f"none is {statistics.SLOW_OP - 1:.0%} above the median of the ranks, "
        f"beyond the noise, and at least {statistics.LEAST_COST:.1%} of a step "
        "slower"
    )


def _ranks_and_steps(fleet: Fleet) -> tuple[int, int]:
    ranks, steps = fleet.one(
        "SELECT count(DISTINCT rank), count(DISTINCT step) FROM ops"
    )
    return ranks, steps


def find_slow_ops(fleet: Fleet) -> list[tuple[Any, ...]]:
    """(rank, op, nanos, median, share, z), the longest difference first.

    A rank of which at least half of the operations are slow is slow as a whole:
    find_stragglers() has it, and none of its operations is here.
    """
    ranks, steps = _ranks_and_steps(fleet)
    if ranks < statistics.LEAST_PEERS or steps < statistics.LEAST_STEPS:
        return []
    (pairs,) = fleet.one("SELECT count(DISTINCT (rank, name)) FROM ops")
    (step,) = fleet.one("SELECT median(wall_nanos) FROM rank_steps")
    least = max(statistics.LEAST_CHANGE, statistics.LEAST_COST * (step or 0))
    return fleet.rows(
        f"""
WITH of_rank AS (
  SELECT rank, name, median(self_nanos) AS nanos FROM ops
  WHERE class NOT IN ('collective', 'wait', 'frame') GROUP BY rank, name
), middles AS (
  SELECT name, median(nanos) AS middle FROM of_rank GROUP BY name
), spreads AS (
  SELECT name, any_value(middle) AS middle,
    greatest(1.4826 * median(abs(nanos - middle)),
      {statistics.LEAST_SPREAD} * any_value(middle), 1) AS spread
  FROM of_rank JOIN middles USING (name) GROUP BY name
), judged AS (
  SELECT *, (nanos - middle) / spread AS z,
    nanos > {statistics.SLOW_OP} * middle AND (nanos - middle) / spread > ?
      AND nanos - middle > {least} AS slow
  FROM of_rank JOIN spreads USING (name)
), counted AS (
  SELECT *, sum(CASE WHEN slow THEN 1 ELSE 0 END) OVER (PARTITION BY rank)
      AS slow_ops, count(*) OVER (PARTITION BY rank) AS all_ops
  FROM judged
)
SELECT rank, name, nanos, middle, nanos / nullif(middle, 0) - 1, z
FROM counted WHERE slow AND 2 * slow_ops < all_ops
ORDER BY nanos - middle DESC, rank, name""",
        [statistics.limit(pairs)],
    )


def _why(fleet: Fleet, rank: int) -> str:
    """The part that grew most in the slow steps of a rank."""
    grown = fleet.rows(
        """
WITH these AS (SELECT step FROM slow WHERE rank = ?),
times AS (
  SELECT a.rank, step, CASE kind WHEN 'compute' THEN kind ELSE part END AS part,
    min(kind) AS kind, sum(nanos) AS nanos
  FROM account a JOIN these USING (step) GROUP BY 1, 2, 3
), parts AS (SELECT DISTINCT part, kind FROM times),
grid AS (
  SELECT r.rank, r.step, p.part, p.kind, coalesce(v.nanos, 0) AS nanos
  FROM rank_steps r JOIN these USING (step) CROSS JOIN parts p
  LEFT JOIN times v
    ON v.rank = r.rank AND v.step = r.step AND v.part = p.part
), middles AS (
  SELECT step, part, median(nanos) AS middle FROM grid GROUP BY step, part
)
SELECT kind, part, sum(nanos - middle) AS more
FROM grid JOIN middles USING (step, part)
WHERE rank = ? AND kind <> 'communication'
GROUP BY kind, part ORDER BY more DESC, kind, part LIMIT 1""",
        [rank] * 2,
    )
    if not grown or grown[0][2] <= 0:
        return "not recorded"
    kind, part, _ = grown[0]
    if kind == "compute":
        return _slow_ops_of(fleet, rank)
    return f"{kind}: {part.replace('_', ' ')}"


def _slow_ops_of(fleet: Fleet, rank: int) -> str:
    """All operations, or the few that are slower, in the slow steps."""
    rows = fleet.rows(
        """
WITH these AS (SELECT step FROM slow WHERE rank = ?),
times AS (
  SELECT o.rank, o.step, name, self_nanos FROM ops o JOIN these USING (step)
  WHERE class NOT IN ('collective', 'wait', 'frame')
), middles AS (
  SELECT step, name, median(self_nanos) AS middle FROM times GROUP BY step, name
)
SELECT name, sum(self_nanos) / nullif(sum(middle), 0) AS ratio
FROM times JOIN middles USING (step, name) WHERE rank = ?
GROUP BY name ORDER BY sum(self_nanos - middle) DESC, name""",
        [rank] * 2,
    )
    slower = [
        (name, ratio)
        for name, ratio in rows
        if ratio is not None and ratio > statistics.SLOW
    ]
    if not slower:
        return "compute"
    if 2 * len(slower) > len(rows):
        return f"compute: {len(slower)} of {len(rows)} ops slower"
    named = ", ".join(
        f"{name} {ratio - 1:+.0%}" for name, ratio in slower[:_MOST_NAMED]
    )
    return f"compute: {named}"
