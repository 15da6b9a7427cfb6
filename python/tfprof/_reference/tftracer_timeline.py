"""The Timeline of tftracer and tfvis: one Session.run as a page.

    from tfprof.tftracer import Timeline

    with Timeline() as timeline:
        session.run(train_op, **timeline.kwargs)
    timeline.visualize("step.html")

The page is the program's (`tfprof timeline -output html`). Times that the
methods return are microseconds. Pickles of tftracer and tfvis are read by the
program, which never executes what is in them.
"""

from __future__ import annotations

import os
import re
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any, Callable

from tfprof._reference import inputs as _inputs, tensorflow as _tensorflow
from tfprof._reference.messages import RunMetadata
from tfprof._reference.session import program

Span = tuple[int, int]
# Pickle protocol 3: the class, called without arguments, and the dictionary
# {"serialized": bytes} as its state.
_PICKLE = (
    b"\x80\x03ctensorflow.core.protobuf.config_pb2\nRunMetadata\n)R"
    b"}X\x0a\0\0\0serializedB"
)
_HOROVOD = " = HorovodAllreduce("


class Timeline:
    """One run as a page and in numbers."""

    def __init__(
        self,
        run_metadata: Any = None,
        comm_op_name: str | None = None,
        horovod: bool = False,
        **unused: Any,
    ) -> None:
        """run_metadata: a message, bytes or a path; by default, the run's.

        comm_op_name: the operation that counts as communication.
        horovod: all-reduce operations of Horovod are the communication.
        """
        self.run_metadata = run_metadata
        self.options: Any = None
        self.comm_op_name = comm_op_name or "RecvTensor"
        self.horovod = horovod
        self._began = 0.0
        self._elapsed: float | None = None

    # -- one run

    def __enter__(self) -> Timeline:
        config = sys.modules.get("tensorflow.core.protobuf.config_pb2")
        if config is None:
            raise _tensorflow.error(
                _tensorflow.InternalError,
                "Timeline traces a session of TensorFlow; import it before.",
            )
        self.run_metadata = config.RunMetadata()
        self.options = config.RunOptions(
            trace_level=config.RunOptions.FULL_TRACE,
            output_partition_graphs=True,
        )
        self._began = time.perf_counter()
        return self

    def __exit__(self, *unused: Any) -> None:
        self._elapsed = time.perf_counter() - self._began

    @property
    def kwargs(self) -> dict[str, Any]:
        """Arguments of Session.run: options and run_metadata."""
        if self.options is None:
            raise Exception("kwargs is for use inside the with block")
        return {"options": self.options, "run_metadata": self.run_metadata}

    @property
    def wall_clock_elapsed(self) -> float | None:
        """The seconds of the with block; None without one."""
        return self._elapsed

    # -- the page

    def visualize(
        self,
        output_file: Any | None = None,
        device_pattern: str | None = None,
    ) -> str | None:
        """Writes the page; without a file, returns it as text.

        device_pattern: a regular expression; only devices where it is found.
        """
        data = self._data(
            re.compile(device_pattern).search if device_pattern else None
        )
        with tempfile.TemporaryDirectory(prefix="tfprof") as folder:
            page = os.path.join(folder, "page.html")
            with program([data]) as engine:
                reply = engine.ask("timeline", output=f"html:outfile={page}")
            if reply.status != 0:
                raise ValueError(
                    "; ".join(str(m["text"]) for m in reply.messages)
                )
            with open(page, "rb") as file:
                html = file.read()
        if output_file is None:
            return html.decode("utf-8")
        _tensorflow.write_file(output_file, html)
        return None

    # -- figures; patterns are parts of names

    def step_time(self, device_search_pattern: str | None = None) -> int:
        """The time from the first start to the last end."""
        return _extent(self._spans(device_search_pattern))

    iteration_time = step_time

    def communication_elapsed_time(
        self,
        device_search_pattern: str | None = None,
        exclude_pattern: str | None = None,
    ) -> int:
        """The time from the first start to the last end of communication."""
        return _extent(
            self._spans(device_search_pattern, True, exclude_pattern)
        )

    def communication_time(
        self,
        device_search_pattern: str | None = None,
        exclude_pattern: str | None = None,
    ) -> int:
        """How long some communication ran."""
        return _union(self._spans(device_search_pattern, True, exclude_pattern))

    def computation_time(
        self,
        device_search_pattern: str | None = None,
        exclude_pattern: str | None = None,
    ) -> int:
        """How long something else ran."""
        return _union(
            self._spans(device_search_pattern, False, exclude_pattern)
        )

    # -- files

    @classmethod
    def from_pickle(cls, pickle_file_name: Any, **kwargs: Any) -> Timeline:
        """The first run in a pickle of tftracer or tfvis."""
        path = os.path.abspath(os.fsdecode(os.fspath(pickle_file_name)))
        with tempfile.TemporaryDirectory(prefix="tfprof") as folder:
            out = os.path.join(folder, "files")
            with program([path]) as engine:
                reply = engine.ask(
                    "convert", options={"to": f"files:outdir={out}"}
                )
            names = os.listdir(out) if os.path.isdir(out) else []
            steps = sorted(n for n in names if n.startswith("run_meta"))
            if not steps:
                raise ValueError(
                    f"{path} has no run: "
                    + "; ".join(str(m["text"]) for m in reply.messages)
                )
            with open(os.path.join(out, steps[0]), "rb") as file:
                data = file.read()
        return cls(run_metadata=RunMetadata.FromString(data), **kwargs)

    def to_pickle(self, pickle_file_name: Any) -> None:
        """Writes a pickle of TensorFlow's RunMetadata, as tftracer does."""
        data = self._data(None)
        _tensorflow.write_file(
            pickle_file_name,
            _PICKLE + struct.pack("<I", len(data)) + data + b"sb.",
        )

    @classmethod
    def from_file(cls, path: Any, **kwargs: Any) -> Timeline:
        """The run of a serialized RunMetadata."""
        data = _inputs.contents(path)
        return cls(run_metadata=RunMetadata.FromString(data), **kwargs)

    def to_file(self, path: Any) -> None:
        """Writes the serialized RunMetadata."""
        _tensorflow.write_file(path, self._data(None))

    # -- inside

    def _checked(self) -> Any:
        if self.run_metadata is None:
            raise ValueError("there is no run metadata; no run was traced")
        return self.run_metadata

    def _data(self, wanted: Callable[[str], Any] | None) -> bytes:
        data = _inputs.contents(self._checked())
        if wanted is None:
            return data
        run = RunMetadata.FromString(data)
        chosen = RunMetadata()
        for device in run.step_stats.dev_stats:
            if wanted(device.device):
                chosen.step_stats.dev_stats.append(device)
        if not chosen.step_stats.dev_stats:
            raise ValueError("no device of the run has such a name")
        return chosen.SerializeToString()

    def _is_communication(self, node: Any) -> bool:
        if self.horovod:
            return _HOROVOD in node.timeline_label
        return (
            node.node_name == self.comm_op_name
            or _HOROVOD in node.timeline_label
        )

    def _spans(
        self,
        device_part: str | None,
        communication: bool | None = None,
        excluded: str | None = None,
    ) -> list[Span]:
        return list(self._chosen(device_part, communication, excluded))

    def _chosen(
        self,
        device_part: str | None,
        communication: bool | None,
        excluded: str | None,
    ) -> Iterator[Span]:
        for device in _inputs.step_stats(self._checked()).dev_stats:
            if device_part and device_part not in device.device:
                continue
            for node in device.node_stats:
                if excluded and excluded in node.timeline_label:
                    continue
                if communication in (None, self._is_communication(node)):
                    start = node.all_start_micros
                    yield start, start + node.all_end_rel_micros


def _extent(spans: list[Span]) -> int:
    if not spans:
        return 0
    return max(end for _, end in spans) - min(start for start, _ in spans)


def _union(spans: list[Span]) -> int:
    total, covered = 0, 0
    for start, end in sorted(spans):
        start = max(start, covered)
        if end > start:
            total += end - start
            covered = end
    return total
