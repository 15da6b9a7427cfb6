"""Recording TensorFlow, 1 and 2, without importing it.

    profile = tfprof.tf.profile(train_step, batch, steps=3)   # a tf.function
    with tfprof.tf.trace("logdir") as trace: …                # all of TF 2
    model.fit(…, callbacks=[tfprof.tf.keras_callback("logdir", first=10)])
    hooks = [tfprof.tf.session_run_hook("logdir", steps=[100])]

`profile` and the hook record graphs and RunMetadata: every operation with its
time and memory. The others record XPlanes: what TensorFlow 2 did, with times.
What they write opens with `tfprof.open(folder)` and with the program.

Steps that are not recorded cost the comparison of a number. The files of the
hook are written by a thread (a `Dumper`), XPlanes by TensorFlow when a
recording ends. A file or a folder gets its name when it is complete. If
anything fails, training goes on, and the log says why, once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any, Callable, NamedTuple, Union

from tfprof._engine import profile as _profile
from tfprof._engine.files import TemporaryFolder, write_atomically
from tfprof._recorders.dumper import LOG, Dumper
from tfprof._recorders.recording import XPlaneRecording

Path = Union[str, "os.PathLike[str]"]


def _tensorflow() -> Any:
    """The module that the caller has imported."""
    try:
        return sys.modules["tensorflow"]
    except KeyError:
        raise RuntimeError("import tensorflow before recording it") from None


# ---- one function


def profile(
    function: Callable[..., Any],
    *args: Any,
    steps: int = 1,
    **kwargs: Any,
) -> _profile.Profile:
    """Runs a tf.function `steps` times and opens what was recorded.

    TensorFlow 2 records the memory of operations in sessions only. So the graph
    of the function, with the functions that it calls, runs in a session of its
    own, on copies of its variables: yours stay as they are. The first run is
    not recorded, so no step has the time of a compilation.

    A function that uses a data set or a table cannot run there. It is then
    called as it is, and recorded with `trace`, which has times only; the log
    says so.

    Args:
        function: A tf.function, or a concrete function.
        args, kwargs: Its arguments.
        steps: How often to run it.
    """
    if steps < 1:
        raise ValueError(f"steps is at least 1, not {steps}")
    try:
        graph, dumps = _replay(function, args, kwargs, steps)
    except _NotReplayable as error:
        LOG.warning("tfprof.tf.profile: %s; recording times only", error)
        return _traced(function, args, kwargs, steps)
    return _open_steps(graph, dumps)


class _NotReplayable(Exception):
    """A function that uses what a session of its own cannot have."""


class _Input(NamedTuple):
    """An input of a function's graph, and what it had in the call."""

    tensor: Any
    value: Any  # an array
    variable: str  # the name of the variable that it is; "" for a tensor


def _inputs_of(
    source: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[_Input]:
    tensorflow = _tensorflow()
    variables = {id(v.handle): v for v in source.variables}
    captured = {id(inner): outer for outer, inner in source.captures}
    given = iter(
        part
        for part in tensorflow.nest.flatten((args, kwargs))
        if hasattr(part, "__array__") and not hasattr(part, "handle")
    )
    inputs = []
    for tensor in source.inputs:
        outer = captured.get(id(tensor))
        if tensor.dtype == tensorflow.resource:
            variable = variables.get(id(outer))
            if variable is None:
                raise _NotReplayable(f"{tensor.name} is no variable of its own")
            name = variable.name.partition(":")[0]
            inputs.append(_Input(tensor, variable.numpy(), name))
            continue
        value = next(given, None) if outer is None else outer
        if value is None or tensor.dtype == tensorflow.variant:
            raise _NotReplayable(f"{tensor.name} cannot be given to a session")
        value = value.numpy() if hasattr(value, "numpy") else value
        inputs.append(_Input(tensor, value, ""))
    return inputs


def _replay(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], steps: int
) -> tuple[bytes, list[bytes]]:
    """The graph of a function, and the RunMetadata of its runs."""
    tensorflow = _tensorflow()
    v1 = tensorflow.compat.v1
    if hasattr(function, "get_concrete_function"):
        function = function.get_concrete_function(*args, **kwargs)
    source = function.graph
    inputs = _inputs_of(source, args, kwargs)
    graph = v1.Graph()
    feed = {}
    with graph.as_default():
        copies = {}
        for number, one in enumerate(inputs):
            if one.variable:
                copies[one.tensor.name] = v1.get_variable(
                    f"{one.variable}_{number}",
                    initializer=one.value,
                    use_resource=True,
                ).handle
            else:
                copy = v1.placeholder(one.tensor.dtype, one.tensor.shape)
                copies[one.tensor.name] = copy
                feed[copy] = one.value
        fetches = v1.import_graph_def(
            source.as_graph_def(),
            input_map=copies,
            return_elements=[
                *(t.name for t in source.outputs),
                *(op.name for op in source.control_outputs),
            ],
            name="",
        )
        start = v1.global_variables_initializer()
    # The operations are fetched, not their results, so nothing is copied out.
    fetches = [getattr(one, "op", one) for one in fetches]
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    dumps = []
    with v1.Session(graph=graph) as session:
        session.run(start)
        session.run(fetches, feed)
        for _ in range(steps):
            metadata = v1.RunMetadata()
            session.run(fetches, feed, options, metadata)
            dumps.append(metadata.SerializeToString())
    return graph.as_graph_def(add_shapes=True).SerializeToString(), dumps


