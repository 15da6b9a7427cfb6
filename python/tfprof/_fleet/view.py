"""A dataset as tables of a database, without what must not be counted.

    fleet = open_fleet("dataset")        # or "dataset/run=R"
    fleet.rows("SELECT rank, own_nanos FROM rank_steps")

The tables `steps`, `account`, `ops`, `collectives`, `phases` and `memory` have
only rows of complete files, one file for each rank. `all_files` has a row for
each file, with the status that it has among the others: of several complete
files of a rank, the first path counts and the others are `double`; a file whose
rank neither its name nor its content says is `unranked`, or `workers` if its
operations say which worker of a pipeline they are of. Files that say another
number of ranks than most are of an `other_run`. The table `pipeline` has
those operations, of complete files with or without a rank; if several files
have a worker in a step, as with tensor parallelism, the first one counts.
`rank_steps` has one
row for each rank and step: the times of its device that has the longest own
time, which is the wall time without communication that nothing hides. In a
synchronous step all ranks take equally long; the slow one waits least in
collectives, so only its own time shows it. `device` is null if the rank has
only one. A worker of a pipeline waits in its gaps, so its own time has none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from tfprof._fleet.database import Database, DuckDb
from tfprof._fleet.dataset import SCHEMAS, Dataset, DatasetError
from tfprof._fleet.reading import ON_REQUEST, TABLES

# Where the questions run.
ENGINES = ("local", "spark")
_COUNTED = (*TABLES, *ON_REQUEST)
_MOST_LISTED = 5


class Fleet:
    """One run of a dataset. DatasetError: it cannot be used."""

    def __init__(self, name: str, database: Database) -> None:
        """`database` has the tables of no other run."""
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
        self.dataset.check_parts(self.run)
        self.expected: int | None = known[self.run].get("ranks")
        self._db = database
        self._made: set[str] = set()
        self._read("files", True)
        self.table("newest_files", _NEWEST)
        # If equal files are in two parts, only one of the parts counts.
        self._read("phases", bool(self.rows(_TWICE)))
        self.table("pipeline_files", _PIPELINE_FILES)
        self.table("all_files", _FILES)
        self._db.view("pipeline", _PIPELINE)
        self.table("counted", _COUNTED_FILES)
        mixed = {part for (part,) in self.rows(_MIXED_PARTS)}
        for table in _COUNTED:
            self._count(table, mixed)
        self.table("rank_steps", _RANK_STEPS)
        self.has_ranks = self._read_ranks()

    def rows(
        self, sql: str, values: Sequence[Any] = ()
    ) -> list[tuple[Any, ...]]:
        return self._db.rows(sql, values)

    def table(self, name: str, sql: str, values: Sequence[Any] = ()) -> None:
        """Keeps the rows of a query as a table, instead of an older one."""
        self._db.table(name, sql, values)

    def table_once(self, name: str, sql: str) -> None:
        """Keeps the rows of a query as a table, unless there is the table."""
        if name not in self._made:
            self._made.add(name)
            self.table(name, sql)

    def table_in_parts(
        self,
        name: str,
        sql: str,
        column: str,
        values: Sequence[Any] | None = None,
    ) -> None:
        """Keeps the rows of a query of `ops`, unless there is the table.

        Its groups must each have one value of the column, by which {part} in
        `sql` chooses some of them at a time: all ranks or steps, or `values`.
        """
        if name in self._made:
            return
        self._made.add(name)
        # Files say their ranks, so that no row is looked at.
        kept = "all_files WHERE status = 'ok'" if column == "rank" else "ops"
        kinds = [
            row[0]
            for row in self.rows(
                f"SELECT DISTINCT {column} FROM {kept} ORDER BY {column}"
            )
        ]
        chosen = kinds if values is None else sorted(values)
        at_once = max(1, len(chosen))
        if self._db.most_rows is not None:
            (rows,) = self.one("SELECT count(*) FROM ops")
            at_once = self._db.most_rows * len(kinds) // max(1, rows)
            at_once = max(1, at_once)
        keep = self._db.table
        for begin in range(0, max(1, len(chosen)), at_once):
            part = chosen[begin : begin + at_once]
            if not part:
                which, of_part = "FALSE", []
            else:
                # Bounds tell which Parquet files have none of them.
                which, of_part = (
                    f"{column} BETWEEN ? AND ?",
                    part[:1] + part[-1:],
                )
                if values is not None:
                    which += f" AND {column} IN ({', '.join('?' * len(part))})"
                    of_part = of_part + part
            keep(name, sql.replace("{part}", which), of_part)
            keep = self._db.append

    def arrow(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The same rows, as a pyarrow.Table."""
        return self._db.arrow(sql, values)

    def batches(
        self, sql: str, values: Sequence[Any], at_once: int
    ) -> Iterable[list[tuple[Any, ...]]]:
        """The same rows, so many at a time; no other query meanwhile."""
        return self._db.batches(sql, values, at_once)

    def one(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...]:
        return self.rows(sql, values)[0]

    def columns(self, table: str) -> list[str]:
        return self._db.columns(table)

    def quoted(self, name: str) -> str:
        """A name from the data, as a name in SQL."""
        return self._db.quoted(name)

    def first_line(self) -> tuple[str, dict[str, Any], bool]:
        """How much of the run is here; facts; whether something is lost."""
        ranks, steps = self.one(
            "SELECT count(DISTINCT rank), count(DISTINCT step) FROM rank_steps"
        )
        listed = {
            row[0]
            for row in self.rows(
                "SELECT DISTINCT rank FROM all_files WHERE rank IS NOT NULL "
                "AND status <> 'other_run'"
            )
        }
        expected = self.expected
        if expected is None:
            (size,) = self.one(
                "SELECT max(world_size) FROM all_files WHERE status = 'ok'"
            )
            expected = max(size or 0, max(listed, default=-1) + 1)
        missing = sorted(set(range(expected)) - listed)
        by_status: dict[str, list[Any]] = {}
        for status, rank, path in self.rows(
            "SELECT status, rank, path FROM all_files WHERE status <> 'ok' "
            "ORDER BY rank NULLS LAST, path"
        ):
            by_status.setdefault(status, []).append(
                os.path.basename(path) if rank is None else rank
            )
        lacking = self.one(_LACKING_STEPS)[0]
        texts = [f"ranks {ranks} of {expected}", f"steps {steps}"]
        if not ranks and "workers" in by_status:
            workers, steps = self.one(
                "SELECT count(DISTINCT (dp, stage)), count(DISTINCT step) "
                "FROM pipeline"
            )
            texts = [f"workers of a pipeline {workers}", f"steps {steps}"]
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
            what = "files of workers" if status == "workers" else status
            texts.append(_counted(what, by_status[status]))
        texts.append(f"rank-steps missing {lacking}")
        facts["missing_rank_steps"] = lacking
        facts["files"] = dict(
            self.rows(
                "SELECT status, count(*) FROM all_files GROUP BY status "
                "ORDER BY status = 'ok' DESC, status"
            )
        )
        lost = (
            bool(missing)
            or lacking > 0
            or bool(set(facts["files"]) - {"ok", "workers"})
        )
        return ", ".join(texts), facts, lost

    def _parts(self, table: str) -> list[str]:
        return [
            path
            for path in self.dataset.parts(table)
            if os.path.basename(os.path.dirname(path)) == f"run={self.run}"
        ]

    def _count(self, table: str, mixed: set[str]) -> None:
        """Makes the view or table of the rows that count.

        To compare the files of tens of millions of rows takes long, so only
        parts of which something does not count are looked at.
        """
        names = ", ".join(map(self.quoted, SCHEMAS[table].names))
        halves = []
        for name, with_parts, sql in (
            ("whole", False, "SELECT {} FROM {}"),
            (
                "mixed",
                True,
                "SELECT {} FROM {} t SEMI JOIN counted f "
                "ON t.src = f.src AND t.part_file = f.part_file",
            ),
        ):
            parts = [
                path
                for path in self._parts(table)
                if (os.path.basename(path) in mixed) == with_parts
            ]
            if parts:
                self._db.scan(f"{name}_{table}", parts, with_parts)
                halves.append(sql.format(names, f"{name}_{table}"))
        if halves:
            self._db.view(table, " UNION ALL ".join(halves))
        else:
            self._empty(table, table)

    def _read(self, table: str, with_parts: bool) -> None:
        """Makes the view or table read_TABLE of the rows of all files."""
        parts = self._parts(table)
        if parts:
            once = not with_parts or table == "files"
            name = f"read_{table}" if once else f"parts_of_{table}"
            self._db.scan(name, parts, with_parts)
            if not once:
                self._db.view(
                    f"read_{table}",
                    f"SELECT t.* FROM {name} t SEMI JOIN newest_files f "
                    "ON t.src = f.src AND t.part_file = f.part_file",
                )
            return
        self._empty(f"read_{table}", table)

    def _empty(self, name: str, table: str) -> None:
        columns = {
            field.name: "BIGINT" if field.type == "int64" else "STRING"
            for field in SCHEMAS[table]
        }
        if table == "files":
            columns["part_file"] = "STRING"
        self._db.empty(name, columns)

    def _read_ranks(self) -> bool:
        """The rank map, as the table `ranks`."""
        for path in self.dataset.parts("ranks"):
            if os.path.basename(os.path.dirname(path)) == f"run={self.run}":
                self._db.scan("ranks", [path], False)
                return True
        return False


