"""Idle time of workers that wait for others: `bubbles`.

In a pipeline, an operation is recorded from the moment at which all that take
part are there, so the gaps of a worker are what it waits. Its step lasts from
the first begin to the last end of the workers in the same file, because clocks
of files are not compared. Without a pipeline, a rank waits in a collective
until the last one has come: its call without the transfer, which is the
shortest call.
"""

from __future__ import annotations

from tfprof._fleet.asking import (
    begin,
    lacking_stages,
    lacking_text,
    lists,
    match_calls,
)
from tfprof._fleet.output import Answer, Table
from tfprof._fleet.view import Fleet

_TOP = 20


def bubbles(fleet: Fleet) -> Answer:
    """How long stages and ranks wait for others, in each step."""
    answer = begin("bubbles", fleet)
    fleet.table("bubbles", _BUBBLES)
    lacking = lacking_stages(fleet)
    if lacking:
        answer.sentences.append(lacking_text(lacking))
        answer.bad = True
    match_calls(fleet)
    fleet.table("waits", _WAITS)
    no_pipeline = (
        "no file has operations of a pipeline, which name their data-parallel "
        "rank and their stage"
    )
    answer.tables.append(
        Table(
            "stages",
            "Stages of the pipeline, in a step of a worker",
            ["stage", "workers", "step_nanos", "bubble_nanos", "bubble_share"],
            lists(
                fleet,
                "SELECT stage, count(DISTINCT dp), median(span), "
                "median(bubble), median(bubble) / median(span) FROM bubbles "
                "GROUP BY stage ORDER BY stage",
            ),
            no_pipeline,
        )
    )
    answer.tables.append(
        Table(
            "workers",
            "Workers that wait least: the others wait for them",
            ["dp", "stage", "steps", "bubble_nanos", "bubble_share"],
            lists(
                fleet,
                "SELECT dp, stage, count(*), median(bubble), "
                "median(bubble) / median(span) FROM bubbles GROUP BY dp, stage "
                "ORDER BY 5, dp, stage LIMIT ?",
                [_TOP],
            ),
            no_pipeline,
        )
    )
    answer.tables.append(
        Table(
            "steps",
            "Steps of the pipeline, and who waits least in each",
            [
                "step",
                "step_nanos",
                "bubble_share",
                "dp",
                "stage",
                "least_share",
            ],
            lists(
                fleet,
                "SELECT step, max(span), sum(bubble) / sum(span), "
                "min_by(dp, (bubble / span, dp, stage)), "
                "min_by(stage, (bubble / span, dp, stage)), "
                "min(bubble / span) FROM bubbles GROUP BY step ORDER BY step",
            ),
            no_pipeline,
        )
    )
    stage = (
        "SELECT rank, min(pp) AS stage FROM ranks GROUP BY rank"
        if fleet.has_ranks and "pp" in fleet.columns("ranks")
        else "SELECT CAST(NULL AS BIGINT) AS rank, '' AS stage"
    )
    (ranks,) = fleet.one("SELECT count(DISTINCT rank) FROM waits")
    answer.tables.append(
        Table(
            "ranks",
            "Ranks that wait least in collectives"
            + (f", of {ranks}" if ranks else ""),
            ["rank", "stage", "steps", "wait_nanos", "wait_share"],
            lists(
                fleet,
                "SELECT rank, min(stage), count(*), median(waited), "
                "sum(waited) / nullif(sum(wall_nanos), 0) FROM waits "
                "JOIN rank_steps USING (rank, step) "
                f"LEFT JOIN ({stage}) USING (rank) GROUP BY rank "
                "ORDER BY 5, rank LIMIT ?",
                [_TOP],
            ),
            "no collective of several ranks says its communicator, so it is "
            "not known which calls belong together",
        )
    )
    return answer


# Overlapping operations count once; the step of a file begins and ends with its
# first and last operation.
_BUBBLES = """
WITH gaps AS (
  SELECT src, dp, stage, step, start_nanos, end_nanos,
    greatest(0, start_nanos - max(end_nanos) OVER (
      PARTITION BY src, dp, stage, step ORDER BY start_nanos, end_nanos
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS gap
  FROM pipeline
), of_files AS (
  SELECT src, step, min(start_nanos) AS first, max(end_nanos) AS last
  FROM pipeline GROUP BY src, step
)
SELECT dp, stage, step, any_value(last - first) AS span,
  coalesce(sum(gap), 0) + min(start_nanos) - any_value(first)
    + any_value(last) - max(end_nanos) AS bubble
FROM gaps JOIN of_files USING (src, step)
GROUP BY dp, stage, step HAVING any_value(last - first) > 0"""

_WAITS = """
SELECT c.rank, c.step, sum(c.length - m.transfer) AS waited
FROM calls c JOIN matched m USING (communicator, kind, step, number)
GROUP BY c.rank, c.step"""
