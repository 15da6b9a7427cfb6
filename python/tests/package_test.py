#!/usr/bin/env python3
"""Runs the tests of the package that need no framework: FOO_test.py here.

Usage: python/tests/package_test.py --bin bazel-bin/profiler/tfprof
"""

import argparse
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "python"), os.path.join(ROOT, "tests")]

import junit_runner


def load_tests(loader, tests, pattern):
    del tests, pattern
    names = sorted(
        name[:-3]
        for name in os.listdir(HERE)
        if name.endswith("_test.py") and name != "package_test.py"
    )
    return unittest.TestSuite(loader.loadTestsFromName(n) for n in names)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--bin", required=True)
    arguments, _ = parser.parse_known_args()
    os.environ["TFPROF_BINARY"] = os.path.abspath(arguments.bin)
    sys.exit(junit_runner.main("package_test"))
