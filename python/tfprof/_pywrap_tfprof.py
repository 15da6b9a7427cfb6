"""The functions of TensorFlow's module _pywrap_tfprof, which has one profiler.

For code that calls them, as the reference's tests do. Messages are serialized
bytes. Without a profiler, functions that need one raise RuntimeError (the
reference ends the process). A `Profiler` that was made without __init__ has
the profile of ProfilerFromFile, until DeleteProfiler.
"""

from __future__ import annotations

import threading
from typing import Any

from tfprof._reference.messages import AdvisorOptionsProto, OptionsProto
from tfprof._reference.session import Session
from tfprof._reference.tensorflow import write_file
from tfprof.model_analyzer import Profiler

_lock = threading.RLock()
_session: Session | None = None


def _bytes(text: Any) -> bytes:
    return text.encode("utf-8") if isinstance(text, str) else bytes(text)


def _ask(session: Session, command: Any, options: bytes) -> bytes:
    name = _bytes(command).decode("utf-8")
    if name == "advise":
        return session.advise(AdvisorOptionsProto.FromString(options))
    return session.view(name, OptionsProto.FromString(options))


def _current() -> Session:
    if _session is None:
        raise RuntimeError("there is no profiler; NewProfiler makes one")
    return _session


def _set(session: Session | None) -> None:
    global _session
    if _session is not None:
        _session.close()
    _session = session
    if session is None:
        Profiler._session = None
    else:
        Profiler._session = session


def PrintModelAnalysis(
    graph: bytes, run_meta: bytes, op_log: bytes, command: Any, options: bytes
) -> bytes:
    with Session(bytes(graph), bytes(op_log)) as session:
        session.plan_step(0, bytes(run_meta))
        return _ask(session, command, options)


def NewProfiler(graph: bytes, op_log: bytes) -> bool:
    with _lock:
        _set(Session(bytes(graph), bytes(op_log)))
    return True


def AddStep(step: int, graph: bytes, run_meta: bytes, op_log: bytes) -> float:
    with _lock:
        _current().add_step(step, bytes(run_meta))
        return _current().coverage()


def Profile(command: Any, options: bytes) -> bytes:
    with _lock:
        return _ask(_current(), command, options)


def SerializeToString() -> bytes:
    with _lock:
        return _current().save()


def WriteProfile(filename: Any) -> None:
    write_file(_bytes(filename), SerializeToString())


def ProfilerFromFile(filename: Any) -> None:
    with _lock:
        _set(Session.of_file(_bytes(filename)))


def DeleteProfiler() -> None:
    with _lock:
        _set(None)
