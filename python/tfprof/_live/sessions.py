"""Sessions of TensorFlow 1: how a run is recognized, and the hook.

A run is recognized by the identity of its fetches and of the fed tensors; only
a new one is described, by names. No value is read or made into text. An idle
run costs no more than that look-up, two readings of a clock, and a look
at the row's orders.
"""

from __future__ import annotations

import threading
import time
import weakref
from typing import Any

from tfprof._live.program import Program
from tfprof._live.rows import Row

# More kinds of run than this are looked up by their names each time.
_MAX_CACHE = 4096
_MAX_DEPTH = 20

_clock = time.perf_counter_ns
_thread = threading.get_ident


def describe(fetches: Any, depth: int = 0) -> str:
    """The names in fetches: "train", "[loss:0, accuracy:0]"."""
    if isinstance(fetches, str):
        return fetches
    name = _name(fetches)
    if name is not None:
        return name
    if depth >= _MAX_DEPTH:
        return "…"
    if isinstance(fetches, dict):
        parts = (
            f"{key if isinstance(key, str) else type(key).__name__}: "
            f"{describe(value, depth + 1)}"
            for key, value in fetches.items()
        )
        return "{%s}" % ", ".join(parts)
    if isinstance(fetches, (list, tuple)):
        return "[%s]" % ", ".join(describe(f, depth + 1) for f in fetches)
    return type(fetches).__name__


def _name(part: Any) -> str | None:
    """The name of a tensor, an operation or a variable; else None."""
    try:
        name = part.name
    except Exception:  # no name, or no graph
        return None
    return name if isinstance(name, str) else None


def _is_leaf(part: Any) -> bool:
    return isinstance(part, str) or _name(part) is not None


def _key(fetches: Any, feeds: Any) -> Any:
    """The identity; equal for the same objects in a list and in a tuple."""
    kind = type(fetches)
    if kind is list or kind is tuple:
        key: Any = tuple(map(id, fetches))
    elif kind is dict:
        key = (tuple(fetches), tuple(map(id, fetches.values())))
    else:
        key = id(fetches)
    return (key, tuple(map(id, feeds))) if feeds else key


