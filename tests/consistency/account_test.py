#!/usr/bin/env python3
"""The account of the wall time adds up, in all profiles at hand.

Usage: account_test.py --bin=bazel-bin/profiler/tfprof [--corpus=DIR…] [TEST…]

For the recorded profiles of tests/golden and tests/gpu and for generated ones
of tests/traces, or for the small files in each DIR. In the longest and the last
step with a known wall time:

* `explain step` has parts for each device. None is negative, none is larger
  than the wall time, and their shares add up to 1. The time of each part is its
  share of the same wall time.
* The work of an accelerator in them is the busy time of `devices`, but for work
  of other steps, and for work of the step that ran outside of its time, as
  `lanes` has them.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "traces")]

import chrome
import junit_runner
import kineto
import ort
import xplane

# The parts in which a device works; the others are idle time.
WORK = {
    "matrix_products",
    "attention",
    "convolutions",
    "normalization",
    "reductions",
    "elementwise",
    "device_copies",
    "other_compute",
    "communication",
    "late_rank",
    "copies",
    "offload",
}
MODELS = {
    "trace_kineto.json": kineto,
    "trace_chrome.json": chrome,
    "profile_ort.json": ort,
    "host.xplane.pb": xplane,
}
SEEDS = 25  # of each model
MOST_BYTES = 1_000_000  # larger files take long to read
NO_PROFILES = (".md", ".csv", ".tsv", ".py", ".txt", "expected.json")
CLOSE_SHARE = 1e-6
TICK = 2e-3  # microseconds: times are rounded to nanoseconds

binary = ""  # of junit_runner.main()
corpora = []  # of main()


def ask(file, commands):
    """The answers of one process; None if the program refuses the file."""
    run = subprocess.run(
        [binary, file],
        input="".join("%s -output json\n" % c for c in commands).encode(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    if run.returncode < 0:
        raise AssertionError("%s: %s" % (file, run.stderr))
    decoder = json.JSONDecoder()
    out, at, answers = run.stdout.decode(), 0, []
    while (at := out.find('{"schema"', at)) >= 0:
        answer, at = decoder.raw_decode(out, at)
        answers.append(answer)
    return answers if len(answers) == len(commands) else None


def small_files(folder):
    for root, folders, files in os.walk(folder):
        folders.sort()
        if "metadata" in files:  # a CTF trace is a folder
            yield root
            continue
        for name in sorted(files):
            path = os.path.join(root, name)
            if os.path.getsize(path) <= MOST_BYTES and not name.endswith(
                NO_PROFILES
            ):
                yield path


class AccountTest(unittest.TestCase):
    """One test for each source of profiles."""

    def setUp(self):
        self.devices = 0  # that were checked

    def check(self, file):
        answers = ask(file, ["steps"])
        if answers is None:
            return
        known = [
            row for row in answers[0]["rows"] if row["span_micros"] is not None
        ]
        if not known:
            return
        longest = max(known, key=lambda row: row["span_micros"])
        for step in sorted({longest["step"], known[-1]["step"]}):
            with self.subTest(file=file, step=step):
                self.check_step(file, step)

    def check_step(self, file, step):
        answers = ask(
            file, ["explain step %d" % step, "devices -step %d" % step]
        )
        self.assertIsNotNone(answers, file)
        explain, devices = answers
        # A step without lengths has no lanes.
        lanes = ask(file, ["lanes -step %d" % step])
        by_device = {}
        for row in explain["tables"]["account"]["rows"]:
            by_device.setdefault(row["device"], []).append(row)
        for device, parts in by_device.items():
            self.devices += 1
            self.check_parts(parts)
            busy = [
                row
                for row in devices["rows"]
                if row["label"] == device and row["kind"] != "cpu"
            ]
            if busy and lanes and lanes[0]["facts"]["clocks"] == "one":
                self.check_busy(device, parts, busy[0], lanes[0])

    def check_parts(self, parts):
        # A part that is only in the usual step has no time.
        parts = [part for part in parts if part["micros"] != 0]
        wall = max(part["micros"] / part["wall_share"] for part in parts)
        for part in parts:
            self.assertGreater(part["micros"], 0, parts)
            self.assertLessEqual(part["micros"], wall + TICK, parts)
            self.assertAlmostEqual(
                part["micros"],
                part["wall_share"] * wall,
                delta=TICK + CLOSE_SHARE * wall,
                msg=parts,
            )
        self.assertAlmostEqual(
            sum(part["wall_share"] for part in parts),
            1,
            delta=CLOSE_SHARE,
            msg=parts,
        )
        causes = [part["cause"] for part in parts]
        self.assertEqual(len(set(causes)), len(causes), parts)

    def check_busy(self, device, parts, busy, lanes):
        work = sum(p["micros"] for p in parts if p["cause"] in WORK)
        # A device that runs an operation that reads input waits for it.
        infeed = sum(p["micros"] for p in parts if p["cause"] == "input")
        wall = sum(p["micros"] for p in parts)
        others = sum(
            row["other_steps_micros"] or 0
            for row in lanes["tables"]["lanes"]["rows"]
            if row["device"] == device and row["lane"] is None
        )
        outside = max(0, lanes["facts"]["micros"] - wall)
        delta = TICK * len(parts)
        self.assertLessEqual(
            work, busy["busy_micros"] + others + delta, (parts, busy)
        )
        self.assertGreaterEqual(
            work + infeed, busy["busy_micros"] - outside - delta, (parts, busy)
        )

    def check_folder(self, folder, devices):
        """Checks all small files, which have at least so many devices."""
        for file in small_files(folder):
            self.check(file)
        self.assertGreaterEqual(self.devices, devices)

    def test_golden(self):
        self.check_folder(os.path.join(TESTS, "golden", "profiles"), 20)

    def test_gpu(self):
        self.check_folder(os.path.join(TESTS, "gpu", "recorded"), 20)

    def test_generated(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(SEEDS):
                for name, model in MODELS.items():
                    path = os.path.join(folder, "%d_%s" % (seed, name))
                    with open(path, "wb") as file:
                        file.write(model.make(random.Random(seed)))
            self.check_folder(folder, len(MODELS) * SEEDS // 2)

    def test_corpora(self):
        if not corpora:
            self.skipTest("no --corpus")
        for folder in corpora:
            with self.subTest(folder=folder):
                self.devices = 0
                self.check_folder(folder, 1)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpora.append(word.split("=", 1)[1])
            sys.argv.remove(word)
    sys.exit(junit_runner.main("account"))
