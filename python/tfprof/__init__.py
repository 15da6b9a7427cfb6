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
    from tfprof._answer import Answer, Check, Column, Note, Table
    from tfprof._engine import EngineError
    from tfprof._profile import Error, Profile, ProfileWarning, Timeline, open
    from tfprof.model_analyzer import Profiler, advise, profile
    from tfprof.notebook import load_ipython_extension
    from tfprof.option_builder import ProfileOptionBuilder
    from tfprof.profile_context import ProfileContext
    from tfprof.tfprof_logger import write_op_log
    from tfprof.tracing import TracingServer, hook_inject

# Where a name is; importing tfprof imports none of it.
_HOMES = {
    "Answer": "_answer",
    "Check": "_answer",
    "Column": "_answer",
    "EngineError": "_engine",
    "Error": "_profile",
    "Note": "_answer",
    "Profile": "_profile",
    "ProfileContext": "profile_context",
    "ProfileOptionBuilder": "option_builder",
    "ProfileWarning": "_profile",
    "Profiler": "model_analyzer",
    "Table": "_answer",
    "Timeline": "_profile",
    "TracingServer": "tracing",
    "advise": "model_analyzer",
    "hook_inject": "tracing",
    "load_ipython_extension": "notebook",
    "open": "_profile",
    "profile": "model_analyzer",
    "unload_ipython_extension": "notebook",
    "write_op_log": "tfprof_logger",
}
_MODULES = (
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