class Rows:
    """The rows of some sessions, found by the identity of what is run."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._found: dict[Any, Row] = {}
        # An identity is unique only while its object exists.
        self._kept: list[Any] = []

    def forget(self) -> None:
        self._found.clear()
        self._kept.clear()

    def find(self, fetches: Any, feeds: Any) -> Row:
        key = _key(fetches, feeds)
        row = self._found.get(key)
        if row is None:
            row = self._program.row(
                describe(fetches), [describe(feed) for feed in feeds or ()]
            )
            self._keep(key, row, fetches, feeds)
        return row

    def _keep(self, key: Any, row: Row, fetches: Any, feeds: Any) -> None:
        kind = type(fetches)
        if kind is dict:
            parts = list(fetches.values())
        elif kind is list or kind is tuple:
            parts = list(fetches)
        else:
            parts = [fetches]
        parts.extend(feeds or ())
        if not all(map(_is_leaf, parts)):
            return
        if len(self._found) >= _MAX_CACHE:
            self.forget()
        self._found[key] = row
        self._kept.append(parts)


def has_steps(metadata: Any) -> bool:
    """Whether a RunMetadata has the record of a run."""
    return metadata is not None and metadata.HasField("step_stats")


# ---- the global step


class GlobalStep:
    """Counts the runs that make the global step larger.

    The step is read once, when a session begins. A step that lives on another
    machine, where others count too, is not known.
    """

    def __init__(self) -> None:
        self.now: int | None = None
        self._advancing: set[Any] = set()

    def begin(self, v1: Any, session: Any) -> None:
        self.now = None
        self._advancing.clear()
        graph = session.graph
        with graph.as_default():
            variable = v1.train.get_global_step(graph)
        if variable is None or "/job:" in str(variable.device):
            return
        self.now = int(session.run(variable))
        self._advancing = _after_additions(variable)

    def next(self, row: Row) -> int | None:
        """The step that a run of the row will have."""
        return None if self.now is None else self.now + row.advances

    def advances(self, fetches: Any) -> bool:
        """Whether a run of the fetches makes the step larger."""
        if isinstance(fetches, dict):
            return any(map(self.advances, fetches.values()))
        if isinstance(fetches, (list, tuple)):
            return any(map(self.advances, fetches))
        try:
            return getattr(fetches, "op", fetches) in self._advancing
        except TypeError:  # it has no hash, so it is no operation
            return False


def _after_additions(variable: Any) -> set[Any]:
    """Operations that add to a variable, and what comes after them."""
    handle = getattr(variable, "handle", None)
    source = variable.op.outputs[0] if handle is None else handle
    todo = [op for op in source.consumers() if op.type.startswith("AssignAdd")]
    seen: set[Any] = set()
    while todo and len(seen) < 10_000:
        op = todo.pop()
        if op not in seen:
            seen.add(op)
            todo.extend(getattr(op, "_control_outputs", ()))
            for output in op.outputs:
                todo.extend(output.consumers())
    return seen


# ---- the hook


def make_hook(program: Program, v1: Any) -> Any:
    """A SessionRunHook for MonitoredSession and Estimator."""
    base: Any = v1.train.SessionRunHook
    finder = Rows(program)
    find = finder.find
    found = finder._found
    steps = GlobalStep()
    # The options of a traced run; TensorFlow copies them.
    traced = v1.train.SessionRunArgs(
        None, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    )
    # The row whose run has begun and is not over, and its thread.
    begun: Row | None = None
    begun_by = 0

    # The base is a class of the program's own framework.
    class Hook(base):  # type: ignore[misc]
        """Made by TracingServer.hook. Idle runs take the shortest way."""

        def __init__(self) -> None:
            program.caches.add(self)

        def forget(self) -> None:
            nonlocal begun
            begun = None
            finder.forget()

        def sweep(self) -> None:
            """A run that an error ended came to no after_run."""
            nonlocal begun
            row, begun = begun, None
            if row is not None and begun_by == _thread():
                program.failed(row)

        def begin(self) -> None:
            self.sweep()
            finder.forget()

        def after_create_session(self, session: Any, coord: Any) -> None:
            self.begin()
            number = id(session)
            # A session that an error ends does not say so.
            program.hooked[number] = weakref.ref(
                session, lambda _: self._close(number)
            )
            program.opened()
            with program.hidden():
                program.guarded(
                    "the global step is not known",
                    lambda: steps.begin(v1, session),
                )

        def _close(self, number: int) -> None:
            if program.hooked.pop(number, None) is not None:
                program.closed()

        def before_run(self, run_context: Any) -> Any:
            nonlocal begun, begun_by
            try:
                # This is `find`, written out for fetches that were found
                # before.
                fetches, feeds, _ = run_context.original_args
                key: Any
                kind = type(fetches)
                if kind is list or kind is tuple:
                    key = tuple(map(id, fetches))
                elif kind is dict:
                    key = (tuple(fetches), tuple(map(id, fetches.values())))
                else:
                    key = id(fetches)
                if feeds:
                    key = (key, tuple(map(id, feeds)))
                if begun is not None:
                    self.sweep()
                row = found.get(key)
                if row is None:
                    row = find(fetches, feeds)
                    row.advances = steps.advances(fetches)
                begun = row
                begun_by = _thread()
                if row.orders:
                    wanting = program.wanting(row, steps.next(row))
                    run_context.tfprof_run = (row, wanting, _clock())
                    return traced if wanting else None
                run_context.tfprof_run = (row, (), _clock())
                return None
            except Exception as error:  # training goes on
                program.once.warn("before a run", error)
                return None

        def after_run(self, run_context: Any, run_values: Any) -> None:
            nonlocal begun
            end = _clock()
            try:
                row, wanting, start = run_context.tfprof_run
                begun = None
                if row.advances and steps.now is not None:
                    row.step = steps.now = steps.now + 1
                if run_values.options.trace_level or row.orders or wanting:
                    self._ended(run_context, run_values, end)
                else:
                    row.done((start, end))
            except Exception as error:  # training goes on
                program.once.warn("after a run", error)

        def _ended(self, context: Any, values: Any, end: int) -> None:
            row, wanting, start = context.tfprof_run
            metadata = values.run_metadata
            content = None
            if has_steps(metadata):
                content = metadata.SerializeToString
                if not wanting:  # it is the caller's, who may use it again
                    content = content()
            graph = context.session.graph
            program.ended(
                row, wanting, start, end, steps.now, content, graph=graph
            )

        def end(self, session: Any) -> None:
            self.forget()
            self._close(id(session))

    return Hook()
