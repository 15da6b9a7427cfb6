"""How the steps of two runs differ: their wall time and what it is made of.

A slow rank, host work or a slower link changes no operation's usual time, but
every step waits for it. Times are nanoseconds.
"""

from __future__ import annotations

from typing import Any

from tfprof._fleet import statistics
from tfprof._fleet.output import Table
from tfprof._fleet.view import Fleet

# The wall time, and what a rank does in it.
QUANTITIES = (
    "wall_nanos",
    "own_nanos",
    "compute_nanos",
    "exposed_communication_nanos",
    "copies_nanos",
    "idle_nanos",
)
# A smaller share of the wall time differs between two runs of one program.
LEAST_SHARE = 0.01


def step_changes(base: Fleet, new: Fleet) -> Table:
    """The quantities of a step that changed; the wall time comes first."""
    sides = [_of_steps(base), _of_steps(new)]
    limit = statistics.limit(2 * len(QUANTITIES))
    rows: list[list[Any]] = []
    wall = 0.0
    for quantity in QUANTITIES:
        if not all(side[quantity][0] for side in sides):
            continue
        change = statistics.Change(*sides[0][quantity], *sides[1][quantity])
        wall = wall or change.base
        if (
            not change.is_real(limit)
            or abs(change.difference) < LEAST_SHARE * wall
        ):
            continue
        share = change.difference / change.base if change.base else None
        error = limit * change.error / change.base if change.base else None
        rows.append(
            [
                quantity.removesuffix("_nanos").replace("_", " "),
                change.base,
                change.new,
                share,
                error,
            ]
        )
    return Table(
        "step_changes",
        "What changed in a step of a rank",
        ["what", "base_nanos", "new_nanos", "change_share", "noise_share"],
        rows,
        f"nothing by more than {LEAST_SHARE:.0%} of the wall time and "
        f"{limit:.1f} standard errors over ranks and steps",
    )


def longer(table: Table) -> bool:
    """Whether the wall time grew: other times may only move."""
    return any(row[0] == "wall" and row[2] > row[1] for row in table.rows)


def _of_steps(fleet: Fleet) -> dict[str, tuple[list[float], list[float]]]:
    """The median of each quantity by rank and by step."""
    values: dict[str, tuple[list[float], list[float]]] = {}
    for quantity in QUANTITIES:
        of = [
            [
                float(value)
                for (value,) in fleet.rows(
                    f"SELECT median({quantity}) FROM rank_steps "
                    f"GROUP BY {place} ORDER BY {place}"
                )
            ]
            for place in ("rank", "step")
        ]
        values[quantity] = (of[0], of[1])
    return values
