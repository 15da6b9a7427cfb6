"""Which process of a distributed training this is.

The launchers say it in environment variables. A number that cannot be read is
no number: the process then has no rank.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

# Names of the rank and of the number of ranks; the first that is set counts.
_VARIABLES = (
    ("HOROVOD_RANK", "HOROVOD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("RANK", "WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)
# The tasks of TF_CONFIG, in the order of their ranks.
_JOBS = ("chief", "master", "worker", "ps", "evaluator")


def rank(
    environment: Mapping[str, str] | None = None,
) -> tuple[int | None, int | None]:
    """The rank and the number of ranks; None where nothing says it."""
    environment = os.environ if environment is None else environment
    for name, size in _VARIABLES:
        if name in environment:
            return _number(environment[name]), _number(environment.get(size))
    return _of_tf_config(environment.get("TF_CONFIG", ""))


def _number(text: str | None) -> int | None:
    try:
        number = int(text or "")
    except ValueError:
        return None
    return number if number >= 0 else None


def _of_tf_config(text: str) -> tuple[int | None, int | None]:
    try:
        config: Any = json.loads(text)
        cluster, task = config["cluster"], config["task"]
        tasks: list[tuple[str, int]] = [
            (job, index)
            for job in _JOBS
            for index in range(len(cluster.get(job, ())))
        ]
        own = (task["type"], int(task["index"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None, None
    if own not in tasks:
        return None, None
    return tasks.index(own), len(tasks)
