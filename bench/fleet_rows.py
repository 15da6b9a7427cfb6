#!/usr/bin/env python3
"""Measures questions about a dataset of made rows of many ranks.

    PYTHON bench/fleet_rows.py FOLDER [--ranks 10000] [--steps 100] [--ops 34]
        [--questions QUESTION …] [--check]

PYTHON has duckdb and pyarrow. Makes FOLDER/new.dataset, unless it is there: a
row of `ops` for each rank, step and operation, and the rows of the other
tables that such a job has. Times vary by rank and step (1 %) and otherwise
(5 %); rank 137 takes 1.25 times as long. Then asks each question in a process
of its own, and prints its seconds by a clock and of CPU, and the most memory.
--check makes a second dataset, in which one operation takes 8 % less, and
compares both.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

RANKS_OF_PART = 64
# Of the ranks that are one data-parallel group.
GROUP = 8
QUESTIONS = (
    "overview",
    "stragglers",
    "collectives",
    "bubbles",
    "drift",
    "memory",
    "what_if",
    "files",
    "-by op",
    "-by class",
    "-by rank",
    "-by step",
)

# Nearly normal: the sum of four numbers that are equally likely, for each seed
# and place.
NORMAL = """
CREATE MACRO normal(a, b, c, d) AS 1.7320508 * ((
  hash(a, b, c, d) % 65536 + (hash(a, b, c, d) >> 16) % 65536
  + (hash(a, b, c, d) >> 32) % 65536 + (hash(a, b, c, d) >> 48) % 65536
) / 65536.0 - 2)"""
OPS = """
CREATE OR REPLACE TABLE ops AS SELECT
  printf('%032x', r) AS src, r AS rank, s AS step,
  printf('aten::operation_%02d', o) AS name,
  CASE WHEN o = $ops - 1 THEN 'copy' ELSE 'compute' END AS class,
  10 AS runs,
  CAST(100000 * (1 + o)
    * (CASE WHEN r = 137 THEN 1.25 ELSE 1 END)
    * (CASE WHEN o = 3 THEN $factor ELSE 1 END)
    * (1 + 0.01 * normal($seed, r, -1, -1) + 0.01 * normal($seed, -1, s, -1)
      + 0.05 * normal($seed, r, s, o)) AS BIGINT) AS self_nanos,
  CAST(90000 * (1 + o) AS BIGINT) AS accelerator_nanos,
  0 AS bytes, 0 AS float_ops
FROM range($first, $last) ranks(r), range($steps) steps(s), range($ops) o(o)"""
STEPS = """
CREATE OR REPLACE TABLE steps AS SELECT
  src, rank, step, 'gpu:0' AS device, 1 AS accelerator,
  step * $wall AS start_nanos, $wall AS wall_nanos,
  $wall - 1000000 AS busy_nanos, sum(self_nanos) AS compute_nanos,
  $wall - 1000000 - sum(self_nanos) AS communication_nanos,
  $wall - 1000000 - sum(self_nanos) AS exposed_communication_nanos,
  0 AS copies_nanos, 1000000 AS idle_nanos, 340 AS executions
FROM ops GROUP BY src, rank, step"""
REST = {
    "account": """
SELECT src, rank, step, 'gpu:0' AS device,
  unnest(['matrix_products', 'elementwise', 'communication', 'input',
    'launches']) AS part,
  unnest(['compute', 'compute', 'communication', 'idle', 'idle']) AS kind,
  unnest([compute_nanos // 2, compute_nanos - compute_nanos // 2,
    communication_nanos, 700000, 300000]) AS nanos FROM steps""",
    "collectives": f"""
