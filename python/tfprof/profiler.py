"""The names of tf.compat.v1.profiler: `from tfprof import profiler`."""

from tfprof._reference.messages import (
    AdviceProto,
    GraphNodeProto,
    MultiGraphNodeProto,
    OpLogProto,
)
from tfprof.model_analyzer import Profiler, advise, profile
from tfprof.option_builder import ProfileOptionBuilder
from tfprof.tfprof_logger import write_op_log

__all__ = [
    "AdviceProto",
    "GraphNodeProto",
    "MultiGraphNodeProto",
    "OpLogProto",
    "ProfileOptionBuilder",
    "Profiler",
    "advise",
    "profile",
    "write_op_log",
]
