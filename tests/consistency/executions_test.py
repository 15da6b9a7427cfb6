#!/usr/bin/env python3
"""The rows of single executions add up to the rows of operations.

Usage: executions_test.py --bin=PROGRAM [--corpus=DIR…] [TEST…]

For the recorded profiles of tests/golden and tests/gpu and for generated ones
of tests/traces, or for the small files in each DIR:

* `rows executions` has as many rows as `status` has executions.
* In each step, the times of the executions of an operation add up to those of
  `rows ops`, on accelerators and in all. What is not known of single executions
  is as much as the facts say.
* Ids are different. Each link, parent and launch is a row. A call contains the
  calls inside of it.
* As Arrow streams, the rows are the same.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import collections
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# Last, because modules there have names of the standard library, too.
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "python", "tfprof", "_engine"))

import account_test
import arrow
import junit_runner

ON_ACCELERATORS = ("kernels", "copies", "communication")

binary = ""  # of junit_runner.main()


def read_columns(data):
    """The rows of each table, of the output `arrow`."""
    tables = {}
    for stream in arrow.read_streams(data):
        names = [column.name for column in stream.columns]
        values = [column.slice(0, stream.rows) for column in stream.columns]
        tables[stream.name] = [dict(zip(names, row)) for row in zip(*values)]
    return tables


class ExecutionsTest(unittest.TestCase):
    """One test for each source of profiles."""

    def setUp(self):
        self.executions = self.known = 0  # that were checked
        account_test.binary = binary

    def check(self, file):
        answers = account_test.ask(
            file, ["rows ops executions links", "status"]
        )
        if answers is None:
            return
        answer, status = answers
        tables = {n: t["rows"] for n, t in answer["tables"].items()}
        executions = tables["executions"]
        self.executions += len(executions)
        self.assertEqual(
            len(executions),
            status["facts"]["executions"]
            + status["facts"]["unaccounted_executions"],
        )
        self.check_sums(tables, answer["facts"])
        self.check_ends(executions, tables["links"])
        if len(executions) < 2000:
            run = subprocess.run(
                [binary, file, "rows", "executions", "links"]
                + ["-output", "arrow"],
                capture_output=True,
                timeout=120,
                check=False,
            )
            self.assertEqual(
                read_columns(run.stdout),
                {n: tables[n] for n in ("executions", "links")},
            )

    def check_sums(self, tables, facts):
        count = collections.Counter()
        total, device = collections.Counter(), collections.Counter()
        unknown = set()
        for row in tables["executions"]:
            key = row["step"], row["op"]
            if row["self_nanos"] is None:
                unknown.add(key)
                continue
            if row["op"] is None:
                self.assertEqual(row["self_nanos"], 0, row)
                continue
            self.known += 1
            count[key] += 1
            total[key] += row["self_nanos"]
            if row["kind"] in ON_ACCELERATORS:
                device[key] += row["self_nanos"]
        rest = 0
        for row in tables["ops"]:
            key = row["step"], row["name"]
            # Each execution is rounded down to a nanosecond.
            delta = count[key] + 1
            if key in unknown:
                rest += row["self_nanos"] - total[key]
                self.assertGreaterEqual(
                    row["self_nanos"], total[key] - delta, row
                )
                continue
            self.assertAlmostEqual(
                row["self_nanos"], total[key], delta=delta, msg=row
            )
            self.assertAlmostEqual(
                row["accelerator_nanos"], device[key], delta=delta, msg=row
            )
        # Executions outside of the steps are in no row of operations.
        self.assertLessEqual(
            rest, facts["nanos_without_self"] + len(tables["executions"])
        )
        self.assertEqual(
            facts["executions_without_self"],
            sum(r["self_nanos"] is None for r in tables["executions"]),
        )

    def check_ends(self, executions, links):
        by_id = {row["id"]: row for row in executions}
        self.assertEqual(len(by_id), len(executions))
        launches = {}
        for link in links:
            self.assertIn(link["from_id"], by_id)
            self.assertIn(link["to_id"], by_id)
            if link["kind"] == "launch":
                launches.setdefault(link["to_id"], set()).add(link["from_id"])
        for row in executions:
            if row["launched_by"] is not None or row["id"] in launches:
                self.assertIn(row["launched_by"], launches[row["id"]], row)
            if row["parent"] is None:
                continue
            around = by_id[row["parent"]]
            self.assertLessEqual(around["start_nanos"], row["start_nanos"], row)
            self.assertGreaterEqual(around["end_nanos"], row["end_nanos"], row)
            self.assertEqual(around["rank"], row["rank"], row)

    def check_folder(self, folder, least):
        """Checks all small files, which have at least so many executions."""
        for file in account_test.small_files(folder):
            with self.subTest(file=file):
                self.check(file)
        self.assertGreaterEqual(self.executions, least)
        # Else, the sums were not compared.
        self.assertGreaterEqual(self.known, self.executions / 2)

    def test_golden(self):
        self.check_folder(
            os.path.join(account_test.TESTS, "golden", "profiles"), 5000
        )

    def test_gpu(self):
        self.check_folder(
            os.path.join(account_test.TESTS, "gpu", "recorded"), 20_000
        )

    def test_generated(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(account_test.SEEDS):
                for name, model in account_test.MODELS.items():
                    path = os.path.join(folder, "%d_%s" % (seed, name))
                    with open(path, "wb") as file:
                        file.write(model.make(random.Random(seed)))
            self.check_folder(folder, 1000)

    def test_corpora(self):
        if not account_test.corpora:
            self.skipTest("no --corpus")
        for folder in account_test.corpora:
            self.check_folder(folder, 0)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            account_test.corpora.append(word.split("=", 1)[1])
            sys.argv.remove(word)
    sys.exit(junit_runner.main("executions"))
