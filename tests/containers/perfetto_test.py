#!/usr/bin/env python3
"""A trace that `timeline -output perfetto` writes is the same trace when it is
read again.

Usage: perfetto_test.py --bin=PROGRAM [--corpus=DIR…] [TEST…]

For the recordings of tests/gpu, and for the traces of PyTorch and XLA below
each DIR: all operations, scopes, lines of code, devices, steps, executions and
links of the file are those of the trace, byte for byte. A file of one step has
that step, and redacting a file keeps its events.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import junit_runner

RECORDED = os.path.join(os.path.dirname(HERE), "gpu", "recorded")
LARGEST = 1_500_000  # bytes of a packed trace
TABLES = (
    "op -step all",
    "scope -step all -max_depth 1000",
    "code -step all -max_depth 1000",
    "devices",
    "steps",
    "rows executions links steps ops",
)
WORDS = ("trace.json", ".pt.trace", "kineto", "xplane.pb")

binary = ""  # of junit_runner.main()
corpora = []


def run(path, script):
    """The output of the commands, without the name of the file."""
    done = subprocess.run(
        [binary, path],
        input=script,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.replace(path, "FILE"), done.stderr


def script():
    return "".join("%s -output csv\n" % table for table in TABLES[:5]) + (
        "%s -output ndjson\n" % TABLES[5]
    )


def traces():
    for root in [RECORDED] + corpora:
        for path in sorted(glob.glob(root + "/**/*", recursive=True)):
            name = path[len(root) :]
            if (
                os.path.isfile(path)
                and os.path.getsize(path) <= LARGEST
                and path.endswith((".json", ".json.gz", ".pb", ".pb.gz"))
                and any(word in name for word in WORDS)
            ):
                yield path


class PerfettoTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.written = os.path.join(folder.name, "t.pftrace")

    def write(self, path, words="", written=None):
        """Writes a trace; False: the file is none, or has no times."""
        written = written or self.written
        if os.path.exists(written):
            os.remove(written)
        run(
            path, "timeline %s -output perfetto:outfile=%s\n" % (words, written)
        )
        return os.path.exists(written)

    def test_all_tables_come_back(self):
        compared = 0
        for path in traces():
            if not self.write(path):
                continue
            with self.subTest(path=path):
                wanted, _ = run(path, script())
                found, error = run(self.written, script())
                self.assertGreater(len(wanted), 500, path)
                for line, (a, b) in enumerate(
                    zip(wanted.splitlines(), found.splitlines())
                ):
                    self.assertEqual(a, b, "line %d; %s" % (line, error))
                self.assertEqual(len(wanted), len(found))
            compared += 1
        self.assertGreaterEqual(compared, 15)
        print("%d traces compared" % compared)

    def one(self):
        return os.path.join(RECORDED, "python_work", "trace.json.gz")

    def test_one_step(self):
        steps, _ = run(self.one(), "steps -output csv\n")
        numbers = [row.split(",")[0] for row in steps.splitlines()[1:]]
        self.assertGreater(len(numbers), 1)
        self.assertTrue(self.write(self.one(), "-step " + numbers[-1]))
        found, error = run(self.written, "steps -output csv\n")
        rows = [row.split(",")[0] for row in found.splitlines()[1:]]
        self.assertEqual(rows, [numbers[-1]], error)

    def test_a_redacted_file_has_the_events(self):
        self.assertTrue(self.write(self.one()))
        redacted = self.written + ".redacted"
        done = subprocess.run(
            [binary, "redact", self.written, "-o", redacted],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(
            os.path.getsize(redacted), os.path.getsize(self.written)
        )
        # A file of events only has what it had before: the same work.
        found, _ = run(redacted, "kernels -output csv\n")
        wanted, _ = run(self.one(), "kernels -output csv\n")
        self.assertEqual(found, wanted)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpora.append(word.split("=", 1)[1])
            sys.argv.remove(word)
    sys.exit(junit_runner.main("containers perfetto"))
