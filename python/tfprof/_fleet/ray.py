"""The tasks of `ingest` on Ray: `--engine ray --address ADDRESS`.

    tfprof-fleet ingest /shared/traces -o /shared/job.dataset \\
        --engine ray --address auto

Each task is a task of Ray on one CPU. The workers write the parts themselves. A
task whose worker was lost runs again, and writes the same part. Without
--address, Ray starts on this machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from tfprof._fleet.dataset import DatasetError
from tfprof._fleet.engines import Result, Work, variables


class RayEngine:
    """Runs tasks as tasks of Ray."""

    def __init__(self, address: str | None) -> None:
        if address is None:
            # A Ray for this machine alone must not listen to others. Ray reads
            # this when it is imported, and it works on Linux too.
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        try:
            import ray
        except ImportError:
            raise DatasetError(
                "--engine ray needs ray: pip install 'tfprof[ray]'"
            ) from None
        self._ray = ray
        try:
            ray.init(
                address=address,
                runtime_env={"env_vars": variables()},
                include_dashboard=None if address else False,
                log_to_driver=False,
            )
        except Exception as error:
            raise DatasetError(
                f"--address {address or 'of this machine'}: Ray does not "
                f"start: {error}"
            ) from None
        self.parallelism: int = max(1, int(ray.cluster_resources()["CPU"]))

    def run(self, work: Work, tasks: Sequence[Any]) -> Iterator[Result]:
        remote = self._ray.remote(num_cpus=1)(_run)
        waiting = [remote.remote(work, task) for task in tasks]
        while waiting:
            ready, waiting = self._ray.wait(waiting)
            for one in ready:
                try:
                    yield self._ray.get(one)
                except self._ray.exceptions.RayTaskError as error:
                    cause = error.cause
                    if isinstance(cause, DatasetError):
                        raise DatasetError(str(cause)) from None
                    raise
                except self._ray.exceptions.RayError as error:
                    raise DatasetError(
                        f"Ray could not read the files: {error}"
                    ) from None

    def close(self) -> None:
        self._ray.shutdown()


def _run(work: Work, task: Any) -> Result:
    return work(task)
