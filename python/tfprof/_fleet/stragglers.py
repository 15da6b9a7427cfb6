"""Ranks that are slower than the others, when, and why.

A rank is slow in a step if its own time is above 1.05 times the median of the
ranks and further away from it than noise, with a limit that follows from the
number of ranks and steps. The reason is the part of its account that grew most
against the median rank in the same steps. Communication is never the reason: a
rank that waits is not the slow one.
"""

from __future__ import annotations

from statistics import median
from typing import Any, NamedTuple

from tfprof._fleet import op_sums, places, statistics
from tfprof._fleet.view import Fleet

_MOST_NAMED = 2
# So many slow steps of a rank say why it is slow.
_MOST_STEPS = 20


class Straggler(NamedTuple):
    rank: int
    slow_steps: int
    steps: int
    lost: int  # own time above the median, in its slow steps
    z: float
    why: str
    # The slow host, stage or other place that it is of, and its slow device if
    # it has several.
    place: str | None


def looked_for(fleet: Fleet) -> str:
    ranks, pairs = fleet.one(
        "SELECT count(DISTINCT rank), count(*) FROM rank_steps"
    )
    if not ranks:
        return "not looked for: no rank is known"
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
    reasons = _reasons(fleet) if found else {}
    slow_places = places.find_slow_places(fleet)
    devices = dict(fleet.rows(_DEVICES))

    def place(rank: int) -> str | None:
        texts = [p.text for p in slow_places if rank in p.ranks]
        texts += [devices[rank]] if rank in devices else []
        return ", ".join(texts) or None

    return [
        Straggler(
            rank,
            slow,
            steps,
            round(lost),
            z,
            reasons.get(rank, "not recorded"),
            place(rank),
        )
        for rank, slow, steps, lost, z in found
    ]


class Groups(NamedTuple):
    """Ranks of which so many are slow that the median rank is no measure."""

    fast: list[int]
    slow: list[int]
    fast_nanos: float
    slow_nanos: float
    place: str | None  # that has exactly the slow ones


def find_groups(fleet: Fleet) -> Groups | None:
    """Two groups of own times that are far apart, such as those of two hosts.

    They are apart where the largest gap between neighbours is. Each has a
    quarter of the ranks, and LEAST_PEERS of them. The slow one is slow by the
    rule for ranks, and the gap is as many spreads of a group.
    """
    own = fleet.rows(
        "SELECT median(own_nanos), rank FROM rank_steps GROUP BY rank "
        "ORDER BY 1, rank"
    )
    least = max(statistics.LEAST_PEERS, len(own) / 4)
    values = [nanos for nanos, _ in own]
    cuts = [i for i in range(len(own)) if least <= i <= len(own) - least]
    if not cuts:
        return None
    cut = max(cuts, key=lambda i: values[i] - values[i - 1])
    halves = values[:cut], values[cut:]
    fast, slow = map(median, halves)
    noise = max(*map(statistics.spread, halves), statistics.LEAST_SPREAD * fast)
    limit = statistics.limit(len(own))
    if slow < statistics.SLOW * fast or (
        values[cut] - values[cut - 1] < limit * noise
    ):
        return None
    ranks = sorted(rank for _, rank in own[cut:])
    return Groups(
        sorted(rank for _, rank in own[:cut]),
        ranks,
        fast,
        slow,
        places.place_of(fleet, ranks, [rank for _, rank in own]),
    )


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
    op_sums.by_rank(fleet)
    ranks, steps = fleet.one(
        "SELECT count(DISTINCT rank), coalesce(max(steps), 0) FROM op_ranks"
    )
    return ranks, steps


def find_slow_ops(
    fleet: Fleet, found: list[Straggler]
) -> list[tuple[Any, ...]]:
    """(rank, op, nanos, median, share, z), the longest difference first.

    None is of a rank that find_stragglers() found and that is slow as a whole:
    at least half of its operations are slower.
    """
    slow_ranks = ", ".join(str(straggler.rank) for straggler in found)
    ranks, steps = _ranks_and_steps(fleet)
    if ranks < statistics.LEAST_PEERS or steps < statistics.LEAST_STEPS:
        return []
    (pairs,) = fleet.one("SELECT count(*) FROM op_ranks")
    (step,) = fleet.one("SELECT median(wall_nanos) FROM rank_steps")
    least = max(statistics.LEAST_CHANGE, statistics.LEAST_COST * (step or 0))
    return fleet.rows(
        f"""
WITH of_rank AS (
  SELECT rank, name, nanos, on_device FROM op_ranks
  WHERE class NOT IN {op_sums.NO_CAUSES}
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
  SELECT *, sum(CASE WHEN nanos > {statistics.SLOW} * middle THEN on_device
      ELSE 0 END) OVER (PARTITION BY rank) AS slower_ops,
    sum(on_device) OVER (PARTITION BY rank) AS all_ops
  FROM judged
)
SELECT rank, name, nanos, middle, nanos / nullif(middle, 0) - 1, z
FROM counted
WHERE slow AND (2 * slower_ops < all_ops OR rank NOT IN ({slow_ranks or -1}))
ORDER BY nanos - middle DESC, rank, name""",
        [statistics.limit(pairs)],
    )


