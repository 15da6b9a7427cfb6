#!/usr/bin/env python3
"""No advice saves more of a step than the step takes, in all profiles at hand.

Usage: savings_test.py --bin=bazel-bin/profiler/tfprof [--corpus=DIR…] [TEST…]

For the recorded profiles of tests/golden and tests/gpu and for generated ones
of tests/traces, or for the small files in each DIR: the saving of each finding
of `advise` is at most the time of the longest usual step of those that `steps`
lists, or of the average step.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import os
import random
import statistics
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import account_test
import junit_runner

USUAL = 1.5  # a step that takes more times the median is odd
TICK = 1  # microsecond: savings are whole microseconds

binary = ""  # of junit_runner.main()


class SavingsTest(unittest.TestCase):
    """One test for each source of profiles."""

    def setUp(self):
        self.savings = 0  # that were checked
        account_test.binary = binary

    def check(self, file):
        answers = account_test.ask(file, ["steps", "advise"])
        if answers is None:
            return
        steps, advise = answers
        spans = [
            row["span_micros"]
            for row in steps["rows"]
            if row["span_micros"] is not None
        ]
        if not spans:
            return
        limit = USUAL * statistics.median(spans) + TICK
        # A device is judged until it is done with a step.
        done = [
            row.get("done_micros") or row["span_micros"]
            for row in steps["rows"]
            if row["span_micros"] is not None
        ]
        usual = max(end for end, span in zip(done, spans) if span <= limit)
        wall = max(sum(done) / len(done), usual) + TICK
        for row in advise["tables"]["findings"]["rows"]:
            saving = row["saving_micros"]
            if not saving:
                continue
            self.savings += 1
            self.assertLessEqual(saving, wall, (file, row))

    def check_folder(self, folder, least):
        """Checks all small files, which have at least so many savings."""
        for file in account_test.small_files(folder):
            with self.subTest(file=file):
                self.check(file)
        self.assertGreaterEqual(self.savings, least)

    def test_golden(self):
        self.check_folder(
            os.path.join(account_test.TESTS, "golden", "profiles"), 5
        )

    def test_gpu(self):
        self.check_folder(
            os.path.join(account_test.TESTS, "gpu", "recorded"), 10
        )

    def test_generated(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(account_test.SEEDS):
                for name, model in account_test.MODELS.items():
                    path = os.path.join(folder, "%d_%s" % (seed, name))
                    with open(path, "wb") as file:
                        file.write(model.make(random.Random(seed)))
            self.check_folder(folder, account_test.SEEDS // 2)

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
    sys.exit(junit_runner.main("savings"))
