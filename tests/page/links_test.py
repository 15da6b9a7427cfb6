#!/usr/bin/env python3
"""The arrows of the timeline page are the links that the file records.

Usage: links_test.py --bin=PROGRAM [--corpus=DIR…] [TEST…]

Every recorded link is on the page and in `rows links`, and they have no others.
recorded_links.py reads the files a second time. Without a corpus, recordings of
tests/gpu and a made trace are compared. Writes JUnit XML to $XML_OUTPUT_FILE.
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
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "page")]
import junit_runner
import page_file
import recorded_links

KINDS = ("launch", "transfer", "gradient", "data")
RECORDED = os.path.join(TESTS, "gpu", "recorded")
TRACES = (".json", ".json.gz", ".xplane.pb", ".xplane.pb.gz")
# Larger files take the simple reader minutes.
MOST_BYTES = 1_500_000

binary = ""  # of junit_runner.main()
corpora = []


def is_trace(path):
    """Whether this is a file that the simple reader knows, and a small one."""
    if ".oracle." in path or not path.endswith(TRACES):
        return False
    if os.path.getsize(path) > MOST_BYTES:
        return False
    if ".xplane." in path:
        return True
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return b'"ph"' in file.read(1 << 16)


def of_page(path):
    """The links of the timeline page, as recorded_links.read() has them."""
    with tempfile.TemporaryDirectory() as folder:
        written = os.path.join(folder, "page.html")
        subprocess.run(
            [binary, path, "timeline", "-output", "html:outfile=" + written],
            check=True,
            capture_output=True,
        )
        with open(written, encoding="utf-8") as file:
            page = page_file.PageFile(file.read())
    events = page.events()
    per_unit = page.head["ticksPerMicro"] // 1000

    def times(number):
        event = events[number]
        return (event["start"], event["duration"])

    links = [
        (KINDS[kind], times(start), times(end))
        for start, end, kind in page.links()
    ]
    return recorded_links.from_first(links), per_unit


def of_rows(path):
    """Those of `rows links`."""
    done = subprocess.run(
        [binary, path, "rows", "executions", "links", "-output", "json"],
        check=True,
        capture_output=True,
    )
    tables = json.loads(done.stdout)["tables"]
    times = {
        row["id"]: (row["start_nanos"], row["end_nanos"] - row["start_nanos"])
        for row in tables["executions"]["rows"]
    }
    return recorded_links.from_first(
        [
            (row["kind"], times[row["from_id"]], times[row["to_id"]])
            for row in tables["links"]["rows"]
        ]
    )


class LinksTest(unittest.TestCase):
    def setUp(self):
        self.files = 0
        self.kinds = collections.Counter()

    def compare(self, path):
        recorded = recorded_links.read(path)
        page, ticks = of_page(path)
        missing = collections.Counter(recorded) - collections.Counter(page)
        more = collections.Counter(page) - collections.Counter(recorded)
        self.assertEqual(
            (list(missing)[:3], list(more)[:3]),
            ([], []),
            "%d recorded, %d on the page, %d are missing and %d invented"
            % (len(recorded), len(page), missing.total(), more.total()),
        )
        self.compare_rows(path, page, ticks)
        self.files += bool(recorded)
        self.kinds.update(kind for kind, _, _ in recorded)

    def compare_rows(self, path, page, ticks):
        """`rows` cuts times after the nanosecond."""
        rows = of_rows(path)
        self.assertEqual(len(rows), len(page))
        for row, link in zip(rows, page):
            self.assertEqual(row[0], link[0])
            for a, b in zip(row[1:], link[1:]):
                for one, other in zip(a, b):
                    self.assertLessEqual(abs(one * ticks - other), 2 * ticks)

    def test_recordings(self):
        for path in sorted(glob.glob(os.path.join(RECORDED, "*", "trace.*"))):
            with self.subTest(path):
                self.compare(path)
        self.assertGreaterEqual(self.files, 10)
        for kind in ("launch", "gradient", "data"):
            self.assertGreater(self.kinds[kind], 0, kind)

    def test_arrows_of_a_made_trace(self):
        def piece(thread, start, duration, name):
            return {
                "ph": "X",
                "pid": 1,
                "tid": thread,
                "ts": start,
                "dur": duration,
                "name": name,
            }

        def arrow(phase, thread, time, ident, **more):
            return {
                "ph": phase,
                "pid": 1,
                "tid": thread,
                "ts": time,
                "id": ident,
                "cat": "c",
                "name": "n",
                **more,
            }

        events = [
            piece(1, 0, 100, "outer"),
            piece(1, 10, 20, "inner"),
            piece(2, 50, 10, "reader"),
            piece(2, 70, 10, "next"),
            piece(3, 90, 5, "last"),
            # From the inner slice, through one, to one around the end.
            arrow("s", 1, 15, 1),
            arrow("t", 2, 55, 1),
            arrow("f", 3, 92, 1, bp="e"),
            # From the outer slice to the next one.
            arrow("s", 1, 40, 2),
            arrow("f", 2, 61, 2),
            # Begins nowhere; has another id.
            arrow("s", 4, 1, 3),
            arrow("f", 2, 71, 3, bp="e"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"traceEvents": events}, file)
            self.compare(path)
        self.assertEqual(self.kinds, {"data": 3})

    def test_corpora(self):
        if not corpora:
            self.skipTest("no --corpus")
        for folder in corpora:
            for name in sorted(
                glob.glob(os.path.join(folder, "**", "*"), recursive=True)
            ):
                if not is_trace(name):
                    continue
                with self.subTest(name):
                    self.compare(name)
        print("%d files with links: %s" % (self.files, dict(self.kinds)))
        self.assertGreaterEqual(self.files, 20)


if __name__ == "__main__":
    for word in list(sys.argv):
        if word.startswith("--corpus="):
            corpora.append(word.split("=", 1)[1])
            sys.argv.remove(word)
    sys.exit(junit_runner.main("links"))
