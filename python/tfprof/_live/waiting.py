"""Records on their way to the server: at most 4, or 64 MB.

The training thread puts them in and goes on. Records that do not fit are
dropped and counted; the page says how many, and why.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, Callable, Union

MAX_TRACES = 4
MAX_BYTES = 64 << 20

Content = Union[bytes, Callable[[], bytes]]


@dataclasses.dataclass
class Trace:
    """A record and its facts; `content` may be a function that makes it."""

    row: int
    number: int  # of the row's traces, 0 for the first
    count: int  # of the row's runs, 1 for the first
    step: int | None
    start_ns: int
    duration_ns: int
    asked_by: str
    kind: str  # run_metadata, xspace, kineto
    content: Content
    graph: Any = None  # TensorFlow's, of a run_metadata

    def data(self) -> bytes:
        """The record, made now if it was not."""
        if not isinstance(self.content, bytes):
            self.content = self.content()
        return self.content

    def size(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else 0

    def facts(self, graph: str) -> dict[str, Any]:
        """The message about it."""
        return {
            "row": self.row,
            "number": self.number,
            "count": self.count,
            "step": self.step,
            "start_ns": self.start_ns,
            "duration_ns": self.duration_ns,
            "asked_by": self.asked_by,
            "kind": self.kind,
            "graph": graph,
        }


class Waiting:
    """The queue. All calls hold the lock of the table."""

    def __init__(
        self, max_traces: int = MAX_TRACES, max_bytes: int = MAX_BYTES
    ) -> None:
        self._max_traces = max_traces
        self._max_bytes = max_bytes
        self._traces: collections.deque[Trace] = collections.deque()
        self.dropped: dict[str, Any] = {"traces": 0, "bytes": 0, "why": ""}

    def __len__(self) -> int:
        return len(self._traces)

    @property
    def bytes(self) -> int:
        """The size of the records whose bytes exist."""
        return sum(trace.size() for trace in self._traces)

    @property
    def room(self) -> bool:
        return (
            len(self._traces) < self._max_traces
            and self.bytes < self._max_bytes
        )

    def refusal(self, content: Content) -> str:
        """Why a record cannot wait; "" if it can. A refused one is counted."""
        size = len(content) if isinstance(content, bytes) else 0
        if len(self._traces) >= self._max_traces:
            why = f"{self._max_traces} traces wait for the server"
        elif self._traces and self.bytes + size > self._max_bytes:
            why = f"traces of {self.bytes} bytes wait for the server"
        else:
            return ""
        self.count_dropped(size, why)
        return why

    def put(self, trace: Trace) -> None:
        self._traces.append(trace)

    def first(self) -> Trace | None:
        """The oldest; it stays until it is `done` or dropped."""
        return self._traces[0] if self._traces else None

    def done(self, trace: Trace) -> None:
        if self._traces and self._traces[0] is trace:
            self._traces.popleft()

    def take(self) -> list[Trace]:
        """All of them; none waits any more."""
        traces = list(self._traces)
        self._traces.clear()
        return traces

    def drop(self, trace: Trace, why: str) -> None:
        self.done(trace)
        self.count_dropped(trace.size(), why)

    def count_dropped(self, size: int, why: str) -> None:
        self.dropped["traces"] += 1
        self.dropped["bytes"] += size
        self.dropped["why"] = why

    def too_much(self, trace: Trace) -> bool:
        """Whether a record, now that it is made, is too large to wait."""
        return len(self._traces) > 1 and self.bytes > self._max_bytes