SELECT src, rank, step, 'gpu:0' AS device,
  CAST(rank // {GROUP} AS VARCHAR) AS communicator, step AS sequence,
  'allreduce' AS kind, 16384 AS bytes,
  start_nanos + compute_nanos AS start_nanos,
  start_nanos + wall_nanos AS end_nanos, NULL AS state FROM steps""",
    "memory": """
SELECT src, rank, step, 'gpu:0' AS device, NULL AS counter,
  CAST(4e10 * (1 + 0.001 * normal($seed, rank, step, -2)) AS BIGINT)
    AS allocator_peak_bytes,
  NULL AS node_peak_bytes, NULL AS counter_peak_bytes,
  80000000000 AS capacity_bytes FROM steps""",
}


def table(database, name, sql, values):
    """A query as a table with the columns of the dataset."""
    from tfprof._fleet.dataset import SCHEMAS

    schema = SCHEMAS[name]
    columns = ", ".join(
        f'CAST("{c.name}" AS '
        f'{"BIGINT" if c.type == "int64" else "VARCHAR"}) AS "{c.name}"'
        for c in schema
    )
    used = {key: values[key] for key in values if f"${key}" in sql}
    found = database.sql(f"SELECT {columns} FROM ({sql})", params=used)
    return found.to_arrow_table().cast(schema)


def make(folder, ranks, steps, ops, seed, factor):
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import duckdb

    from tfprof._fleet.dataset import Dataset

    dataset = Dataset(folder)
    dataset.write_head()
    dataset.write_run("default", {"ranks": ranks})
    database = duckdb.connect()
    database.execute("SET enable_progress_bar=false")
    database.execute(NORMAL)
    values = {"ops": ops, "steps": steps, "seed": seed, "factor": factor}
    # Longer than any rank computes, so that all of them wait.
    values["wall"] = 2000000 + int(100000 * 1.5 * ops * (ops + 1) / 2)
    for first in range(0, ranks, RANKS_OF_PART):
        last = min(ranks, first + RANKS_OF_PART)
        bounds = {**values, "first": first, "last": last}
        for sql in (OPS, STEPS):
            used = {k: v for k, v in bounds.items() if f"${k}" in sql}
            database.execute(sql, used)
        tables = {
            name: table(database, name, f"FROM {name}", {})
            for name in ("ops", "steps")
        }
        for name, sql in REST.items():
            tables[name] = table(database, name, sql, values)
        files = [
            {
                "src": f"{rank:032x}",
                "path": f"/traces/rank_{rank}.json",
                "rank": rank,
                "size": 17_700_000,
                "key": f"{rank:032x}",
                "status": "ok",
                "message": "",
                "rows": sum(t.num_rows for t in tables.values())
                // (last - first),
                "steps": steps,
                "read_at": 1,
            }
            for rank in range(first, last)
        ]
        dataset.write_part("default", f"{first:032x}", files, tables)


def ask(words):
    begin = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "tfprof", "fleet", *words],
        env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")},
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)}: exit status {process.returncode}")
    print(
        f"{' '.join(map(os.path.basename, words))}: "
        f"{time.monotonic() - begin:.1f} s, "
        f"{used.ru_utime + used.ru_stime:.1f} s CPU, "
        f"{used.ru_maxrss / 1024:.0f} MB",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--ranks", type=int, default=10000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--ops", type=int, default=34)
    parser.add_argument("--questions", nargs="*", default=QUESTIONS)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    new = os.path.join(given.folder, "new.dataset")
    base = os.path.join(given.folder, "base.dataset")
    wanted = [(new, 1, 1.08)] + ([(base, 2, 1.0)] if given.check else [])
    for name, seed, factor in wanted:
        if not os.path.exists(name):
            # What a process has when it starts another one counts as memory
            # of the other one, so this one stays small.
            process = multiprocessing.get_context("spawn").Process(
                target=make,
                args=(name, given.ranks, given.steps, given.ops, seed, factor),
            )
            process.start()
            process.join()
            if process.exitcode:
                sys.exit(1)
    for question in given.questions:
        ask([new, *question.split()])
    if given.check:
        ask(["check", base, new])


if __name__ == "__main__":
    main()
