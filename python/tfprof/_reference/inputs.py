"""Graphs, run metadata and op logs as callers have them.

Each may be an object of TensorFlow (or one with the same methods), a message,
the serialized bytes of a message, or a path to a file of it. Objects are only
asked for what the reference asks them; what they lack raises AttributeError,
as there.
"""

from __future__ import annotations

import os
from typing import Any, Union

from tfprof._reference.messages import OpLogProto, RunMetadata

Source = Union[bytes, str]  # serialized, or a path

_BYTES = (bytes, bytearray, memoryview)


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def is_live_graph(graph: Any) -> bool:
    """Whether the graph is an object with operations."""
    return not (
        graph is None
        or isinstance(graph, _BYTES)
        or is_path(graph)
        or (
            not hasattr(graph, "get_operations")
            and hasattr(graph, "SerializeToString")
        )
    )


def source(value: Any) -> Source:
    """Serialized bytes or a path. A message gives its bytes, None no bytes."""
    if value is None:
        return b""
    if isinstance(value, _BYTES):
        return bytes(value)
    if is_path(value):
        return os.path.abspath(os.fsdecode(os.fspath(value)))
    content: bytes = value.SerializeToString()
    return content


def graph_source(graph: Any) -> Source:
    """The GraphDef of `graph`, with the shapes that a live graph knows."""
    if is_live_graph(graph):
        graph = graph.as_graph_def(add_shapes=True)
    return source(graph)


def contents(value: Any) -> bytes:
    """Like source(), but with the bytes of the file at a path."""
    found = source(value)
    if isinstance(found, bytes):
        return found
    with open(found, "rb") as file:
        return file.read()


def step_stats(run_meta: Any) -> Any:
    """The StepStats message of run metadata."""
    if isinstance(run_meta, _BYTES) or is_path(run_meta):
        run_meta = RunMetadata.FromString(contents(run_meta))
    return run_meta.step_stats


def op_log_message(op_log: Any) -> Any:
    """A copy of the caller's op log, to be changed."""
    if not (isinstance(op_log, _BYTES) or is_path(op_log)):
        _ = op_log.log_entries  # as the reference: AttributeError without
    return OpLogProto.FromString(contents(op_log))
