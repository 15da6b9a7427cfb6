"""Steps without a session: Keras, tf.function, loops of JAX and PyTorch.

A step that an order wants is recorded by the profiler of its framework, started
before the step and stopped after it; other steps cost two readings of a clock.
A profiler records one thing at a time: while somebody else uses it, an order
stays armed, and the log says so.
"""

from __future__ import annotations

import glob
import os
import sys
import time
from typing import Any, Callable

from tfprof._live.program import Program
from tfprof._live.rows import Row

FRAMEWORKS = ("torch", "jax", "tensorflow")

_clock = time.perf_counter_ns


def loaded_framework() -> str:
    """The framework that the program has imported; "" without any."""
    return next((name for name in FRAMEWORKS if name in sys.modules), "")


class _Profiler:
    """The recording of one step."""

    def __init__(self, framework: str) -> None:
        self._recording: Any
        self._mark: Any = None
        if framework == "torch":
            from tfprof import torch

            self.kind = "kineto"
            self._recording = torch.profile(name="trace.json")
        elif framework == "jax":
            from tfprof import jax

            self.kind = "xspace"
            self._recording = jax.trace()
        elif framework == "tensorflow":
            from tfprof import tf

            self.kind = "xspace"
            self._recording = tf.trace()
        else:
            raise ValueError(
                "no framework is imported that can be recorded; name one of "
                + ", ".join(FRAMEWORKS)
            )

    def start(self, number: int) -> bool:
        self._recording.__enter__()
        if self._recording.recording and self.kind == "xspace":
            self._mark = self._recording.step(number)
            self._mark.__enter__()
        return bool(self._recording.recording)

    def stop(self) -> Callable[[], bytes] | None:
        """A function that reads the record; None if nothing was recorded."""
        if self._mark is not None:
            self._mark.__exit__(None, None, None)
        self._recording.__exit__(None, None, None)
        path = self._recording._path
        if path is None:
            return None
        if self.kind == "xspace":
            found = glob.glob(os.path.join(glob.escape(path), "*.xplane.pb"))
            path = max(found, key=os.path.getsize, default=None)
        if path is None:
            return None
        recording = self._recording  # its folder goes with it

        def read() -> bytes:
            with open(path, "rb") as file:
                data = file.read()
            if recording._temporary is not None:
                recording._temporary.close()
            return data

        return read


class Step:
    """A `with` block that is one step; one object serves many steps.

    `begin` and `end` are for callbacks. Blocks of one object do not overlap.
    """

    __slots__ = (
        "_program",
        "_name",
        "_kind",
        "_framework",
        "_key",
        "_row",
        "_number",
        "_start",
        "_wanting",
        "_profiler",
    )

    def __init__(
        self, program: Program, name: str, kind: str, framework: str
    ) -> None:
        self._program = program
        self._name, self._kind = name, kind
        self._framework = framework
        self._key = ""
        self._row: Row | None = None
        self._number: int | None = None
        self._start: int | None = None
        self._wanting: tuple[Any, ...] = ()
        self._profiler: _Profiler | None = None

    def numbered(self, number: int | None) -> Step:
        self._number = number
        return self

    def begin(self) -> None:
        try:
            program = self._program
            row = self._row
            if row is None or self._key != program.key:
                row = program.row(self._name, kind=self._kind)
                self._row, self._key = row, program.key
            self._wanting = ()
            if row.orders:
                self._wanting = program.wanting(row, self._number)
                if self._wanting:
                    self._record(row)
        except Exception as error:  # training goes on
            self._program.once.warn("before a step", error)
        self._start = _clock()

    def _record(self, row: Row) -> None:
        profiler = _Profiler(self._framework or loaded_framework())
        number = row.runs + 1 if self._number is None else self._number
        if profiler.start(number):
            self._profiler = profiler
        else:
            self._program.once.warn("the profiler does not start")

    def end(self, failed: bool = False) -> None:
        end = _clock()
        start, self._start = self._start, None
        row, program = self._row, self._program
        profiler, self._profiler = self._profiler, None
        if row is None or start is None:
            return
        try:
            content = profiler.stop() if profiler is not None else None
            if failed:
                program.failed(row)
            elif content is not None:
                program.ended(
                    row,
                    self._wanting,
                    start,
                    end,
                    self._number,
                    content,
                    profiler.kind if profiler is not None else "xspace",
                )
            elif row.orders:
                program.ended(row, self._wanting, start, end, self._number)
            else:
                row.done((start, end))
                row.step = self._number
        except Exception as error:  # training goes on
            program.once.warn("after a step", error)

    def __enter__(self) -> Step:
        self.begin()
        return self

    def __exit__(self, kind: Any, *unused: Any) -> None:
        self.end(kind is not None)


class Wrapped:
    """A function each call of which is a step; otherwise as the function."""

    def __init__(self, function: Callable[..., Any], new: Any) -> None:
        """new: makes a Step; calls of several threads overlap."""
        self._function = function
        self._new = new
        self._free: list[Step] = []
        self.__wrapped__ = function
        self.__name__ = getattr(function, "__name__", "function")
        self.__doc__ = getattr(function, "__doc__", None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            step = self._free.pop()
        except IndexError:
            step = self._new()
        with step:
            result = self._function(*args, **kwargs)
        self._free.append(step)
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        bound = self._function.__get__(instance, owner)
        return Wrapped(bound, self._new)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def keras_callback(program: Program, keras: Any) -> Any:
    """A Keras callback: batches of fit, evaluate and predict are steps."""
    base: Any = keras.callbacks.Callback

    # The base is a class of the program's own framework.
    class Callback(base):  # type: ignore[misc]
        """Made by TracingServer.keras_callback."""

        def __init__(self) -> None:
            super().__init__()
            self._steps: dict[str, Step] = {}
            self._trained: int | None = None

        def _step(self, what: str) -> Step:
            name = f"{getattr(self.model, 'name', 'model')}.{what}"
            step = self._steps.get(name)
            if step is None:
                step = Step(program, name, "keras", "tensorflow")
                self._steps[name] = step
            return step

        def on_train_begin(self, logs: Any = None) -> None:
            program.opened()
            self._trained = None
            program.guarded("the step is not known", self._read_step)

        def _read_step(self) -> None:
            # A batch of several steps at once has no step of its own.
            at_once = getattr(self.model, "steps_per_execution", 1)
            at_once = getattr(at_once, "numpy", lambda: at_once)()
            if int(at_once or 1) == 1:
                iterations = self.model.optimizer.iterations
                self._trained = int(iterations.numpy())

        def on_train_end(self, logs: Any = None) -> None:
            program.closed()

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            if self._trained is not None:
                self._trained += 1
            self._step("train").numbered(self._trained).begin()

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self._step("train").end()

        def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
            self._step("test").begin()

        def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
            self._step("test").end()

        def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
            self._step("predict").begin()

        def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
            self._step("predict").end()

    return Callback()
