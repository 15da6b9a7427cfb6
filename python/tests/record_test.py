"""tfprof.record: in a program that is recorded, and in one that is not."""

import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import places

from tfprof import record
from tfprof._engine.engine import find_program

HEADER = places.ROOT / "record" / "tfprof_record.h"
PROGRAM = """
import os, threading
from tfprof._engine.engine import find_program
from tfprof import record
assert record.is_recording()
record.thread_name("trainer")

@record.range("decorated")
def load():
    record.counter("loss", 0.5)

for number in range(3):
    with record.step(number):
        with record.op("net/dense", "MatMul"), record.op("net/dense/inner"):
            load()
record.pause()
with record.op("not/recorded"):
    pass
record.resume()

def other():
    with record.op("other/thread", device="/device:CPU:0"):
        raise ValueError
thread = threading.Thread(target=other)
threading.excepthook = lambda args: None
thread.start()
thread.join()
if os.fork() == 0:
    with record.op("of/the/child\\0"):
        os._exit(0)
os.wait()
"""


class RecordTest(unittest.TestCase):
    def test_it_does_nothing_in_a_program_that_is_not_recorded(self):
        self.assertFalse(record.is_recording())
        record.counter("c", 1)
        record.pause()
        record.resume()
        record.thread_name("t")
        with record.step(1), record.op("a"), record.range("b"):
            pass

        @record.range("r")
        def twice(x):
            """Doubles."""
            return 2 * x

        self.assertEqual(twice(4), 8)
        self.assertEqual(twice.__doc__, "Doubles.")

    def test_a_recorded_program(self):
        program = find_program()
        with tempfile.TemporaryDirectory() as scratch:
            trace = os.path.join(scratch, "trace")
            package = os.path.dirname(os.path.dirname(record.__file__))
            done = subprocess.run(
                [program, "record", "-o", trace, sys.executable, "-c", PROGRAM],
                check=False,
                stderr=subprocess.PIPE,
                env=dict(os.environ, PYTHONPATH=package),
                text=True,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            shown = subprocess.run(
                [program, trace, "status", "-output", "json"],
                check=True,
                stdout=subprocess.PIPE,
            ).stdout
        tables = {k: t["rows"] for k, t in json.loads(shown)["tables"].items()}
        ops = {row["name"]: row["count"] for row in tables["trace_ops"]}
        self.assertEqual(
            ops, {"net/dense": 3, "net/dense/inner": 3, "other/thread": 1}
        )
        counts = {row["event"]: row["count"] for row in tables["trace_events"]}
        self.assertEqual(counts["tfprof:range_end"], 3)
        self.assertEqual(counts["tfprof:step_end"], 3)
        self.assertEqual(counts["tfprof:counter"], 3)
        # The child began one and did not end it.
        self.assertEqual(counts["tfprof:op_begin"], 8)
        self.assertEqual(counts["tfprof:op_end"], 7)

    @unittest.skipUnless(HEADER.is_file(), "the header is not here")
    def test_the_functions_are_those_of_the_header(self):
        body = re.search(
            r"struct tfprof_record_functions \{(.*?)\n\};",
            HEADER.read_text(encoding="utf-8"),
            re.S,
        )[1]
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        names, arguments = [], []
        for member in body.split(";")[:-1]:
            found = re.search(r"\(\*(\w+)\)\((.*)\)", member, re.S)
            if found is None:
                names.append(member.split()[-1])
                arguments.append(None)
                continue
            names.append(found[1])
            listed = found[2].strip()
            arguments.append(0 if listed == "void" else listed.count(",") + 1)
        ours = record._FIELDS
        self.assertEqual([name for name, _ in ours], names)
        for (name, kind), count in zip(ours, arguments):
            if count is not None:
                self.assertEqual(len(kind._argtypes_), count, name)
                self.assertTrue(issubclass(kind, ctypes._CFuncPtr))


if __name__ == "__main__":
    unittest.main()
