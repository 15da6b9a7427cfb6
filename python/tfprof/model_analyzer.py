"""profile, advise and Profiler: the reference's interface to its profiles.

`profile` and `advise` look at a graph and at most one run, which is step 0. A
`Profiler` collects runs as steps. Reports are printed on file descriptor 1 with
the reference's bytes; returned are GraphNodeProto (scope, graph),
MultiGraphNodeProto (op, code) or AdviceProto. If something cannot be shown,
standard error says so, and the returned message is empty. Everything is
computed by the program `tfprof`, in one process of its own for each profiler,
so that several profilers live at once and nothing ends this process.

Graphs, run metadata and op logs may be TensorFlow's objects, messages, their
serialized bytes, or paths of files.
"""

from __future__ import annotations

import threading
from typing import Any

from tfprof._reference import inputs as _inputs, tensorflow as _tensorflow
from tfprof._reference.messages import (
    AdviceProto,
    AdvisorOptionsProto,
    GraphNodeProto,
    MultiGraphNodeProto,
    OptionsProto,
    lazily,
)
from tfprof._reference.session import Session
from tfprof.option_builder import ProfileOptionBuilder
from tfprof.tfprof_logger import OpLogMaker

_DEFAULT_PROFILE_OPTIONS = 0
_DEFAULT_ADVISE_OPTIONS = 0

ALL_ADVICE: dict[str, dict[str, Any]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}

_RESULTS = {
    "scope": GraphNodeProto,
    "graph": GraphNodeProto,
    "op": MultiGraphNodeProto,
    "code": MultiGraphNodeProto,
}

# The value of a key that a dictionary of options lacks. Other keys are 0, or an
# empty list.
_FALLBACK: dict[str, Any] = {
    "max_depth": 10,
    "step": -1,
    "order_by": "name",
    "account_displayed_op_only": False,
    "output": "stdout",
    "dump_to_file": "",
}


def option_message(options: Any) -> Any:
    """A dictionary of options as the message that the reference makes of it.

    Unknown keys are ignored; values of a wrong type raise TypeError.
    """
    get = options.get
    message = OptionsProto()
    for field in OptionsProto._fields:
        name = field.name
        if field.repeated:
            values = getattr(message, name)
            for value in get(name, []):
                values.append(value)
        else:
            setattr(message, name, get(name, _FALLBACK.get(name, 0)))
    return message


def advisor_message(options: Any) -> Any:
    """The checkers to run, with their options; None and {}: no checker."""
    message = AdvisorOptionsProto()
    if options is None:
        return message
    for checker, values in options.items():
        target = message.checkers[checker].options
        for key, value in values.items():
            target[key] = str(value)
    return message


def profile(
    graph: Any = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: Any = _DEFAULT_PROFILE_OPTIONS,
) -> Any:
    """Shows a profile of `graph`, and of one run of it.

    graph: None is the default graph of TensorFlow, where one is in use.
    run_meta: the RunMetadata of a run; without it, no time and no memory.
    op_log: your own OpLogProto: types, flops and call stacks of operations.
    cmd: "scope", "graph", "op" or "code".
    options: of ProfileOptionBuilder, or a dictionary like its; without,
      the parameters of the trainable variables.
    Returns a GraphNodeProto for scope and graph, else a MultiGraphNodeProto.
    """
    if graph is None and not _tensorflow.eager():
        graph = _tensorflow.default_graph()
    if options == _DEFAULT_PROFILE_OPTIONS:
        options = ProfileOptionBuilder.trainable_variables_parameter()
    with _Inputs(graph, op_log) as inputs:
        session = inputs.session(run_meta, add_trace=cmd == "code")
        if run_meta:
            session.plan_step(0, _inputs.source(run_meta))
        message = option_message(options)
        if cmd not in _RESULTS:
            raise _tensorflow.error(
                _tensorflow.InvalidArgumentError, f"unknown cmd: {cmd}\n"
            )
        return _view(session, cmd, message)


def advise(
    graph: Any = None,
    run_meta: Any = None,
    options: Any = _DEFAULT_ADVISE_OPTIONS,
) -> Any:
    """Judges a graph and a run by rules; prints and returns the findings.

    options: {checker: {option: value}}; without, all checkers. `tfprof help
      advise` lists checkers and their options.
    Returns an AdviceProto: reports by checker.
    """
    if graph is None and not _tensorflow.eager():
        graph = _tensorflow.default_graph()
    if options == _DEFAULT_ADVISE_OPTIONS:
        options = ALL_ADVICE
    with _Inputs(graph, None) as inputs:
        session = inputs.session(run_meta, add_trace=True)
        if run_meta:
            session.plan_step(0, _inputs.source(run_meta))
        return _advice(session, advisor_message(options))


