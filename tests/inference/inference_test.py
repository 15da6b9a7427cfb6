#!/usr/bin/env python3
"""Holds the program to recorded traces of inference engines.

Usage: inference_test.py --bin=bazel-bin/profiler/tfprof [--corpus=DIR] [TEST…]

DIR has traces of vLLM, SGLang and others, with the captures of their graphs,
and compare.py, which asks the program about each and knows the exact answers.
Without the corpus all is skipped.

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

TIMEOUT = 1200

binary = ""  # of junit_runner.main()
corpus = ""


class InferenceTest(unittest.TestCase):
    def test_corpus(self):
        if not corpus:
            self.skipTest("no --corpus")
        result = subprocess.run(
            [
                sys.executable,
                "-B",
                os.path.join(corpus, "compare.py"),
                "--bin",
                binary,
                "-v",
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        last = result.stdout.strip().splitlines()[-1]
        self.assertRegex(last, r"^[1-9]\d* passed, 0 failed$")


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpus = word.split("=", 1)[1]
            sys.argv.remove(word)
    sys.exit(junit_runner.main("inference"))
