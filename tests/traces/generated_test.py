#!/usr/bin/env python3
"""Traces of bench/make_trace: the op view has its exact totals.

Usage: tests/traces/generated_test.py --bin=bazel-bin/profiler/tfprof
           --make_trace=bazel-bin/bench/make_trace [TEST…]

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import junit_runner

SHOWN = [
    "-max_depth",
    "1000000",
    "-select",
    "micros,accelerator_micros,cpu_micros,occurrence",
    "-output",
    "json",
]

binary = ""  # of junit_runner.main()
make_trace = ""  # of main()


class GeneratedTest(unittest.TestCase):
    """One test for each kind of trace."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, kind, name):
        path = os.path.join(self.folder, name)
        totals = json.loads(
            subprocess.check_output(
                [make_trace, kind, "2", path, "--layers=40", "--devices=2"]
            )
        )
        self.assertEqual(os.path.getsize(path), totals["bytes"])
        steps = self.ask(path, "steps", "-output", "json")["rows"]
        self.assertEqual(len(steps), totals["steps"])
        op = self.ask(path, "op", "-step", "all", *SHOWN)
        per_micro = totals["ticks_per_micro"]

        def ticks(row, column):
            return round((row["self_" + column] or 0) * per_micro)

        rows = {
            row["name"]: (
                row["runs"],
                ticks(row, "cpu_micros"),
                ticks(row, "accelerator_micros"),
            )
            for row in op["rows"]
            if row["runs"]
        }
        expected = {
            name: (op["runs"], op["host_ticks"], op["accelerator_ticks"])
            for name, op in totals["ops"].items()
        }
        # The time of Python functions is taken from the steps around them.
        for name in [name for name in rows if ".py:" in name]:
            runs, host, accelerator = rows.pop(name)
            self.assertEqual(runs % totals["steps"], 0, name)
            self.assertEqual(accelerator, 0, name)
            step = rows["ProfilerStep*"]
            rows["ProfilerStep*"] = (step[0], step[1] + host, step[2])
        self.assertEqual(rows, expected)

    def ask(self, *words):
        run = subprocess.run(
            [binary, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, rb"\A(The sum of op times, .*\n)?\Z")
        return json.loads(run.stdout)

    def test_kineto(self):
        self.check("kineto", "trace.json")

    def test_tpu(self):
        self.check("tpu", "host.xplane.pb")

    def test_gpu(self):
        self.check("gpu", "host.xplane.pb")


def main():
    global make_trace
    flag = "--make_trace="
    for argument in sys.argv[1:]:
        if argument.startswith(flag):
            make_trace = os.path.abspath(argument[len(flag) :])
            sys.argv.remove(argument)
    return junit_runner.main("generated_test")


if __name__ == "__main__":
    sys.exit(main())
