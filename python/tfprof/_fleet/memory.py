"""The most memory of each rank, who differs, and who is near the limit."""

from __future__ import annotations

from tfprof._fleet import statistics
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
    return answer


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
