"""Where the tasks of `ingest` run: a pool of processes, Spark or Ray.

A task reads some files and writes one part of the dataset, so an engine only
has to run all tasks and bring back what they say. It may run a task again, for
example after a machine was lost: the same files make the same part. On a
cluster, all machines need this package and see the files and the dataset under
the same paths.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Callable, Protocol

from tfprof._fleet.dataset import DatasetError

# Work of a task, and what it says: files by status, and rows.
Result = tuple[dict[str, int], int]
Work = Callable[[Any], Result]
# What another process needs to find the same package and program.
_VARIABLES = ("PYTHONPATH", "TFPROF_BINARY")


class Engine(Protocol):
    """Runs tasks. `parallelism`: how many run at the same time."""

    parallelism: int

    def run(self, work: Work, tasks: Sequence[Any]) -> Iterator[Result]:
        """The results, in any order. DatasetError: a task cannot be done."""

    def close(self) -> None: ...


def make_engine(name: str, address: str | None, processes: int) -> Engine:
    if name == "spark":
        from tfprof._fleet.spark import SparkEngine

        return SparkEngine(address)
    if name == "ray":
        from tfprof._fleet.ray import RayEngine

        return RayEngine(address)
    return _Pool(processes or os.cpu_count() or 1)


def variables() -> dict[str, str]:
    """The variables that workers need, as far as they are set here."""
    return {name: os.environ[name] for name in _VARIABLES if name in os.environ}


class _Pool:
    """Processes of this machine."""

    def __init__(self, processes: int) -> None:
        self.parallelism = processes
        self._pool = concurrent.futures.ProcessPoolExecutor(
            processes, initializer=_begin_worker
        )

    def run(self, work: Work, tasks: Sequence[Any]) -> Iterator[Result]:
        futures = [self._pool.submit(work, task) for task in tasks]
        try:
            for future in concurrent.futures.as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise DatasetError(
                "a process was killed, perhaps because memory ran out. Run "
                "again with --resume, and fewer --processes."
            ) from None

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _begin_worker() -> None:
    # Ctrl-C is for the first process; the others finish the part they write.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nobody tells them that it was killed.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
