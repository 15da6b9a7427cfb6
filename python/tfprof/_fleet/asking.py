"""What all questions share: how an answer begins, and pieces of SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfprof._fleet.output import Answer, visible
from tfprof._fleet.view import Fleet

_MOST_MEMBERS = 5


def begin(name: str, fleet: Fleet) -> Answer:
    first, facts, lost = fleet.first_line()
    answer = Answer(name, first, facts, [], bad=lost)
    double, *paths = fleet.one(_TWO_RUNS)
    if 2 * double > facts["ranks"] > 1:
        answer.sentences.append(
            f"{double} ranks have several complete files, such as "
            f"{visible(paths[0])} and {visible(paths[1])}. The first counts. "
            "If these are two runs, ingest each with a --run of its own."
        )
    sizes = fleet.rows(
        "SELECT world_size, count(*), min(path), min(status) FROM all_files "
        "WHERE status IN ('ok', 'other_run') AND world_size IS NOT NULL "
        "GROUP BY world_size ORDER BY min(status), world_size"
    )
    if len(sizes) > 1:
        listed = ", ".join(
            f"{size} ranks ({files} files, such as {visible(path)})"
            for size, files, path, _ in sizes
        )
        answer.sentences.append(
            f"The files are of several runs, because they say how many ranks "
            f"their job has: {listed}. The first counts. Ingest each with a "
            "--run of its own."
        )
    wrong, path, in_name, rank = fleet.one(_OTHER_NAMES)
    if wrong:
        answer.sentences.append(
            f"{wrong} files are of another rank than their names say, such as "
            f"{visible(path)}: {in_name} in the name, and {rank} in the file, "
            "which counts"
        )
    return answer


_OTHER_NAMES = """
SELECT count(*), min(path), min_by(name_rank, path), min_by(rank, path)
FROM all_files WHERE status IN ('ok', 'double') AND name_rank <> rank"""
# How many ranks have several complete files, and two paths of the first one.
_TWO_RUNS = """
WITH complete AS (
  SELECT rank, min(path) AS counts, max(path) AS other FROM all_files
  WHERE rank IS NOT NULL AND status IN ('ok', 'double')
  GROUP BY rank HAVING count(*) > 1
)
SELECT count(*), min_by(counts, rank), min_by(other, rank) FROM complete"""


def lists(
    fleet: Fleet, sql: str, values: Sequence[Any] = ()
) -> list[list[Any]]:
    return [list(row) for row in fleet.rows(sql, values)]


def slowest(column: str, *keys: str) -> str:
    """SQL: the rank (or the keys) of the row with the largest value.

    If several rows have it, the first one by its keys: a database would take
    any of them, and another one for each key.
    """
    keys = keys or ("rank",)
    order = ", ".join(f"-{key}" for key in keys)
    return ", ".join(
        f"max_by({key}, ({column}, {order})) "
        f"FILTER (WHERE {column} IS NOT NULL)"
        for key in keys
    )


def members(ranks: Sequence[int]) -> str:
    """40, 41, 42, 43, 44, …"""
    texts = [str(rank) for rank in sorted(ranks)[:_MOST_MEMBERS]]
    return ", ".join(texts + ["…"] * (len(ranks) > _MOST_MEMBERS))


def lacking_stages(fleet: Fleet) -> list[tuple[int, int]]:
    """The workers of a pipeline that no file has: (dp, stage).

    Each data-parallel rank has all stages.
    """
    return [
        (dp, stage)
        for dp, stage in fleet.rows(
            "WITH workers AS (SELECT DISTINCT dp, stage FROM pipeline) "
            "SELECT dp, stage FROM (SELECT DISTINCT dp FROM workers) "
            "CROSS JOIN (SELECT DISTINCT stage FROM workers) "
            "EXCEPT SELECT dp, stage FROM workers ORDER BY dp, stage"
        )
    ]


def lacking_text(lacking: Sequence[tuple[int, int]]) -> str:
    texts = [
        f"stage {stage} of data-parallel rank {dp}"
        for dp, stage in lacking[:_MOST_MEMBERS]
    ]
    more = " and others" if len(lacking) > _MOST_MEMBERS else ""
    return f"No file has the operations of {', '.join(texts)}{more}"


def match_calls(fleet: Fleet) -> None:
    """Makes the tables `calls` and `matched`: calls that belong together.

    A collective ends at the same time everywhere, so the rank that begins last
    has the shortest call. No clock of another rank is needed. Calls belong
    together by their sequence number, else by their order in a step. Without
    the name of the communicator it is not known which ranks call together. Of
    sends and receives, only those of one pair would.
    """
    fleet.table_once("calls", _CALLS)
    fleet.table_once("matched", _MATCHED)


_CALLS = """
SELECT * FROM (SELECT rank, communicator, kind, step, bytes,
  end_nanos - start_nanos AS length,
  start_nanos - coalesce(
    max(end_nanos) OVER (PARTITION BY src, device, step
      ORDER BY start_nanos, end_nanos
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    begin_nanos) AS since,
  row_number() OVER (PARTITION BY src, device, step
    ORDER BY start_nanos, end_nanos) AS place,
  coalesce(sequence, row_number() OVER (
    PARTITION BY rank, step, communicator, kind
    ORDER BY start_nanos, end_nanos, src, device, bytes)) AS number
FROM collectives LEFT JOIN (
  SELECT src, device, step, min(start_nanos) AS begin_nanos
  FROM steps GROUP BY src, device, step) USING (src, device, step)
WHERE start_nanos IS NOT NULL AND end_nanos IS NOT NULL)
WHERE communicator IS NOT NULL AND lower(kind) NOT IN ('send', 'recv')"""

_MATCHED = """
SELECT communicator, kind, step, number, max(bytes) AS bytes,
  count(*) AS members, min(length) AS transfer, median(length) AS length,
  median(since) AS since, sum(length) - count(*) * min(length) AS waited,
  min_by(rank, (length, rank)) AS last
FROM calls GROUP BY communicator, kind, step, number
HAVING count(DISTINCT rank) > 1 AND count(*) = count(DISTINCT rank)"""
