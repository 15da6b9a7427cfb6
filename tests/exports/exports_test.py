#!/usr/bin/env python3
"""Tests of the files for other programs.

Usage: exports_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Timelines of all profiles of the corpus are Chrome trace JSON: regions have
their four numbers and do not overlap on a row, arrows have both ends, and each
process has one name. Full pprof files (`pprof:mode=full`) are decoded: their
tables are consistent with the schema, and their sums are those of the reports.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import collections
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

import junit_runner
import wire

PROFILES = os.path.join(TESTS, "golden", "profiles")
TIMEOUT = 120
PHASES = {"M", "X", "s", "t", "C"}
FIELDS = (
    "micros",
    "accelerator_micros",
    "cpu_micros",
    "bytes",
    "peak_bytes",
    "output_bytes",
    "params",
    "float_ops",
    "occurrence",
)

binary = ""  # of junit_runner.main()


def fields(data):
    """{field number: [number or bytes]} of a message."""
    result = collections.defaultdict(list)
    for number, value, _ in wire.fields(data):
        result[number].append(value)
    return result


def one(message, number, default=0):
    values = message.get(number, [default])
    assert len(values) == 1
    return values[0]


def numbers(message, number):
    """A packed field of signed numbers."""
    values = []
    for data in message.get(number, []):
        at = 0
        while at < len(data):
            value, at = wire.read_varint(data, at)
            values.append(value - (1 << 64) if value >> 63 else value)
    return values


class Pprof:
    """A pprof file, decoded and checked against its schema."""

    def __init__(self, path):
        with gzip.open(path) as file:
            profile = fields(file.read())
        strings = [text.decode("utf-8") for text in profile[6]]
        assert strings[0] == "" and len(set(strings)) == len(strings)
        self.types = []
        for data in profile[1]:
            message = fields(data)
            self.types.append(
                (strings[one(message, 1)], strings[one(message, 2)])
            )
        mappings = {one(fields(data), 1) for data in profile[3]}
        functions = {}
        for data in profile[5]:
            message = fields(data)
            functions[one(message, 1)] = strings[one(message, 2)]
        locations = {}
        for data in profile[4]:
            message = fields(data)
            assert one(message, 2) in mappings
            line = fields(one(message, 4))
            locations[one(message, 1)] = functions[one(line, 1)]
        assert 0 not in mappings | set(functions) | set(locations)
        assert len(functions) == len(profile[5])
        assert len(locations) == len(profile[4])
        self.samples = []
        for data in profile[2]:
            message = fields(data)
            values = numbers(message, 2)
            assert len(values) == len(self.types)
            stack = [locations[i] for i in numbers(message, 1)]
            assert stack
            labels = {
                strings[one(fields(label), 1)]: strings[one(fields(label), 2)]
                for label in message[3]
            }
            self.samples.append((stack, values, labels))
        self.default = strings[one(profile, 14)]
        for comment in numbers(profile, 13):
            assert strings[comment]


class ExportsTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="tfprof_exports_")
        self.addCleanup(shutil.rmtree, self.scratch)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def run_program(self, *args):
        done = subprocess.run(
            [binary, "--compatible", *args],
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode("utf-8", "replace")

    def profiles(self):
        """Saved profiles of the corpus, with their steps."""
        for meta in sorted(glob.glob(os.path.join(PROFILES, "*/meta.json"))):
            with open(meta, encoding="utf-8") as file:
                contents = json.load(file)
            folder = os.path.dirname(meta)
            for name in ("profile.pb", "profile.pb.gz"):
                path = os.path.join(folder, name)
                if os.path.exists(path) and contents["nodes"]:
                    yield path, sorted(set(contents["steps_in_profile"]))

    # ---- timelines

    def check_trace(self, path):
        with open(path, "rb") as file:
            text = file.read()
        trace = json.loads(text)
        self.assertEqual(list(trace), ["traceEvents"])
        named, used = {}, set()
        rows = collections.defaultdict(list)
        flows = collections.defaultdict(list)
        for event in trace["traceEvents"]:
            phase = event["ph"]
            self.assertIn(phase, PHASES)
            self.assertIsInstance(event["pid"], int)
            if phase == "M":
                self.assertEqual(event["name"], "process_name")
                self.assertNotIn(event["pid"], named)
                named[event["pid"]] = event["args"]["name"]
                continue
            used.add(event["pid"])
            self.assertIsInstance(event["name"], str)
            self.assertIsInstance(event["ts"], int)
            self.assertIsInstance(event["tid"], int)
            if phase == "X":
                self.assertIsInstance(event["dur"], int)
                self.assertIn("name", event["args"])
                rows[event["pid"], event["tid"]].append(
                    (event["ts"], event["ts"] + event["dur"])
                )
            elif phase == "C":
                self.assertTrue(event["args"])
            else:
                flows[event["id"]].append((phase, event["name"]))
        self.assertLessEqual(used, set(named))
        for ends in flows.values():
            self.assertEqual([phase for phase, _ in ends], ["s", "t"])
            self.assertEqual(ends[0][1], ends[1][1])
        return rows, flows

    def test_graph_timelines(self):
        arrows = regions = 0
        for path, steps in self.profiles():
            for step in steps:
                with self.subTest(path, step=step):
                    out = self.path("trace")
                    self.run_program(
                        path,
                        "graph",
                        "-step=%d" % step,
                        "-max_depth",
                        "100000",
                        "-output",
                        "timeline:outfile=" + out,
                    )
                    rows, flows = self.check_trace("%s_%d" % (out, step))
                    arrows += len(flows)
                    for bars in rows.values():
                        regions += len(bars)
                        # On a row, a bar begins after the end of the one
                        # before.
                        for (_, end), (start, _) in zip(bars, bars[1:]):
                            self.assertLessEqual(end, start)
        self.assertGreater(regions, 5000)
        self.assertGreater(arrows, 50)

    def test_nested_timelines(self):
        for path, _ in self.profiles():
            for view in ("scope", "code"):
                with self.subTest(path, view=view):
                    out = self.path("trace")
                    done = subprocess.run(
                        [
                            binary,
                            "--compatible",
                            path,
                            view,
                            "-max_depth",
                            "100",
                            "-output",
                            "timeline:outfile=" + out,
                        ],
                        capture_output=True,
                        timeout=TIMEOUT,
                        check=False,
                    )
                    if b"No code trace" in done.stderr:
                        continue
                    self.assertEqual(done.returncode, 0, done.stderr)
                    rows, flows = self.check_trace(out + "_-1")
                    self.assertFalse(flows)
                    self.assertTrue(rows)

    # ---- pprof

    def pprof(self, profile, view, *options):
        out = self.path("pprof")
        if os.path.exists(out):
            os.unlink(out)
        done = subprocess.run(
            [
                binary,
                "--compatible",
                profile,
                view,
                "-max_depth",
                "100000",
                *options,
                "-output",
                "pprof:mode=full,outfile=" + out,
            ],
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        if b"No code trace" in done.stderr:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        return Pprof(out)

    def test_full_pprof(self):
        for path, steps in self.profiles():
            for view in ("scope", "graph", "op", "code"):
                for step in [-1] + steps[-1:]:
                    with self.subTest(path, view=view, step=step):
                        file = self.pprof(
                            path,
                            view,
                            "-step=%d" % step,
                            "-select",
                            ",".join(FIELDS),
                        )
                        if file is None:
                            continue
                        self.assertEqual(
                            [name for name, _ in file.types],
                            ["nodes"] + list(FIELDS),
                        )
                        self.assertEqual(file.types[1][1], "microseconds")
                        self.assertEqual(file.types[4][1], "bytes")
                        self.assertEqual(file.types[9][1], "count")
                        self.assertEqual(file.default, "micros")
                        nodes = [
                            labels["node"] for _, _, labels in file.samples
                        ]
                        self.assertEqual(len(set(nodes)), len(nodes))

    def test_sums_are_those_of_the_report(self):
        path = os.path.join(PROFILES, "conv_resnet", "profile.pb")
        if not os.path.exists(path):
            path += ".gz"
        for view in ("scope", "op", "code"):
            file = self.pprof(
                path,
                view,
                "-select",
                "params,micros",
                "-account_type_regexes",
                "Conv2D,VariableV2",
            )
            report = self.run_program(
                path,
                view,
                "-max_depth",
                "1",
                "-select",
                "params",
                "-account_type_regexes",
                "Conv2D,VariableV2",
            )
            micros = sum(values[1] for _, values, _ in file.samples)
            params = sum(values[2] for _, values, _ in file.samples)
            self.assertGreater(micros, 10000)
            self.assertEqual(
                {labels["op"] for _, _, labels in file.samples},
                {"Conv2D", "VariableV2"},
            )
            shown = {
                "scope": r"_TFProfRoot \(--/(.*) params\)",
                "code": r"_TFProfRoot \(--/(.*) params\)",
                "op": r"VariableV2 +(.*) params \(100",
            }[view]
            match = re.search(shown, report)
            self.assertTrue(match, report)
            wanted = match.group(1)
            self.assertEqual(
                "%.2fk" % (params / 1000)
                if params < 10**6
                else "%.2fm" % (params / 10**6),
                wanted,
            )


if __name__ == "__main__":
    sys.exit(junit_runner.main("exports"))
