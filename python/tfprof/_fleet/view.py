"""A dataset as tables of DuckDB, without what must not be counted.

    fleet = Fleet("dataset")             # or "dataset/run=R"
    fleet.rows("SELECT rank, own_nanos FROM rank_steps")

The tables `steps`, `account`, `ops`, `collectives`, `phases` and `memory` have
only rows of complete files, one file for each rank. `all_files` has a row for
each file, with the status that it has among the others: of several complete
files of a rank, the first path counts and the others are `double`; a file whose
rank neither its name nor its content says is `unranked`, or `workers` if its
operations say which worker of a pipeline they are of. The table `pipeline` has
those operations, of complete files with or without a rank; if several files
have a worker in a step, as with tensor parallelism, the first one counts.
`rank_steps` has one
row for each rank and step: the longest wall time of its devices, and the
longest own time, which is the wall time without communication that nothing
hides. In a synchronous step all ranks take equally long; the slow one waits
least in collectives, so only its own time shows it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import duckdb

from tfprof._fleet.dataset import SCHEMAS, Dataset, DatasetError
from tfprof._fleet.reading import ON_REQUEST, TABLES

_COUNTED = (*TABLES, *ON_REQUEST)
_MOST_LISTED = 5


class Fleet:
    """One run of a dataset. DatasetError: it cannot be used."""

    def __init__(self, name: str) -> None:
        folder, _, run = name.rstrip("/").partition("/run=")
        self.dataset = Dataset(folder)
        self.dataset.head()
        known = self.dataset.runs()
        runs = sorted(known)
        if not run and len(runs) > 1:
            raise DatasetError(
                f"{folder} has several runs: {', '.join(runs)}. Name one: "
                f"{folder}/run={runs[0]}"
            )
        self.run = run or (runs[0] if runs else "")
        if self.run not in known:
            raise DatasetError(
                f"{folder} has no run {self.run!r}; there are: "
                + (", ".join(runs) or "none")
            )
        self.expected: int | None = known[self.run].get("ranks")
        self._db = duckdb.connect()
        self._db.execute("SET TimeZone='UTC'")
        self._read("files", True)
        self._db.execute(_NEWEST)
        # If equal files are in two parts, only one of the parts counts.
        twice = bool(self.rows(_TWICE))
        for table in _COUNTED:
            self._read(table, twice)
        self._db.execute(_FILES)
        self._db.execute(_PIPELINE)
        for table in _COUNTED:
            self._db.execute(
                f"CREATE VIEW {table} AS SELECT t.* FROM read_{table} t "
                "SEMI JOIN (SELECT src FROM all_files WHERE status = 'ok') f "
                "ON t.src = f.src"
            )
        self._db.execute(_RANK_STEPS)
        self.has_ranks = self._read_ranks()

    def rows(
        self, sql: str, values: Sequence[Any] = ()
    ) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._db.execute(
            sql, list(values)
        ).fetchall()
        return found

    def arrow(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The same rows, as a pyarrow.Table."""
        return self._db.sql(sql, params=list(values)).to_arrow_table()

    def batches(
        self, sql: str, values: Sequence[Any], at_once: int
    ) -> Iterable[list[tuple[Any, ...]]]:
        """The same rows, so many at a time; no other query meanwhile."""
        found = self._db.execute(sql, list(values))
        while rows := found.fetchmany(at_once):
            yield rows

    def one(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...]:
        return self.rows(sql, values)[0]

    def columns(self, table: str) -> list[str]:
        return [row[0] for row in self.rows(f"DESCRIBE {table}")]

    def first_line(self) -> tuple[str, dict[str, Any], bool]:
        """How much of the run is here; facts; whether something is lost."""
        ranks, steps = self.one(
            "SELECT count(DISTINCT rank), count(DISTINCT step) FROM rank_steps"
        )
        listed = {
            row[0]
            for row in self.rows(
                "SELECT DISTINCT rank FROM all_files WHERE rank IS NOT NULL"
            )
        }
        expected = self.expected
        if expected is None:
            expected = max(listed, default=-1) + 1
        missing = sorted(set(range(expected)) - listed)
        by_status: dict[str, list[Any]] = {}
        for status, rank, path in self.rows(
            "SELECT status, rank, path FROM all_files WHERE status <> 'ok' "
            "ORDER BY rank, path"
        ):
            by_status.setdefault(status, []).append(
                os.path.basename(path) if rank is None else rank
            )
        lacking = self.one(_LACKING_STEPS)[0]
        texts = [f"ranks {ranks} of {expected}", f"steps {steps}"]
        facts: dict[str, Any] = {
            "run": self.run,
            "ranks": ranks,
            "expected_ranks": expected,
            "expected_is_given": self.expected is not None,
            "steps": steps,
            "missing": missing,
        }
        texts.append(_counted("missing", missing))
        for status in ("partial", "corrupt", "empty", "double"):
            texts.append(_counted(status, by_status.pop(status, [])))
        for status in sorted(by_status):
            texts.append(_counted(status, by_status[status]))
        texts.append(f"rank-steps missing {lacking}")
        facts["missing_rank_steps"] = lacking
        facts["files"] = dict(
            self.rows("SELECT status, count(*) FROM all_files GROUP BY status")
        )
        lost = (
            bool(missing)
            or lacking > 0
            or bool(set(facts["files"]) - {"ok", "workers"})
        )
        return ", ".join(texts), facts, lost

    def _read(self, table: str, with_parts: bool) -> None:
        """Makes the view or table read_TABLE of the rows of all files."""
        parts = [
            path
            for path in self.dataset.parts(table)
            if os.path.basename(os.path.dirname(path)) == f"run={self.run}"
        ]
        if parts:
            paths = ", ".join("'" + p.replace("'", "''") + "'" for p in parts)
            rows = f"read_parquet([{paths}], hive_partitioning = false"
            if not with_parts:
                select = f"SELECT * FROM {rows})"
            elif table == "files":
                select = (
                    "SELECT * EXCLUDE filename, parse_filename(filename) AS "
                    f"part FROM {rows}, filename = true)"
                )
            else:
                select = (
                    f"SELECT t.* EXCLUDE filename FROM {rows}, filename = true"
                    ") t SEMI JOIN newest_files f ON t.src = f.src "
                    "AND parse_filename(t.filename) = f.part"
                )
            self._db.execute(f"CREATE VIEW read_{table} AS {select}")
            return
        columns = ", ".join(
            f'"{field.name}" {"BIGINT" if field.type == "int64" else "VARCHAR"}'
            for field in SCHEMAS[table]
        )
        if table == "files":
            columns += ", part VARCHAR"
        self._db.execute(f"CREATE TABLE read_{table} ({columns})")

    def _read_ranks(self) -> bool:
        """The rank map, as the table `ranks`."""
        for path in self.dataset.parts("ranks"):
            if os.path.basename(os.path.dirname(path)) == f"run={self.run}":
                text = path.replace("'", "''")
                self._db.execute(
                    "CREATE VIEW ranks AS SELECT * FROM "
                    f"read_parquet('{text}', hive_partitioning = false)"
                )
                return True
        return False