def _reasons(fleet: Fleet) -> dict[int, str]:
    """By rank: what grew most in its slow steps, evenly chosen of many."""
    fleet.table("chosen", _CHOSEN)
    fleet.table("part_middles", _PART_MIDDLES)
    parts: dict[int, tuple[str, str]] = {}
    for rank, kind, part in fleet.rows(_GROWN):
        parts.setdefault(rank, (kind, part))
    slower: dict[int, str] = {}
    kinds = {kind for kind, _ in parts.values()}
    if "compute" in kinds:
        slower = _slower_ops(fleet)
    host = dict(fleet.rows(_HOST_WORK)) if "idle" in kinds else {}
    return {
        rank: slower.get(rank, "compute")
        if kind == "compute"
        else f"{kind}: {part.replace('_', ' ')}"
        + (f", {host[rank]}" if part == "host_work" and rank in host else "")
        for rank, (kind, part) in parts.items()
    }


def _slower_ops(fleet: Fleet) -> dict[int, str]:
    """By rank: all operations, or the few that are slower."""
    steps = fleet.rows("SELECT DISTINCT step FROM chosen")
    op_sums.by_step(fleet, "op_middles", [step for (step,) in steps])
    op_sums.by_rank(fleet)
    ratios: dict[int, list[tuple[str, float | None]]] = {}
    for rank, name, ratio in fleet.rows(_RATIOS):
        ratios.setdefault(rank, []).append((name, ratio))
    found = {}
    for rank, ops in ratios.items():
        slower = [
            (name, ratio)
            for name, ratio in ops
            if ratio is not None and ratio > statistics.SLOW
        ]
        if 2 * len(slower) > len(ops):
            found[rank] = f"compute: {len(slower)} of {len(ops)} ops slower"
        elif slower:
            named = ", ".join(
                f"{name} {ratio - 1:+.0%}"
                for name, ratio in slower[:_MOST_NAMED]
            )
            found[rank] = f"compute: {named}"
    return found


# Of ranks with several devices, the one that is most often the slow one.
_DEVICES = """
SELECT rank, min_by(device, (-times, device)) FROM (
  SELECT rank, device, count(*) AS times
  FROM rank_steps JOIN slow USING (rank, step)
  WHERE device IS NOT NULL GROUP BY rank, device)
GROUP BY rank"""

_CHOSEN = f"""
SELECT rank, step FROM (
  SELECT rank, step, count(*) OVER (PARTITION BY rank) AS steps,
    row_number() OVER (PARTITION BY rank ORDER BY step) AS place FROM slow)
WHERE steps <= {_MOST_STEPS} OR floor(place * {_MOST_STEPS} / steps)
  > floor((place - 1) * {_MOST_STEPS} / steps)"""

# The account of a rank in a step; all computation is one part.
_TIMES = """
SELECT a.rank, a.step, CASE kind WHEN 'compute' THEN kind ELSE part END AS part,
  min(kind) AS kind, sum(nanos) AS nanos
FROM account a SEMI JOIN chosen c ON a.step = c.step {of_rank}
GROUP BY 1, 2, 3"""

# A part that a rank does not have takes no time.
_PART_MIDDLES = f"""
WITH times AS ({_TIMES.format(of_rank="")}),
parts AS (SELECT DISTINCT part, kind FROM times),
grid AS (
  SELECT r.step, p.part, p.kind, coalesce(t.nanos, 0) AS nanos
  FROM rank_steps r SEMI JOIN chosen c ON r.step = c.step CROSS JOIN parts p
  LEFT JOIN times t
    ON t.rank = r.rank AND t.step = r.step AND t.part = p.part
)
SELECT step, part, kind, median(nanos) AS middle FROM grid
GROUP BY step, part, kind"""

# The part that grew most is the first one of a rank.
_GROWN = f"""
WITH times AS ({_TIMES.format(of_rank="AND a.rank = c.rank")})
SELECT rank, kind, part FROM (
  SELECT c.rank, m.kind, m.part, sum(coalesce(t.nanos, 0) - middle) AS more
  FROM chosen c JOIN part_middles m ON c.step = m.step
  LEFT JOIN times t
    ON t.rank = c.rank AND t.step = c.step AND t.part = m.part
  WHERE m.kind <> 'communication' GROUP BY c.rank, m.kind, m.part)
WHERE more > 0 ORDER BY rank, more DESC, kind, part"""

# The operation of the host that grew most, against the median rank. If only
# some ranks have it, it is new.
_HOST_WORK = f"""
WITH ranks_of AS (
  SELECT step, count(*) AS ranks FROM rank_steps SEMI JOIN chosen USING (step)
  GROUP BY step
), middles AS (
  SELECT o.step, name, CASE WHEN 2 * count(*) > any_value(ranks)
    THEN median(self_nanos) ELSE 0 END AS middle
  FROM ops o JOIN ranks_of r ON o.step = r.step GROUP BY o.step, name
), grown AS (
  SELECT o.rank, o.name, sum(self_nanos - middle) AS more
  FROM ops o JOIN chosen c ON o.rank = c.rank AND o.step = c.step
  JOIN middles m ON o.step = m.step AND o.name = m.name
  WHERE class NOT IN {op_sums.NO_CAUSES} AND accelerator_nanos = 0
  GROUP BY o.rank, o.name
)
SELECT rank, max_by(name, (more, name)) FROM grown
WHERE more > {statistics.LEAST_CHANGE} GROUP BY rank"""

_RATIOS = """
SELECT o.rank, o.name, sum(self_nanos) / nullif(sum(m.nanos), 0) AS ratio
FROM ops o JOIN chosen c ON o.rank = c.rank AND o.step = c.step
JOIN op_middles m ON o.step = m.step AND o.name = m.name
JOIN op_ranks r ON r.rank = o.rank AND r.name = o.name AND r.on_device = 1
GROUP BY o.rank, o.name
ORDER BY o.rank, sum(self_nanos - m.nanos) DESC, o.name"""
