#!/usr/bin/env python3
"""Compares timelines and sessions with tensorflow-tracer.

Usage: tracer_test.py --bin=bazel-bin/profiler/tfprof [--corpus=DIR] [TEST…]

DIR is the acceptance kit of tensorflow-tracer: RunMetadata and sessions that it
recorded, what its pages show of them, and tools/check.py, which compares. It
calls the scripts neutral and unpack of this folder. Without the corpus all is
skipped.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import junit_runner

TIMEOUT = 300

binary = ""  # of junit_runner.main()
corpus = ""


class TracerTest(unittest.TestCase):
    def check(self, what, script, least):
        if not corpus:
            self.skipTest("no --corpus")
        result = subprocess.run(
            [
                sys.executable,
                os.path.join(corpus, "tools", "check.py"),
                what,
                os.path.join(HERE, script),
            ],
            env={
                **os.environ,
                "TFPROF_BINARY": os.path.abspath(binary),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        found = re.search(r"(\d+) passed, (\d+) failed", result.stdout)
        self.assertIsNotNone(found, result.stdout + result.stderr)
        self.assertEqual(int(found.group(2)), 0, result.stdout)
        self.assertGreaterEqual(int(found.group(1)), least)

    def test_recorded_timelines(self):
        self.check("recorded", "neutral", 290)

    def test_sessions(self):
        self.check("session", "unpack", 100)

    def run_tfprof(self, *words):
        if not corpus:
            self.skipTest("no --corpus")
        return subprocess.run(
            [os.path.abspath(binary), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def test_a_session_keeps_every_trace(self):
        pattern = os.path.join(corpus, "recorded", "*", "*", "session*")
        for path in sorted(glob.glob(pattern)):
            with tempfile.TemporaryDirectory() as out:
                zipped = os.path.join(out, "s.zip")
                made = self.run_tfprof(
                    path, "convert", "-to", "session:outfile=" + zipped
                )
                self.assertEqual(made.returncode, 0, made.stderr)
                self.run_tfprof(
                    path,
                    "convert",
                    "-to",
                    "messages:outdir=" + os.path.join(out, "m"),
                )
                with zipfile.ZipFile(zipped) as archive:
                    self.assertIsNone(archive.testzip())
                    have = sorted(
                        archive.read(name)
                        for name in archive.namelist()
                        if name.startswith("traces/") and name.endswith(".pb")
                    )
                want = []
                for name in os.listdir(os.path.join(out, "m")):
                    with open(os.path.join(out, "m", name), "rb") as f:
                        want.append(f.read())
                self.assertEqual(have, sorted(want), path)
                # The same steps, by other numbers.
                steps = [
                    self.run_tfprof(
                        name, "op", "-output", "csv:outfile=/dev/stdout"
                    ).stdout
                    for name in (path, zipped)
                ]
                self.assertEqual(steps[0], steps[1], path)

    def test_the_second_view_of_a_cpu_is_no_device(self):
        # TensorFlow 1.15 writes the operations of a CPU again in /host:CPU.
        for name, cause in (
            ("estimator", "waits for IteratorGetNext"),
            ("monitored_training", "waiting for input: 131.59ms more"),
            ("one_session", "IteratorGetNext"),
        ):
            path = os.path.join(
                corpus, "recorded", "tf1.15.5", name, "session.pickle"
            )
            screen = self.run_tfprof(path, "overview").stdout
            self.assertNotIn("host:cpu", screen, path)
            self.assertIn(cause, screen.split("\nOps", 1)[1], path)

    def test_bad_sessions(self):
        bad = os.path.join(corpus, "recorded", "bad")
        with tempfile.TemporaryDirectory() as out:
            before = os.getcwd()
            os.chdir(out)
            try:
                for name, words in (
                    ("hostile", "names posix.system"),
                    ("cut_at_1000", "without RunMetadata"),
                    ("text", "format of its 13 bytes"),
                ):
                    result = self.run_tfprof(
                        os.path.join(bad, name + ".pickle"), "steps"
                    )
                    self.assertEqual(result.returncode, 1)
                    self.assertIn(words, result.stderr)
                cut = self.run_tfprof(
                    os.path.join(bad, "cut_at_150000.pickle"),
                    "convert",
                    "-to",
                    "session:outdir=cut",
                )
                self.assertEqual(cut.returncode, 1)
                self.assertIn("A session of 7 traces", cut.stderr + cut.stdout)
                self.assertEqual(os.listdir(out), ["cut"])
            finally:
                os.chdir(before)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpus = word.split("=", 1)[1]
            sys.argv.remove(word)
    sys.exit(junit_runner.main("tracer"))
