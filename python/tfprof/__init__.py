"""tfprof: where the time and the memory of a machine learning program go.

    import tfprof

    profile = tfprof.open("trace.json.gz")      # of any framework
    profile.op(select=["micros", "bytes"]).to_pandas()
    profile.advise()
    profile.timeline().save("timeline.html")

`tfprof.tf`, `tfprof.jax` and `tfprof.torch` record. The names of TensorFlow's
own profiler (`ProfileContext`, `Profiler`, `ProfileOptionBuilder`, `profile`,
`advise`, `write_op_log`) are here too. The package imports no framework; parts
of it are imported when they are used.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING

from tfprof._version import __version__

if _TYPE_CHECKING:
    from tfprof import (
        fleet as fleet,
        jax as jax,
        model_analyzer as model_analyzer,
        notebook as notebook,
        option_builder as option_builder,
        profile_context as profile_context,
        profiler as profiler,
        record as record,
        tf as tf,
        tfprof_logger as tfprof_logger,
        tftracer as tftracer,
        tfvis as tfvis,
        timeline as timeline,
        torch as torch,
        tracing as tracing,
    )
    from tfprof._engine.answer import (
        Answer as Answer,
        Check as Check,
        Column as Column,
        Note as Note,
        Table as Table,
    )
    from tfprof._engine.engine import EngineError as EngineError
    from tfprof._engine.events import (
        Event as Event,
        Events as Events,
        Link as Link,
        Rows as Rows,
    )
    from tfprof._engine.profile import (
        Error as Error,
        Profile as Profile,
        ProfileWarning as ProfileWarning,
        Timeline as Timeline,
        open as open,
    )
    from tfprof.model_analyzer import (
        Profiler as Profiler,
        advise as advise,
        profile as profile,
    )
    from tfprof.notebook import (
        load_ipython_extension as load_ipython_extension,
        unload_ipython_extension as unload_ipython_extension,
    )
    from tfprof.option_builder import (
        ProfileOptionBuilder as ProfileOptionBuilder,
    )
    from tfprof.profile_context import ProfileContext as ProfileContext
    from tfprof.tfprof_logger import write_op_log as write_op_log
    from tfprof.tracing import (
        TracingServer as TracingServer,
        hook_inject as hook_inject,
    )

# The names of each module. Importing tfprof imports none of them.
_NAMES = {
    "_engine.answer": ("Answer", "Check", "Column", "Note", "Table"),
    "_engine.engine": ("EngineError",),
    "_engine.events": ("Event", "Events", "Link", "Rows"),
    "_engine.profile": (
        "Error",
        "Profile",
        "ProfileWarning",
        "Timeline",
        "open",
    ),
    "model_analyzer": ("Profiler", "advise", "profile"),
    "notebook": ("load_ipython_extension", "unload_ipython_extension"),
    "option_builder": ("ProfileOptionBuilder",),
    "profile_context": ("ProfileContext",),
    "tfprof_logger": ("write_op_log",),
    "tracing": ("TracingServer", "hook_inject"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}
_MODULES = (
    "fleet",
    "jax",
    "model_analyzer",
    "notebook",
    "option_builder",
    "profile_context",
    "profiler",
    "record",
    "tf",
    "tfprof_logger",
    "tftracer",
    "tfvis",
    "timeline",
    "torch",
    "tracing",
)

__all__ = ["__version__", *_HOMES, *_MODULES]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return _importlib.import_module(f"tfprof.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tfprof' has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"tfprof.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
