"""ProfileContext: traces, profiles and dumps runs of a training loop.

Inside the context each Session.run of the process is a step, from 0. Chosen
steps are traced (run with FULL_TRACE and added to `profiler`), dumped
(PROFILE_DIR/profile_STEP, a ProfileProto for `tfprof FILE`) or shown. Other
steps go straight to TensorFlow; so do runs of other threads while one run is
traced. A run that raises counts as a step, and tracing goes on.

TensorFlow must be imported before: BaseSession.run, which the sessions of
tf.compat.v1 and of estimators call, is replaced while a context is entered.
"""

from __future__ import annotations

import functools
import os
import random
import sys
import threading
import warnings
from typing import Any, Callable

from tfprof._engine.engine import EngineError
from tfprof._reference import tensorflow as _tensorflow
from tfprof.model_analyzer import Profiler

WARMUP_STEPS = 10
MAX_TRACED_STEPS = 100
_SESSION = "tensorflow.python.client.session"
_VIEWS = {
    "graph": Profiler.profile_graph,
    "scope": Profiler.profile_name_scope,
    "op": Profiler.profile_operations,
    "code": Profiler.profile_python,
}


def _fetch_names(fetches: Any) -> list[str]:
    """The names of the fetches of a run, in any structure."""
    names: list[str] = []
    work = [fetches]
    while work:
        item = work.pop()
        if isinstance(item, dict):
            work.extend(item.values())
        elif isinstance(item, (list, tuple)):
            work.extend(item)
        else:
            names.append(str(getattr(item, "name", item)))
    return sorted(names)


