"""The names of tftracer: scripts for it need only another import.

from tfprof.tftracer import TracingServer, hook_inject, Timeline
"""

from tfprof._reference.tftracer_timeline import Timeline
from tfprof.tracing import TracingServer, hook_inject

__all__ = ["Timeline", "TracingServer", "hook_inject"]
