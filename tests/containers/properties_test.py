#!/usr/bin/env python3
"""Random databases and memory snapshots have the numbers of plain SQL and of
the allocator that made them.

Usage: properties_test.py --bin=PROGRAM [TEST…]

* 200 exports of Nsight Systems and 200 databases of rocprof: the times of the
  devices, of the kernels and of the operations that launched them are what
  SQLite computes; calls of the system and samples of the CPU, too.
* 40 runs of a simulated allocator, with a snapshot at several moments of
  each: allocated, internal and external are those of the simulation and add up
  to what is reserved, for each device, pool and segment; the levels are right
  after each event.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import collections
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import allocator
import databases
import junit_runner

DATABASES = 200  # of each kind
RUNS = 40  # of the allocator
PARTS = ("allocated_bytes", "internal_bytes", "external_bytes")

binary = ""  # of junit_runner.main()


def answers(path, *commands):
    """The JSON of each command, of one process."""
    script = "".join("%s -output json\n" % command for command in commands)
    done = subprocess.run(
        [binary, path], input=script, capture_output=True, text=True, timeout=60
    )
    decoder = json.JSONDecoder()
    text, documents = done.stdout.lstrip(), []
    while text:
        document, end = decoder.raw_decode(text)
        documents.append(document)
        text = text[end:].lstrip()
    if len(documents) != len(commands):
        raise AssertionError("%s: %s" % (path, done.stderr or done.stdout))
    return documents


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    for row in table["rows"]:
        yield row if isinstance(row, dict) else dict(zip(names, row))


def nanos(micros):
    return round((micros or 0) * 1000)


class DatabaseTest(unittest.TestCase):
    def check(self, kind, name):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(DATABASES):
                path = os.path.join(folder, "%d.sqlite" % seed)
                database = kind(random.Random(seed), path)
                database.db.commit()
                with self.subTest(name, seed=seed):
                    self.check_one(database, path)
                database.close()
                os.remove(path)

    def check_one(self, database, path):
        devices, kernels, ops = answers(
            path,
            "devices -step all",
            "kernels -step all",
            "op -step all -max_depth 1000 -select "
            "accelerator_micros,cpu_micros,occurrence",
        )
        self.check_devices(database, devices)
        found = {
            row["name"]: (row["count"], nanos(row["sum_micros"]))
            for row in rows_of(kernels)
            if row["kind"] in ("kernel", "communication")
        }
        self.assertEqual(found, database.kernels())
        found = collections.Counter()
        cpu = {}
        for row in rows_of(ops):
            found[row["name"]] += nanos(row["self_accelerator_micros"])
            cpu[row["name"]] = row
        self.assertEqual(
            {n: t for n, t in found.items() if t}, database.by_operation()
        )
        if isinstance(database, databases.Nsys):
            self.check_host(database, cpu)

    def check_devices(self, database, devices):
        found = {}
        for row in rows_of(devices):
            if row["kind"] != "gpu":
                continue
            found[int(row["name"].rpartition(":")[2])] = row
        for column, kinds in (
            ("busy_micros", ("compute", "communication", "copy")),
            ("compute_micros", ("compute",)),
            ("communication_micros", ("communication",)),
        ):
            wanted = database.busy(*kinds)
            for device, row in found.items():
                self.assertEqual(
                    nanos(row[column]), wanted.pop(device, 0), column
                )
            self.assertEqual(wanted, {})

    def check_host(self, database, ops):
        for name, time in database.waits().items():
            self.assertEqual(nanos(ops[name]["self_cpu_micros"]), time, name)
        counts, period = database.samples()
        for name, count in counts.items():
            self.assertEqual(ops[name]["runs"], count, name)
            self.assertEqual(
                nanos(ops[name]["self_cpu_micros"]), count * period, name
            )

    def test_nsys(self):
        self.check(databases.Nsys, "nsys")

    def test_rocpd(self):
        self.check(databases.Rocpd, "rocpd")


class SnapshotTest(unittest.TestCase):
    def test_parts_add_up_at_every_moment(self):
        checked = 0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "snapshot.pickle")
            for seed in range(RUNS):
                generator = random.Random(seed)
                devices = [
                    allocator.Allocator(generator, device)
                    for device in range(generator.randint(1, 2))
                ]
                for _ in range(8):
                    for _ in range(generator.randint(1, 25)):
                        generator.choice(devices).act()
                    last = generator.choice((None, None, 5))
                    with open(path, "wb") as out:
                        pickle.dump(
                            allocator.snapshot(devices, last),
                            out,
                            generator.randint(2, 5),
                        )
                    with self.subTest(seed=seed, last=last):
                        (memory,) = answers(path, "memory")
                        self.check_parts(devices, memory["tables"])
                        if last is None:
                            self.check_levels(devices, memory["tables"])
                        checked += 1
        self.assertEqual(checked, RUNS * 8)

    def check_parts(self, devices, tables):
        summary = {row["name"]: row for row in rows_of(tables["summary"])}
        for each in devices:
            if not each.segments:
                continue
            row = summary["gpu:%d" % each.device]
            wanted = (each.allocated(), each.internal(), each.external())
            self.assertEqual(tuple(row[part] for part in PARTS), wanted)
            self.assertEqual(row["reserved_bytes"], each.reserved())
        for table in ("summary", "pools", "segments"):
            for row in rows_of(tables[table]):
                parts = sum(row[part] for part in PARTS)
                self.assertEqual(parts, row["reserved_bytes"], table)
        whole = sum(
            row["reserved_bytes"] for row in rows_of(tables["segments"])
        )
        self.assertEqual(whole, sum(each.reserved() for each in devices))

    def check_levels(self, devices, tables):
        curves = collections.defaultdict(dict)
        for row in rows_of(tables["curve"]):
            # The last of several values at one time counts.
            curves[row["allocator"]][row["micros"]] = row["bytes"]
        for each in devices:
            # Times are since the first event of the device.
            first = each.events[0]["time_us"] if each.events else 0
            for place, level in ((1, "allocated"), (2, "reserved")):
                curve = curves["gpu:%d %s" % (each.device, level)]
                now = 0
                for step in each.levels:
                    now = curve.get(step[0] - first, now)
                    self.assertEqual(now, step[place], level)


if __name__ == "__main__":
    sys.exit(junit_runner.main("containers properties"))
