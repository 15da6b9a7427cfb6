"""The most memory of each rank, who differs, and who is near the limit."""

from __future__ import annotations

from typing import Any

from tfprof._fleet import drift, statistics
from tfprof._fleet.asking import begin, lists
from tfprof._fleet.output import Answer, Table
from tfprof._fleet.view import Fleet

_TOP = 20


def memory(fleet: Fleet) -> Answer:
    """Peaks of the recorded steps; a peak before or between them is unknown."""
    answer = begin("memory", fleet)
    fleet.table("peaks", _PEAKS)
    (ranks,) = fleet.one("SELECT count(DISTINCT rank) FROM peaks")
    known = fleet.one("SELECT count(DISTINCT rank) FROM rank_steps")[0]
    if 0 < ranks < known:
        answer.sentences.append(
            f"{known - ranks} of {known} ranks have recorded no memory"
        )
    none = "no file has recorded memory"
    answer.tables.append(
        Table(
            "peaks",
            "Peaks of the ranks, by what was measured",
            [
                "device",
                "what",
                "ranks",
                "median_bytes",
                "max_bytes",
                "rank",
                "step",
            ],
            lists(
                fleet,
                "SELECT kind, what, count(DISTINCT rank), median(bytes), "
                "max(bytes), max_by(rank, (bytes, -rank)), "
                "max_by(step, (bytes, -rank)) FROM peaks GROUP BY kind, what "
                "ORDER BY max(bytes) DESC, kind, what",
            ),
            none,
        )
    )
    answer.tables.append(
        Table(
            "different",
            "Ranks that need more than the others",
            ["rank", "device", "what", "bytes", "median_bytes", "more_share"],
            lists(fleet, _DIFFERENT, [statistics.limit(ranks)]),
            none
            if not ranks
            else f"none of {ranks} is above {statistics.SLOW} times the median "
            "of its kind, beyond the noise"
            if ranks >= statistics.LEAST_PEERS
            else f"not looked for: {ranks} ranks have no spread to compare "
            f"with, {statistics.LEAST_PEERS} are needed",
        )
    )
    answer.tables.append(
        Table(
            "capacity",
            "Ranks that are closest to the capacity of their device",
            ["rank", "device", "what", "bytes", "capacity_bytes", "used_share"],
            lists(
                fleet,
                "SELECT rank, device, what, bytes, capacity, bytes / capacity "
                "FROM peaks WHERE capacity > 0 "
                "ORDER BY bytes / capacity DESC, rank, device, what LIMIT ?",
                [_TOP],
            ),
            none if not ranks else "no file says the capacity of its devices",
        )
    )
    answer.tables.append(_growth_table(fleet, none if not ranks else ""))
    answer.bad = answer.bad or bool(answer.tables[-1].rows)
    return answer


def _growth_table(fleet: Fleet, none: str) -> Table:
    """Peaks that rise over the steps, and how many steps are left."""
    fleet.table("step_peaks", _STEP_PEAKS)
    steps, ranks, capacity = fleet.one(
        "SELECT count(DISTINCT step), count(DISTINCT rank), min(capacity) "
        "FROM step_peaks"
    )
    job, of_ranks = drift.trends(fleet, "step_peaks", "bytes")
    rows: list[list[Any]] = []
    for rank, count, first, last, share, z in [
        *([None, *row] for row in job),
        *of_ranks,
    ]:
        more = (last - first) / (steps - 1)
        left = max(0, int((capacity - last) / more)) if capacity else None
        rows.append([rank, count, first, last, share, z, left])
    return Table(
        "growing",
        "Peaks that rise over the steps, of all ranks or of one",
        [
            "rank",
            "steps",
            "first_bytes",
            "last_bytes",
            "more_share",
            "z",
            "steps_until_full",
        ],
        rows,
        none
        or (
            f"not looked for: that needs {drift.LEAST_STEPS} steps, and there "
            f"are {steps}"
            if steps < drift.LEAST_STEPS
            else f"none of {ranks} ranks needs {statistics.SLOW - 1:.0%} more "
            "at the end than at the start, beyond chance"
        ),
    )


_PEAKS = """
WITH kinds AS (
  SELECT rank, step, device, 'allocator' AS what,
    allocator_peak_bytes AS bytes, capacity_bytes AS capacity FROM memory
  UNION ALL
  SELECT rank, step, device, 'largest operation', node_peak_bytes,
    capacity_bytes FROM memory
  UNION ALL
  SELECT rank, step, device, counter, counter_peak_bytes, capacity_bytes
  FROM memory
), places AS (
  -- Equal devices of all ranks have one name: "rank 3 gpu:0" is gpu:0.
  SELECT rank, step, regexp_replace(device, '^rank [0-9]+ ', '') AS device,
    what, bytes, capacity FROM kinds WHERE bytes > 0
), largest AS (
  SELECT rank, device, regexp_replace(device, ':[0-9]+$', '') AS kind,
    -- The counter of a device is called "gpu:0 reserved".
    CASE WHEN what LIKE device || ' %'
      THEN substring(what, length(device) + 2) ELSE what END AS what,
    max(bytes) AS bytes, max_by(step, (bytes, -step)) AS step,
    max(capacity) AS capacity
  FROM places GROUP BY 1, 2, 3, 4
), counted AS (
  SELECT *, count(*) OVER (PARTITION BY rank, kind, what) AS devices
  FROM largest
)
-- GPU 5 of a rank is like GPU 3 of another, unless a rank has both.
SELECT rank, device, CASE WHEN max(devices) OVER (PARTITION BY kind, what) > 1
    THEN device ELSE kind END AS kind, what, bytes, step, capacity
FROM counted"""

# The device that is fullest counts, or what has most if no capacity is known.
_STEP_PEAKS = """
WITH kinds AS (
  SELECT rank, step, greatest(coalesce(allocator_peak_bytes, 0),
      coalesce(counter_peak_bytes, 0)) AS bytes,
    capacity_bytes AS capacity FROM memory
)
SELECT rank, step, max_by(bytes, (coalesce(capacity, 0) > 0, bytes)) AS bytes,
  max(capacity) AS capacity
FROM kinds WHERE bytes > 0 GROUP BY rank, step"""

_DIFFERENT = f"""
WITH middles AS (
  SELECT kind, what, median(bytes) AS middle FROM peaks
  GROUP BY kind, what HAVING count(*) >= {statistics.LEAST_PEERS}
), spreads AS (
  SELECT kind, what, any_value(middle) AS middle, greatest(
    1.4826 * median(abs(bytes - middle)),
    {statistics.LEAST_SPREAD} * any_value(middle), 1) AS spread
  FROM peaks JOIN middles USING (kind, what) GROUP BY kind, what
)
SELECT rank, device, what, bytes, middle, bytes / middle - 1
FROM peaks JOIN spreads USING (kind, what)
WHERE bytes > {statistics.SLOW} * middle AND (bytes - middle) / spread > ?
ORDER BY bytes - middle DESC, rank, device, what"""
