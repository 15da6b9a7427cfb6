"""Collectives: what they cost, who comes late to one, and slow links.

The rank that comes last to a collective may itself have waited for another one
in the collective before. So a rank is late by its own work only if its call is
shorter than the median of the members, and the time since its last collective
(or since its step began) is longer than theirs; the smaller of the two
differences counts. As for slow ranks, that time must be above 1.05 times the
median, and beyond the noise.

The shortest call of a collective does not wait for anyone: it is the transfer.
A communicator whose transfers are slower than those of communicators of equal
size, for equal calls, has a slow link; no rank comes late there.
"""

from __future__ import annotations

from typing import Any

from tfprof._fleet import statistics
from tfprof._fleet.asking import begin, lists, match_calls, members
from tfprof._fleet.output import Answer, Table
from tfprof._fleet.view import Fleet

_TOP = 10
_MOST_KINDS = 50
# Of the median step: so long the others wait for one that began late.
_LATE_STEP = 0.25


def collectives(fleet: Fleet) -> Answer:
    """Collectives by communicator and kind, and who waits for whom."""
    answer = begin("collectives", fleet)
    match_calls(fleet)
    late, links = _late_table(fleet), _links_table(fleet)
    steps = _late_steps_table(fleet)
    answer.tables += [_kinds_table(fleet), late, links, steps]
    answer.tables.append(_last_table(fleet))
    answer.bad = answer.bad or bool(late.rows or links.rows or steps.rows)
    return answer


def _kinds_table(fleet: Fleet) -> Table:
    kinds = fleet.one(
        "SELECT count(*) FROM (SELECT DISTINCT communicator, kind FROM "
        "collectives)"
    )[0]
    more = f", the {_MOST_KINDS} longest of {kinds}"
    return Table(
        "kinds",
        "Collectives" + (more if kinds > _MOST_KINDS else ""),
        [
            "communicator",
            "kind",
            "calls",
            "ranks",
            "median_nanos",
            "p95_nanos",
            "bytes",
        ],
        lists(
            fleet,
            "SELECT communicator, kind, count(*), count(DISTINCT rank), "
            "median(end_nanos - start_nanos), "
            "percentile_cont(0.95) WITHIN GROUP (ORDER BY end_nanos - "
            "start_nanos), median(bytes) FROM collectives "
            "GROUP BY communicator, kind "
            "ORDER BY sum(end_nanos - start_nanos) DESC NULLS LAST, "
            "communicator, kind LIMIT ?",
            [_MOST_KINDS],
        ),
        "no file has a collective",
    )


def _late_table(fleet: Fleet) -> Table:
    columns = [
        "rank",
        "communicator",
        "kind",
        "calls",
        "late_nanos",
        "of_communicators",
        "z",
    ]
    title = "Ranks that come late to a communicator by their own work"
    (pairs,) = fleet.one(
        "SELECT count(*) FROM (SELECT DISTINCT rank, communicator, kind "
        "FROM calls SEMI JOIN matched USING (communicator, kind, step, "
        "number))"
    )
    if not pairs:
        return Table("late", title, columns, [], _unmatched(fleet))
    rows = lists(fleet, _LATE, [statistics.limit(pairs)])
    return Table(
        "late",
        title,
        columns,
        rows,
        f"of {pairs} ranks in a communicator, none worked "
        f"{statistics.SLOW} times as long before it as the others, beyond the "
        f"noise, so that they waited for {statistics.LEAST_COST:.1%} of a step",
    )


def _links_table(fleet: Fleet) -> Table:
    columns = [
        "communicator",
        "kind",
        "bytes",
        "members",
        "transfer_nanos",
        "median_nanos",
        "slower_share",
        "z",
    ]
    title = "Communicators whose transfers are slow without a late rank"
    peers = fleet.rows(_TRANSFERS)
    if not peers:
        return Table(
            "slow_links",
            title,
            columns,
            [],
            f"not looked for: that needs {statistics.LEAST_PEERS} "
            "communicators with equally many ranks and equal calls, and "
            f"{statistics.LEAST_STEPS} calls",
        )
    limit = statistics.limit(len(peers))
    rows: list[list[Any]] = []
    for name, kind, size, ranks, transfer, middle, spread, cost in peers:
        z = (transfer - middle) / spread
        if (
            transfer > statistics.SLOW_OP * middle
            and z > limit
            and transfer - middle > statistics.LEAST_CHANGE
            and cost > statistics.LEAST_COST
        ):
            share = transfer / middle - 1
            of = members(ranks)
            rows.append([name, kind, size, of, transfer, middle, share, z])
    return Table(
        "slow_links",
        title,
        columns,
        rows,
        f"none of {len(peers)} is {statistics.SLOW_OP - 1:.0%} above the "
        "median of its peers, beyond the noise, by "
        f"{statistics.LEAST_COST:.1%} of a step",
    )


def _late_steps_table(fleet: Fleet) -> Table:
    return Table(
        "late_steps",
        "Steps that one rank began so late that the others waited for it",
        ["step", "rank", "communicator", "others", "each_waited_nanos"],
        lists(fleet, _LATE_STEPS, [_TOP]),
        f"none for {_LATE_STEP:.0%} of a step",
    )


