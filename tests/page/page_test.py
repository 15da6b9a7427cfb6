#!/usr/bin/env python3
"""Tests of the timeline page as a file, without a browser.

Usage: page_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

The page keeps its security policy whatever names a profile has, asks for
nothing, and holds every event of the file. Writes JUnit XML to
$XML_OUTPUT_FILE.
"""

import collections
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "page")]
import junit_runner
import page_file
import wire

PROFILES = os.path.join(TESTS, "golden", "profiles")
RECORDED = os.path.join(TESTS, "gpu", "recorded")
binary = None

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x>",
    "\u202eevil\u2066",
    "a\"b\\c'd",
    "]]>",
    "\u2028\u2029",
    "&lt;b&gt;",
    "日本語",
    "x" * 5000,
    "\x01\x7f",
    "<style>*{display:none}</style>",
]


def trace_event(name, tid, start, duration, cat="cpu_op", pid=7, **args):
    return {
        "ph": "X",
        "name": name,
        "cat": cat,
        "pid": pid,
        "tid": tid,
        "ts": start,
        "dur": duration,
        "args": args,
    }


class PageTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def page(self, *args):
        path = os.path.join(self.folder, "page.html")
        result = subprocess.run(
            [binary, "timeline", "-output", "html:outfile=" + path, *args],
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(path, encoding="utf-8") as f:
            return page_file.PageFile(f.read())

    def trace(self, events, **more):
        path = os.path.join(self.folder, "trace.json")
        with open(path, "w") as f:
            json.dump({"schemaVersion": 1, "traceEvents": events, **more}, f)
        return path

    def ps_worker(self):
        folder = os.path.join(PROFILES, "ps_worker")
        return self.page(
            "--graph_path=" + os.path.join(folder, "graph.pb"),
            "--run_meta_path=" + os.path.join(folder, "run_meta_0.gz"),
        )

    def check_shape(self, page):
        """The checks of every page."""
        self.assertEqual(len(page.scripts), 1)
        self.assertEqual(len(page.styles), 1)
        self.assertEqual(
            page.policy.split("; "),
            [
                "default-src 'none'",
                "script-src " + page_file.digest(page.scripts[0]),
                "style-src " + page_file.digest(page.styles[0]),
                "base-uri 'none'",
                "form-action 'none'",
            ],
        )
        for name, attributes, _ in page.elements:
            self.assertNotIn(name, ("img", "iframe", "link", "object", "base"))
            for key in attributes:
                self.assertNotIn(key, ("src", "href", "style", "srcset"))
                self.assertFalse(key.startswith("on"), key)
        for text in page.scripts + page.styles:
            self.assertNotRegex(text, r"https?://")
        self.assertNotIn("<", page.head_text)
        # The page has nothing that the policy would stop.
        self.assertNotRegex(page.scripts[0], r"\binnerHTML\b|\beval\(")
        events = page.events()
        counts = page.head["counts"]
        self.assertEqual(len(events), counts["events"])
        self.assertEqual(len(page.strings), counts["strings"])
        self.assertEqual(len(page.links()), counts["links"])
        self.assertEqual(len(page.details()), counts["details"])
        for event in events:
            self.assertLessEqual(
                event["start"] + event["duration"], page.head["span"]
            )
        for lane in page.head["lanes"]:
            self.assertLess(lane["device"], len(page.head["devices"]))
        for start, end, _ in page.links():
            self.assertLess(max(start, end), len(events))
        return events

    def test_run_metadata_has_all_records_and_transfers(self):
        page = self.ps_worker()
        events = self.check_shape(page)
        with gzip.open(
            os.path.join(PROFILES, "ps_worker", "run_meta_0.gz")
        ) as f:
            starts = collections.Counter(
                wire.values(node, 2)[0]
                for stats in wire.values(f.read(), 1)
                for device in wire.values(stats, 1)
                for node in wire.values(device, 2)
            )
        origin = int(page.head["origin"])
        self.assertEqual(
            collections.Counter(e["start"] + origin for e in events), starts
        )
        received = [
            t for t in page.transfers() if events[t[0]]["name"] == "RecvTensor"
        ]
        self.assertEqual(len(received), 5)
        for event, size, tensor, source, destination in received:
            label = events[event]["fields"]["label"]
            self.assertEqual(events[event]["kind"], "communication")
            self.assertIn("[%dB]" % size, label)
            self.assertIn(
                "%s from %s to %s" % (tensor, source, destination), label
            )
        self.assertEqual(
            sorted(set(page.head["processes"])), ["ps/0", "worker/0"]
        )

    def test_figures_and_path_are_those_of_the_program(self):
        folder = os.path.join(PROFILES, "ps_worker")
        words = [
            "--graph_path=" + os.path.join(folder, "graph.pb"),
            "--run_meta_path=" + os.path.join(folder, "run_meta_0.gz"),
        ]
        page = self.page(*words)

        def ask(command):
            result = subprocess.run(
                [binary, *words, *command, "-output", "json"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)

        tables = ask(["timeline"])["tables"]
        named = {row["device"]: row for row in tables["devices"]["rows"]}
        ticks = page.head["ticksPerMicro"]
        self.assertEqual(len(page.head["devices"]), len(named))
        for device in page.head["devices"]:
            process = page.head["processes"][device["process"]]
            row = named["%s %s" % (process, device["label"])]
            figures = device["figures"]
            for key, column in (
                ("span", "wall"),
                ("busy", "busy"),
                ("compute", "compute"),
                ("communication", "communication"),
                ("copies", "copy"),
                ("overlap", "overlap"),
                ("idle", "idle"),
                ("exposed", "exposed_communication"),
            ):
                self.assertEqual(
                    figures[key], row[column + "_micros"] * ticks, column
                )
        events = self.check_shape(page)
        on_path = page.path()
        self.assertLessEqual(max(e for e, _, _ in on_path), len(events))
        tables = ask(["critical_path"])["tables"]
        busy = sum(
            row["micros"]
            for row in tables["segments"]["rows"]
            if row["kind"] != "wait"
        )
        self.assertEqual(sum(path for _, path, _ in on_path), busy * ticks)

    def test_all_profiles_of_the_corpus(self):
        seen = 0
        for name in sorted(os.listdir(PROFILES)):
            folder = os.path.join(PROFILES, name)
            runs = sorted(
                f
                for f in os.listdir(folder)
                if re.fullmatch(r"run_meta_\d+(\.gz)?", f)
            )
            if not runs:
                continue
            with self.subTest(name):
                graph = next(
                    f
                    for f in ("graph.pb", "graph.pb.gz")
                    if os.path.exists(os.path.join(folder, f))
                )
                self.check_shape(
                    self.page(
                        "--graph_path=" + os.path.join(folder, graph),
                        "--run_meta_path="
                        + ",".join(os.path.join(folder, f) for f in runs),
                    )
                )
                seen += 1
        self.assertGreater(seen, 8)

    def test_recorded_gpu_traces(self):
        for name, file in (
            ("train_cnn", "trace.json.gz"),
            ("jax_train", "trace.xplane.pb.gz"),
        ):
            with self.subTest(name):
                page = self.page(os.path.join(RECORDED, name, file))
                events = self.check_shape(page)
                kinds = {e["kind"] for e in events}
                self.assertIn("compute", kinds)
                self.assertTrue(page.head["nested"])
                self.assertTrue(
                    any(d["accelerator"] for d in page.head["devices"])
                )
                self.assertTrue(page.samples())

    def test_a_trace_has_the_same_events(self):
        next_random = random.Random(5)
        events, at = [], 0.0
        for i in range(3000):
            at += next_random.randrange(1, 2000) / 1000
            events.append(
                trace_event(
                    "op%d" % next_random.randrange(30),
                    1 + i % 3,
                    round(at, 3),
                    next_random.randrange(1, 900) / 1000,
                    **{"External id": i},
                )
            )
        page = self.page(self.trace(events))
        found = self.check_shape(page)
        self.assertEqual(page.head["ticksPerMicro"], 1000)
        first = min(e["ts"] for e in events)
        self.assertEqual(
            collections.Counter(
                (e["name"], e["start"], e["duration"]) for e in found
            ),
            collections.Counter(
                (
                    e["name"],
                    round((e["ts"] - first) * 1000),
                    round(e["dur"] * 1000),
                )
                for e in events
            ),
        )
        self.assertEqual(
            {e["fields"].get("External id") for e in found},
            {str(i) for i in range(3000)},
        )

    def test_hostile_names_stay_text(self):
        events = [
            trace_event(name, 1 + i, 10 * i, 5 + i, **{name: name})
            for i, name in enumerate(HOSTILE)
        ]
        events.append(
            {
                "ph": "M",
                "name": "thread_name",
                "pid": 7,
                "tid": 1,
                "args": {"name": HOSTILE[0]},
            }
        )
        events.append(
            {
                "ph": "M",
                "name": "process_name",
                "pid": 7,
                "args": {"name": HOSTILE[0]},
            }
        )
        path = self.trace(events)
        moved = os.path.join(self.folder, "<b>&amp;.json")
        os.rename(path, moved)
        page = self.page(moved)
        found = self.check_shape(page)
        for name in HOSTILE[:4]:
            self.assertIn(name, {e["name"] for e in found})
        self.assertEqual(page.head["title"], "<b>&amp;.json")
        self.assertNotIn("alert(1)", page.text.replace(page.head_text, ""))

    def test_odd_times(self):
        events = [
            trace_event("zero", 1, 5, 0),
            trace_event("same", 1, 5, 0),
            trace_event("century", 1, 6, 3.2e15),
            trace_event("long ago", 2, -1e12, 1),
            trace_event("over", 2, 7, 10),
            trace_event("lap", 2, 9, 10),
        ]
        page = self.page(self.trace(events))
        found = self.check_shape(page)
        self.assertEqual(len(found), 6)
        self.assertLessEqual(page.head["span"], 2**53)
        self.assertEqual(min(e["start"] for e in found), 0)

    def test_many_lanes(self):
        events = [trace_event("op", tid, tid, 5) for tid in range(5000)]
        page = self.page(self.trace(events))
        self.check_shape(page)
        self.assertEqual(len(page.head["lanes"]), 5000)

    def test_bytes_of_an_event(self):
        next_random = random.Random(9)
        events, at = [], 0
        for i in range(60000):
            at += next_random.randrange(1, 40000)
            events.append(
                trace_event(
                    "op%d" % next_random.randrange(200),
                    1 + i % 5,
                    at / 1000,
                    next_random.randrange(1, 30000) / 1000,
                )
            )
        small = len(self.page(self.trace(events[:1])).text)
        full = len(self.page(self.trace(events)).text)
        self.assertLess((full - small) / 60000, 12)

    def test_only_the_chosen_step(self):
        folder = os.path.join(PROFILES, "multi_step")
        page = self.page(
            "--graph_path=" + os.path.join(folder, "graph.pb"),
            "--run_meta_path="
            + ",".join(
                os.path.join(folder, "run_meta_%d" % s) for s in (0, 10, 20)
            ),
            "-step",
            "1",
        )
        events = self.check_shape(page)
        self.assertEqual({e["step"] for e in events}, {1})
        self.assertEqual(page.head["stepNumbers"], [1])

    def test_a_page_has_the_name_of_its_profile(self):
        title = self.ps_worker().head["title"]
        self.assertEqual(title, "graph.pb and 1 more")
        # A CTF trace is a folder.
        recording = os.path.join(RECORDED, "joined", "recording")
        title = self.page(recording).head["title"]
        self.assertEqual(title, "recording")
        inner = os.path.join(self.folder, "session", "ust", "uid", "0")
        os.makedirs(inner)
        shutil.copytree(recording, os.path.join(inner, "64-bit"))
        page = self.page(os.path.join(self.folder, "session"))
        self.assertEqual(page.head["title"], "session")

    def test_sums_are_no_timeline(self):
        folder = os.path.join(PROFILES, "ps_worker")
        path = os.path.join(self.folder, "sums.pb")
        subprocess.run(
            [
                binary,
                "scope",
                "-select",
                "micros",
                "-output",
                "pprof:mode=full,outfile=" + path,
                "--graph_path=" + os.path.join(folder, "graph.pb"),
                "--run_meta_path=" + os.path.join(folder, "run_meta_0.gz"),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        result = subprocess.run(
            [
                binary,
                "timeline",
                "-output",
                "html:outfile=" + os.path.join(self.folder, "no.html"),
                path,
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("There is no timeline", result.stdout + result.stderr)
        self.assertEqual(os.listdir(self.folder), ["sums.pb"])

    def test_nothing_ran(self):
        result = subprocess.run(
            [
                binary,
                "timeline",
                "-output",
                "html:outfile=" + os.path.join(self.folder, "no.html"),
                "--graph_path="
                + os.path.join(PROFILES, "ps_worker", "graph.pb"),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("There is no timeline", result.stdout + result.stderr)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    sys.exit(junit_runner.main("page"))
