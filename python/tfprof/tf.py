"""Recording TensorFlow, 1 and 2, without importing it.

    profile = tfprof.tf.profile(train_step, batch, steps=3)   # a tf.function
    model.fit(…, callbacks=[tfprof.tf.keras_callback("logdir", steps=[10, 20])])
    hooks = [tfprof.tf.session_run_hook("logdir", steps=[100])]
    with tfprof.tf.trace("logdir") as trace: …                # XPlane

The first three record graphs and RunMetadata, which have every operation with
its times and memory. A folder that they write (graph.pb, run_meta_STEP) opens
with `tfprof.open(folder)` and with the program. Steps that are not recorded cost
the lookup of a number. Files are written by a thread (`_recorder.Dumper`); if
anything fails, training goes on, and the log says why, once.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from typing import Any, Callable, Iterable, Iterator, Optional, Union

from tfprof import _profile
from tfprof._files import write_atomically
from tfprof._recorder import Dumper, Recording, newest_run

Path = Union[str, "os.PathLike[str]"]


def _tensorflow() -> Any:
    """The module that the caller has imported."""
    try:
        return sys.modules["tensorflow"]
    except KeyError:
        raise RuntimeError("import tensorflow before recording it") from None


def _eager_context() -> Any:
    """The part of TensorFlow that records what eager functions do."""
    _tensorflow()
    return sys.modules["tensorflow.python.eager.context"]


@contextlib.contextmanager
def _metadata() -> Iterator[list]:
    """Collects the RunMetadata of what functions do in the block."""
    context = _eager_context()
    found: list = []
    context.enable_run_metadata()
    try:
        yield found
        found.append(context.export_run_metadata())
    finally:
        context.disable_run_metadata()


def _wait(result: Any) -> None:
    """Waits for a result: kernels of a GPU may run on after the call."""
    tensorflow = _tensorflow()
    for part in tensorflow.nest.flatten(result):
        if hasattr(part, "numpy") and getattr(part, "device", ""):
            part.numpy()


def graph_of(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The tf.Graph that a tf.function has for these arguments."""
    if hasattr(function, "get_concrete_function"):
        function = function.get_concrete_function(*args, **kwargs)
    return function.graph


def profile(
    function: Callable[..., Any],
    *args: Any,
    steps: int = 1,
    **kwargs: Any,
) -> _profile.Profile:
    """Runs a tf.function `steps` times and opens what was recorded.

    The profile has the graph with the functions that it calls, and a step for
    each run. The function is traced, and run once without recording, before
    the first step, so that no step has the time of its compilation.

    Args:
        function: A tf.function, or a concrete function.
        args, kwargs: Its arguments.
        steps: How often to run it.
    """
    if steps < 1:
        raise ValueError(f"steps is at least 1, not {steps}")
    graph = graph_of(function, *args, **kwargs)
    _wait(function(*args, **kwargs))
    contents = [graph.as_graph_def().SerializeToString()]
    for _ in range(steps):
        with _metadata() as metadata:
            _wait(function(*args, **kwargs))
        contents.append(metadata[0].SerializeToString())
    return _open_steps(contents[0], contents[1:])


def _open_steps(graph: bytes, steps: list[bytes]) -> _profile.Profile:
    """A profile of a graph and its steps, which are numbered from 0."""
    folder = tempfile.TemporaryDirectory(prefix="tfprof")
    write_atomically(os.path.join(folder.name, "graph.pb"), [graph])
    for number, step in enumerate(steps):
        write_atomically(os.path.join(folder.name, f"run_meta_{number}"), [step])
    opened = _profile.open(folder.name)
    # The profile reads the files as long as it is there.
    opened._folder = folder
    return opened


class trace(Recording):
    """Records all that TensorFlow 2 does in a `with` block, as an XPlane.

    Args:
        folder: Where TensorFlow writes the profile; without it, a temporary
            folder that goes with the trace.
        python: Record Python frames too; they make a step slower.
        host: How much of the host: 1 critical, 2 normal, 3 everything.
    """

    framework = "tensorflow"

    def __init__(
        self, folder: Optional[Path] = None, *, python: bool = False, host=2
    ) -> None:
        super().__init__(folder)
        self._python = python
        self._host = host

    def _start(self, folder: str) -> None:
        profiler = _tensorflow().profiler.experimental
        profiler.start(
            folder,
            options=profiler.ProfilerOptions(
                host_tracer_level=self._host,
                python_tracer_level=int(self._python),
                device_tracer_level=1,
            ),
        )

    def _stop(self) -> None:
        _tensorflow().profiler.experimental.stop()

    def _result(self, folder: str) -> Optional[str]:
        return newest_run(folder)

    def step(self, number: int) -> Any:
        """Marks a step: `with trace.step(3): …`."""
        if not self.recording:
            return contextlib.nullcontext()
        return _tensorflow().profiler.experimental.Trace(
            "train", step_num=number, _r=1
        )


