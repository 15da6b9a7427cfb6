"""Timeline: one run as a trace for chrome://tracing, as the reference does.

    timeline = Timeline(run_metadata.step_stats)
    with open("timeline.json", "w") as f:
        f.write(timeline.generate_chrome_trace_format())

The program writes the trace (`tfprof timeline -compatible`), byte for byte
what TensorFlow's class writes. Times are the microseconds of the step
statistics, sizes are bytes. Unlike the reference's, a Timeline leaves the
caller's message as it is, and each call gives a trace of its own.
"""

from __future__ import annotations

import json
import threading
from typing import Any, NamedTuple

from tfprof._reference import inputs as _inputs
from tfprof._reference.session import program


class AllocationMaximum(NamedTuple):
    """The most that an allocator held: when, how much, and the outputs."""

    timestamp: int
    num_bytes: int
    tensors: frozenset[str]


class ChromeTrace:
    """A trace as JSON."""

    def __init__(self, text: str) -> None:
        self._text = text

    def format_to_string(self, pretty: bool = False) -> str:
        """The trace on many lines, or on one."""
        if pretty:
            return self._text
        return json.dumps(json.loads(self._text), separators=(",", ":"))


class StepStatsAnalysis(NamedTuple):
    """A trace, and AllocationMaximum by allocator (with show_memory)."""

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


class Timeline:
    """A trace of one run."""

    def __init__(self, step_stats: Any, graph: Any | None = None) -> None:
        """step_stats: StepStats or RunMetadata: message, bytes, or path.

        graph: is not used; the reference has it.
        """
        self._origin_step_stats = step_stats
        self._graph = graph
        self._lock = threading.Lock()
        self._data: Any = None

    def generate_chrome_trace_format(
        self,
        show_dataflow: bool = True,
        show_memory: bool = False,
        op_time: str = "schedule",
    ) -> str:
        """The trace as text.

        show_dataflow: arrows from producers of tensors to their consumers.
        show_memory: tensors as objects, and a counter for each allocator.
        op_time: an operation that started kernels has its recorded time
          ("schedule"), is as long as its kernels ("gpu"), or lasts from its
          start to the end of its kernels ("all").
        """
        text, unused = self._ask(show_dataflow, show_memory, op_time, False)
        return text

    def analyze_step_stats(
        self,
        show_dataflow: bool = True,
        show_memory: bool = True,
        op_time: str = "schedule",
    ) -> StepStatsAnalysis:
        """The trace, and the most memory of each allocator."""
        text, maxima = self._ask(
            show_dataflow, show_memory, op_time, show_memory
        )
        return StepStatsAnalysis(ChromeTrace(text), maxima)

    def _ask(
        self, show_dataflow: bool, show_memory: bool, op_time: str, maxima: bool
    ) -> tuple[str, dict[str, AllocationMaximum]]:
        with self._lock:
            if self._data is None:
                self._data = _inputs.source(
                    self._checked(self._origin_step_stats)
                )
        options: dict[str, Any] = {
            "compatible": True,
            "show_dataflow": bool(show_dataflow),
            "show_memory": bool(show_memory),
            "op_time": op_time if op_time in ("schedule", "gpu") else "all",
        }
        if self._data == b"":
            return _EMPTY, {}
        with program([self._data]) as engine:
            trace = engine.ask("timeline", options=options)
            if trace.status != 0:
                raise ValueError(
                    "; ".join(str(m["text"]) for m in trace.messages)
                )
            found: dict[str, AllocationMaximum] = {}
            if maxima:
                answer = engine.ask("timeline", options=options, output="json")
                found = _maxima(json.loads(answer.data))
        return trace.data.decode("utf-8", "surrogateescape"), found

    @staticmethod
    def _checked(step_stats: Any) -> Any:
        if _inputs.is_path(step_stats) or isinstance(
            step_stats, (bytes, bytearray, memoryview)
        ):
            return step_stats
        if hasattr(step_stats, "step_stats"):
            return step_stats.step_stats
        _ = step_stats.dev_stats  # as the reference: AttributeError without
        return step_stats


def _maxima(document: dict[str, Any]) -> dict[str, AllocationMaximum]:
    tensors: dict[str, list[str]] = {}
    for row in document["tables"]["tensors"]["rows"]:
        tensors.setdefault(row["allocator"], []).append(row["tensor"])
    return {
        row["allocator"]: AllocationMaximum(
            row["at_micros"],
            row["bytes"],
            frozenset(tensors.get(row["allocator"], ())),
        )
        for row in document["tables"]["maximums"]["rows"]
    }


# The trace of a run without statistics.
_EMPTY = json.dumps(
    {
        "traceEvents": [
            {
                "name": "process_name",
                "ph": "M",
                "pid": 0,
                "args": {"name": "Allocators"},
            }
        ]
    },
    indent=4,
)