def open_fleet(
    name: str, engine: str = "local", master: str | None = None
) -> Fleet:
    """A run of a dataset in DuckDB, or with engine="spark" in Spark."""
    if engine not in ENGINES:
        raise DatasetError(
            f"no engine {engine!r} answers; there are {', '.join(ENGINES)}"
        )
    if engine == "local":
        return Fleet(name, DuckDb())
    from tfprof._fleet.spark_database import SparkDatabase

    return Fleet(name, SparkDatabase(master))


def _counted(what: str, which: Sequence[Any]) -> str:
    """missing 7 (3, 4, 5, 6, 8, …)."""
    if not which:
        return f"{what} 0"
    each = list(dict.fromkeys(which))  # a rank may have two bad files
    shown = [str(one) for one in each[:_MOST_LISTED]]
    if len(each) > _MOST_LISTED:
        shown.append("…")
    return f"{what} {len(which)} ({', '.join(shown)})"


_TWICE = """
SELECT src FROM read_files GROUP BY src HAVING count(*) > 1 LIMIT 1"""

# A path that was read again counts once, as it was read last.
_NEWEST = """
SELECT * FROM (
  SELECT *, row_number() OVER (
    PARTITION BY path ORDER BY read_at DESC, part_file, src) AS newest
  FROM read_files)
WHERE newest = 1"""