def _counted(what: str, which: Sequence[Any]) -> str:
    """missing 7 (3, 4, 5, 6, 8, …)."""
    if not which:
        return f"{what} 0"
    shown = [str(one) for one in which[:_MOST_LISTED]]
    if len(which) > _MOST_LISTED:
        shown.append("…")
    return f"{what} {len(which)} ({', '.join(shown)})"


_TWICE = """
SELECT src FROM read_files GROUP BY src HAVING count(*) > 1 LIMIT 1"""

# A path that was read again counts once, as it was read last.
_NEWEST = """
CREATE TABLE newest_files AS
SELECT * FROM read_files QUALIFY row_number() OVER (
  PARTITION BY path ORDER BY read_at DESC, part) = 1"""

_FILES = """
CREATE TABLE all_files AS
WITH numbered AS (
  SELECT *, row_number() OVER (
    PARTITION BY rank ORDER BY status <> 'ok', path) AS place
  FROM newest_files
)
SELECT src, path, rank, size, rows, steps, message, status AS read_status,
  CASE WHEN status = 'ok' AND rank IS NULL THEN
         CASE WHEN src IN (SELECT src FROM read_phases WHERE stage IS NOT NULL
           AND dp IS NOT NULL) THEN 'workers' ELSE 'unranked' END
       WHEN status = 'ok' AND place > 1 THEN 'double'
       ELSE status END AS status
FROM numbered"""

_PIPELINE = """
CREATE VIEW pipeline AS
WITH named AS (
  SELECT p.* FROM read_phases p JOIN all_files f ON p.src = f.src
  WHERE f.status IN ('ok', 'workers') AND p.dp IS NOT NULL
    AND p.stage IS NOT NULL
), first_of AS (
  SELECT dp, stage, step, arg_min(src, (coalesce(rank, -1), src)) AS src
  FROM named GROUP BY dp, stage, step
)
SELECT n.* FROM named n SEMI JOIN first_of f
ON n.src = f.src AND n.dp = f.dp AND n.stage = f.stage AND n.step = f.step"""

_RANK_STEPS = """
CREATE TABLE rank_steps AS
SELECT rank, step, max(wall_nanos) AS wall_nanos,
  max(wall_nanos - exposed_communication_nanos) AS own_nanos,
  max(compute_nanos) AS compute_nanos,
  max(communication_nanos) AS communication_nanos,
  max(exposed_communication_nanos) AS exposed_communication_nanos,
  max(copies_nanos) AS copies_nanos,
  max(idle_nanos) AS idle_nanos
FROM steps GROUP BY rank, step"""

# Steps that more than half of the ranks have, and a rank does not.
_LACKING_STEPS = """
WITH ranks_here AS (SELECT DISTINCT rank FROM rank_steps),
common AS (
  SELECT step FROM rank_steps GROUP BY step
  HAVING 2 * count(*) > (SELECT count(*) FROM ranks_here)
)
SELECT count(*) FROM (
  SELECT rank, step FROM ranks_here CROSS JOIN common
  EXCEPT SELECT rank, step FROM rank_steps)"""
