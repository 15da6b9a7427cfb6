"""Kinds of run: their fetches, how often they run, and how long it takes.

A row is a kind of run: fetches, names of feeds, options. Its counts are exact.
The mean is over all runs without a trace, the percentiles are over the last
`WINDOW` of them. After a run that nobody wants to see, the training thread
calls `row.done((start, end))`, which takes no lock: the times go into a queue,
and the other thread counts them. All else needs the lock of the table, which is
held for microseconds.
"""

from __future__ import annotations

import collections
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Callable

# The number of durations of a row that are kept.
WINDOW = 1000
# The number of them that are sent for the small picture.
SPARK = 30
# More kinds of run share one last row.
MAX_ROWS = 1000
OTHERS = "(others)"
# Names of rows are cut: a list of 10,000 fetches has one of a megabyte.
MAX_NAME = 1000


class Clock:
    """Turns readings of perf_counter_ns into wall-clock times."""

    def __init__(self) -> None:
        self._offset = time.time_ns() - time.perf_counter_ns()

    def wall(self, reading: int | None) -> int:
        return 0 if reading is None else reading + self._offset


class Row:
    """One kind of run. Counts are of runs that are done."""

    __slots__ = (
        "number",
        "fetches",
        "feeds",
        "options",
        "kind",
        "advances",
        "runs",
        "failed",
        "traces",
        "step",
        "orders",
        "changed",
        "durations",
        "done",
        "_new",
        "_untraced",
        "_total",
        "_traced",
        "_traced_total",
        "_first",
        "_last",
        "_last_duration",
        "_median",
        "_median_of",
    )

    def __init__(
        self,
        number: int,
        fetches: str,
        feeds: Sequence[str] = (),
        options: str = "None",
        kind: str = "session.run",
    ) -> None:
        self.number = number
        self.fetches = fetches
        self.feeds = list(feeds)
        self.options = options
        self.kind = kind
        self.advances = False  # a run makes the global step larger
        self.runs = 0
        self.failed = 0
        self.traces = 0
        self.step: int | None = None  # of the last run
        # The orders that may want runs of this row: the one flag that the
        # training thread looks at.
        self.orders: tuple[Any, ...] = ()
        self.changed = True
        self.durations: collections.deque[int] = collections.deque(
            maxlen=WINDOW
        )
        # Starts and ends of runs that are not counted yet.
        self._new: collections.deque[tuple[int, int]] = collections.deque()
        self.done = self._new.append
        self._untraced = 0
        self._total = 0
        self._traced = 0
        self._traced_total = 0
        self._first: int | None = None
        self._last: int | None = None
        self._last_duration = 0
        self._median = 0
        self._median_of = 0

    def finished(
        self,
        start: int,
        end: int,
        traced: bool = False,
        step: int | None = None,
    ) -> int:
        """A run is done; its count, 1 for the first. The lock is held."""
        self.drain()
        self._count(start, end, traced)
        if step is not None:
            self.step = step
        return self.runs

    def drain(self) -> None:
        """Counts what `done` was called with. The lock is held."""
        new = self._new
        while new:
            start, end = new.popleft()
            self._count(start, end, False)

    def _count(self, start: int, end: int, traced: bool) -> None:
        duration = end - start
        self.runs += 1
        if traced:
            self._traced += 1
            self._traced_total += duration
        else:
            self._untraced += 1
            self._total += duration
            self.durations.append(duration)
        self._last = start
        self._last_duration = duration
        self.changed = True
        if self._first is None:
            self._first = start

    def median(self) -> int | None:
        """The median of the last untraced runs; None before there are 20.

        It is computed again when there are an eighth more runs, so that asking
        after each run costs little.
        """
        if self._untraced < 20:
            return None
        window = len(self.durations)
        if self._untraced - self._median_of > window >> 3:
            self._median = percentile(sorted(self.durations), 50)
            self._median_of = self._untraced
        return self._median

    def facts(self, clock: Clock) -> dict[str, Any]:
        """The message about it. The lock is held, and the queue is drained."""
        recent = list(self.durations)
        ordered = sorted(recent)
        return {
            "row": self.number,
            "fetches": self.fetches,
            "feeds": self.feeds,
            "options": self.options,
            "kind": self.kind,
            "runs": self.runs,
            "failed": self.failed,
            "traces": self.traces,
            "step": self.step,
            "last_ns": self._last_duration,
            "mean_ns": self._total // self._untraced if self._untraced else 0,
            "p50_ns": percentile(ordered, 50),
            "p95_ns": percentile(ordered, 95),
            "p99_ns": percentile(ordered, 99),
            "traced_mean_ns": (
                self._traced_total // self._traced if self._traced else None
            ),
            "first_at_ns": clock.wall(self._first),
            "last_at_ns": clock.wall(self._last),
            "spark": recent[-SPARK:],
        }


def percentile(ordered: Sequence[int], percent: int) -> int:
    """The smallest value that `percent` of the values do not exceed."""
    if not ordered:
        return 0
    return ordered[max(-(-len(ordered) * percent // 100), 1) - 1]


class Table:
    """All rows of a process, numbered by first appearance."""

    def __init__(self, added: Callable[[Row], None] = lambda row: None) -> None:
        """added: is called with a new row, the lock held."""
        # A signal handler may run a session while this thread holds the lock.
        self.lock = threading.RLock()
        self._added = added
        self._rows: list[Row] = []
        self._by_name: dict[tuple[str, ...], Row] = {}

    def __iter__(self) -> Iterator[Row]:
        return iter(list(self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def row(
        self,
        fetches: str,
        feeds: Sequence[str] = (),
        kind: str = "session.run",
    ) -> Row:
        """The row of this name; a new one at the first time."""
        names = sorted(shorten(name) for name in feeds)
        fetches = shorten(fetches)
        key = (kind, fetches, *names)
        with self.lock:
            row = self._by_name.get(key)
            if row is not None:
                return row
            if len(self._rows) >= MAX_ROWS:
                return self._others()
            row = Row(len(self._rows), fetches, names, kind=kind)
            self._rows.append(row)
            self._by_name[key] = row
            self._added(row)
            return row

    def _others(self) -> Row:
        if len(self._rows) == MAX_ROWS:
            row = Row(MAX_ROWS, OTHERS)
            self._rows.append(row)
            self._added(row)
        return self._rows[MAX_ROWS]

    def take_changed(self, clock: Clock) -> list[dict[str, Any]]:
        """Facts of the rows that changed since the last call."""
        changed = []
        self.drain()
        for row in self:
            if row.changed:
                with self.lock:
                    row.changed = False
                    changed.append(row.facts(clock))
        return changed

    def drain(self) -> None:
        """Counts the runs of all rows."""
        for row in self:
            if row._new:
                with self.lock:
                    row.drain()

    def give_back(self, numbers: Sequence[int]) -> None:
        """The server did not hear of these: they count as changed."""
        with self.lock:
            for number in numbers:
                self._rows[number].changed = True

    def all_changed(self) -> None:
        self.give_back(range(len(self._rows)))


def shorten(name: str) -> str:
    """A name that any JSON can have, and that is not too long."""
    name = name.encode("utf-8", "replace").decode("utf-8")
    if len(name) <= MAX_NAME:
        return name
    return f"{name[:MAX_NAME]}… ({len(name)} characters)"
