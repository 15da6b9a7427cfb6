"""Where the SQL of the questions runs: DuckDB, or Spark (spark_database.py).

One text runs on both, so it keeps to what both know, with the same meaning:

  * `max_by`, `min_by`, `median`, `percentile_cont … WITHIN GROUP`, `array_agg`,
    `FILTER (WHERE …)` but not in a window, `CAST(… AS BIGINT or STRING)`; no
    QUALIFY, `list`, `//`, `::`, EXCLUDE, `$1`, or `IN` beside a SELECT.
  * Rows are in an order that has no ties: all keys are in ORDER BY. The least
    value is null. `max_by(a, (b, -c))` compares b, then c.
  * Nothing is divided by 0, which is an error in Spark.
  * `?` is a value. A name from the data is `quoted()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import duckdb

Row = tuple[Any, ...]


class Database(Protocol):
    """Tables of one run of a dataset, and queries.

    `most_rows` is how many rows a query may keep at the same time, such as the
    values of a median; None: the database has its own ways.
    """

    @property
    def most_rows(self) -> int | None: ...

    def scan(self, name: str, paths: Sequence[str], part: bool) -> None:
        """A view of Parquet files; `part`: with their names as part_file.

        Paths are absolute, and at least one.
        """

    def empty(self, name: str, columns: Mapping[str, str]) -> None:
        """A table without rows. Types are BIGINT and STRING, by column."""

    def view(self, name: str, sql: str) -> None: ...

    def table(self, name: str, sql: str, values: Sequence[Any]) -> None:
        """A table of the rows of a query. It replaces another of this name."""

    def append(self, name: str, sql: str, values: Sequence[Any]) -> None:
        """Adds the rows of a query to a table."""

    def rows(self, sql: str, values: Sequence[Any]) -> list[Row]: ...

    def batches(
        self, sql: str, values: Sequence[Any], at_once: int
    ) -> Iterable[list[Row]]:
        """The same rows, so many at a time; no other query meanwhile."""

    def arrow(self, sql: str, values: Sequence[Any]) -> Any:
        """The same rows, as a pyarrow.Table."""

    def columns(self, table: str) -> list[str]: ...

    def quoted(self, name: str) -> str: ...


# With some hundred MB for the values and for their groups.
_MOST_ROWS = 12_000_000


class DuckDb:
    """A database of this process, in memory."""

    most_rows: int | None = _MOST_ROWS

    def __init__(self) -> None:
        self._db = duckdb.connect()
        self._db.execute("SET TimeZone='UTC'")
        # It would be in the answer: DuckDB writes it to stdout.
        self._db.execute("SET enable_progress_bar=false")
        # As in Spark: null is the least value.
        self._db.execute(
            "SET default_null_order='nulls_first_on_asc_last_on_desc'"
        )

    def scan(self, name: str, paths: Sequence[str], part: bool) -> None:
        listed = ", ".join("'" + p.replace("'", "''") + "'" for p in paths)
        rows = f"read_parquet([{listed}], hive_partitioning = false"
        self.view(
            name,
            "SELECT * EXCLUDE filename, parse_filename(filename) AS part_file "
            f"FROM {rows}, filename = true)"
            if part
            else f"SELECT * FROM {rows})",
        )

    def empty(self, name: str, columns: Mapping[str, str]) -> None:
        listed = ", ".join(
            f"{self.quoted(column)} {kind}" for column, kind in columns.items()
        )
        self._db.execute(f"CREATE TABLE {name} ({listed})")

    def view(self, name: str, sql: str) -> None:
        self._db.execute(f"CREATE VIEW {name} AS {sql}")

    def table(self, name: str, sql: str, values: Sequence[Any]) -> None:
        self._db.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}", list(values)
        )

    def append(self, name: str, sql: str, values: Sequence[Any]) -> None:
        self._db.execute(f"INSERT INTO {name} {sql}", list(values))

    def rows(self, sql: str, values: Sequence[Any]) -> list[Row]:
        found: list[Row] = self._db.execute(sql, list(values)).fetchall()
        return found

    def batches(
        self, sql: str, values: Sequence[Any], at_once: int
    ) -> Iterable[list[Row]]:
        found = self._db.execute(sql, list(values))
        while rows := found.fetchmany(at_once):
            yield rows

    def arrow(self, sql: str, values: Sequence[Any]) -> Any:
        return self._db.sql(sql, params=list(values)).to_arrow_table()

    def columns(self, table: str) -> list[str]:
        return [row[0] for row in self.rows(f"DESCRIBE {table}", [])]

    def quoted(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'
