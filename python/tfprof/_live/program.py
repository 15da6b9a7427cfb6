"""One training process as live tracing sees it.

The training thread calls `row`, and after each run `row.done`, or `ended` if
there are orders or a record; none of them waits for anything but a lock that is
held for microseconds. The first row starts the thread that talks to the
server. A forked child begins anew: with no rows, no thread and a key of its
own.
"""

from __future__ import annotations

import contextlib
import os
import threading
import uuid
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Callable

from tfprof._live.orders import Order, OrderBook
from tfprof._live.rows import Clock, Row, Table
from tfprof._live.waiting import Content, Trace, Waiting
from tfprof._recorders.dumper import Once


class Program:
    """The runs of this process."""

    def __init__(self, started: Callable[[], None]) -> None:
        """started: is called by the first run, in the training thread."""
        self.once = Once("tfprof: live tracing")
        # Caches of rows, which a forked child must forget.
        self.caches: weakref.WeakSet[Any] = weakref.WeakSet()
        self._started = started
        self._reset()
        _programs.add(self)

    def _reset(self) -> None:
        self.pid = os.getpid()
        self.key = uuid.uuid4().hex
        self.clock = Clock()
        self.table = Table(self._added)
        self.lock = self.table.lock
        self.book = OrderBook(self.table)
        self.waiting = Waiting()
        self.wake = threading.Event()  # something waits for the server
        # Sessions of TensorFlow that have a hook of ours, by identity.
        self.hooked: dict[int, Any] = {}
        self.sessions = 0  # that are open, with trainings of Keras
        self._hidden: set[int] = set()  # threads

    def forked(self) -> None:
        self._reset()
        for cache in list(self.caches):
            cache.forget()

    def _added(self, row: Row) -> None:
        self.book.added(row)
        self.guarded("cannot start", self._started)

    def row(
        self, fetches: str, feeds: Sequence[str] = (), kind: str = "session.run"
    ) -> Row:
        return self.table.row(fetches, feeds, kind)

    def place(self, rule: str, row: Row | None, more: Any) -> Order:
        with self.lock:
            order = self.book.place(rule, row, **more)
        self.wake.set()
        return order

    def guarded(self, what: str, call: Callable[[], Any]) -> None:
        """Calls something whose failure is no failure of the training."""
        try:
            call()
        except Exception as error:
            self.once.warn(what, error)

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """Runs of this thread in the block are our own and do not count."""
        thread = threading.get_ident()
        self._hidden.add(thread)
        try:
            yield
        finally:
            self._hidden.discard(thread)

    def is_hidden(self) -> bool:
        return bool(self._hidden) and threading.get_ident() in self._hidden

    # -- of each run

    def wanting(self, row: Row, step: int | None = None) -> tuple[Order, ...]:
        """The orders that want the run that starts now; `row` has orders."""
        with self.lock:
            return self.book.wanting(row, step, self.waiting.room)

    def failed(self, row: Row) -> None:
        with self.lock:
            row.failed += 1
            row.changed = True

    def ended(
        self,
        row: Row,
        wanting: tuple[Order, ...],
        start: int,
        end: int,
        step: int | None = None,
        content: Content | None = None,
        kind: str = "run_metadata",
        graph: Any = None,
    ) -> int:
        """A run is over that has a record, or whose row has orders."""
        with self.lock:
            traced = content is not None or bool(wanting)
            count = row.finished(start, end, traced, step)
            why = "the run gave no record"
            if content is not None:
                why = self.waiting.refusal(content)
                if not why:
                    trace = Trace(
                        row=row.number,
                        number=row.traces,
                        count=count,
                        step=step,
                        start_ns=self.clock.wall(start),
                        duration_ns=end - start,
                        asked_by=wanting[0].rule if wanting else "program",
                        kind=kind,
                        content=content,
                        graph=graph,
                    )
                    row.traces += 1
                    self.waiting.put(trace)
            if row.orders:
                duration = None if traced else end - start
                self.book.ended(row, wanting, count, step, duration, why)
        # If runs are ordered, the other thread looks by itself: waking it would
        # cost this thread its turn.
        if content is not None and not wanting:
            self.wake.set()
        return count

    # -- sessions

    def opened(self) -> None:
        with self.lock:
            self.sessions += 1

    def closed(self) -> None:
        with self.lock:
            self.sessions = max(self.sessions - 1, 0)
        self.wake.set()


_programs: weakref.WeakSet[Program] = weakref.WeakSet()


def _after_fork() -> None:
    for program in list(_programs):
        program.forked()


os.register_at_fork(after_in_child=_after_fork)
