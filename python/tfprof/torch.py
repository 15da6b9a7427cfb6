"""Recording PyTorch: torch.profiler, with the options that our views need.

    import tfprof

    with tfprof.torch.profile("logdir") as recording:
        for batch in batches:
            train_step(batch)
            recording.step()

    recording.profile.op()

Shapes, call stacks with modules, memory and float operations are on. The trace
is written to a file when the block ends, completely or not at all. If the
profiler cannot start or stop, the block runs all the same, the log says why,
and `profile` is None.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Any

from tfprof._recorders.recording import Recording


class profile(Recording):
    """Records what PyTorch does in a `with` block.

    Args:
        folder: The folder of the trace; by default, a temporary folder that is
            removed with the recording.
        name: The file in the folder; .gz compresses it.
        wait, warmup, active: Steps before the recording, steps that warm the
            recorder up, and steps that are recorded. Without `active`, the
            whole block is recorded.
        stacks: Record Python call stacks and modules; they make a step slower.
        rows: A folder for the rows of this rank, which `tfprof-fleet ingest`
            reads instead of the trace.
        arguments: More arguments of torch.profiler.profile, or others for
            these.
    """

    framework = "torch"

    def __init__(
        self,
        folder: None | str | os.PathLike[str] = None,
        *,
        name: str = "trace.json.gz",
        wait: int = 0,
        warmup: int = 1,
        active: int | None = None,
        stacks: bool = True,
        rows: None | str | os.PathLike[str] = None,
        **arguments: Any,
    ) -> None:
        super().__init__(folder, rows)
        self._name = name
        self._schedule = (wait, warmup, active)
        self._stacks = stacks
        self._arguments = arguments
        self._profiler: Any = None
        self._written = ""

    def _start(self, folder: str) -> None:
        import torch

        arguments = {
            "record_shapes": True,
            "profile_memory": True,
            "with_flops": True,
            "with_stack": self._stacks,
            **self._arguments,
        }
        wait, warmup, active = self._schedule
        if active is not None:
            arguments["schedule"] = torch.profiler.schedule(
                wait=wait, warmup=warmup, active=active, repeat=1
            )
        arguments["on_trace_ready"] = lambda done: self._write(done, folder)
        self._profiler = torch.profiler.profile(**arguments)
        self._profiler.start()

    def _stop(self) -> None:
        self._profiler.stop()

    def _write(self, done: Any, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, self._name)
        suffix = ".json.gz" if path.endswith(".gz") else ".json"
        handle, temporary = tempfile.mkstemp(suffix, ".tfprof", folder)
        os.close(handle)
        try:
            done.export_chrome_trace(temporary)
            if os.path.getsize(temporary) == 0:
                raise OSError("the profiler wrote an empty trace")
            os.replace(temporary, path)
            self._written = path
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)

    def _result(self, folder: str) -> str | None:
        return self._written or None

    def step(self) -> None:
        """Ends a step: call it at the end of the loop's body."""
        if self.recording:
            self.guard("cannot mark a step", self._profiler.step)
