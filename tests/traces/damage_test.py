#!/usr/bin/env python3
"""Damaged traces of each format: never a crash, and the right sums if readable.

Usage: tests/traces/damage_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Takes random traces (kineto.py and the others) and changes some bytes. The
program must end with status 0 or 1, in bounded time, and must say why for 1.
Where the changed text is still JSON that the model understands, its sums must
be the model's. Where Python's json refuses it, the program must say something.

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

SEEDS = int(os.environ.get("TFPROF_TRACE_SEEDS", "60"))
OP = [
    "op",
    "-step",
    "all",
    "-max_depth",
    "1000000",
    "-select",
    "micros,accelerator_micros,occurrence",
    "-output",
    "json",
]
# A JSON number has so many microseconds with three decimals in a double.
EXACT = 1 << 50
# Bytes that break a parser: ends of strings and objects, numbers, control
# characters.
PIECES = [
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\0",
    b"\n",
    b"\xff",
    b"NaN",
    b"-1",
    b"1e400",
    b"\\u00",
    b"9" * 30,
    b'"ts":',
    b"\x80" * 11,
]

binary = ""  # of junit_runner.main()


def damage(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        end = at + rng.choice([1, 1, 2, 10, 300])
        kind = rng.randrange(6)
        if kind == 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            data[at:at] = rng.choice(PIECES)
        elif kind == 2:
            del data[at:end]
        elif kind == 3:
            data[at:at] = data[at:end]
        elif kind == 4:
            # A digit for a digit keeps the text readable.
            at = data.find(b"1", at)
            data[max(at, 0) : max(at, 0) + 1] = b"%d" % rng.randrange(10)
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def unique_keys(pairs):
    """Two members of one name: which one counts is not the model's business."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("two members of one name")
    return dict(pairs)


def expect_or_none(expect, data):
    """The sums of the model for JSON; None if the model does not know it."""
    try:
        value = json.loads(data, object_pairs_hook=unique_keys)
        expected = expect(data)
    except (ValueError, KeyError, TypeError, ArithmeticError, AttributeError):
        return None
    events = value if isinstance(value, list) else value["traceEvents"]
    if any(
        float(e.get("dur", 0)) < 0
        or abs(float(e.get("ts", 0))) > 1e16
        or float(e.get("dur", 0)) > 1e12
        for e in events
    ):
        return None
    if expected.total.get(model.ALL, 0) > EXACT:
        return None
    return expected


def is_json(data):
    try:
        json.loads(data.decode("utf-8"))
    except ValueError:
        return False
    return True


class DamageTest(unittest.TestCase):
    """One test for each format."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def check_seeds(self, make, name, expect=None):
        compared = refused = 0
        for seed in range(SEEDS):
            rng = random.Random(seed)
            data = damage(rng, make(rng))
            path = os.path.join(self.folder, name)
            with open(path, "wb") as file:
                file.write(data)
            with self.subTest(seed=seed):
                says_something = expect is not None and not is_json(data)
                refused += says_something
                try:
                    compared += self.check(
                        path,
                        expect and expect_or_none(expect, data),
                        says_something,
                    )
                except AssertionError:
                    kept = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")
                    if kept:
                        shutil.copy(path, "%s/seed%d_%s" % (kept, seed, name))
                    raise
        if expect:
            self.assertGreater(compared, SEEDS // 10)
            self.assertGreater(refused, SEEDS // 10)

    def check(self, path, expected, says_something):
        """True if the sums could be compared."""
        run = subprocess.run(
            [binary, path] + OP,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )
        self.assertIn(run.returncode, (0, 1), run.stderr)
        if run.returncode == 1 or says_something:
            self.assertNotEqual(run.stderr, b"")
        if expected is None or not expected.total.get(model.ALL):
            return False
        rows = json.loads(run.stdout)["rows"]
        for column, sums in (
            ("micros", expected.total),
            ("accelerator_micros", expected.accelerator),
        ):
            got = sum(row["self_" + column] or 0 for row in rows)
            self.assertEqual(
                round(got * expected.ticks_per_micro),
                sums.get(model.ALL, 0),
                column,
            )
        return True

    def test_kineto(self):
        self.check_seeds(kineto.make, "trace.json", kineto.expect)

    def test_chrome(self):
        self.check_seeds(chrome.make, "trace.json", chrome.expect)

    def test_ort(self):
        self.check_seeds(ort.make, "profile.json", ort.expect)

    def test_xplane(self):
        self.check_seeds(xplane.make, "host.xplane.pb")


if __name__ == "__main__":
    sys.exit(junit_runner.main("damage_test"))
