"""The SQL of the questions on Spark: `--engine spark`, for large datasets.

The session sees the dataset under the same path as this process. A table stays
in memory, or on disk, of the executors as long as the database is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

from tfprof._fleet.database import Row
from tfprof._fleet.dataset import DatasetError
from tfprof._fleet.spark import first_line, make_session


class SparkDatabase:
    """Temporary views of a session of Spark."""

    most_rows: int | None = None

    def __init__(self, master: str | None) -> None:
        # Another session has none of our names.
        self._session = make_session(master).newSession()
        self._kept: dict[str, Any] = {}

    def scan(self, name: str, paths: Sequence[str], part: bool) -> None:
        frame = self._session.read.parquet(*map(_address, paths))
        if part:
            frame = frame.selectExpr("*", "_metadata.file_name AS part_file")
        frame.createOrReplaceTempView(name)

    def empty(self, name: str, columns: Mapping[str, str]) -> None:
        listed = ", ".join(
            f"{self.quoted(column)} {kind}" for column, kind in columns.items()
        )
        frame = self._session.createDataFrame([], listed)
        frame.createOrReplaceTempView(name)

    def view(self, name: str, sql: str) -> None:
        self._query(sql, []).createOrReplaceTempView(name)

    def table(self, name: str, sql: str, values: Sequence[Any]) -> None:
        frame = self._query(sql, values).persist()
        frame.createOrReplaceTempView(name)
        old = self._kept.pop(name, None)
        if old is not None:
            old.unpersist()
        self._kept[name] = frame

    def append(self, name: str, sql: str, values: Sequence[Any]) -> None:
        both = self._kept[name].union(self._query(sql, values)).persist()
        both.createOrReplaceTempView(name)
        self._kept[name] = both

    def rows(self, sql: str, values: Sequence[Any]) -> list[Row]:
        frame = self._query(sql, values)
        try:
            found = frame.collect()
        except Exception as error:
            raise _failed(error) from None
        return [_plain(row) for row in found]

    def batches(
        self, sql: str, values: Sequence[Any], at_once: int
    ) -> Iterable[list[Row]]:
        found = self._query(sql, values).toLocalIterator()
        while rows := [_plain(row) for row in islice(found, at_once)]:
            yield rows

    def arrow(self, sql: str, values: Sequence[Any]) -> Any:
        return self._query(sql, values).toArrow()

    def columns(self, table: str) -> list[str]:
        names: list[str] = self._session.table(table).columns
        return names

    def quoted(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def _query(self, sql: str, values: Sequence[Any]) -> Any:
        try:
            return self._session.sql(sql, args=list(values))
        except Exception as error:
            raise _failed(error) from None


def _failed(error: Exception) -> DatasetError:
    return DatasetError(f"Spark could not answer: {first_line(error)}")


def _address(path: str) -> str:
    """A file that all machines see, and not in the file system of Hadoop."""
    return "file://" + re.sub(r"([*?\[\]{}\\])", r"\\\1", path)


def _plain(row: Sequence[Any]) -> Row:
    """A sum of decimals is a number like the others."""
    return tuple(
        float(value) if isinstance(value, Decimal) else value for value in row
    )
