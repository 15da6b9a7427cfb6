#!/usr/bin/env python3
"""Compares numbers about GPUs with Meta's HTA on the same traces.

Usage: hta_test.py --bin=bazel-bin/profiler/tfprof [--corpus=DIR] [TEST…]

DIR has a folder kineto/NAME for each trace: its files, and what HTA 0.5 said of
them without cutting times to microseconds (NAME.hta_ns.json). The figures of
`devices` must be those of HTA but for the ones in DIFFERENT, each with the rule
of HTA that makes it differ. Without the corpus all is
skipped.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import glob
import gzip
import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import junit_runner

TIMEOUT = 300
# HTA adds times as floats, which lose nanoseconds where they are long.
CLOSE_MICROS = 0.05
CLOSE_PERCENT = 0.006

binary = ""  # of junit_runner.main()
corpus = ""

SYNC = "HTA counts waits of the host (cuda_sync) as work of the GPU"
LINKED = "HTA keeps only work of the GPU that was launched inside of the steps"
OTHER_STREAM = "HTA counts host events that name a stream as work of the GPU"
MTIA = "HTA has rules of its own for MTIA"
# (trace, figure) -> why it differs; figure "": all of the trace.
DIFFERENT = {
    ("a100_alexnet_critpath", ""): SYNC,
    ("a100_event_sync", ""): SYNC,
    ("a100_16rank_queue", ""): LINKED,
    ("mi300_resnet_ckpt_ddp8", ""): LINKED,
    ("b200_eager", ""): OTHER_STREAM,
    ("mtia_inference", ""): MTIA,
}


def read_json(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def rows(table):
    """{rank: {column: value}}."""
    named = [dict(zip(table["columns"], row)) for row in table["data"]]
    return {int(row["rank"]): row for row in named}


def devices(path):
    result = subprocess.run(
        [binary, path, "devices", "-output", "json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if result.returncode not in (0, 1):
        raise AssertionError(f"{path}: {result.stderr}")
    return [
        row
        for row in json.loads(result.stdout)["rows"]
        if row["compute_micros"] is not None
    ]


class HtaTest(unittest.TestCase):
    def setUp(self):
        if not corpus:
            self.skipTest("no --corpus")

    def check(self, name, rank, figure, ours, theirs, close):
        reason = DIFFERENT.get((name, figure), DIFFERENT.get((name, "")))
        text = f"{name} rank {rank} {figure}: {ours}, HTA {theirs}"
        if reason is None:
            self.assertLessEqual(abs(ours - theirs), close, text)
        elif abs(ours - theirs) > close:
            self.differ.add(name)

    def compare(self, name, rank, path, times, overlaps):
        gpus = devices(path)
        # HTA adds the GPUs of a file into one row.
        if len(gpus) != 1:
            return
        gpu = gpus[0]
        of = times[rank]
        for figure, ours in (
            ("idle_time(us)", gpu["idle_micros"]),
            ("compute_time(us)", gpu["compute_micros"]),
            (
                "non_compute_time(us)",
                gpu["busy_micros"] - gpu["compute_micros"],
            ),
            ("kernel_time(us)", gpu["span_micros"]),
        ):
            self.check(name, rank, figure, ours, of[figure], CLOSE_MICROS)
            self.compared += 1
        percent = overlaps.get(rank, {}).get("comp_comm_overlap_pctg")
        if percent is not None and gpu["communication_micros"]:
            ours = 100 * gpu["overlap_micros"] / gpu["communication_micros"]
            self.check(name, rank, "overlap", ours, percent, CLOSE_PERCENT)
            self.compared += 1

    def test_figures(self):
        self.compared, self.differ = 0, set()
        for path in sorted(
            glob.glob(os.path.join(corpus, "kineto", "*", "*.hta_ns.json*"))
        ):
            folder = os.path.dirname(path)
            name = os.path.basename(folder)
            theirs = read_json(path)
            breakdown = theirs.get("temporal_breakdown_us")
            if not isinstance(breakdown, dict) or "data" not in breakdown:
                continue
            times = rows(breakdown)
            overlap = theirs.get("comm_comp_overlap_pct")
            overlaps = (
                rows(overlap)
                if isinstance(overlap, dict) and "data" in overlap
                else {}
            )
            traces = [
                p
                for p in sorted(glob.glob(folder + "/*.json.gz"))
                if ".sums." not in p and ".hta" not in p
            ]
            if len(traces) != len(times):
                continue
            for rank, trace in zip(sorted(times), traces):
                with self.subTest(trace):
                    self.compare(name, rank, trace, times, overlaps)
        self.assertGreater(self.compared, 60)
        # A reason for equal results would hide a change.
        self.assertEqual(self.differ, {name for name, _ in DIFFERENT})


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpus = word.split("=", 1)[1]
            sys.argv.remove(word)
    sys.exit(junit_runner.main("hta"))
