"""Recording JAX: its own profiler, with the options that our views need.

    import jax, tfprof

    with tfprof.jax.trace("logdir") as trace:
        for step in range(10):
            with trace.step(step):
                state = train_step(state, batch)

    trace.profile.op()

The result is opened when the block ends. If the profiler cannot start or stop,
the block runs all the same, the log says why, and `profile` is None.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from tfprof._recorders.recording import XPlaneRecording


class trace(XPlaneRecording):
    """Records what JAX does in a `with` block.

    Args:
        folder: JAX writes the profile there; by default, a temporary folder
            that is removed with the trace.
        python: Record Python frames too; they make a step slower.
        host: How much of the host: 1 critical, 2 normal, 3 everything.
        profiler_options: A jax.profiler.ProfileOptions instead of these.
        rows: A folder for the rows of this rank, which `tfprof-fleet ingest`
            reads instead of the trace.
    """

    framework = "jax"

    def __init__(
        self,
        folder: None | str | os.PathLike[str] = None,
        *,
        python: bool = False,
        host: int = 2,
        profiler_options: Any = None,
        rows: None | str | os.PathLike[str] = None,
    ) -> None:
        super().__init__(folder, rows)
        self._python = python
        self._host = host
        self._options = profiler_options

    def _begin(self, folder: str) -> None:
        import jax

        options = self._options
        if options is None and hasattr(jax.profiler, "ProfileOptions"):
            options = jax.profiler.ProfileOptions()
            options.python_tracer_level = int(self._python)
            options.host_tracer_level = self._host
        if options is None:  # JAX before 0.5 has no options
            jax.profiler.start_trace(folder)
        else:
            jax.profiler.start_trace(folder, profiler_options=options)

    def _end(self) -> None:
        import jax

        # Work that was launched in the block belongs to it.
        barrier = getattr(jax, "effects_barrier", None)
        if barrier is not None:
            barrier()
        for array in jax.live_arrays():
            with contextlib.suppress(Exception):  # deleted, or failed
                array.block_until_ready()
        jax.profiler.stop_trace()

    def _mark(self, number: int) -> Any:
        import jax

        return jax.profiler.StepTraceAnnotation("train", step_num=number)
