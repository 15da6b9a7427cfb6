"""Limits for what is not noise.

A straggler is judged among its peers, in units of their spread: 1.4826 times
the median distance from the median, which for normal values is the standard
deviation. The limit follows from the number of comparisons, so that a fleet
without stragglers shows one in about a hundred looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, median

# The chance that anything at all is reported in a fleet without a fault.
FALSE_ALARMS = 0.01
# The spread is at least this share of the median: clocks are not finer.
LEAST_SPREAD = 0.001
# A straggler is slower than this times the median, whatever the spread.
SLOW = 1.05
# Slow operations: medians of few steps of whole microseconds are not normal.
SLOW_OP = 1.10
# Fewer ranks, hosts or communicators have no spread to compare with.
LEAST_PEERS = 4
# Fewer steps do not tell a slow operation from one that was slow once.
LEAST_STEPS = 3
# What a slow operation costs at least, as a share of the median step. Less
# changes nothing, and very short operations have few different times.
LEAST_COST = 0.005
# A change of an operation is at least this long, in nanoseconds.
LEAST_CHANGE = 1000


def limit(comparisons: int, false_alarms: float = FALSE_ALARMS) -> float:
    """The z above which one of so many comparisons is not chance."""
    if comparisons < 1:
        return math.inf
    # `1 - share` would be 1 for very many comparisons.
    return -NormalDist().inv_cdf(false_alarms / comparisons)


def is_spread(events: int, places: int, most: int) -> bool:
    """Whether chance puts `most` of so many events into one of the places."""
    mean = events / places
    below = sum(
        math.exp(-mean) * mean**count / math.factorial(count)
        for count in range(most)
    )
    return places * (1 - below) > 5 * FALSE_ALARMS


def spread(values: Sequence[float]) -> float:
    """1.4826 times the median distance from the median."""
    if not values:
        return 0.0
    middle = median(values)
    return 1.4826 * median(abs(value - middle) for value in values)


class Change:
    """How much a value changed between two runs, and how sure that is.

    A run has a value for each rank (its median over the steps) and for each
    step (its median over the ranks). Both vary: the spread over ranks alone
    would call it a change if the whole run is a little slower.
    """

    def __init__(
        self,
        base_ranks: Sequence[float],
        base_steps: Sequence[float],
        new_ranks: Sequence[float],
        new_steps: Sequence[float],
    ) -> None:
        self.base = median(base_ranks)
        self.new = median(new_ranks)
        self.error = math.sqrt(
            sum(
                _squared_error(values)
                for values in (base_ranks, base_steps, new_ranks, new_steps)
            )
        )

    @property
    def difference(self) -> float:
        return self.new - self.base

    def is_real(self, least_z: float) -> bool:
        return (
            abs(self.difference) > LEAST_CHANGE
            and abs(self.difference) > least_z * self.error
        )


def _squared_error(values: Sequence[float]) -> float:
    """The square of the standard error of a median; pi/2 for its efficiency."""
    if len(values) < 2:
        return 0.0
    least = LEAST_SPREAD * abs(median(values))
    return math.pi / 2 * max(spread(values), least) ** 2 / len(values)
