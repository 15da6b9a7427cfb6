"""tfvis' Timeline, which is tftracer's: `from tfprof.tfvis import Timeline`."""

from tfprof.tftracer import Timeline

__all__ = ["Timeline"]