def _traced(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], steps: int
) -> _profile.Profile:
    """The profile of calls of the function itself."""
    function(*args, **kwargs)
    with trace() as recording:
        for number in range(steps):
            with recording.step(number):
                function(*args, **kwargs)
    opened = recording.profile
    if opened is None:
        raise _profile.Error("TensorFlow recorded nothing; the log says why")
    return opened


def _open_steps(graph: bytes, steps: list[bytes]) -> _profile.Profile:
    """A profile of a graph and its steps, which are numbered from 0."""
    folder = TemporaryFolder()
    write_atomically(os.path.join(folder.name, "graph.pb"), [graph])
    for number, step in enumerate(steps):
        path = os.path.join(folder.name, f"run_meta_{number}")
        write_atomically(path, [step])
    opened = _profile.open(folder.name)
    # The profile reads the files while it is open.
    opened._folder = folder
    return opened


# ---- all of TensorFlow 2


class trace(XPlaneRecording):
    """Records all that TensorFlow 2 does in a `with` block, as an XPlane.

    Args:
        folder: TensorFlow writes the profile there; by default, a temporary
            folder that is removed with the trace.
        python: Record Python frames too; they make a step slower.
        host: How much of the host: 1 critical, 2 normal, 3 everything.
        rows: A folder for the rows of this rank, which `tfprof-fleet ingest`
            reads instead of the trace.
    """

    framework = "tensorflow"

    def __init__(
        self,
        folder: Path | None = None,
        *,
        python: bool = False,
        host: int = 2,
        rows: Path | None = None,
    ) -> None:
        super().__init__(folder, rows)
        self._python = python
        self._host = host

    def _begin(self, folder: str) -> None:
        profiler = _tensorflow().profiler.experimental
        options = profiler.ProfilerOptions(
            host_tracer_level=self._host,
            python_tracer_level=int(self._python),
            device_tracer_level=1,
        )
        profiler.start(folder, options=options)

    def _end(self) -> None:
        _tensorflow().profiler.experimental.stop()

    def _mark(self, number: int) -> Any:
        return _tensorflow().profiler.experimental.Trace(
            "train", step_num=number, _r=1
        )


def keras_callback(
    folder: Path, *, first: int = 10, steps: int = 5, python: bool = False
) -> Any:
    """A Keras callback that records some training steps as an XPlane.

    `tfprof.open(folder)` opens what it wrote. `.recording.profile` of the
    callback is the profile, after the last of the steps.

    Args:
        folder: Receives plugins/profile/RUN/HOST.xplane.pb.
        first: The first training batch to record, from 0 over all epochs.
        steps: How many to record.
        python: Record Python frames too.
    """
    last = first + steps - 1

    base: Any = _tensorflow().keras.callbacks.Callback

    # The base is a class of the program's own framework.
    class Callback(base):  # type: ignore[misc]
        """Made by tfprof.tf.keras_callback."""

        def __init__(self) -> None:
            super().__init__()
            self.recording = trace(folder, python=python)
            self._number = -1
            self._mark: Any = None

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            self._number += 1
            if not first <= self._number <= last:
                return
            if self._number == first:
                self.recording.__enter__()
            self._mark = self.recording.step(self._number)
            self._mark.__enter__()

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if self._mark is None:
                return
            mark, self._mark = self._mark, None
            mark.__exit__(None, None, None)
            if self._number == last:
                self.recording.__exit__(None, None, None)

        def on_train_end(self, logs: Any = None) -> None:
            self.recording.__exit__(None, None, None)

    return Callback()


# ---- sessions of TensorFlow 1


def session_run_hook(
    folder: Path, steps: int | Iterable[int] = (10,), **limits: int
) -> Any:
    """A SessionRunHook that records some runs of a session into a folder.

    `tfprof.open(folder)` opens what it wrote.

    Args:
        folder: Receives graph.pb and run_meta_STEP.
        steps: The numbers of the session's runs to record, from 0.
        limits: max_waiting, max_waiting_bytes, max_bytes of
            `tfprof._recorders.dumper.Dumper`.
    """
    v1: Any = _tensorflow().compat.v1
    base: Any = v1.train.SessionRunHook
    wanted = frozenset([steps] if isinstance(steps, int) else steps)
    dumper = Dumper(folder, **limits)

    # The base is a class of the program's own framework.
    class Hook(base):  # type: ignore[misc]
        """Made by tfprof.tf.session_run_hook."""

        def __init__(self) -> None:
            self.dumper = dumper
            self._number = -1
            self._graph: Any = None

        def begin(self) -> None:
            self._graph = v1.get_default_graph()

        def before_run(self, run_context: Any) -> Any:
            self._number += 1
            if self._number not in wanted:
                return None
            options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            return v1.train.SessionRunArgs(None, options=options)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            if self._number not in wanted:
                return
            graph, self._graph = self._graph, None
            if graph is not None:
                dumper.put(
                    "graph.pb",
                    lambda: graph.as_graph_def(
                        add_shapes=True
                    ).SerializeToString(),
                )
            dumper.put(
                f"run_meta_{self._number}",
                run_values.run_metadata.SerializeToString,
            )

        def end(self, session: Any) -> None:
            dumper.flush(60)

    return Hook()
