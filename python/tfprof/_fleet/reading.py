"""What the program says about one file, as rows.

    summary = read_file(File("rank_3.json.gz", …), timeout=60)
    summary.status, summary.rank, summary.tables["ops"]

A file that a recorder wrote (`rows=DIR`) ends in .rows.ndjson.gz and has the
rows. Of any other, one process of the program reads one file (`tfprof FILE
rows`), so a damaged file can spoil no other. The rows are tables of pyarrow,
which is imported when a file is read (file_tables.py). The status is one of
STATUSES:

  ok          all of the file was read
  partial     a part of it; its rows are kept and left out of statistics
  corrupt     nothing of it could be read
  empty       the file has no bytes, or no step
  unreadable  it could not be opened, or is no regular file
  crashed     the program ended by a signal
  timeout     the program needed more than the limit
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tfprof._engine.engine import find_program
from tfprof._fleet import inputs

if TYPE_CHECKING:
    import pyarrow as pa

STATUSES = (
    "ok",
    "partial",
    "corrupt",
    "empty",
    "unreadable",
    "crashed",
    "timeout",
)
TABLES = ("steps", "account", "ops", "collectives", "phases", "memory")
# More bytes than the others together.
ON_REQUEST = ("scopes", "code")
_MESSAGE_CHARACTERS = 500
# A larger file has so many times the limit of time.
_TIMEOUT_BYTES = 1 << 30
ROWS_SUFFIX = ".rows.ndjson.gz"
_ROWS_VERSION = 2
_DEFAULT_GROUP = re.compile(r"process group .*\(default_pg\): (\d+) rank")
# A small file can have any number of bytes when it is unpacked.
_MOST_BYTES = 1 << 31

Rows = list[dict[str, Any]]


class Summary(NamedTuple):
    """One file: its status, why, and its rows.

    It also has its rank, and how many ranks its job has, if the file says them.
    """

    status: str
    message: str
    rank: int | None
    tables: dict[str, pa.Table]
    world_size: int | None = None

    @property
    def steps(self) -> int:
        table = self.tables.get("steps")
        return 0 if table is None else len(table.column("step").unique())


def read_file(
    file: inputs.File, timeout: float, tables: Sequence[str] = TABLES
) -> Summary:
    if file.problem:
        return Summary("unreadable", file.problem, None, {})
    if file.size == 0:
        return Summary("empty", "the file has no bytes", None, {})
    # The limit is for a hang; a file of 10 GB may take long.
    timeout *= max(1.0, (file.size or 0) / _TIMEOUT_BYTES)
    if not inputs.is_url(file.path):
        return _read(file.path, timeout, tables)
    # The program maps files, so it needs a local one: in memory, if possible.
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
    suffix = "".join(os.path.basename(file.path).partition(".")[1:])
    with tempfile.NamedTemporaryFile(suffix=suffix, dir=folder) as local:
        try:
            inputs.fetch(file.path, local.name)
        except OSError as error:
            return Summary("unreadable", str(error), None, {})
        return _read(local.name, timeout, tables)


def _read(path: str, timeout: float, tables: Sequence[str]) -> Summary:
    if path.endswith(ROWS_SUFFIX):
        return _read_rows(path, tables)
    try:
        done = subprocess.run(
            command(path, tables, "arrow"),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            env={**os.environ, "TFPROF_AGENT": "0"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Summary("timeout", f"more than {timeout:g} s", None, {})
    said = "; ".join(done.stderr.decode("utf-8", "replace").splitlines())
    # The row of the file has its path.
    said = said.replace(f"{path}: ", "")[:_MESSAGE_CHARACTERS]
    if done.returncode < 0:
        return Summary("crashed", f"signal {-done.returncode}", None, {})
    if not done.stdout:
        return Summary("corrupt", said or "no answer", None, {})
    from tfprof._fleet import file_tables

    facts, found = file_tables.from_arrow(done.stdout)
    return _summary(facts, found, done.returncode != 0, said)


def command(path: str, tables: Sequence[str], output: str) -> list[str]:
    """The words that ask the program for the rows of a file, and its log."""
    words = ["--threads=1", "rows", *tables, "log", "-output", output]
    return [find_program(), *words, "--", path]


def _read_rows(path: str, tables: Sequence[str]) -> Summary:
    """The rows that a recorder wrote. It may have others than these tables.

    The program did not write it just now, so it may have anything.
    """
    from tfprof._fleet import file_tables

    try:
        with gzip.open(path) as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ValueError(f"more than {_MOST_BYTES} bytes of rows")
        header = json.loads(data.partition(b"\n")[0])
        kind = (header["schema"], header["version"])
        if kind != ("tfprof.rows", _ROWS_VERSION):
            raise ValueError(
                f"expected tfprof.rows of version {_ROWS_VERSION}, found "
                f"{kind[0]} of version {kind[1]}: ingest the trace itself"
            )
        facts, rows = parse_rows(data)
        facts["damaged"]  # has to be there
        for name in ("rank", "world_size"):
            if type(facts[name]) not in (int, type(None)):
                raise ValueError(f"{name} is {facts[name]!r}")
        found = file_tables.from_rows(
            {name: rows[name] for name in tables if name in rows}
        )
    except (
        OSError,
        EOFError,
        zlib.error,
        AttributeError,
        LookupError,
        TypeError,
    ) as error:
        said = f"no rows of a recorder: {type(error).__name__}: {error}"
        return Summary("corrupt", said[:_MESSAGE_CHARACTERS], None, {})
    except ValueError as error:
        return Summary("corrupt", str(error)[:_MESSAGE_CHARACTERS], None, {})
    said = "a part of the trace could not be read" if facts["damaged"] else ""
    return _summary(facts, found, False, said)


def _summary(
    facts: dict[str, Any],
    found: dict[str, pa.Table],
    failed: bool,
    said: str,
) -> Summary:
    summary = Summary("ok", "", facts["rank"], found, facts["world_size"])
    if failed or facts["damaged"]:
        return summary._replace(status="partial", message=said)
    if not any(table.num_rows for table in found.values()):
        message = said or "the file has no step"
        return summary._replace(status="empty", message=message)
    return summary


def parse_rows(data: bytes) -> tuple[dict[str, Any], dict[str, Rows]]:
    """The facts, and the rows of each table, of NDJSON."""
    lines = data.splitlines()
    header = json.loads(lines[0])
    by_table: dict[str, list[bytes]] = {name: [] for name in header["tables"]}
    for line in lines[1:]:
        # {"table":"ops",…: one parse for all rows of a table is faster.
        by_table[line[10 : line.index(b'"', 10)].decode()].append(line)
    tables = {
        name: json.loads(b"[" + b",".join(rows) + b"]")
        for name, rows in by_table.items()
    }
    log = tables.pop("log", [])
    return with_world_size(
        header["facts"], [row["what"] for row in log]
    ), tables


def with_world_size(
    facts: dict[str, Any], log: Iterable[str]
) -> dict[str, Any]:
    """The facts, and how many ranks the job has, if that is known.

    The log of a PyTorch trace has its process groups. The default one has all
    ranks.
    """
    groups = (_DEFAULT_GROUP.match(what) for what in log)
    sizes = [int(group[1]) for group in groups if group]
    size = facts.get("world_size")
    if size is None:
        size = max(sizes, default=None)
    return {**facts, "world_size": size}