class ProfileContext:
    """Profiles the training loop in its `with` block.

    with ProfileContext("/tmp/train_dir") as pctx:
        train_loop()

    Without trace_steps, steps are chosen: the first run of each set of
    fetches after 10 steps, and more while less than half of the graph has
    run. Without dump_steps, step 100 is dumped.

    with ProfileContext("/tmp/train_dir", trace_steps=[], dump_steps=[]) as p:
        p.trace_next_step()
        p.dump_next_step()
        session.run(train_op)
        p.profiler.profile_operations(options)
    """

    def __init__(
        self,
        profile_dir: Any,
        trace_steps: Any | None = None,
        dump_steps: Any | None = None,
        enabled: bool = True,
        debug: bool = False,
    ) -> None:
        """profile_dir: where dumps go; it is made when it is needed.

        trace_steps: a sequence of at most 100 steps; [] traces none.
        dump_steps: a sequence of steps.
        enabled: False makes everything here do nothing.
        debug: says on standard error what is done, and writes the run
          metadata of traced steps as text, PROFILE_DIR/run_meta_STEP.
        """
        self._enabled = enabled
        self._views: dict[str, dict[int, Any]] = {}
        if not enabled:
            return
        self._debug = debug
        if not profile_dir:
            raise ValueError("Must have a directory for profile.\n")
        self._profile_dir = profile_dir
        self._auto_tracing = trace_steps is None
        self._trace_steps: set[int] = set()
        if trace_steps is not None:
            if len(trace_steps) > MAX_TRACED_STEPS:
                raise ValueError("Only support tracing up to 100 steps.\n")
            self._trace_steps = set(trace_steps[:])
        self._dump_steps = {MAX_TRACED_STEPS}
        if dump_steps is not None:
            self._dump_steps = set(dump_steps[:])
        self._slow_steps = self._dump_steps | self._trace_steps
        self._auto_profiles: list[tuple[str, Any, Any]] = []
        self._random = random.Random(111)
        self._fetched: set[str] = set()
        self._traced = 0
        self._step = 0
        self._trace_next = False
        self._dump_next = False
        self._profiler: Profiler | None = None
        self._stopped = False  # the profiler does not work any more
        self._tracing = threading.Lock()
        self._counting = threading.Lock()
        self._patched: Any = None

    # -- what to do at which step

    def add_auto_profiling(
        self, cmd: str, options: Any, profile_steps: Any
    ) -> None:
        """Traces and shows these steps; see get_profiles().

        cmd: "scope", "graph", "op" or "code".
        """
        if not self._enabled:
            return
        self._auto_profiles.append((cmd, options, profile_steps[:]))
        self._slow_steps |= set(profile_steps[:])
        self._trace_steps |= set(profile_steps[:])

    def trace_next_step(self) -> None:
        """Traces the next run."""
        if self._enabled:
            self._trace_next = True
            self._slow_steps.add(self._step)

    def dump_next_step(self) -> None:
        """Dumps the profile after the next run. It is not traced for that."""
        if self._enabled:
            self._dump_next = True
            self._slow_steps.add(self._step)

    # -- results

    @property
    def profiler(self) -> Profiler | None:
        """The Profiler with the traced steps, also after the context."""
        if not self._enabled:
            return None
        if self._profiler is None:
            self._profiler = Profiler(_tensorflow.default_graph())
        return self._profiler

    def get_profiles(self, cmd: str) -> dict[int, Any]:
        """The results of add_auto_profiling() for `cmd`, by step."""
        if cmd not in self._views:
            raise ValueError(f"No autoprofiler for command: {cmd}, was run")
        return self._views[cmd]

    # -- the context

    def __enter__(self) -> ProfileContext:
        if not self._enabled:
            return self
        sessions = sys.modules.get(_SESSION)
        if sessions is None:
            raise _tensorflow.error(
                _tensorflow.InternalError,
                "ProfileContext traces sessions of TensorFlow; import it"
                " before.",
            )
        base = sessions.BaseSession
        if getattr(base, "profile_context", None) is not None:
            raise _tensorflow.error(
                _tensorflow.InternalError,
                "Already in context or context not cleaned.",
            )
        run = base.run
        context = self

        def profiled_run(
            session: Any,
            fetches: Any,
            feed_dict: Any = None,
            options: Any = None,
            run_metadata: Any = None,
        ) -> Any:
            call = functools.partial(run, session, fetches, feed_dict)
            return context._run(call, session, fetches, options, run_metadata)

        base._profiler_run_internal = run
        base.run = profiled_run
        base.profile_context = self
        self._patched = base
        return self

    def __exit__(self, *unused: Any) -> None:
        if not self._enabled or self._patched is None:
            return
        base, self._patched = self._patched, None
        base.run = base._profiler_run_internal
        base._profiler_run_internal = None
        base.profile_context = None
        if self._profiler is not None:
            self._profiler.close()  # the next use starts it again

    # -- one run

    def _run(
        self,
        call: Callable[[Any, Any], Any],
        session: Any,
        fetches: Any,
        options: Any,
        run_metadata: Any,
    ) -> Any:
        step = self._step
        alone = self._is_slow(step) and self._tracing.acquire(False)
        try:
            if not alone:
                return call(options, run_metadata)
            try:
                return self._slow_run(
                    call, session, fetches, options, run_metadata
                )
            finally:
                self._trace_next = self._dump_next = False
                self._tracing.release()
        finally:
            with self._counting:
                self._step += 1

    def _is_slow(self, step: int) -> bool:
        if self._stopped:
            return False
        return step in self._slow_steps or (
            self._auto_tracing
            and step > WARMUP_STEPS
            and self._traced <= MAX_TRACED_STEPS
        )

    def _slow_run(
        self,
        call: Callable[[Any, Any], Any],
        session: Any,
        fetches: Any,
        options: Any,
        run_metadata: Any,
    ) -> Any:
        step = self._step
        traced = self._should_trace(step, fetches)
        if not traced:
            result = call(options, run_metadata)
        else:
            self._say("tracing step: %d", step)
            config = sys.modules["tensorflow.core.protobuf.config_pb2"]
            full = config.RunOptions.FULL_TRACE
            if run_metadata is None:
                run_metadata = config.RunMetadata()
            if options is None:
                options = config.RunOptions()
            level = options.trace_level
            options.trace_level = full
            try:
                result = call(options, run_metadata)
            finally:
                options.trace_level = level
        try:
            if traced:
                self._add(step, session, run_metadata)
            if self._dump_next or step in self._dump_steps:
                self._say("dumping file at step: %d", step)
                self._dump(step)
            self._show(step)
        except (EngineError, OSError) as failed:
            self._stopped = True
            warnings.warn(
                f"tfprof: step {step} and later steps are not profiled:"
                f" {failed}",
                RuntimeWarning,
                stacklevel=3,
            )
        return result

    def _should_trace(self, step: int, fetches: Any) -> bool:
        if self._traced > MAX_TRACED_STEPS:
            return False
        if step in self._trace_steps or self._trace_next:
            self._traced += 1
            return True
        if not self._auto_tracing or step <= WARMUP_STEPS:
            return False
        key = "-".join(_fetch_names(fetches))
        if key not in self._fetched:
            self._fetched.add(key)
            self._say("trace fetches: %s", key)
        elif not (
            self._covered() < 0.5
            and step < MAX_TRACED_STEPS
            and self._random.randint(0, 10) < 2
        ):
            return False
        self._traced += 1
        return True

    def _covered(self) -> float:
        profiler = self.profiler
        return profiler._coverage if profiler is not None else 1.0

    def _add(self, step: int, session: Any, run_metadata: Any) -> None:
        profiler = self.profiler
        assert profiler is not None
        profiler._set_graph(session.graph)
        profiler.add_step(step, run_metadata)
        if self._debug:
            _tensorflow.write_file(
                os.path.join(self._profile_dir, f"run_meta_{step}"),
                str(run_metadata).encode("utf-8"),
                make_folder=True,
            )

    def _dump(self, step: int) -> None:
        profiler = self.profiler
        assert profiler is not None
        _tensorflow.write_file(
            os.path.join(self._profile_dir, f"profile_{step}"),
            profiler.serialize_to_string(),
            make_folder=True,
        )

    def _show(self, step: int) -> None:
        for cmd, options, steps in self._auto_profiles:
            if step not in steps:
                continue
            self._say("profiling %s step: %d", cmd, step)
            if cmd not in _VIEWS:
                raise ValueError(f"Unknown cmd: {cmd}\n")
            profiler = self.profiler
            assert profiler is not None
            view = _VIEWS[cmd](profiler, options)
            self._views.setdefault(cmd, {})[step] = view

    def _say(self, text: str, *values: Any) -> None:
        if self._debug:
            sys.stderr.write("debug: " + text % values + "\n")
