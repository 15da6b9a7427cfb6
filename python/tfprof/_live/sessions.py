"""Sessions of TensorFlow 1: the hook, and the patches of Session.run.

A run is known again by the identity of its fetches and of what is fed; only a
new one is described, by names. Nobody looks at values, or makes texts of them.
All that an idle run costs is that look-up, two readings of a clock, and a look
at the row's orders.
"""

from __future__ import annotations

import functools
import inspect
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

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


def _name(part: Any) -> Optional[str]:
    """Of a tensor, an operation, a variable; None of anything else."""
    try:
        name = part.name
    except Exception:  # no name, or no graph
        return None
    return name if isinstance(name, str) else None


def _is_leaf(part: Any) -> bool:
    return isinstance(part, str) or _name(part) is not None


def _key(fetches: Any, feeds: Any) -> Any:
    """By identity; equal for the same objects in a list and in a tuple."""
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
        self._found: Dict[Any, Row] = {}
        # An identity is one only as long as its object is there.
        self._kept: List[Any] = []

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
        self.now: Optional[int] = None
        self._advancing: Set[Any] = set()

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

    def next(self, row: Row) -> Optional[int]:
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


def _after_additions(variable: Any) -> Set[Any]:
    """Operations that add to a variable, and what comes after them."""
    handle = getattr(variable, "handle", None)
    source = variable.op.outputs[0] if handle is None else handle
    todo = [op for op in source.consumers() if op.type.startswith("AssignAdd")]
    seen: Set[Any] = set()
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
    # What a traced run is asked for; TensorFlow copies it.
    traced = v1.train.SessionRunArgs(
        None, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    )
    # The row whose run has begun and is not over, and its thread.
    begun: Optional[Row] = None
    begun_by = 0

    class Hook(base):
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
                # `find`, written out for what was found before.
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


# ---- patches


class Patch:
    """A replaced attribute of a class; `undo`, or the with block, ends it.

    If somebody else has replaced it since, ours stays under theirs and does
    nothing any more.
    """

    def __init__(
        self,
        owner: Any,
        name: str,
        wrap: Callable[[Any, "Patch"], Any],
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

    def __enter__(self) -> "Patch":
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
        self._wanting: Tuple[Any, ...] = ()
        self._row: Optional[Row] = None
        try:
            # What a MonitoredSession runs: the caller's fetches, and hooks'.
            if type(fetches) is dict and "caller" in fetches:
                fetches = fetches["caller"]
            # In the session, so that the rows' objects go with it.
            cache = session.__dict__.get("_tfprof_rows")
            if cache is None or cache[0] != program.key:
                cache = (program.key, Rows(program))
                session.__dict__["_tfprof_rows"] = cache
            self._row = cache[1].find(fetches, feeds)
        except Exception as error:  # training goes on
            program.once.warn("before a run", error)

    def before(self, options: Any, metadata: Any) -> Tuple[Any, Any]:
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
