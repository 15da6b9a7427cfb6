#!/usr/bin/env python3
"""Tests that Arrow streams have the rows that JSON has, with pyarrow.

Usage: tests/fleet/arrow_test.py --bin=bazel-bin/profiler/tfprof
           --python=PYTHON [TEST…]

PYTHON has pyarrow; `./dev test-fleet` makes it. The files are the profiles of
tests/golden and made traces with other texts and numbers for each seed. Writes
JUnit XML to $XML_OUTPUT_FILE.
"""

import json
import os
import random
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)

import fleet_program as program
import junit_runner

PROFILES = os.path.join(os.path.dirname(HERE), "golden", "profiles")
SEEDS = 8
# Of the program, to the rows of a batch.
BATCH = 1 << 16
# Each is also the beginning of a longer name.
NAMES = (
    b"aten::mm",
    "größe".encode(),
    "行列 \N{MULTIPLICATION SIGN} 🚀".encode(),
    b"not UTF-8 \xff\xc3",
    b'quotes \\" and \\\\',
    b"line\\nfeed \\u0001",
    b"x" * 5000,
)

binary = ""  # of junit_runner.main()

# Reads the file of the first argument with pyarrow and with the package, and
# prints the tables of both.
READ = """
import json, sys
import pyarrow as pa
from tfprof._engine import arrow

with open(sys.argv[1], "rb") as file:
    data = file.read()
tables, names, batches = {}, [], {}
source = pa.BufferReader(data)
while source.tell() < source.size():
    with pa.ipc.open_stream(source) as reader:
        found = list(reader)
        schema = reader.schema
    table = pa.Table.from_batches(found, schema)
    table.validate(full=True)
    head = json.loads(schema.metadata[b"tfprof"])
    name = schema.metadata[b"table"].decode()
    names.append(name)
    batches[name] = [batch.num_rows for batch in found]
    tables[name] = {
        "head": head,
        "columns": [[f.name, f.metadata[b"unit"].decode(), str(f.type)]
                    for f in schema],
        "rows": [list(row) for row in zip(*table.to_pydict().values())],
    }
own = {}
for stream in arrow.read_streams(data):
    columns = [c.slice(0, stream.rows) for c in stream.columns]
    own[stream.name] = {
        "facts": stream.facts,
        "columns": [[c.name, c.unit] for c in stream.columns],
        "rows": [list(row) for row in zip(*columns)],
        # The same, by a few rows at a time.
        "pieces": [
            value for begin in range(0, stream.rows, 50_000)
            for value in stream.columns[-1].slice(
                begin, min(stream.rows, begin + 50_000))
        ] == columns[-1],
    }
print(json.dumps([names, tables, own, batches]))
"""


def made_trace(seed):
    """A Kineto trace of random events, as bytes that need not be UTF-8."""
    rng = random.Random(seed)
    names = [rng.choice(NAMES) + b"%d" % i for i in range(rng.randint(1, 40))]
    events = []
    at = 0
    for i in range(rng.randint(1, 400)):
        at += rng.randint(0, 50)
        kernel = rng.random() < 0.4
        args = {"External id": i, "correlation": rng.randint(0, 99)}
        if kernel:
            args |= {"device": rng.randint(0, 1), "stream": rng.randint(0, 9)}
        event = {
            "ph": "X",
            "cat": "kernel"
            if kernel
            else rng.choice(["cpu_op", "cuda_runtime"]),
            "name": "@NAME%d@" % i,
            "pid": rng.randint(0, 1) if kernel else 9,
            "tid": rng.randint(0, 3),
            "ts": at,
            "dur": rng.randint(0, 40),
            "args": args,
        }
        if rng.random() < 0.1:
            del event["args"]
        events.append(event)
    data = json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()
    for i in range(len(events)):
        data = data.replace(b"@NAME%d@" % i, rng.choice(names))
    return data


class ArrowTest(unittest.TestCase):
    def write(self, name, data):
        path = program.path(name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def check(self, file, *tables):
        """The names of the tables, and the rows of each batch."""
        made = program.path("rows.arrows")
        words = [binary, file, "rows", *tables, "-output"]
        asked = subprocess.run(
            [*words, f"arrow:outfile={made}"], capture_output=True
        )
        self.assertIn(asked.returncode, (0, 1), asked.stderr)
        text = subprocess.run([*words, "json"], capture_output=True).stdout
        expected = json.loads(text)
        # It is of the whole answer, and a stream is a table of its own.
        del expected["facts"]["command"]
        done = program.run("-c", READ, made)
        self.assertEqual(done.returncode, 0, done.stderr)
        names, found, own, batches = json.loads(done.stdout)
        self.assertEqual(names, list(expected["tables"]))
        for name, table in expected["tables"].items():
            columns = [[c["name"], c["unit"]] for c in table["columns"]]
            rows = [list(row.values()) for row in table["rows"]]
            self.assertEqual(
                found[name]["columns"],
                [
                    [
                        *column,
                        "dictionary<values=string, indices=int32, ordered=0>"
                        if column[1] == "text"
                        else "int64",
                    ]
                    for column in columns
                ],
            )
            self.assertEqual(found[name]["rows"], rows, name)
            self.assertEqual(
                found[name]["head"],
                {
                    key: of[key]
                    for of, keys in (
                        (expected, ("schema", "version", "facts")),
                        (table, ("returned", "total", "truncated")),
                    )
                    for key in keys
                },
            )
            self.assertEqual(
                own[name],
                {
                    "facts": expected["facts"],
                    "columns": columns,
                    "rows": rows,
                    "pieces": True,
                },
            )
        return expected["tables"], batches

    def test_recorded_profiles(self):
        empty = full = 0
        for folder in sorted(os.listdir(PROFILES)):
            file = os.path.join(PROFILES, folder, "profile.pb")
            if not os.path.isfile(file) or not os.path.getsize(file):
                continue
            with self.subTest(profile=folder):
                tables, _ = self.check(file)
                empty += sum(not t["rows"] for t in tables.values())
                full += sum(bool(t["rows"]) for t in tables.values())
        self.assertGreater(min(empty, full), 10)

    def test_random_traces(self):
        missing = strange = 0
        for seed in range(SEEDS):
            file = self.write("random.json", made_trace(seed))
            with self.subTest(seed=seed):
                tables, _ = self.check(file, "executions", "links", "ops")
                for row in tables["executions"]["rows"]:
                    missing += None in row.values()
                    strange += not row["name"].isascii()
        self.assertGreater(missing, 100)
        self.assertGreater(strange, 100)

    def test_more_than_a_batch(self):
        count = BATCH + 1000
        events = [
            {
                "ph": "X",
                "cat": "cpu_op",
                "name": "op%d" % (i // 1000),
                "pid": 1,
                "tid": 1,
                "ts": 2 * i,
                "dur": 1,
            }
            for i in range(count)
        ]
        file = self.write(
            "many.json",
            json.dumps({"schemaVersion": 1, "traceEvents": events}).encode(),
        )
        _, batches = self.check(file, "executions")
        self.assertEqual(batches["executions"], [BATCH, 1000])

    def test_only_rows_have_streams(self):
        file = os.path.join(PROFILES, "tiny_const", "profile.pb")
        done = subprocess.run(
            [binary, file, "op", "-output", "arrow"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("op has no arrow", done.stderr)


def setUpModule():
    program.start(binary)


def tearDownModule():
    program.stop()


if __name__ == "__main__":
    program.take_python()
    sys.exit(junit_runner.main("arrow_test"))
