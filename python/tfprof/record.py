"""Names the parts of a Python program for `tfprof record`.

    from tfprof import record

    for step in range(100):
        with record.step(step):
            with record.range("load the batch"):
                ...

    tfprof record -- python3 train.py

In a program that is not recorded the functions do nothing. Ranges and ops nest
within a thread. Times are the recorder's.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Callable

__all__ = [
    "counter",
    "is_recording",
    "op",
    "pause",
    "range",
    "resume",
    "step",
    "thread_name",
]

_VERSION = 1
_SYMBOL = "tfprof_record_get_functions"

# The calls take less than a microsecond: they keep the interpreter's lock.
_TYPE = ctypes.PYFUNCTYPE
_TEXT = ctypes.c_char_p
_ID = ctypes.c_uint64
_STEP = ctypes.c_int64
_NOTHING = _TYPE(None)

# The fields of record/tfprof_record.h, in its order.
_FIELDS: list[tuple[str, Any]] = [
    ("version", ctypes.c_uint32),
    ("size", ctypes.c_uint32),
    ("is_recording", _TYPE(ctypes.c_int)),
    ("now", _TYPE(_ID)),
    ("new_id", _TYPE(_ID)),
    ("op_begin", _TYPE(None, _TEXT, _TEXT, _TEXT, _STEP)),
    ("op_end", _NOTHING),
    ("range_begin", _TYPE(None, _TEXT)),
    ("range_end", _NOTHING),
    ("call_begin", _TYPE(None, _TEXT, _ID)),
    ("call_end", _NOTHING),
    ("step_begin", _TYPE(None, _STEP, _TEXT)),
    ("step_end", _TYPE(None, _STEP)),
    ("async_begin", _TYPE(None, _ID, _TEXT, _TEXT, _TEXT, _STEP)),
    ("async_end", _TYPE(None, _ID)),
    ("counter", _TYPE(None, _TEXT, _TEXT, ctypes.c_double)),
    ("allocate", _TYPE(None, _TEXT, _ID, _ID)),
    ("release", _TYPE(None, _TEXT, _ID, _ID)),
    ("work", _TYPE(None, ctypes.c_void_p)),
    ("clock_pair", _TYPE(None, _TEXT, _ID, _ID, _ID)),
    ("thread_name", _TYPE(None, _TEXT)),
    ("queue_name", _TYPE(None, _TEXT, _ID, _TEXT)),
    ("pause", _NOTHING),
    ("resume", _NOTHING),
]


class _Functions(ctypes.Structure):
    _fields_ = _FIELDS


def _find() -> _Functions | None:
    """The functions of the recorder in this process."""
    try:
        get = ctypes.PyDLL(None)[_SYMBOL]
    except (AttributeError, OSError, TypeError):
        return None  # TypeError: Windows has no such library
    get.restype = ctypes.POINTER(_Functions)
    get.argtypes = [ctypes.c_uint32]
    found = get(_VERSION)
    if not found:
        return None
    functions: _Functions = found[0]
    complete = functions.size >= ctypes.sizeof(_Functions)
    return functions if complete else None


_recorder = _find()


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape").replace(b"\0", b" ")


def is_recording() -> bool:
    """Whether events of the program are recorded now."""
    return _recorder is not None and bool(_recorder.is_recording())


class _Span:
    """A span of time; a context manager or a decorator.

    One object may be used many times, also within itself.
    """

    def __init__(
        self,
        begin: Callable[..., None],
        begin_arguments: tuple[Any, ...],
        end: Callable[..., None],
        end_arguments: tuple[Any, ...] = (),
    ) -> None:
        self._begin = begin
        self._begin_arguments = begin_arguments
        self._end = end
        self._end_arguments = end_arguments

    def __enter__(self) -> _Span:
        self._begin(*self._begin_arguments)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: Any,
    ) -> None:
        self._end(*self._end_arguments)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return recorded


def _nothing() -> None:
    pass


_NO_SPAN = _Span(_nothing, (), _nothing)


def range(name: str) -> _Span:
    """A part of a thread's time: `with range("load"):`, `@range("load")`."""
    if _recorder is None:
        return _NO_SPAN
    return _Span(_recorder.range_begin, (_text(name),), _recorder.range_end)


def op(name: str, type: str = "", device: str = "") -> _Span:
    """An operation; what the thread launches within it belongs to it.

    Args:
      name: of the operation, with `/` between its scopes.
      type: "MatMul"; without it the name.
      device: as TensorFlow names it; without it the CPU.
    """
    if _recorder is None:
        return _NO_SPAN
    texts = tuple(map(_text, (name, type, device)))
    return _Span(_recorder.op_begin, texts + (-1,), _recorder.op_end)


def step(number: int, name: str = "step") -> _Span:
    """A step of a training loop."""
    if _recorder is None:
        return _NO_SPAN
    return _Span(
        _recorder.step_begin,
        (number, _text(name)),
        _recorder.step_end,
        (number,),
    )


def counter(name: str, value: float, unit: str = "") -> None:
    """The value of something from now on."""
    if _recorder is not None:
        _recorder.counter(_text(name), _text(unit), value)


def thread_name(name: str) -> None:
    """Names the calling thread, for people."""
    if _recorder is not None:
        _recorder.thread_name(_text(name))


def pause() -> None:
    """Records nothing until resume(), in the whole process."""
    if _recorder is not None:
        _recorder.pause()


def resume() -> None:
    """Records again."""
    if _recorder is not None:
        _recorder.resume()
