"""Profiles as tables of Spark, without a dataset.

    import tfprof.spark

    tfprof.spark.register(spark)                            # Spark 4
    ops = spark.read.format("tfprof").option("table", "ops").load("/traces")
    ops = tfprof.spark.read(spark, "/traces", table="ops")  # Spark 3.5, too

A path is a folder, a file, a glob or a URL, as of `tfprof-fleet ingest`; all
machines see it. The driver lists the files, and the workers read one each. The
tables are those of a dataset (steps, account, ops, collectives, phases, memory,
scopes, code); a row begins with the path, the status and the rank of its file.
Times are nanoseconds, and null is not known.

A file that is `partial` has the rows that were read. One of which nothing can
be read is an error, which names it and says why. With the option skip=true it
is left out; the table `files` has a row for each file, with its status and
message.

Options: table, rank_from, timeout (seconds for a file), skip. FleetError says
what is wrong with them. Needs pyspark: pip install 'tfprof[spark]'.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from tfprof._fleet import inputs
from tfprof._fleet.dataset import SCHEMAS
from tfprof._fleet.ingest import Options, summarise
from tfprof._fleet.inputs import File, FleetError, InputError

__all__ = ["FleetError", "read", "register"]

_OPTIONS = ("table", "rank_from", "timeout", "skip")
# These are first, or of a dataset only: a file is known by its path here.
_KEYS = ("src", "rank", "key", "read_at", "path", "status", "rows")
_FILE = "path STRING, size BIGINT, time BIGINT, problem STRING"


def register(session: Any) -> None:
    """Makes `session.read.format("tfprof")` known. Needs Spark 4."""
    if not hasattr(session, "dataSource"):
        raise FleetError(
            "this Spark has no data sources of Python, which come with 4.0; "
            "tfprof.spark.read(session, PATH) works with 3.5"
        )
    from tfprof._fleet.spark_source import ProfileSource

    session.dataSource.register(ProfileSource)


def read(session: Any, *paths: str, table: str = "ops", **options: Any) -> Any:
    """A DataFrame of a table, with mapInArrow."""
    reader = Reader({**options, "table": table})
    files = inputs.find_files(paths)
    listed = session.createDataFrame([tuple(f) for f in files], _FILE)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                yield reader.rows(File(**row))

    return listed.repartition(len(files)).mapInArrow(work, reader.columns)


class Reader:
    """Rows of one table, as the options say. InputError: they are wrong."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        given = {name: str(value) for name, value in options.items()}
        unknown = sorted(set(given) - set(_OPTIONS))
        if unknown:
            raise InputError(
                f"no option {unknown[0]!r}; there are {', '.join(_OPTIONS)}"
            )
        self._table = given.get("table", "ops")
        if self._table not in SCHEMAS:
            raise InputError(
                f"no table {self._table!r}; there are {', '.join(SCHEMAS)}"
            )
        skip = given.get("skip", "false").lower()
        if skip not in ("true", "false"):
            raise InputError(f"skip is {skip!r}; expected true or false")
        self._skip = skip == "true"
        self._options = Options()
        self._options.rank_from = given.get("rank_from", inputs.RANK_IN_NAME)
        inputs.check_pattern(self._options.rank_from)
        try:
            self._options.timeout = float(given.get("timeout", 60))
        except ValueError:
            raise InputError(
                f"timeout is {given['timeout']!r}; expected seconds"
            ) from None
        fields = [f for f in SCHEMAS[self._table] if f.name not in _KEYS]
        self._schema = pa.schema(
            [("path", pa.string()), ("status", pa.string())]
            + [("rank", pa.int64()), *((f.name, f.type) for f in fields)]
        )

    @property
    def columns(self) -> str:
        """The columns, as Spark writes them."""
        return ", ".join(
            f"`{f.name}` {'BIGINT' if f.type == pa.int64() else 'STRING'}"
            for f in self._schema
        )

    def rows(self, file: File) -> pa.RecordBatch:
        """The rows of one file. InputError: nothing of it can be read."""
        of_files = self._table == "files"
        tables = ("steps",) if of_files else (self._table,)
        found = summarise(file, self._options, tables)
        head = {
            "path": file.path,
            "status": found.status,
            "rank": found.rank,
        }
        if of_files:
            row = {
                "name_rank": inputs.rank_in(file.path, self._options.rank_from),
                "world_size": found.world_size,
                "size": file.size,
                "message": found.message,
            }
            return pa.RecordBatch.from_pylist(
                [{**head, **row, "steps": found.steps}], self._schema
            )
        if found.status not in ("ok", "partial", "empty") and not self._skip:
            raise InputError(
                f"{file.path}: {found.status}: {found.message}. The option "
                "skip=true leaves such files out"
            )
        table = found.tables.get(self._table)
        if table is None or not table.num_rows:
            return pa.RecordBatch.from_pylist([], self._schema)
        columns = [
            pa.repeat(pa.scalar(head[field.name], field.type), table.num_rows)
            if field.name in head
            else table.column(field.name).combine_chunks()
            for field in self._schema
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)


def paths_of(options: Mapping[str, str]) -> list[str]:
    """What load() was given: one path, or several."""
    if "paths" in options:
        return [str(path) for path in json.loads(options["paths"])]
    if not options.get("path"):
        raise InputError('no path: use .format("tfprof").load(PATH)')
    return [options["path"]]
