"""`spark.read.format("tfprof")`: profiles as a data source of Spark 4.

tfprof.spark.register() makes it known, and has the options and the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    InputPartition,
)

from tfprof._fleet import inputs
from tfprof.spark import Reader, paths_of


class ProfileSource(DataSource):  # type: ignore[misc]
    """The table that the option `table` names, of all files of the paths."""

    @classmethod
    def name(cls) -> str:
        return "tfprof"

    def schema(self) -> str:
        return self._reader().columns

    def reader(self, schema: Any) -> DataSourceReader:
        return _SourceReader(self._reader(), paths_of(self.options))

    def _reader(self) -> Reader:
        own = {
            name: value
            for name, value in self.options.items()
            if name not in ("path", "paths")
        }
        return Reader(own)


class _SourceReader(DataSourceReader):  # type: ignore[misc]
    def __init__(self, reader: Reader, paths: list[str]) -> None:
        self._reader = reader
        self._paths = paths

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(f) for f in inputs.find_files(self._paths)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield self._reader.rows(partition.value)
