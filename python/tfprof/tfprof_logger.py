"""The op log: facts for the profiler that a graph does not have.

An OpLogProto names operations and gives their floating point operations, the
types that reports select by (`_trainable_variables`), and the Python lines
that made them. `write_op_log` writes one for the command line;
`merge_default_op_log` gives its bytes to profiles.

The graph is any object with TensorFlow's `get_operations()`; statistics come
from TensorFlow's registry of flops when the graph is TensorFlow's. Bytes and
paths of a GraphDef have neither call stacks nor collections; their flops come
from the program's own formulas.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import Any

from tfprof._reference import (
    inputs as _inputs,
    tensorflow as _tensorflow,
    wire as _wire,
)
from tfprof._reference.messages import (
    GraphNodeProto,
    Message,
    OpLogProto,
    walk,
)
from tfprof._reference.session import Session

TRAINABLE_VARIABLES = "_trainable_variables"
_NONE = "none"


class _Strings:
    """Strings of call stacks by number; 0 is `none`."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {_NONE: 0}
        self._frames: dict[Any, bytes] = {}

    def id(self, text: str | None) -> int:
        return self.ids.setdefault(text or _NONE, len(self.ids))

    def stack(self, frames: Iterable[Any]) -> bytes:
        """A CodeDef with these frames, the outermost first."""
        known = self._frames
        parts: list[bytes] = []
        for frame in frames:
            key = tuple(frame)
            part = known.get(key)
            if part is None:
                part = known[key] = self._frame(key)
            parts.append(part)
        return b"".join(parts)

    def _frame(self, frame: tuple[Any, ...]) -> bytes:
        file, line, function, source = frame[:4]
        start = frame[4] if len(frame) > 4 else None
        fields = (
            (2, line or -1),
            (5, start or -1),
            (6, self.id(file)),
            (7, self.id(function)),
            (8, self.id(source)),
        )
        body = b"".join(
            _wire.varint(number << 3)
            + _wire.varint(int(value) & 0xFFFFFFFFFFFFFFFF)
            for number, value in fields
            if value
        )
        return b"\x0a" + _wire.varint(len(body)) + body


def _program_flops(graph: Any) -> tuple[dict[str, int], int]:
    """The flops of each operation of a graph that is not TensorFlow's.

    Also returns how many operations have unknown shapes.
    """
    with Session(_inputs.graph_source(graph)) as session:
        reply = session.ask(
            "scope",
            {
                "max_depth": 1 << 30,
                "order_by": "name",
                "account_type_regexes": [".*"],
                "start_name_regexes": [".*"],
                "trim_name_regexes": [],
                "show_name_regexes": [".*"],
                "hide_name_regexes": [],
                "select": ["float_ops"],
                "flops": "graph",
            },
            "proto",
        )
    root = GraphNodeProto.FromString(reply.data)
    found = {
        node.name: node.float_ops
        for depth, node in walk(root)
        if depth and node.float_ops
    }
    said = " ".join(str(m["text"]) for m in reply.messages)
    count = re.search(r"(\d+) without known shapes", said)
    return found, int(count.group(1)) if count else 0


def _with_program_flops(data: bytes, graph: Any) -> bytes:
    """An op log with the flops that its entries lack."""
    log = OpLogProto.FromString(data)
    named = {entry.name: entry for entry in log.log_entries}
    for name, number in _program_flops(graph)[0].items():
        if name not in named:
            log.log_entries.add(name=name, float_ops=number)
        elif not named[name].float_ops:
            named[name].float_ops = number
    return log.SerializeToString()


