"""What the program says about one file, as rows.

    summary = read_file(File("rank_3.json.gz", …), timeout=60)
    summary.status, summary.rank, summary.tables["ops"]

One process of the program reads one file (`tfprof FILE rows`), so a damaged
file can spoil no other. The status is one of STATUSES:

  ok          all of the file was read
  partial     a part of it; its rows are kept and left out of statistics
  corrupt     nothing of it could be read
  empty       the file has no bytes, or no step
  unreadable  it could not be opened, or is no regular file
  crashed     the program ended by a signal
  timeout     the program needed more than the limit
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

from tfprof._engine.engine import find_program
from tfprof._fleet import inputs

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

Rows = list[dict[str, Any]]


class Summary(NamedTuple):
    """One file: its status, why, its rank if the file has it, and its rows."""

    status: str
    message: str
    rank: int | None
    tables: dict[str, Rows]


def read_file(
    file: inputs.File, timeout: float, tables: Sequence[str] = TABLES
) -> Summary:
    if file.problem:
        return Summary("unreadable", file.problem, None, {})
    if file.size == 0:
        return Summary("empty", "the file has no bytes", None, {})
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
    words = [
        find_program(),
        "--threads=1",
        "rows",
        *tables,
        "-output",
        "ndjson",
        "--",
        path,
    ]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            env={**os.environ, "TFPROF_AGENT": "0"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Summary("timeout", f"more than {timeout:g} s", None, {})
    said = done.stderr.decode("utf-8", "replace").strip()
    # The row of the file has its path.
    said = said.replace(f"{path}: ", "")[:_MESSAGE_CHARACTERS]
    if done.returncode < 0:
        return Summary("crashed", f"signal {-done.returncode}", None, {})
    if not done.stdout:
        return Summary("corrupt", said or "no answer", None, {})
    header, found = parse_rows(done.stdout)
    rank = header["facts"]["rank"]
    if done.returncode != 0 or header["facts"]["damaged"]:
        return Summary("partial", said, rank, found)
    if not any(found.values()):
        return Summary("empty", said or "the file has no step", rank, found)
    return Summary("ok", "", rank, found)


def parse_rows(data: bytes) -> tuple[dict[str, Any], dict[str, Rows]]:
    """The first line, and the rows of each table, of NDJSON."""
    lines = data.splitlines()
    header = json.loads(lines[0])
    by_table: dict[str, list[bytes]] = {name: [] for name in header["tables"]}
    for line in lines[1:]:
        # {"table":"ops",…: one parse for all rows of a table is faster.
        by_table[line[10 : line.index(b'"', 10)].decode()].append(line)
    return header, {
        name: json.loads(b"[" + b",".join(rows) + b"]")
        for name, rows in by_table.items()
    }