class Profiler:
    """Profiles of several steps.

    profiler = Profiler(sess.graph)
    for step in range(10):
        run_meta = RunMetadata()
        sess.run(..., options=FULL_TRACE, run_metadata=run_meta)
        profiler.add_step(step, run_meta)
    profiler.profile_operations(ProfileOptionBuilder.time_and_memory())

    Methods may be called by several threads; each call is one whole.
    """

    # The state of an object that was made without __init__, which
    # _pywrap_tfprof does.
    _lock = threading.RLock()
    _inputs: Any = None
    _graph: Any = None
    _covered: float | None = 0.0
    _session: Any = None

    def __init__(self, graph: Any = None, op_log: Any = None) -> None:
        """graph: None is the default graph, or none where there is none.

        op_log: your own OpLogProto, as for profile().
        """
        if graph is None and not _tensorflow.eager():
            graph = _tensorflow.default_graph()
        self._lock = threading.RLock()
        self._graph = graph
        self._inputs = _Inputs(graph, op_log)
        self._session = self._inputs.session(None, add_trace=False)

    @classmethod
    def from_file(cls, filename: Any) -> Profiler:
        """A profiler of a file: a ProfileProto, or what `tfprof` opens."""
        profiler = cls.__new__(cls)
        profiler._lock = threading.RLock()
        profiler._session = Session.of_file(filename)
        return profiler

    def close(self) -> None:
        """Ends the process of this profiler; the next call starts it again."""
        self._session.close()

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds a run as `step`. Several runs of one step are one step."""
        if not hasattr(step, "__index__"):
            raise TypeError(
                f"add_step(): step must be an integer, not {step!r}"
            )
        with self._lock:
            data = _inputs.source(run_meta)
            if run_meta is None:
                raise AttributeError(
                    "'NoneType' object has no attribute 'SerializeToString'"
                )
            if self._inputs is not None:
                self._inputs.refresh(self._session, run_meta)
            self._session.add_step(step.__index__(), data)
            self._covered = None

    @property
    def _coverage(self) -> float:
        """The share of the nodes that ran in the steps so far."""
        with self._lock:
            if self._covered is None:
                self._covered = self._session.coverage()
            return self._covered

    @_coverage.setter
    def _coverage(self, share: float) -> None:
        self._covered = share

    def profile_python(self, options: Any) -> Any:
        """Figures by lines of Python; returns a MultiGraphNodeProto."""
        return self._profile("code", options)

    def profile_operations(self, options: Any) -> Any:
        """Figures by types of operations; returns a MultiGraphNodeProto."""
        return self._profile("op", options)

    def profile_name_scope(self, options: Any) -> Any:
        """Figures by name scopes; returns a GraphNodeProto."""
        return self._profile("scope", options)

    def profile_graph(self, options: Any) -> Any:
        """Figures by inputs of operations; returns a GraphNodeProto."""
        return self._profile("graph", options)

    def advise(self, options: Any) -> Any:
        """The findings of checkers; returns an AdviceProto."""
        message = advisor_message(options)
        with self._lock:
            self._need_traces()
            return _advice(self._session, message)

    def serialize_to_string(self) -> bytes:
        """The whole profile as a serialized ProfileProto."""
        with self._lock:
            self._need_traces()
            data: bytes = self._session.save()
            return data

    def _write_profile(self, filename: Any) -> None:
        """Writes the ProfileProto to a file."""
        _tensorflow.write_file(filename, self.serialize_to_string())

    def _set_graph(self, graph: Any) -> None:
        """Goes on with another state of the graph, or another graph."""
        with self._lock:
            if graph is not self._graph:
                self._graph = graph
                self._inputs.change_graph(graph)

    def _profile(self, cmd: str, options: Any) -> Any:
        message = option_message(options)
        with self._lock:
            if cmd == "code":
                self._need_traces()
            return _view(self._session, cmd, message)

    def _need_traces(self) -> None:
        if self._inputs is not None:
            self._inputs.need_traces(self._session)


class _Inputs:
    """A graph and an op log, and which state of them the program has.

    Call stacks are read of the graph only when a question needs them: that
    takes far longer than the rest.
    """

    def __init__(self, graph: Any, op_log: Any) -> None:
        self._op_log = op_log
        self._session: Session | None = None
        self._traced = False
        self.change_graph(graph)

    def change_graph(self, graph: Any) -> None:
        self._graph = graph
        self._live = _inputs.is_live_graph(graph)
        self._maker = OpLogMaker(graph)
        self._state: Any = None

    def session(self, run_meta: Any, add_trace: bool) -> Session:
        """A session of the graph; with run metadata, also of its shapes."""
        self._traced = add_trace
        graph, log = self._sources(run_meta or None, False)
        computes_flops = self._op_log is None and not self._live
        self._session = Session(graph, log, computes_flops)
        return self._session

    def refresh(self, session: Session, run_meta: Any) -> None:
        """Gives the program what operations and shapes are new."""
        if not self._live:
            return
        self._maker.complete_shapes(run_meta)
        if self._state != self._current():
            session.replace_graph(*self._sources(None, True))

    def need_traces(self, session: Session) -> None:
        """Gives the program the call stacks, if it has not got them."""
        if self._live and not self._traced:
            self._traced = True
            session.replace_graph(*self._sources(None, True))

    def _sources(self, run_meta: Any, quiet: bool) -> tuple[Any, Any]:
        if self._live:
            op_log: Any = self._maker.log(
                self._op_log, run_meta, self._traced, quiet
            )
        else:
            op_log = _inputs.source(self._op_log)
        self._state = self._current()
        return _inputs.graph_source(self._graph), op_log

    def _current(self) -> tuple[Any, ...]:
        """Differs once operations were added or shapes became known."""
        version = getattr(self._graph, "version", None)
        return (version, self._maker.completed)

    def __enter__(self) -> _Inputs:
        return self

    def __exit__(self, *unused: Any) -> None:
        if self._session is not None:
            self._session.close()


def _view(session: Session, cmd: str, message: Any) -> Any:
    """Shows a view and returns its tree; an empty one if it was refused."""
    data = session.view(cmd, message)
    return lazily(_RESULTS[cmd], data)


def _advice(session: Session, message: Any) -> Any:
    return lazily(AdviceProto, session.advise(message))