class OpLogMaker:
    """Makes the default op log of one graph, again when the graph grew.

    The call stack of an operation never changes, so it is read once.
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._strings = _Strings()
        self._stacks: dict[str, bytes] = {}
        self._flops: dict[str, int] = {}  # of operations with known shapes
        self._incomplete: dict[str, Any] = {}
        self._looked_at: Any = ()  # the graph's version
        self.completed = 0  # shapes learned of runs

    def complete_shapes(self, run_meta: Any) -> None:
        """Gives outputs of unknown shape the shapes that a run had.

        This changes the graph. Only operations with a record in the run, and
        with as many outputs there as in the graph, learn something.
        """
        graph = self._graph
        stats = _inputs.step_stats(run_meta)
        version = getattr(graph, "version", None)
        if version is None or version != self._looked_at:
            self._looked_at = version
            self._incomplete = {
                op.name: op
                for op in graph.get_operations()
                if any(map(_is_incomplete, op.outputs))
            }
        if not self._incomplete:
            return
        for device in stats.dev_stats:
            for node in device.node_stats:
                op = self._incomplete.get(node.node_name)
                if op is not None and len(node.output) == len(op.outputs):
                    self._learn(op, node)

    def _learn(self, op: Any, node: Any) -> None:
        for output, recorded in zip(op.outputs, node.output):
            shape = recorded.tensor_description.shape
            if not _is_incomplete(output) or shape.unknown_rank:
                continue
            try:
                known = output.get_shape()
                output.set_shape(known.merge_with([d.size for d in shape.dim]))
            except ValueError as error:
                sys.stderr.write(
                    f"Node {op.name} incompatible shapes: {error}.\n"
                )
            else:
                self.completed += 1
        if not any(map(_is_incomplete, op.outputs)):
            del self._incomplete[op.name]

    def entries(
        self, run_meta: Any = None, add_trace: bool = True, quiet: bool = False
    ) -> dict[str, _Entry]:
        """Entries by name, in the order of the graph.

        quiet: does not say again how many operations have no flops.
        """
        graph = self._graph
        if not _inputs.is_live_graph(graph):
            return {}
        if run_meta is not None:
            self.complete_shapes(run_meta)
        flops = _tensorflow.flops_function(graph)
        known = self._flops
        incomplete = 0
        if flops is None:
            computed, incomplete = _program_flops(graph)
            known.update(computed)
        found: dict[str, _Entry] = {}
        for op in graph.get_operations():
            name = op.name
            number = known.get(name)
            if number is None:
                try:
                    number = known[name] = int(flops(op)) if flops else 0
                except ValueError:
                    number = 0
                    incomplete += 1
            if not number and not add_trace:
                continue
            entry = found[name] = _Entry(name, number)
            if add_trace:
                entry.stack = self._stacks.get(name)
                if entry.stack is None:
                    entry.stack = self._stacks[name] = self._strings.stack(
                        getattr(op, "traceback", None) or ()
                    )
        for variable in graph.get_collection("trainable_variables"):
            name = variable.op.name
            if name not in found:
                found[name] = _Entry(name, 0)
            found[name].types.append(TRAINABLE_VARIABLES)
        if incomplete and run_meta is None and not quiet:
            sys.stderr.write(
                f"{incomplete} ops no flops stats due to incomplete shapes.\n"
            )
        return found

    def log(
        self,
        op_log: Any = None,
        run_meta: Any = None,
        add_trace: bool = True,
        quiet: bool = False,
    ) -> bytes:
        """A serialized OpLogProto: these entries, after those of `op_log`.

        The caller's message stays as it is; the reference changes it.
        """
        found = self.entries(run_meta, add_trace, quiet)
        parts: list[bytes] = []
        if op_log is not None:
            given = {
                entry.name: entry
                for entry in _inputs.op_log_message(op_log).log_entries
            }
            for name, entry in given.items():
                if name in found:
                    found.pop(name).complete(entry)
                parts.append(_log_entry(entry.SerializeToString()))
        parts.extend(_log_entry(entry.encode()) for entry in found.values())
        strings = OpLogProto()
        for text, number in self._strings.ids.items():
            strings.id_to_string[number] = text
        parts.append(strings.SerializeToString())
        return b"".join(parts)


class _Entry:
    """The facts about one operation, for an OpLogEntry."""

    __slots__ = ("name", "float_ops", "types", "stack")

    def __init__(self, name: str, float_ops: int) -> None:
        self.name, self.float_ops = name, float_ops
        self.types: list[str] = []
        self.stack: bytes | None = None  # a serialized CodeDef

    def encode(self) -> bytes:
        name = self.name.encode("utf-8", "surrogateescape")
        parts = [b"\x0a", _wire.varint(len(name)), name]
        if self.float_ops:
            number = self.float_ops & 0xFFFFFFFFFFFFFFFF
            parts += [b"\x10", _wire.varint(number)]
        for kind in self.types:
            parts += [b"\x1a", _wire.varint(len(kind)), kind.encode()]
        if self.stack is not None:
            parts += [b"\x22", _wire.varint(len(self.stack)), self.stack]
        return b"".join(parts)

    def complete(self, entry: Any) -> None:
        """Adds what the caller's entry of the same operation lacks."""
        entry.types.extend(self.types)
        if self.float_ops > 0 and entry.float_ops == 0:
            entry.float_ops = self.float_ops
        if self.stack and not entry.code_def.traces:
            entry.code_def.MergeFromString(self.stack)


def _log_entry(data: bytes) -> bytes:
    return b"\x0a" + _wire.varint(len(data)) + data


def _is_incomplete(output: Any) -> bool:
    return not output.get_shape().is_fully_defined()


def merge_default_op_log(
    graph: Any, op_log: Any = None, run_meta: Any = None, add_trace: bool = True
) -> Message:
    """The op log of `graph`, merged with the caller's."""
    return OpLogProto.FromString(
        OpLogMaker(graph).log(op_log, run_meta, add_trace)
    )


def write_op_log(
    graph: Any,
    log_dir: Any,
    op_log: Any = None,
    run_meta: Any = None,
    add_trace: bool = True,
) -> None:
    """Writes LOG_DIR/tfprof_log, an OpLogProto for `tfprof --op_log_path`.

    graph: a graph, the default graph if None and TensorFlow runs no
      operations at once, or the bytes or the path of a GraphDef.
    op_log: your own OpLogProto; its figures come before computed ones.
    run_meta: completes shapes that the graph does not know.
    add_trace: whether to add the call stack of each operation.
    """
    if graph is None and not _tensorflow.eager():
        graph = _tensorflow.default_graph()
    data = OpLogMaker(graph).log(op_log, run_meta, add_trace)
    if not _inputs.is_live_graph(graph) and graph is not None:
        data = _with_program_flops(data, graph)
    path = os.path.join(log_dir, "tfprof_log")
    _tensorflow.write_file(path, data)
