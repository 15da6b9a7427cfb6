#!/usr/bin/env python3
"""Compares timelines and sessions with those of tensorflow-tracer.

Usage: tracer_test.py --bin=bazel-bin/profiler/tfprof [--corpus=DIR] [TEST…]

DIR is the acceptance kit of tensorflow-tracer: RunMetadata and sessions that it
recorded, what its pages show of them, and tools/check.py, which compares. It
calls the scripts neutral and unpack of this folder. Without the corpus all is
skipped.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import junit_runner  # pylint: disable=wrong-import-position

TIMEOUT = 300

binary = ""  # of junit_runner.main()
corpus = ""


class TracerTest(unittest.TestCase):

    def check(self, what, script, least):
        if not corpus:
            self.skipTest("no --corpus")
        result = subprocess.run(
            [sys.executable, os.path.join(corpus, "tools", "check.py"), what,
             os.path.join(HERE, script)],
            env={**os.environ, "TFPROF_BINARY": os.path.abspath(binary),
                 "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False)
        found = re.search(r"(\d+) passed, (\d+) failed", result.stdout)
        self.assertIsNotNone(found, result.stdout + result.stderr)
        self.assertEqual(int(found.group(2)), 0, result.stdout)
        self.assertGreaterEqual(int(found.group(1)), least)

    def test_recorded_timelines(self):
        self.check("recorded", "neutral", 290)

    def test_sessions(self):
        self.check("session", "unpack", 100)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpus = word.split("=", 1)[1]
            sys.argv.remove(word)
    sys.exit(junit_runner.main("tracer"))
