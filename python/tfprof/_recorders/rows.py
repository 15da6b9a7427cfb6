"""The rows of a recording, which the fleet reads instead of the trace.

    write_rows("trace.json.gz", "/shared/rows")

writes /shared/rows/rank_3.rows.ndjson.gz, completely or not at all. It has what
`tfprof FILE rows` says, and is far smaller than the trace, so that traces of
thousands of ranks need not travel. The rank is the one that the launcher says
in its variables, else the one in the trace.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import subprocess

from tfprof._engine.files import write_atomically
from tfprof._fleet import reading

# torchrun, Open MPI, MPICH and others, Slurm.
_RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
_MESSAGE_CHARACTERS = 500


def write_rows(trace: str, folder: str) -> str:
    """Returns the path of the file; RuntimeError or OSError if there is none.

    A rank has one file in a folder: a later recording replaces it.
    """
    done = subprocess.run(
        reading.command(trace, reading.TABLES, "ndjson"),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TFPROF_AGENT": "0"},
        check=False,
    )
    if not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise RuntimeError(said[:_MESSAGE_CHARACTERS] or "tfprof says nothing")
    rank = _rank()
    if rank is None:
        rank = json.loads(done.stdout.partition(b"\n")[0])["facts"]["rank"]
    name = (
        f"{platform.node()}-{os.getpid()}" if rank is None else f"rank_{rank}"
    )
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + reading.ROWS_SUFFIX)
    # Without a time, equal rows are equal bytes.
    write_atomically(path, [gzip.compress(done.stdout, mtime=0)])
    return path


def _rank() -> int | None:
    for name in _RANKS:
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return None
