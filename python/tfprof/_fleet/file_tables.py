"""The rows of one file as tables of pyarrow.

    facts, tables = from_arrow(data)    # what the program wrote
    tables = from_rows(rows)            # what a recorder wrote, as JSON

A table has the columns of SCHEMAS without `src` and `rank`, which are of the
file: `of_file` adds them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from tfprof._fleet.dataset import SCHEMAS
from tfprof._fleet.reading import with_world_size

_OF_FILE = ("src", "rank")


def from_arrow(data: bytes) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """The facts and the tables of the answer of `rows … -output arrow`."""
    facts: dict[str, Any] = {}
    log: list[str] = []
    tables = {}
    source = pa.BufferReader(data)
    while source.tell() < source.size():
        with pa.ipc.open_stream(source) as reader:
            table = reader.read_all()
        metadata = table.schema.metadata
        facts = json.loads(metadata[b"tfprof"])["facts"]
        name = metadata[b"table"].decode()
        if name == "log":
            log = table.column("what").to_pylist()
            continue
        schema = _own_schema(name)
        tables[name] = table.select(schema.names).cast(schema)
    return with_world_size(facts, log), tables


def from_rows(rows: Mapping[str, list[Any]]) -> dict[str, pa.Table]:
    """ValueError: what does not fit the columns."""
    tables = {}
    for name, of_table in rows.items():
        wrong = _misfit(name, of_table)
        if wrong:
            raise ValueError(wrong)
        tables[name] = pa.Table.from_pylist(of_table, _own_schema(name))
    return tables


def of_file(name: str, table: pa.Table, src: str, rank: int | None) -> pa.Table:
    """The rows with the columns that say of which file they are."""
    count = table.num_rows
    first = [
        pa.repeat(pa.scalar(src, pa.string()), count),
        pa.repeat(pa.scalar(rank, pa.int64()), count),
    ]
    return pa.Table.from_arrays([*first, *table.columns], schema=SCHEMAS[name])


def _own_schema(name: str) -> pa.Schema:
    return pa.schema([c for c in SCHEMAS[name] if c.name not in _OF_FILE])


def _misfit(name: str, rows: Iterable[Any]) -> str:
    """What does not fit the columns of a table; "" if all fits."""
    columns = list(_own_schema(name))
    for row in rows:
        if not isinstance(row, dict):
            return f"{name}: {str(row)[:100]!r} is no row"
        for column in columns:
            value = row.get(column.name)
            if value is None or (
                type(value) is int and -(1 << 63) <= value < 1 << 63
                if column.type == pa.int64()
                else type(value) is str
            ):
                continue
            return f"{name}.{column.name}: {str(value)[:100]!r} does not fit"
    return ""
