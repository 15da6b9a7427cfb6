"""The parts of TensorFlow that are used if the caller has imported it.

TensorFlow is looked up in sys.modules and never imported first; without it
everything here has an answer. If it is there, errors are TensorFlow's, so that
`except tf.errors.InvalidArgumentError` works, and always also the classes of
this file.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Any, Callable


class OpError(Exception):
    """The base of the errors that the reference has of TensorFlow."""

    @property
    def message(self) -> str:
        return str(self.args[0]) if self.args else ""


class InvalidArgumentError(OpError):
    """An argument that the reference refuses."""


class NotFoundError(OpError):
    """A file, or the folder of a file, is not there."""


class PermissionDeniedError(OpError):
    """A file may not be written."""


class InternalError(OpError):
    """A call at a time when it is not possible."""


def module(name: str) -> Any | None:
    """A module of TensorFlow if the caller has imported TensorFlow."""
    full = "tensorflow.python." + name
    if full in sys.modules:
        return sys.modules[full]
    if "tensorflow.python.framework.ops" not in sys.modules:
        return None
    try:
        return importlib.import_module(full)
    except ImportError:
        return None


def error(cls: type[OpError], message: str) -> Exception:
    """`message` as an error of `cls`, and of TensorFlow's class if loaded."""
    errors = sys.modules.get("tensorflow.python.framework.errors_impl")
    base = getattr(errors, cls.__name__, None)
    if base is None:
        return cls(message)
    both = type(cls.__name__, (base, cls), {"__init__": lambda self: None})
    made: Exception = both()
    base.__init__(made, None, None, message)
    return made


def file_error(failed: OSError, path: str) -> Exception:
    """The error of writing `path`, with the reference's words."""
    text = f"{path}; {failed.strerror}"
    if failed.errno == errno.ENOENT:
        return error(NotFoundError, text)
    if failed.errno in (errno.EACCES, errno.EPERM):
        return error(PermissionDeniedError, text)
    return failed


def write_file(path: Any, data: bytes, make_folder: bool = False) -> None:
    """Writes a whole file or none: an interruption leaves the old one.

    `path` may be a file: URL, and with TensorFlow any other that it knows.
    """
    name = os.fspath(path)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if name.startswith("file://"):
        name = name[len("file://") :]
    gfile = module("lib.io.file_io") if "://" in name else None
    if gfile is not None:
        if make_folder:
            gfile.recursive_create_dir(os.path.dirname(name))
        with gfile.FileIO(name, "wb") as remote:
            remote.write(data)
        return
    if make_folder and os.path.dirname(name):
        os.makedirs(os.path.dirname(name), exist_ok=True)
    if not os.path.isfile(name) and os.path.lexists(name):
        _write(name, data, name)  # a pipe or a device keeps its place
        return
    part = f"{name}.{os.getpid()}.part"
    try:
        _write(part, data, name)
        os.replace(part, name)
    except BaseException:
        try:
            os.unlink(part)
        except OSError:
            pass
        raise


def _write(name: str, data: bytes, shown: str) -> None:
    try:
        with open(name, "wb") as out:
            out.write(data)
    except OSError as failed:
        raise file_error(failed, shown) from None


def eager() -> bool:
    """Whether TensorFlow runs operations at once. True without it."""
    context = sys.modules.get("tensorflow.python.eager.context")
    return context is None or bool(context.executing_eagerly())


def default_graph() -> Any | None:
    """TensorFlow's default graph; None without TensorFlow."""
    ops = sys.modules.get("tensorflow.python.framework.ops")
    return None if ops is None else ops.get_default_graph()


def flops_function(graph: Any) -> Callable[[Any], float] | None:
    """Gives the flops of an operation of `graph`, by TensorFlow's registry.

    None for a graph that is not TensorFlow's. The function returns 0 for
    types without statistics and raises ValueError for unknown shapes.
    """
    ops = sys.modules.get("tensorflow.python.framework.ops")
    if ops is None or not isinstance(graph, ops.Graph):
        return None
    module("profiler.internal.flops_registry")  # fills the registry
    registry = getattr(ops, "_stats_registry", None)
    kinds = None
    if registry is not None and hasattr(registry, "list"):
        kinds = {
            name.rpartition(",")[0]
            for name in registry.list()
            if name.endswith(",flops")
        }

    def flops(op: Any) -> float:
        if kinds is not None and op.type not in kinds:
            return 0
        stats = ops.get_stats_for_node_def(graph, op.node_def, "flops")
        return stats.value or 0 if stats else 0

    return flops
