"""Hosts, stages and other places of ranks that are slow as a whole.

The rank map says where a rank is. A place is slow if the median own time of its
ranks is above 1.05 times the median of the places of its kind and further away
from it than noise: the spread of the places, or what the spread of the ranks
leaves in a median of so many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from tfprof._fleet import statistics
from tfprof._fleet.view import Fleet

# In the rank map, the stage of a pipeline is called like its rank in it.
NAMES = {"pp": "stage"}
# How much noisier a median is than a mean.
_OF_MEDIAN = math.sqrt(math.pi / 2)


class Place(NamedTuple):
    kind: str
    name: str
    ranks: frozenset[int]
    nanos: float  # the median own time of its ranks
    middle: float  # of the places of its kind
    z: float

    @property
    def text(self) -> str:
        return f"{self.kind} {self.name}"


def find_slow_places(fleet: Fleet) -> list[Place]:
    """The slow places, the slowest first."""
    own = dict(
        fleet.rows("SELECT rank, median(own_nanos) FROM rank_steps GROUP BY 1")
    )
    kinds = _places(fleet, own)
    limit = statistics.limit(sum(len(places) for places in kinds.values()))
    found = []
    for kind, places in kinds.items():
        values = {
            name: median(own[rank] for rank in ranks)
            for name, ranks in places.items()
        }
        middle = median(values.values())
        among = statistics.spread(list(values.values()))
        # Of ranks around the median of their own place.
        within = statistics.spread(
            [
                own[rank] - values[name]
                for name, ranks in places.items()
                for rank in ranks
            ]
        )
        for name, ranks in places.items():
            noise = max(
                among,
                _OF_MEDIAN * within / math.sqrt(len(ranks)),
                statistics.LEAST_SPREAD * middle,
                1.0,
            )
            z = (values[name] - middle) / noise
            if values[name] > statistics.SLOW * middle and z > limit:
                found.append(
                    Place(
                        NAMES.get(kind, kind),
                        name,
                        frozenset(ranks),
                        values[name],
                        middle,
                        z,
                    )
                )
    return sorted(found, key=lambda p: (p.middle - p.nanos, p.kind, p.name))


def place_of(
    fleet: Fleet, ranks: Sequence[int], among: Sequence[int]
) -> str | None:
    """A place that has exactly these ranks of all of them."""
    for column in fleet.columns("ranks") if fleet.has_ranks else []:
        if column == "rank":
            continue
        names = dict(
            fleet.rows(f"SELECT rank, {fleet.quoted(column)} FROM ranks")
        )
        name = names.get(ranks[0])
        if name is not None and sorted(ranks) == sorted(
            rank for rank in among if names.get(rank) == name
        ):
            return f"{NAMES.get(column, column)} {name}"
    return None


def looked_for(fleet: Fleet) -> str:
    own = {row[0]: 0.0 for row in fleet.rows("SELECT rank FROM rank_steps")}
    kinds = _places(fleet, own)
    if not kinds:
        return (
            f"not looked for: that needs a rank map with "
            f"{statistics.LEAST_PEERS} hosts, stages or other places of "
            "several ranks each; see --rank-map"
        )
    counted = ", ".join(
        f"{len(places)} of {NAMES.get(kind, kind)}"
        for kind, places in kinds.items()
    )
    return (
        f"none is above {statistics.SLOW} times the median of its kind and "
        f"beyond the noise ({counted})"
    )


def _places(
    fleet: Fleet, own: dict[int, float]
) -> dict[str, dict[str, list[int]]]:
    """By column of the rank map and by name: the ranks that have times."""
    if not fleet.has_ranks:
        return {}
    kinds = {}
    for column in fleet.columns("ranks"):
        if column == "rank":
            continue
        quoted = fleet.quoted(column)
        places: dict[str, list[int]] = {}
        for rank, name in fleet.rows(
            f"SELECT rank, CAST({quoted} AS STRING) FROM ranks "
            f"WHERE {quoted} IS NOT NULL ORDER BY rank, 2"
        ):
            if rank in own:
                places.setdefault(name, []).append(rank)
        # A place of one rank says no more than the rank.
        several = {name: ranks for name, ranks in places.items() if ranks[1:]}
        if len(several) >= statistics.LEAST_PEERS:
            kinds[column] = several
    return kinds
