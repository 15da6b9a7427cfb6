#!/usr/bin/env python3
"""Tests of `timeline`: what TensorFlow's class Timeline writes, and our traces.

Usage: timeline_test.py --bin=bazel-bin/profiler/tfprof [--corpus=DIR] [TEST…]

-compatible is compared with recorded outputs of the real class, byte for byte:
with those in client_timeline/, and with all of the corpus if there is one.
Traces for Chrome and Perfetto are checked by rules: slices of a track are apart
or inside each other, arrows have both ends, tracks have names, and both formats
have the same slices.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, TESTS)

import junit_runner
import wire

PROFILES = os.path.join(TESTS, "golden", "profiles")
RECORDED = os.path.join(TESTS, "gpu", "recorded")
TIMEOUT = 120

binary = ""  # of junit_runner.main()
corpus = ""  # a folder with timeline_py.jsonl and profiles/; "": none


def tfprof(*words):
    return subprocess.run(
        [binary, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def existing(path):
    """The file, or its compressed form."""
    return path if os.path.exists(path) else path + ".gz"


class CompatibleTest(unittest.TestCase):
    def compare(self, case, profiles, golden):
        run_meta = existing(
            os.path.join(profiles, case["profile"], case["run_meta"])
        )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            result = tfprof(
                "timeline",
                f"--run_meta_path={run_meta}",
                "-compatible",
                "-show_dataflow",
                str(case["show_dataflow"]).lower(),
                "-show_memory",
                str(case["show_memory"]).lower(),
                "-op_time",
                case["op_time"],
                "-output",
                f"chrome:outfile={path}",
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8") as file:
                text = file.read()
        with gzip.open(golden, "rt", encoding="utf-8") as file:
            self.assertEqual(text, file.read(), case["id"])
        for allocator, maximum in case["allocator_maximums"].items():
            self.assertIn(f"{allocator}: at most ", result.stderr)
            self.assertIn(
                f"in {len(maximum['tensors'])} outputs, at "
                f"{maximum['timestamp']} us",
                result.stderr,
            )

    def test_recorded(self):
        folder = os.path.join(HERE, "client_timeline")
        with open(
            os.path.join(folder, "cases.jsonl"), encoding="utf-8"
        ) as file:
            cases = [json.loads(line) for line in file]
        self.assertGreater(len(cases), 10)
        for case in cases:
            with self.subTest(case["id"]):
                self.compare(
                    case, PROFILES, os.path.join(folder, case["golden"])
                )

    def test_corpus(self):
        if not corpus:
            self.skipTest("no --corpus")
        with open(
            os.path.join(corpus, "timeline_py.jsonl"), encoding="utf-8"
        ) as file:
            cases = [json.loads(line) for line in file]
        self.assertGreater(len(cases), 150)
        for case in cases:
            with self.subTest(case["id"]):
                self.compare(
                    case,
                    os.path.join(corpus, "profiles"),
                    os.path.join(corpus, case["golden"]),
                )

    def test_several_steps_need_a_choice(self):
        folder = os.path.join(PROFILES, "multi_step")
        steps = ",".join(sorted(glob.glob(os.path.join(folder, "run_meta_*"))))
        with tempfile.TemporaryDirectory() as out:
            path = os.path.join(out, "t.json")
            result = tfprof(
                "timeline",
                f"--run_meta_path={steps}",
                "-compatible",
                "-output",
                f"chrome:outfile={path}",
            )
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("choose it with -step", result.stderr)
            self.assertFalse(os.path.exists(path))

    def test_without_a_file_the_trace_is_printed(self):
        meta = os.path.join(PROFILES, "tiny_const", "run_meta_0")
        with tempfile.TemporaryDirectory() as out:
            path = os.path.join(out, "t.json")
            tfprof(
                "timeline",
                meta,
                "-compatible",
                "-output",
                f"chrome:outfile={path}",
            )
            with open(path, encoding="utf-8") as file:
                written = file.read()
        printed = tfprof("timeline", meta, "-compatible")
        self.assertEqual(printed.returncode, 0)
        self.assertEqual(printed.stdout, written)

    def test_json_has_what_each_allocator_held_at_most(self):
        meta = os.path.join(PROFILES, "tiny_const", "run_meta_0")
        result = tfprof(
            "timeline", meta, "-compatible", "-show_memory", "-output", "json"
        )
        tables = json.loads(result.stdout)["tables"]
        row = tables["maximums"]["rows"][0]
        self.assertEqual((row["allocator"], row["bytes"]), ("mklcpu", 8))
        self.assertGreater(row["at_micros"], 0)
        self.assertEqual(len(tables["tensors"]["rows"]), 2)


def inputs():
    """(name, the words that name the files) of all profiles."""
    for path in sorted(glob.glob(os.path.join(PROFILES, "*", "run_meta_0*"))):
        folder = os.path.dirname(path)
        words = [f"--run_meta_path={path}"]
        graph = existing(os.path.join(folder, "graph.pb"))
        if os.path.exists(graph):
            words.append(f"--graph_path={graph}")
        yield os.path.basename(folder), words
    for path in sorted(glob.glob(os.path.join(RECORDED, "*", "*"))):
        if path.endswith((".json.gz", ".xplane.pb.gz", ".xplane.pb")):
            yield "/".join(path.split("/")[-2:]), [path]


def check_nesting(test, name, slices):
    """[(start, end)] of a track, by start, are apart or inside each other."""
    open_ends = []
    for start, end in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_ends and open_ends[-1] <= start + 1e-6:
            open_ends.pop()
        if open_ends:
            test.assertLessEqual(end, open_ends[-1] + 1e-3, name)
        open_ends.append(end)


class TraceTest(unittest.TestCase):
    def chrome_slices(self, name, path):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        named, slices, ends = set(), collections.defaultdict(list), {}
        for event in events:
            place = (event["pid"], event["tid"])
            if event["ph"] == "M" and event["name"] == "thread_name":
                self.assertTrue(event["args"]["name"])
                named.add(place)
            elif event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
                slices[place].append((event["ts"], event["ts"] + event["dur"]))
            elif event["ph"] in "sf":
                ends.setdefault(event["id"], []).append(event)
        self.assertGreater(len(slices), 0, name)
        for place, of_track in slices.items():
            self.assertIn(place, named, name)
            check_nesting(self, name, of_track)
        for arrow in ends.values():
            self.assertEqual(sorted(e["ph"] for e in arrow), ["f", "s"], name)
            for event in arrow:
                place = (event["pid"], event["tid"])
                self.assertIn(event["ts"], [s[0] for s in slices[place]], name)
        return sum(len(s) for s in slices.values()), len(ends)

    def perfetto_slices(self, name, path):
        with gzip.open(path) as file:
            data = file.read()
        tracks, parents = set(), {}
        open_slices = collections.defaultdict(list)
        last, begun = {}, 0
        flows, flow_ends = set(), set()
        texts = collections.defaultdict(set)
        for field, packet, _ in wire.fields(data):
            self.assertEqual(field, 1)
            values = {}
            for number, value, _ in wire.fields(packet):
                values[number] = value
            if 60 in values:
                track = {n: v for n, v, _ in wire.fields(values[60])}
                self.assertNotIn(track[1], tracks)
                tracks.add(track[1])
                if 5 in track:
                    parents[track[1]] = track[5]
            if 12 in values:
                for number, entry, _ in wire.fields(values[12]):
                    item = {n: v for n, v, _ in wire.fields(entry)}
                    texts[number].add(item[1])
            if 11 not in values:
                continue
            event = collections.defaultdict(list)
            for number, value, _ in wire.fields(values[11]):
                event[number].append(value)
            (track,) = event[11]
            self.assertIn(track, tracks, name)
            (kind,) = event[9]
            if kind == 4:  # counters are in their own order
                continue
            time = values[8]
            self.assertGreaterEqual(time, last.get(track, 0), name)
            last[track] = time
            if kind == 1:
                begun += 1
                open_slices[track].append(time)
                self.assertIn(event[10][0], texts[2], name)
                self.assertIn(event[3][0], texts[1], name)
            elif kind == 2:
                self.assertTrue(open_slices[track], name)
                open_slices[track].pop()
            flows.update(event[47])
            flow_ends.update(event[48])
        self.assertFalse(any(open_slices.values()), name)
        self.assertEqual(flows, flow_ends, name)
        for parent in parents.values():
            self.assertIn(parent, tracks, name)
        return begun, len(flows)

    def test_all_profiles(self):
        tried = 0
        for name, words in inputs():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                chrome = os.path.join(folder, "t.json.gz")
                perfetto = os.path.join(folder, "t.pftrace.gz")
                found = {}
                for output, path in (
                    ("chrome", chrome),
                    ("perfetto", perfetto),
                ):
                    result = tfprof(
                        "timeline",
                        *words,
                        "-output",
                        f"{output}:outfile={path}",
                    )
                    if "no executions" in result.stderr:
                        break
                    self.assertEqual(result.returncode, 0, name + result.stderr)
                    found[output] = result.stderr
                if not found:
                    continue
                tried += 1
                self.assertEqual(found["chrome"], found["perfetto"])
                self.assertEqual(
                    self.chrome_slices(name, chrome),
                    self.perfetto_slices(name, perfetto),
                    name,
                )
        self.assertGreater(tried, 15)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpus = word.split("=", 1)[1]
            sys.argv.remove(word)
    sys.exit(junit_runner.main("timeline"))
