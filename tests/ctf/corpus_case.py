"""A case of the corpus: what agrees, and what the program says of its trace."""

import decimal
import json
import os
import subprocess
import tempfile

TIMEOUT = 120


class Failure(Exception):
    """The program did not answer."""


def status_tables(program, *paths):
    """The tables of the command `status`, by name, as lists of dicts."""
    command = [program, *paths, "status", "-output", "json"]
    run = subprocess.run(
        command, capture_output=True, timeout=TIMEOUT, check=False
    )
    if run.returncode not in (0, 1) or not run.stdout:
        raise Failure(f"status {run.returncode}: {run.stderr[:300]!r}")
    document = json.loads(run.stdout)
    return collect_tables(document)


def collect_tables(value, tables=None):
    """Finds all tables with columns and rows, at any depth."""
    tables = {} if tables is None else tables
    if isinstance(value, dict):
        for key, member in value.items():
            if key.startswith("trace") and "rows" in member:
                tables[key] = member["rows"]
            else:
                collect_tables(member, tables)
    elif isinstance(value, list):
        for member in value:
            collect_tables(member, tables)
    return tables


class Case:
    """Counts what agrees for one case."""

    def __init__(self, name):
        self.name = name
        self.passed = 0
        self.failed = []

    def check(self, what, found, expected):
        if found == expected:
            self.passed += 1
        else:
            self.failed.append(f"{what}: found {found!r}, not {expected!r}")

    def true(self, what, condition, detail=""):
        if condition:
            self.passed += 1
        else:
            self.failed.append(f"{what} {detail}")


def by(rows, key, *values):
    """Rows as a dict from one column to a tuple of others, or to one."""

    def pick(row):
        return (
            row.get(values[0])
            if len(values) == 1
            else tuple(row.get(v) for v in values)
        )

    return {row[key]: pick(row) for row in rows or []}


def sums_of(reference):
    return {
        name: (s["count"], s["total_ns"], s["min_ns"], s["max_ns"])
        for name, s in reference.items()
    }


def script_answer(program, name, *paths):
    """The lines that `status` prints as the file of an old script."""
    run = subprocess.run(
        [program, *paths, "status", "-output", f"script:name={name}"],
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    if run.returncode not in (0, 1) or not run.stdout:
        raise Failure(f"{name} {run.returncode}: {run.stderr[:300]!r}")
    return run.stdout.decode().split("\n")


def json_table(program, paths, *command):
    """The rows of a command with one table, as dicts."""
    run = subprocess.run(
        [program, *paths, *command, "-output", "json"],
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    if run.returncode not in (0, 1) or not run.stdout:
        raise Failure(f"{command} {run.returncode}: {run.stderr[:300]!r}")
    return json.loads(run.stdout)


def timeline_events(program, *paths):
    """The events of `timeline`, with times in nanoseconds."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "trace.json")
        run = subprocess.run(
            [program, *paths, "timeline", "-output", f"chrome:outfile={path}"],
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        if run.returncode not in (0, 1) or not os.path.exists(path):
            raise Failure(f"timeline {run.returncode}: {run.stderr[:300]!r}")
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            events = json.load(text, parse_float=decimal.Decimal)["traceEvents"]
    for event in events:
        for key in ("ts", "dur"):
            if key in event:
                event[key] = int(event[key] * 1000)
    return events
