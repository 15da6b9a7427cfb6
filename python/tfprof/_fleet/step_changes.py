"""How the steps of two runs differ: their wall time and what it is made of.

A slow rank, host work or a slower link changes no operation's usual time, but
every step waits for it. Times are nanoseconds.
"""

from __future__ import annotations

import math
from statistics import fmean, variance
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
LEAST_STEPS = 3


def step_changes(base: Fleet, new: Fleet) -> Table:
    """The wall time, if it changed, and what of it did."""
    sides = [_of_steps(base), _of_steps(new)]
    least_steps = min(len(side["wall_nanos"][1]) for side in sides)
    # Up or down. Only the wall time is looked for.
    limit = _of_few(statistics.limit(2), least_steps - 1)
    rows: list[list[Any]] = []
    least = 0.0
    for quantity in QUANTITIES:
        if not all(side[quantity][0] for side in sides):
            continue
        (base_nanos, old_error), (new_nanos, new_error) = (
            _mean(*side[quantity]) for side in sides
        )
        if quantity == "wall_nanos":
            least = LEAST_SHARE * base_nanos
        elif not rows:
            break
        difference = new_nanos - base_nanos
        error = math.hypot(old_error, new_error)
        if quantity == "wall_nanos":
            error = math.hypot(error, *map(_of_slowest, sides))
        error *= limit
        if abs(difference) <= max(error, least):
            continue
        rows.append(
            [
                quantity.removesuffix("_nanos").replace("_", " "),
                base_nanos,
                new_nanos,
                difference / base_nanos if base_nanos else None,
                error / base_nanos if base_nanos else None,
            ]
        )
    return Table(
        "step_changes",
        "What changed in a step of a rank",
        ["what", "base_nanos", "new_nanos", "change_share", "noise_share"],
        rows,
        "not looked for: that needs three steps in both runs"
        if least_steps < LEAST_STEPS
        else f"the wall time did not by more than {LEAST_SHARE:.0%} and "
        f"{limit:.1f} standard errors over ranks and steps",
    )


def longer(table: Table) -> bool:
    """Whether the wall time grew: other times may only move."""
    return any(row[0] == "wall" and row[2] > row[1] for row in table.rows)


def _mean(by_rank: list[float], by_step: list[float]) -> tuple[float, float]:
    """The mean of the steps, and its standard error over ranks and steps."""
    if len(by_step) < LEAST_STEPS:
        return fmean(by_step), math.inf
    error = sum(
        variance(values) / len(values)
        for values in (by_rank, by_step)
        if len(values) > 1
    )
    return fmean(by_step), math.sqrt(error)


def _of_slowest(side: dict[str, tuple[list[float], list[float]]]) -> float:
    """How much the slowest rank of a run differs from that of another one.

    All ranks wait for it. Ranks are not equally fast in all steps of a run; the
    largest of a dozen normal values varies by about half their spread.
    """
    return statistics.spread(side["own_nanos"][0]) / 2


def _of_few(z: float, freedom: int) -> float:
    """The limit of Student's t instead of that of a normal distribution.

    The first terms of its expansion in 1 / freedom (Peiser, 1943).
    """
    if freedom < 1:
        return math.inf
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    )


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
