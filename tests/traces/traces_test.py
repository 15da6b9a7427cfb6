#!/usr/bin/env python3
"""Random traces of each format: all views agree, and with a plain model.

Usage: tests/traces/traces_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

For each trace, over the whole file and in each step: the scope, graph and code
views have the total of the op view; that is the total of the model, on
accelerators too; ops have the runs and the time of the model. Where executions
of a lane do not overlap partly, no total exceeds the time of the step times its
lanes.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import chrome
import junit_runner
import kineto
import model
import ort
import xplane

SEEDS = int(os.environ.get("TFPROF_TRACE_SEEDS", "25"))
TREES = ["scope", "graph", "code"]
COLUMNS = ["micros", "accelerator_micros", "cpu_micros"]
SHOWN = [
    "-max_depth",
    "1000000",
    "-select",
    ",".join(COLUMNS + ["occurrence"]),
    "-output",
    "json",
]

binary = ""  # of junit_runner.main()


class Session:
    """The answers of one process to many commands, in order."""

    def __init__(self, path, commands):
        text = "".join(" ".join(command) + "\n" for command in commands)
        run = subprocess.run(
            [binary, path],
            input=text.encode(),
            capture_output=True,
            timeout=120,
        )
        self.status = run.returncode
        self.err = run.stderr.decode("utf-8", "replace")
        decoder = json.JSONDecoder()
        out, at, self.answers = run.stdout.decode(), 0, []
        while (at := out.find('{"schema"', at)) >= 0:
            answer, at = decoder.raw_decode(out, at)
            self.answers.append(answer)

    def next(self, view):
        """The next answer, which is of this view."""
        if not self.answers or self.answers[0]["schema"] != "tfprof." + view:
            raise AssertionError("no answer to %s: %s" % (view, self.err))
        return self.answers.pop(0)


def ticks(micros, per_micro):
    """Exact ticks of a JSON number that has them all."""
    return round((micros or 0) * per_micro)


class TracesTest(unittest.TestCase):
    """One test for each format."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def check_seeds(self, make, expect, name):
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                data = make(random.Random(seed))
                path = os.path.join(self.folder, name)
                with open(path, "wb") as file:
                    file.write(data)
                try:
                    self.check(path, expect(data))
                except AssertionError:
                    kept = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")
                    if kept:
                        shutil.copy(path, "%s/seed%d_%s" % (kept, seed, name))
                    raise

    def check(self, path, expected):
        if not expected.extent:
            return  # The step is empty.
        steps = [model.ALL] + expected.steps
        commands = [["steps", "-output", "json"]]
        for step in steps:
            for view in ["op"] + TREES:
                commands.append([view, "-step", str(step)] + SHOWN)
        session = Session(path, commands)
        self.assertIn(session.status, (0, 1), session.err)
        listed = [row["step"] for row in session.next("steps")["rows"]]
        self.assertEqual(listed, expected.steps)
        for step in steps:
            with self.subTest(step=step):
                rows = session.next("op")["rows"]
                roots = {
                    view: session.next(view)["rows"][0]
                    for view in self.trees(session)
                }
                self.check_step(expected, step, rows, roots)

    def trees(self, session):
        """The views with a tree; there is no code view without call stacks."""
        without = "No code trace information" in session.err
        return TREES[:2] if without else TREES

    def check_step(self, expected, step, rows, roots):
        per_micro = expected.ticks_per_micro
        sums = {
            column: sum(ticks(row["self_" + column], per_micro) for row in rows)
            for column in COLUMNS
        }
        for view, root in roots.items():
            for column in COLUMNS:
                self.assertEqual(
                    ticks(root["total_" + column], per_micro),
                    sums[column],
                    "%s of %s" % (column, view),
                )
        self.assertEqual(
            sums["accelerator_micros"], expected.accelerator.get(step, 0)
        )
        self.assertEqual(sums["micros"], expected.total.get(step, 0))
        by_name = {row["name"]: row for row in rows}
        for name, (runs, host) in expected.ops.get(step, {}).items():
            row = by_name.get(name)
            self.assertIsNotNone(row, name)
            self.assertEqual(
                (row["runs"], ticks(row["self_cpu_micros"], per_micro)),
                (runs, host),
                name,
            )
        if step == model.ALL:
            for name, time in expected.launched.items():
                row = by_name[name]
                self.assertEqual(
                    ticks(row["self_accelerator_micros"], per_micro), time, name
                )
        if expected.proper:
            self.assertLessEqual(sums["micros"], expected.most(step))

    def test_kineto(self):
        self.check_seeds(kineto.make, kineto.expect, "trace.json")

    def test_chrome(self):
        self.check_seeds(chrome.make, chrome.expect, "trace.json")

    def test_ort(self):
        self.check_seeds(ort.make, ort.expect, "profile.json")

    def test_xplane(self):
        self.check_seeds(xplane.make, xplane.expect, "host.xplane.pb")


if __name__ == "__main__":
    sys.exit(junit_runner.main("traces_test"))
