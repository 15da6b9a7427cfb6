"""One profile in one process of the program, as the reference's API asks it.

A session has a graph, an op log and steps, as bytes or paths, and gives views
and advice: it prints what the reference prints, on file descriptor 1 and on
standard error, and returns the wire bytes of the reference's messages. The
program starts with the first question, and again, with the same inputs, after
it died (EngineError), after a fork, or when the graph changed.

Bytes reach the program through memory files; nothing of a profile is written
to disk. It is not thread safe: callers lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Union

from tfprof._engine.engine import Engine, EngineError, Reply
from tfprof._engine.files import MemoryFile
from tfprof._reference import tensorflow as _tensorflow

Source = Union[bytes, str]

_OPTIONS = b"\n=========================Options=============================\n"
_REPORT = b"\n==================Model Analysis Report======================\n"
_END = b"\n======================End of Report==========================\n"

# A GraphDef without nodes.
_NO_NODES = b"\x22\x00"

# The reference returns this when it cannot write a view in that form.
_BARE_ROOT = b"\n\x0b_TFProfRoot"
_REFUSED = re.compile(
    r"op view doesn't support|Only 'code' view supports|Can only select"
    r"|pprof doesn't support"
)
_KEEPS_TREE = re.compile(r"NOT_FOUND: |PERMISSION_DENIED: |Failed to write")
_ORDERS = frozenset(
    "name depth bytes peak_bytes residual_bytes output_bytes micros"
    " accelerator_micros cpu_micros params float_ops occurrence".split()
)
_MOST_DEPTH = (1 << 31) - 1
_COVERAGE = "run graph coverage:"
_OUTFILE = re.compile(r"((?:file|timeline|pprof):(?:.*,)?outfile=)([^,=]+)\Z")
_DUMPED = (
    "max_depth min_bytes min_peak_bytes min_residual_bytes min_output_bytes"
    " min_micros min_accelerator_micros min_cpu_micros min_params"
    " min_float_ops min_occurrence step order_by account_type_regexes"
    " start_name_regexes trim_name_regexes show_name_regexes"
    " hide_name_regexes account_displayed_op_only select output"
).split()
_FIELDS = frozenset(
    "bytes micros params float_ops device op_types occurrence input_shapes"
    " accelerator_micros cpu_micros peak_bytes residual_bytes output_bytes"
    " tensor_value".split()
)


def write_stdout(data: bytes) -> None:
    """Writes to file descriptor 1, as the reference does.

    In a notebook that would not reach the cell, so sys.stdout gets the text.
    """
    stream = sys.stdout
    if type(stream).__module__.partition(".")[0] == "ipykernel":
        stream.write(data.decode("utf-8", "replace"))
        return
    if stream is not None:
        stream.flush()
    while data:
        data = data[os.write(1, data) :]


@contextlib.contextmanager
def readable(source: Source) -> Iterator[str]:
    """A path of the source that a running program can open."""
    if isinstance(source, str):
        yield source
        return
    file = MemoryFile(source)
    try:
        yield file.shared_path
    finally:
        file.close()


@contextlib.contextmanager
def program(
    files: Sequence[Source], flags: Sequence[str] = ()
) -> Iterator[Engine]:
    """A program for a few questions about files."""
    engine = Engine(list(files), flags=list(flags))
    try:
        yield engine
    finally:
        engine.close()


class Session:
    """See the top of the file."""

    def __init__(
        self,
        graph: Any = b"",
        op_log: Source = b"",
        computes_flops: bool = False,
    ) -> None:
        """computes_flops: by the program's formulas, where no log has any."""
        self._file: str | None = None
        self._graph, self._op_log = graph, op_log
        self._flops = "auto" if computes_flops else None
        self._steps: list[tuple[int, Source]] = []
        self._engine: Engine | None = None
        self._pid = os.getpid()

    @classmethod
    def of_file(cls, path: Any) -> Session:
        session = cls()
        session._file = os.path.abspath(os.fsdecode(os.fspath(path)))
        if not os.path.exists(session._file):
            raise _tensorflow.error(
                _tensorflow.NotFoundError,
                f"{os.fsdecode(os.fspath(path))}; No such file or directory",
            )
        return session

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def replace_graph(self, graph: Source, op_log: Source) -> None:
        """Goes on with another graph and log, and the same steps."""
        if (graph, op_log) != (self._graph, self._op_log):
            self._graph, self._op_log = graph, op_log
            self.close()

    def plan_step(self, step: int, run_meta: Source) -> None:
        """Like add_step, but before the first question."""
        if run_meta:
            self._steps.append((step, run_meta))

    def add_step(self, step: int, run_meta: Source) -> None:
        """Adds a run. An empty run has no nodes and adds nothing."""
        if step < 0:
            raise ValueError(f"step {step}: steps are 0 or more")
        if not run_meta:
            return
        self._steps.append((step, run_meta))
        try:
            if self._engine is not None and self._pid == os.getpid():
                with readable(run_meta) as path:
                    reply = self._engine.ask("add", f"{step}:{path}")
                    _check(reply, {path: f"run metadata of step {step}"})
            else:
                self._running()
        except ValueError:
            self._steps.pop()
            raise

    def coverage(self) -> float:
        """The share of the nodes that ran in the steps so far."""
        if not self._steps:
            return 0.0
        reply = self.ask("status", None, "json")
        return float(json.loads(reply.data)["facts"].get("coverage", 0.0))

    def view(self, cmd: str, message: Any) -> bytes:
        """Shows a view and returns its tree."""
        options, unknown = _options_of(message)
        dump = _dump(options, unknown)
        output = message.output or "stdout"
        if self._flops:
            options["flops"] = self._flops
        if options["order_by"] not in _ORDERS:
            options["order_by"] = "name"  # as the reference does
        options["max_depth"] = min(options["max_depth"], _MOST_DEPTH)
        if output != "none":
            asked = self._report(cmd, options, output, dump)
            for word in unknown:
                sys.stderr.write(f"Unknown select: {word}\n")
            if asked is not None:
                return asked
        reply = self.ask(cmd, options, "proto")
        if output == "none":
            _say(reply)
        return reply.data if reply.status == 0 or reply.data else b""

    def _report(
        self,
        cmd: str,
        options: dict[str, Any],
        output: str,
        dump: bytes,
    ) -> bytes | None:
        """Prints or writes the report; the tree if it is not the view's."""
        is_stdout = output in ("stdout", "stdout:")
        if is_stdout:
            reply = self.ask(cmd, options)
            write_stdout(_OPTIONS + dump + _REPORT + reply.data + _END)
        else:
            reply = self.ask(cmd, options, _absolute(output))
            write_stdout(_relative(reply.data, output))
        _say(reply, output)
        if _REFUSED.search("\n".join(str(m["text"]) for m in reply.messages)):
            return _BARE_ROOT
        errors = _errors(reply)
        return None if not errors or _KEEPS_TREE.search(errors) else b""

    def advise(self, message: Any) -> bytes:
        """Prints advice and returns it. Unknown checkers are left out."""
        known = self._checkers()
        names = [name for name in message.checkers if name in known]
        if not names:
            return b""
        options: dict[str, Any] = {"checkers": names}
        values = [
            f"{name}.{key}={value}"
            for name in names
            for key, value in message.checkers[name].options.items()
        ]
        if values:
            options["checker_options"] = values
        reply = self.ask("advise", options)
        write_stdout(reply.data)
        _say(reply)
        return self.ask("advise", options, "proto").data

    @staticmethod
    def _checkers() -> list[str]:
        return [
            "AcceleratorUtilizationChecker",
            "OperationChecker",
            "ExpensiveOperationChecker",
        ]

    def save(self) -> bytes:
        """The profile as a ProfileProto."""
        reply = self.ask("save", None, "proto")
        _say(reply)
        return reply.data

    def ask(
        self,
        command: str,
        options: dict[str, Any] | None = None,
        output: str = "text",
        arguments: tuple[str, ...] = (),
    ) -> Reply:
        engine = self._running()
        # A file without a flag is not the reference's command line.
        form = {"compatible": True, **(options or {})}
        try:
            return engine.ask(command, *arguments, output=output, options=form)
        except EngineError:
            self.close()  # the next question starts another, with all steps
            raise

    def _running(self) -> Engine:
        if self._engine is not None and self._pid == os.getpid():
            return self._engine
        with contextlib.ExitStack() as held:
            names: dict[str, str] = {}  # by path, of inputs in memory

            def path(source: Source, name: str) -> str:
                found = held.enter_context(readable(source))
                if found is not source:
                    names[found] = name
                return found

            steps: list[str] = []
            if self._file is not None:
                engine = Engine([self._file])
            else:
                graph = path(self._graph or _NO_NODES, "the graph")
                flags = ["--graph_path=" + graph]
                if self._op_log:
                    log = path(self._op_log, "the op log")
                    flags.append("--op_log_path=" + log)
                for number, run in self._steps:
                    name = f"run metadata of step {number}"
                    steps.append(f"{number}:{path(run, name)}")
                if steps and not any("," in step for step in steps):
                    flags.append("--run_meta_path=" + ",".join(steps))
                    steps = []
                engine = Engine([], flags=flags)
            self._pid = os.getpid()
            # The program has opened its inputs when it gives the first answer.
            _check(engine.ask("status", output="json"), names)
            for step in steps:
                _check(engine.ask("add", step), names)
        self._engine = engine
        return engine