class _Steps:
    """Which steps to record, and where their dumps go."""

    def __init__(
        self, folder: Path, steps: Union[int, Iterable[int]], **limits: int
    ) -> None:
        self.wanted = frozenset([steps] if isinstance(steps, int) else steps)
        self.dumper = Dumper(folder, **limits)
        self._has_graph = False

    def put(self, number: int, graph: Any, metadata: Any) -> None:
        if not self._has_graph and graph is not None:
            self._has_graph = self.dumper.put(
                "graph.pb", lambda: graph.as_graph_def().SerializeToString()
            )
        self.dumper.put(f"run_meta_{number}", metadata.SerializeToString)


def _function_graph(model: Any) -> Any:
    """The graph of a Keras model's train step, if it has been traced."""
    function = getattr(model, "train_tf_function", None) or getattr(
        model, "train_function", None
    )
    made = getattr(function, "_list_all_concrete_functions", None)
    functions = made() if made is not None else []
    return functions[0].graph if functions else None


def keras_callback(
    folder: Path, steps: Union[int, Iterable[int]] = (10,), **limits: int
) -> Any:
    """A Keras callback that records some training steps into a folder.

    Args:
        folder: Receives graph.pb and run_meta_STEP.
        steps: The numbers of training batches to record, counted from 0 over
            all epochs.
        limits: Of `tfprof._recorder.Dumper`: max_waiting, max_waiting_bytes,
            max_bytes.
    """
    chosen = _Steps(folder, steps, **limits)
    once = chosen.dumper.once

    class Callback(_tensorflow().keras.callbacks.Callback):
        """Made by tfprof.tf.keras_callback."""

        def __init__(self) -> None:
            super().__init__()
            self._number = -1
            self._context: Any = None
            self.dumper = chosen.dumper

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            self._number += 1
            if self._number not in chosen.wanted:
                return
            try:
                context = _eager_context()
                context.enable_run_metadata()
                self._context = context
            except Exception as error:
                once.warn("cannot start recording", error)

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if self._context is None:
                return
            context, self._context = self._context, None
            try:
                metadata = context.export_run_metadata()
                context.disable_run_metadata()
                graph = _function_graph(self.model)
                chosen.put(self._number, graph, metadata)
            except Exception as error:
                once.warn("cannot record a step", error)

        def on_train_end(self, logs: Any = None) -> None:
            chosen.dumper.flush(60)

    return Callback()


def session_run_hook(
    folder: Path, steps: Union[int, Iterable[int]] = (10,), **limits: int
) -> Any:
    """A SessionRunHook of TensorFlow 1 that records some steps into a folder.

    Args:
        folder: Receives graph.pb and run_meta_STEP.
        steps: The numbers of the session's runs to record, from 0.
        limits: Of `tfprof._recorder.Dumper`: max_waiting, max_waiting_bytes,
            max_bytes.
    """
    v1 = _tensorflow().compat.v1
    chosen = _Steps(folder, steps, **limits)
    once = chosen.dumper.once

    class Hook(v1.train.SessionRunHook):
        """Made by tfprof.tf.session_run_hook."""

        def __init__(self) -> None:
            self._number = -1
            self._graph: Any = None
            self.dumper = chosen.dumper

        def begin(self) -> None:
            self._graph = v1.get_default_graph()

        def before_run(self, run_context: Any) -> Any:
            self._number += 1
            if self._number not in chosen.wanted:
                return None
            options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            return v1.train.SessionRunArgs(None, options=options)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            if self._number not in chosen.wanted:
                return
            try:
                chosen.put(self._number, self._graph, run_values.run_metadata)
            except Exception as error:
                once.warn("cannot record a step", error)

        def end(self, session: Any) -> None:
            chosen.dumper.flush(60)

    return Hook()
