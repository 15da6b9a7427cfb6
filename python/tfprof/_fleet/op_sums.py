"""Sums and medians of operations, which several questions need.

A large job has tens of millions of rows of `ops`. A median keeps all values of
its groups, so these are made for some groups after the other
(Fleet.table_in_parts). Each table is made once.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfprof._fleet.view import Fleet

# Classes whose time has its cause elsewhere.
NO_CAUSES = "('collective', 'wait', 'frame')"


# Other operations are only of the host, such as launches.
_ON_DEVICE = (
    "CASE WHEN max(accelerator_nanos) > 0 OR coalesce(max(max("
    "accelerator_nanos)) OVER (PARTITION BY rank), 0) = 0 THEN 1 ELSE 0 END"
)


# Of an operation that a device works for, only that work: the host launches it
# at the same time.
_OWN = "coalesce(nullif(median(accelerator_nanos), 0), median(self_nanos))"


def by_rank(fleet: Fleet) -> None:
    """Makes op_ranks: a row for each rank and operation.

    `steps` is in how many it ran; `nanos` is the median of them, and `own` that
    of the device, if it works for the operation. `on_device` is
    1 if an accelerator worked for it, or if no operation of
    the rank has such time.
    """
    fleet.table_in_parts(
        "op_ranks",
        "SELECT rank, name, min(class) AS class, count(*) AS steps, "
        "CAST(sum(runs) AS BIGINT) AS runs, "
        "CAST(sum(self_nanos) AS BIGINT) AS total, "
        "max(self_nanos) AS longest, median(self_nanos) AS nanos, "
        f"{_ON_DEVICE} AS on_device, {_OWN} AS own FROM ops "
        "WHERE {part} GROUP BY rank, name",
        "rank",
    )


def by_rank_and_class(fleet: Fleet) -> None:
    """Makes class_steps: the operations of a class in a step together."""
    fleet.table_in_parts(
        "class_steps",
        "SELECT rank, step, class, CAST(sum(runs) AS BIGINT) AS runs, "
        "CAST(sum(self_nanos) AS BIGINT) AS self_nanos FROM ops "
        "WHERE {part} GROUP BY rank, step, class",
        "rank",
    )


def by_step(
    fleet: Fleet, table: str, steps: Sequence[int] | None = None
) -> None:
    """Makes a table: step, name, and medians over the ranks, nanos and own.

    It has no operations whose time has its cause elsewhere.
    """
    # Parquet files are in the order of the names, so a part that has only some
    # of these skips the rest of a file. Each file has all steps.
    fleet.table_in_parts(
        table,
        f"SELECT step, name, median(self_nanos) AS nanos, {_OWN} AS own "
        "FROM ops "
        f"WHERE {{part}} AND class NOT IN {NO_CAUSES} GROUP BY step, name",
        "name" if steps is None else "step",
        steps,
    )


def over_all(
    fleet: Fleet, names: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """By name: the median over all ranks and steps, and 95 % are below."""
    table = f"over_all_{len(names)}"
    fleet.table_in_parts(
        table,
        "SELECT name, median(self_nanos) AS middle, percentile_cont(0.95) "
        "WITHIN GROUP (ORDER BY self_nanos) AS p95 FROM ops "
        "WHERE {part} AND class <> 'frame' GROUP BY name",
        "name",
        names,
    )
    found = fleet.rows(f"SELECT name, middle, p95 FROM {table}")
    return {name: (middle, p95) for name, middle, p95 in found}
