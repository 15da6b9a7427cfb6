"""The Timeline of tfvis: `from tfprof.tfvis import Timeline`."""

from tfprof._reference.tftracer_timeline import Timeline

__all__ = ["Timeline"]