_FILES = """
WITH sizes AS (
  SELECT world_size AS size, count(*) AS files FROM newest_files
  WHERE status = 'ok' AND world_size IS NOT NULL GROUP BY world_size
), most AS (
  SELECT max_by(size, (files, -size)) AS size FROM sizes
), numbered AS (
  SELECT n.*, coalesce(world_size <> m.size, FALSE) AS other,
    row_number() OVER (PARTITION BY rank
      ORDER BY status <> 'ok', coalesce(world_size <> m.size, FALSE), path
    ) AS place
  FROM newest_files n CROSS JOIN most m
)
SELECT n.src, path, rank, name_rank, world_size, size, rows, steps,
  message, status AS read_status,
  CASE WHEN status = 'ok' AND other THEN 'other_run'
       WHEN status = 'ok' AND rank IS NULL THEN
         CASE WHEN w.src IS NULL THEN 'unranked' ELSE 'workers' END
       WHEN status = 'ok' AND place > 1 THEN 'double'
       ELSE status END AS status
FROM numbered n LEFT JOIN pipeline_files w ON n.src = w.src"""

_COUNTED_FILES = """
SELECT n.src, n.part_file FROM newest_files n SEMI JOIN (
  SELECT src FROM all_files WHERE status = 'ok') f ON n.src = f.src"""

_MIXED_PARTS = """
SELECT DISTINCT r.part_file FROM read_files r LEFT JOIN counted c
ON r.src = c.src AND r.part_file = c.part_file WHERE c.src IS NULL"""

_PIPELINE = """
WITH named AS (
  SELECT p.* FROM read_phases p JOIN all_files f ON p.src = f.src
  WHERE f.status IN ('ok', 'workers') AND p.dp IS NOT NULL
    AND p.stage IS NOT NULL
), first_of AS (
  SELECT dp, stage, step, min_by(src, (coalesce(rank, -1), src)) AS src
  FROM named GROUP BY dp, stage, step
)
SELECT n.* FROM named n SEMI JOIN first_of f
ON n.src = f.src AND n.dp = f.dp AND n.stage = f.stage AND n.step = f.step"""

# All times are of one device, so that they add up.
_RANK_STEPS = """
WITH owned AS (
  SELECT s.*, wall_nanos - exposed_communication_nanos
    - CASE WHEN p.src IS NULL THEN 0 ELSE idle_nanos END AS own_nanos
  FROM steps s LEFT JOIN pipeline_files p ON s.src = p.src
), placed AS (
  SELECT *, count(*) OVER (PARTITION BY rank, step) AS devices,
    row_number() OVER (PARTITION BY rank, step
      ORDER BY own_nanos DESC, compute_nanos DESC, device) AS place
  FROM owned
)
SELECT rank, step, CASE WHEN devices > 1
    THEN regexp_replace(device, '^rank [0-9]+ ', '') END AS device,
  wall_nanos, own_nanos, compute_nanos, communication_nanos,
  exposed_communication_nanos, copies_nanos, idle_nanos
FROM placed WHERE place = 1"""

# The files whose operations name the worker of a pipeline.
_PIPELINE_FILES = """
SELECT DISTINCT src FROM read_phases
WHERE stage IS NOT NULL AND dp IS NOT NULL"""

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
