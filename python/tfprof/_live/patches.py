"""Patches of TensorFlow 1: every Session.run is seen, or every session hooked.

A patch can be undone. Our part of a patched method never makes a run fail.
"""

from __future__ import annotations

import functools
import inspect
import time
from typing import Any, Callable

from tfprof._live.program import Program
from tfprof._live.rows import Row
from tfprof._live.sessions import Rows, has_steps

_clock = time.perf_counter_ns


class Patch:
    """A replaced attribute of a class; `undo`, or the with block, ends it.

    If somebody else has replaced it since, ours stays under theirs and does
    nothing any more.
    """

    def __init__(
        self,
        owner: Any,
        name: str,
        wrap: Callable[[Any, Patch], Any],
    ) -> None:
        self.active = True
        self._owner, self._name = owner, name
        self._original = getattr(owner, name)
        self._ours = wrap(self._original, self)
        setattr(owner, name, self._ours)

    def undo(self) -> None:
        self.active = False
        if getattr(self._owner, self._name) is self._ours:
            setattr(self._owner, self._name, self._original)

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.undo()


def patch_sessions(program: Program, v1: Any) -> Patch:
    """Replaces Session.run, so that all runs of all sessions are seen."""
    base = next(c for c in v1.Session.__mro__ if "run" in vars(c))
    return Patch(
        base, "run", lambda run, patch: _wrapped(program, v1, run, patch)
    )


def _wrapped(program: Program, v1: Any, original: Any, patch: Patch) -> Any:
    @functools.wraps(original)
    def run(
        self: Any,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        if (
            not patch.active
            or program.is_hidden()
            or (
                # A MonitoredSession, whose hook sees the run.
                id(self) in program.hooked
                and type(fetches) is dict
                and "caller" in fetches
            )
        ):
            return original(self, fetches, feed_dict, options, run_metadata)
        call = _Call(program, v1, self, fetches, feed_dict)
        options, metadata = call.before(options, run_metadata)
        start = _clock()
        try:
            result = original(self, fetches, feed_dict, options, metadata)
        except BaseException:
            call.failed()
            raise
        call.after(start, _clock(), metadata, run_metadata)
        return result

    return run


class _Call:
    """One call of a patched Session.run."""

    __slots__ = ("_program", "_v1", "_session", "_row", "_wanting")

    def __init__(
        self, program: Program, v1: Any, session: Any, fetches: Any, feeds: Any
    ) -> None:
        self._program, self._v1, self._session = program, v1, session
        self._wanting: tuple[Any, ...] = ()
        self._row: Row | None = None
        try:
            # The fetches of a MonitoredSession: the caller's and the hooks'.
            if type(fetches) is dict and "caller" in fetches:
                fetches = fetches["caller"]
            # The rows' objects belong to the session and end with it.
            cache = session.__dict__.get("_tfprof_rows")
            if cache is None or cache[0] != program.key:
                cache = (program.key, Rows(program))
                session.__dict__["_tfprof_rows"] = cache
            self._row = cache[1].find(fetches, feeds)
        except Exception as error:  # training goes on
            program.once.warn("before a run", error)

    def before(self, options: Any, metadata: Any) -> tuple[Any, Any]:
        """Options and RunMetadata for the run."""
        row = self._row
        if row is None or not row.orders:
            return options, metadata
        try:
            self._wanting = self._program.wanting(row)
            if not self._wanting:
                return options, metadata
            wanted = self._v1.RunOptions()
            if options is not None:
                wanted.CopyFrom(options)
            wanted.trace_level = self._v1.RunOptions.FULL_TRACE
            if metadata is None:
                metadata = self._v1.RunMetadata()
            return wanted, metadata
        except Exception as error:  # training goes on
            self._program.once.warn("before a run", error)
            return options, metadata

    def failed(self) -> None:
        if self._row is not None:
            self._program.failed(self._row)

    def after(self, start: int, end: int, metadata: Any, given: Any) -> None:
        row, program = self._row, self._program
        if row is None:
            return
        try:
            if has_steps(metadata):
                content = metadata.SerializeToString
                program.ended(
                    row,
                    self._wanting,
                    start,
                    end,
                    content=content if given is None else content(),
                    graph=self._session.graph,
                )
            elif row.orders:
                program.ended(row, self._wanting, start, end)
            else:
                row.done((start, end))
        except Exception as error:  # training goes on
            program.once.warn("after a run", error)


def patch_monitored_sessions(v1: Any, hook: Callable[[], Any]) -> Patch:
    """Adds a hook to every MonitoredSession that is made from now on."""
    base = next(
        c for c in v1.train.MonitoredSession.__mro__[1:] if "run" in vars(c)
    )
    return Patch(
        base, "__init__", lambda made, patch: _with_hook(made, patch, hook)
    )


def _with_hook(original: Any, patch: Patch, hook: Callable[[], Any]) -> Any:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def made(*args: Any, **kwargs: Any) -> None:
        if patch.active:
            bound = signature.bind_partial(*args, **kwargs)
            hooks = list(bound.arguments.get("hooks") or ())
            ours = hook()
            if ours not in hooks:
                hooks.append(ours)
            bound.arguments["hooks"] = hooks
            args, kwargs = bound.args, bound.kwargs
        original(*args, **kwargs)

    return made
