#!/usr/bin/env python3
"""Compares what_if and the first screen with labelled jobs.

Usage: stragglers_test.py --bin=bazel-bin/profiler/tfprof [--corpus=DIR]

DIR has timelines of pipeline-parallel jobs, each with a case.json that says
what its figures are and who holds it up, and compare.py, which asks the
program. Without the corpus all is skipped.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import junit_runner

TIMEOUT = 600

binary = ""  # of junit_runner.main()
corpus = ""


class StragglersTest(unittest.TestCase):
    def test_corpus(self):
        script = os.path.join(corpus, "compare.py")
        if not os.path.exists(script):
            self.skipTest("no corpus")
        done = subprocess.run(
            [sys.executable, "-B", script, "--bin", binary, "-v"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        self.assertIn(", 0 failed\n", done.stdout, done.stdout + done.stderr)
        self.assertNotIn("\n0 passed", done.stdout)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpus = word.split("=", 1)[1]
            sys.argv.remove(word)
    sys.exit(junit_runner.main("stragglers"))