def _last_table(fleet: Fleet) -> Table:
    return Table(
        "waits",
        "Ranks that came last, perhaps because they waited for others before",
        ["rank", "last_times", "others_waited_nanos"],
        lists(
            fleet,
            "SELECT last, count(*), sum(waited) FROM "
            "matched GROUP BY last ORDER BY 3 DESC, 1 LIMIT ?",
            [_TOP],
        ),
        _unmatched(fleet),
    )


def _unmatched(fleet: Fleet) -> str:
    if not fleet.one("SELECT count(*) FROM collectives")[0]:
        return "no file has a collective"
    return (
        "no collective of several ranks says its communicator, so it is not "
        "known which calls belong together"
    )


# In the first collective of its step, the last rank has worked as long as the
# others: it began later, perhaps in the recording only.
_LATE_STEPS = f"""
SELECT m.step, m.last, m.communicator, m.members - 1,
  m.waited / (m.members - 1) AS each_waited
FROM matched m JOIN calls c ON c.communicator = m.communicator
  AND c.kind = m.kind AND c.step = m.step AND c.number = m.number
  AND c.rank = m.last
WHERE c.place = 1 AND 2 * (c.since - m.since) * (m.members - 1) < m.waited
  AND m.waited > {_LATE_STEP} * (m.members - 1) * (
    SELECT median(wall_nanos) FROM rank_steps)
ORDER BY each_waited DESC, m.step, m.last, m.communicator LIMIT ?"""

# Ranks of communicators with equally many members have the same noise.
_LATE = f"""
WITH away AS (
  SELECT c.rank, communicator, kind, m.members, count(*) AS calls,
    median(least(m.length - c.length, c.since - m.since)) AS late,
    median(c.since - m.since) AS longer, median(m.since) AS since,
    sum(least(m.length - c.length, c.since - m.since)) AS cost
  FROM calls c JOIN matched m USING (communicator, kind, step, number)
  GROUP BY c.rank, communicator, kind, m.members
), middles AS (
  SELECT kind, members, median(longer) AS middle FROM away
  GROUP BY kind, members
), of_steps AS (
  SELECT rank, sum(wall_nanos) AS wall, median(wall_nanos) AS step,
    -- From the begin of a collective to that of the next one: most work may run
    -- while the first one does.
    sum(wall_nanos) / any_value(all_calls) AS between_calls
  FROM rank_steps JOIN (
    SELECT rank, count(*) AS all_calls FROM calls GROUP BY rank) USING (rank)
  GROUP BY rank
), spreads AS (
  SELECT kind, members, any_value(middle) AS middle, greatest(
    1.4826 * median(abs(longer - middle)),
    {statistics.LEAST_SPREAD} * median(step), 1) AS spread
  FROM away JOIN middles USING (kind, members) JOIN of_steps USING (rank)
  GROUP BY kind, members HAVING count(*) >= {statistics.LEAST_PEERS}
), judged AS (
  SELECT *, (longer - middle) / spread AS z,
    (longer - middle) / spread > ?
      AND longer > ({statistics.SLOW} - 1) * greatest(since, between_calls)
      AND late > {statistics.LEAST_CHANGE}
      AND cost > {statistics.LEAST_COST} * wall
      AND calls >= {statistics.LEAST_STEPS} AS is_late
  FROM away JOIN spreads USING (kind, members) JOIN of_steps USING (rank)
)
SELECT rank, communicator, kind, calls, late, late_in || ' of ' || all_in, z
FROM (
  SELECT *, sum(CASE WHEN is_late THEN 1 ELSE 0 END) OVER (PARTITION BY rank)
      AS late_in, count(*) OVER (PARTITION BY rank) AS all_in
  FROM judged)
WHERE is_late ORDER BY cost DESC, rank, communicator, kind"""

_TRANSFERS = (
    """
WITH of_one AS (
  SELECT communicator, kind, bytes, members, median(transfer) AS transfer,
    count(*) AS calls
  FROM matched GROUP BY communicator, kind, bytes, members
), middles AS (
  SELECT kind, bytes, members, median(transfer) AS middle FROM of_one
  GROUP BY kind, bytes, members HAVING count(*) >= """
    + f"""{statistics.LEAST_PEERS}
), away AS (
  SELECT o.*, middle FROM of_one o JOIN middles m ON o.kind = m.kind
    AND o.members = m.members AND o.bytes IS NOT DISTINCT FROM m.bytes
  WHERE calls >= {statistics.LEAST_STEPS}
), spreads AS (
  SELECT kind, bytes, members, greatest(
    1.4826 * median(abs(transfer - middle)),
    {statistics.LEAST_SPREAD} * any_value(middle), 1) AS spread
  FROM away GROUP BY kind, bytes, members
), ranks_of AS (
  SELECT communicator, array_agg(DISTINCT rank) AS ranks FROM collectives
  GROUP BY communicator
), wall AS (SELECT sum(wall) AS wall FROM (
  SELECT median(wall_nanos) AS wall FROM rank_steps GROUP BY step))
SELECT a.communicator, a.kind, a.bytes, ranks, transfer, middle, spread,
  (transfer - middle) * calls / (SELECT wall FROM wall)
FROM away a JOIN spreads s ON a.kind = s.kind AND a.members = s.members
  AND a.bytes IS NOT DISTINCT FROM s.bytes
JOIN ranks_of USING (communicator)
ORDER BY (transfer - middle) * calls DESC, a.communicator, a.kind, a.bytes,
  a.members"""
)