def _check(reply: Reply, names: dict[str, str]) -> None:
    """ValueError if the program could not open an input."""
    errors = _errors(reply)
    for path, name in names.items():
        errors = errors.replace(path, name)
    if errors:
        raise ValueError(errors)


def _errors(reply: Reply) -> str:
    return "\n".join(
        str(m["text"]) for m in reply.messages if m["level"] == "error"
    )


def _options_of(message: Any) -> tuple[dict[str, Any], list[str]]:
    """The message as options of a command, and what -select does not know."""
    options: dict[str, Any] = {}
    unknown: list[str] = []
    for field in message._fields:
        if field.name in ("output", "dump_to_file"):
            continue
        value = getattr(message, field.name)
        if field.name == "select":
            unknown = [v for v in value if v not in _FIELDS]
            value = [v for v in value if v in _FIELDS]
        options[field.name] = list(value) if field.repeated else value
    return options, unknown


def _dump(options: dict[str, Any], unknown: list[str]) -> bytes:
    """The options as a report shows them."""
    lines = []
    for name in _DUMPED:
        value = options.get(name, "stdout:")
        if name == "select":
            value = sorted({*value, *unknown})
        if isinstance(value, list):
            value = ",".join(value)
        elif isinstance(value, bool):
            value = "true" if value else "false"
        lines.append(f"-{name:<26} {value}\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


def _absolute(output: str) -> str:
    """The program may have another current folder than we."""
    match = _OUTFILE.match(output)
    if match is None:
        return output
    return match.group(1) + os.path.abspath(match.group(2))


def _relative(text: bytes, output: str) -> bytes:
    match = _OUTFILE.match(output)
    if match is None or os.path.isabs(match.group(2)):
        return text
    given = os.fsencode(match.group(2))
    return text.replace(os.fsencode(os.path.abspath(given)), given)


def _say(reply: Reply, output: str = "") -> None:
    """Writes the messages of the program to standard error."""
    for message in reply.messages:
        text = str(message["text"])
        if text.startswith(_COVERAGE):
            continue
        if message["level"] == "note":
            text = "Note: " + text
        elif reply.status == 2:
            text = "INVALID_ARGUMENT: " + text
        given = text.encode("utf-8", "surrogateescape")
        text = _relative(given, output).decode("utf-8", "replace")
        sys.stderr.write(text + "\n")
