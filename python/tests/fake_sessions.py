"""Stand-ins for tensorflow.compat.v1: sessions that run nothing, and hooks.

`v1()` makes the module. Its sessions call hooks as TensorFlow's do; a fetch may
be told to fail, and what is traced returns a record.
"""

import types

RECORD = b"\x0a\x05step!"  # bytes of a RunMetadata


class Operation:
    def __init__(self, name, kind="NoOp"):
        self.name, self.type = name, kind
        self.outputs, self._control_outputs = [], []
        self.error = None  # a run raises it

    @property
    def op(self):
        return self

    def __repr__(self):
        raise AssertionError("somebody made a text of an operation")


class Value:
    """A fed value: whoever looks at it fails."""

    def _looked(self, *unused):
        raise AssertionError("somebody looked at a value")

    __repr__ = __str__ = __eq__ = __len__ = __bool__ = __iter__ = _looked
    __hash__ = None


class RunMetadata:
    def __init__(self):
        self.data = b""

    def HasField(self, name):
        assert name == "step_stats"
        return bool(self.data)

    def SerializeToString(self):
        return self.data


class RunOptions:
    FULL_TRACE = 3

    def __init__(self, trace_level=0):
        self.trace_level = trace_level

    def CopyFrom(self, other):
        self.trace_level = other.trace_level


class Graph:
    version = 1
    step = None  # the variable of the global step

    def as_default(self):
        import contextlib

        return contextlib.nullcontext()

    def as_graph_def(self, add_shapes=False):
        assert add_shapes
        return types.SimpleNamespace(
            SerializeToString=lambda deterministic: b"a graph"
        )


class _BaseSession:
    def __init__(self, graph=None):
        self.graph = graph or Graph()
        self.runs = []  # fetches

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        self.runs.append(fetches)
        flat = fetches
        while isinstance(flat, dict):
            flat = next(iter(flat.values()))
        for one in flat if isinstance(flat, (list, tuple)) else [flat]:
            if getattr(one, "error", None) is not None:
                raise one.error
        if options is not None and options.trace_level == 3:
            run_metadata.data = RECORD
        return 0


class Session(_BaseSession):
    pass


class SessionRunHook:
    def begin(self):
        pass

    def after_create_session(self, session, coord):
        pass

    def before_run(self, run_context):
        return None

    def after_run(self, run_context, run_values):
        pass

    def end(self, session):
        pass


class SessionRunArgs:
    def __init__(self, fetches=None, feed_dict=None, options=None):
        self.fetches, self.feed_dict = fetches, feed_dict
        self.options = options

    def __iter__(self):
        return iter((self.fetches, self.feed_dict, self.options))


class _Monitored:
    def __init__(self, session_creator=None, hooks=None):
        self._session = (session_creator or Session)()
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        for hook in self._hooks:
            hook.after_create_session(self._session, None)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        context = types.SimpleNamespace(
            original_args=SessionRunArgs(fetches, feed_dict),
            session=self._session,
        )
        options = options or RunOptions()
        for hook in self._hooks:
            asked = hook.before_run(context)
            if asked is not None:
                options.trace_level = max(
                    options.trace_level, asked.options.trace_level
                )
        metadata = run_metadata or RunMetadata()
        result = self._session.run(
            {"caller": fetches}, feed_dict, options, metadata
        )
        for hook in self._hooks:
            hook.after_run(
                context,
                types.SimpleNamespace(run_metadata=metadata, options=options),
            )
        return result

    def __enter__(self):
        return self

    def __exit__(self, kind, *unused):
        if kind is None:
            for hook in self._hooks:
                hook.end(self._session)
        self._session = None


class MonitoredSession(_Monitored):
    pass


def v1():
    """A module, with classes of its own, so that patches touch no other."""
    base = type("_BaseSession", (_BaseSession,), {"run": _BaseSession.run})
    monitored = type(
        "_Monitored",
        (_Monitored,),
        {"__init__": _Monitored.__init__, "run": _Monitored.run},
    )
    session = type("Session", (base,), {})
    train = types.SimpleNamespace(
        SessionRunHook=SessionRunHook,
        SessionRunArgs=SessionRunArgs,
        MonitoredSession=type("MonitoredSession", (monitored,), {}),
        get_global_step=lambda graph: graph.step,
    )
    return types.SimpleNamespace(
        Session=session,
        RunOptions=RunOptions,
        RunMetadata=RunMetadata,
        train=train,
    )
