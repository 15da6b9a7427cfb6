#!/usr/bin/env python3
"""Tests that the golden driver finds the differences that it has to find."""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True

import golden_compare

DRIVER = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "golden_test.py"
)

# Replaces tfprof. Its first line of input or its last arguments say what it
# does.
PROGRAM = """#!/bin/sh
[ "$#" -gt 1 ] && { shift; set -- "$*"; } || { read -r line; set -- "$line"; }
case $1 in
  "scope") printf 'a\\nb\\n' ;;
  "op error") echo 'E: no' >&2; exit 1 ;;
  "op chatter") echo 'Reading' >&2 ;;
  "op file") echo hello > out.txt ;;
  "code die") kill -SEGV $$ ;;
  "code answer") echo 'Profile:' ;;
esac
"""


def field(number, value):
    """One protobuf field, for small numbers and short values."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def pprof(strings, name, value=5):
    """A profile of one sample in one function, called strings[name]."""
    table = b"".join(field(6, s.encode()) for s in strings)
    sample = field(2, field(1, b"\x01") + field(2, bytes([value])))
    function = field(5, field(1, 1) + field(2, name))
    return table + sample + function


class CompareTest(unittest.TestCase):
    def test_text(self):
        self.assertEqual(golden_compare.diff_text(b"a\n", b"a\n", "x"), "")
        diff = golden_compare.diff_text(b"a\nb\n", b"a\nc\n", "x")
        self.assertIn("-b\n+c\n", diff)

    def test_text_without_last_newline(self):
        diff = golden_compare.diff_text(b"a\n", b"a", "x")
        self.assertIn("No newline at end of file", diff)

    def test_text_far_down(self):
        lines = b"".join(b"%d\n" % i for i in range(50000))
        diff = golden_compare.diff_text(lines, lines + b"more\n", "x")
        self.assertIn("+more\n", diff)

    def test_text_that_prints_alike(self):
        self.assertTrue(golden_compare.diff_text(b"\\xff\n", b"\xff\n", "x"))

    def test_long_diff_is_cut(self):
        diff = golden_compare.diff_text(b"a\n" * 900, b"b\n" * 900, "x")
        self.assertEqual(diff.count("\n"), golden_compare.DIFF_LINES + 1)

    def test_json(self):
        same = golden_compare.diff_json(
            b'{"a":1,"b":[1,2]}', b'{ "b": [1, 2], "a": 1 }', "x"
        )
        self.assertEqual(same, "")
        for other in (b'{"a":1,"b":[2,1]}', b'{"a":true,"b":[1,2]}', b"{"):
            self.assertTrue(
                golden_compare.diff_json(b'{"a":1,"b":[1,2]}', other, "x")
            )

    def test_advise(self):
        one, two = b"\nOneChecker:\nslow\n", b"\nTwoChecker:\n\n"
        diff = golden_compare.diff_advise
        self.assertEqual(diff(one + two, two + one, "x", None), "")
        self.assertEqual(diff(one, two + one, "x", ["OneChecker"]), "")
        self.assertTrue(diff(one, two + one, "x", None))
        self.assertTrue(diff(one, one.replace(b"slow", b"fast"), "x", None))
        self.assertTrue(diff(one, b"noise\n" + one, "x", None))

    def test_stderr(self):
        diff = golden_compare.diff_stderr
        self.assertEqual(diff(b"E: no\nhint\n", b"Reading\nE: no\n"), "")
        self.assertTrue(diff(b"E: no\n", b""))
        self.assertTrue(diff(b"", b"Options -step=7 not found.\n"))
        self.assertTrue(
            diff(
                b"Key a not found in checkpoint\n",
                b"Key b not found in checkpoint\n",
            )
        )

    def test_pprof(self):
        want = gzip.compress(pprof(["", "f", "g"], 1))
        diff = golden_compare.diff_pprof
        self.assertEqual(diff(want, pprof(["", "g", "f"], 2), "x"), "")
        self.assertIn(
            '+function {"id": [1], "name": ["g"]}',
            diff(want, pprof(["", "f", "g"], 2), "x"),
        )
        self.assertTrue(diff(want, pprof(["", "f", "g"], 1, 6), "x"))
        self.assertIn("not a pprof file", diff(want, want[:-9], "x"))
        self.assertIn("not a pprof file", diff(want, b"\x32\x09", "x"))


class DriverTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = self._folder.name
        os.makedirs(os.path.join(self.folder, "profiles/p"))
        self.write("expected", b"a\nb\n")
        self.write("other", b"a\nc\n")
        self.write("error", b"E: no\n")
        self.write("hello.gz", gzip.compress(b"hello\n"))
        self.write("empty", b"")
        self.write("profiles/p/graph.pb.gz", gzip.compress(b"a\nb\n"))
        self.write("program", PROGRAM.encode())
        os.chmod(os.path.join(self.folder, "program"), 0o755)

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def run_case(self, command, options="", golden="expected", **more):
        """(passed, failed, failure texts) of a corpus of this one case."""
        case = {
            "id": "p-0",
            "profile": "p",
            "kind": "k",
            "command": command,
            "options": options,
            "golden": golden,
            "outcome": "ok",
            "inputs": {"graph": "graph.pb"},
            "inputs_key": "files",
            **more,
        }
        self.write("cases.jsonl", json.dumps(case).encode())
        report = os.path.join(self.folder, "report.xml")
        done = subprocess.run(
            [
                sys.executable,
                DRIVER,
                "--corpus",
                self.folder,
                "--bin",
                os.path.join(self.folder, "program"),
            ],
            env=dict(os.environ, XML_OUTPUT_FILE=report),
            check=False,
            stdout=subprocess.PIPE,
            text=True,
        )
        cases = list(ET.parse(report).getroot().iter("testcase"))
        failures = [e.text for case in cases for e in case.findall("failure")]
        passed = len(cases) - len(failures)
        self.assertEqual(
            done.stdout.splitlines()[-1],
            "%d passed, %d failed" % (passed, len(failures)),
        )
        self.assertEqual(done.returncode, 1 if failures else 0)
        return passed, len(failures), "".join(failures)

    def test_both_forms_pass(self):
        self.assertEqual(self.run_case("scope")[:2], (2, 0))

    def test_stdout_differs(self):
        passed, failed, text = self.run_case("scope", golden="other")
        self.assertEqual((passed, failed), (0, 2))
        self.assertIn("-c\n+b\n", text)
        self.assertIn("printf %s 'scope\n' | ", text)

    def test_session_has_one_form(self):
        self.assertEqual(self.run_case("repl", stdin="scope\nop\n")[:2], (1, 0))

    def test_stderr(self):
        case = {"options": "error", "golden": "empty"}
        self.assertEqual(self.run_case("op", stderr="error", **case)[1], 0)
        self.assertEqual(self.run_case("op", **case)[1], 2)
        self.assertEqual(self.run_case("op", "chatter", "empty")[1], 0)

    def test_files(self):
        case = {"options": "file", "golden": "empty"}
        files = [{"name": "out.txt", "type": "text", "golden": "hello.gz"}]
        self.assertEqual(self.run_case("op", files=files, **case)[1], 0)
        self.assertIn(
            "unexpected output file out.txt", self.run_case("op", **case)[2]
        )
        files[0]["name"] = "missing.txt"
        self.assertIn(
            "no output file missing.txt",
            self.run_case("op", files=files, **case)[2],
        )

    def test_signal(self):
        self.assertIn("exit status -11", self.run_case("code", "die")[2])
        crash = {"outcome": "abort:SIGSEGV", "golden": "empty"}
        self.assertEqual(self.run_case("code", "die", **crash)[1], 1)
        self.assertEqual(self.run_case("code", "silence", **crash)[1], 1)
        self.assertEqual(self.run_case("code", "answer", **crash)[1], 0)


if __name__ == "__main__":
    unittest.main()
