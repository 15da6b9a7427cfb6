#!/usr/bin/env python3
"""Tests the HTML page of a fleet, also in headless Chromium.

Usage: tests/fleet/page_test.py --bin=bazel-bin/profiler/tfprof
           --python=PYTHON [TEST…]

PYTHON has duckdb and pyarrow; `./dev test-fleet` makes it. Writes JUnit XML to
$XML_OUTPUT_FILE.
"""

import base64
import os
import re
import struct
import sys
import unittest
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "page"))
sys.path.insert(0, HERE)

import browser
import fleet_program as program
import junit_runner
from fleet_program import RANKS, STEPS, dataset, fleet
from make_ranks import Faults, make_job

binary = ""  # of junit_runner.main()

# What runs or loads something.
_ACTIVE = re.compile(r"<script|\son\w+=|javascript:|https?://", re.I)
_EVIL = "<img src=x onerror=alert(1)>"


def pixels(png):
    """The rows of a PNG with a palette, as write_page() makes them."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, data, size = 8, b"", ()
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind = png[place + 4 : place + 8]
        chunk = png[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", png[place + 8 + length :][:4])
        assert check == zlib.crc32(kind + chunk), kind
        if kind == b"IHDR":
            size = struct.unpack(">II", chunk[:8])
        elif kind == b"IDAT":
            data += chunk
        place += 12 + length
    raw = zlib.decompress(data)
    width, height = size
    assert len(raw) == height * (width + 1)
    return [
        list(raw[y * (width + 1) + 1 : (y + 1) * (width + 1)])
        for y in range(height)
    ]


class PageTest(unittest.TestCase):
    def page(self):
        made = dataset(
            "page",
            "--ranks",
            str(RANKS),
            seed=31,
            faults=Faults(
                slow={7: 1.25},
                slow_steps={33: (1.3, (2, 5, 8))},
                missing=(60, 61),
            ),
        )
        path = program.path("page.html")
        done = fleet(made, "-output", f"html:outfile={path}")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        with open(path) as file:
            return path, file.read()

    def test_it_begins_with_what_is_lost_and_has_every_part(self):
        _, text = self.page()
        self.assertRegex(
            text,
            r'</h1>\n<p class="lost">ranks 62 of 64, steps 10, missing 2 '
            r"\(60, 61\),",
        )
        for title in ("Slow ranks", "Operations", "Files by status"):
            self.assertIn(f"<h2>{title}</h2>", text)
        self.assertIn("compute: 12 of 14 ops slower", text)
        self.assertIn("<figcaption>rank 33</figcaption>", text)

    def test_it_runs_and_loads_nothing(self):
        _, text = self.page()
        self.assertIn("Content-Security-Policy", text)
        self.assertIn("default-src 'none'; img-src data:;", text)
        self.assertIsNone(_ACTIVE.search(text))

    def test_the_heat_map_shows_who_is_slow_and_who_is_missing(self):
        _, text = self.page()
        image = re.search(r'<img src="data:image/png;base64,([^"]+)"', text)
        rows = pixels(base64.b64decode(image[1]))
        self.assertEqual((len(rows), len(rows[0])), (RANKS, STEPS))
        empty = [rank for rank, row in enumerate(rows) if not any(row)]
        self.assertEqual(empty, [60, 61])
        middle = sorted(value for row in rows for value in row)[RANKS * 5]
        hot = {
            (rank, step)
            for rank, row in enumerate(rows)
            for step, value in enumerate(row)
            if value > middle + 20
        }
        slow = {(7, step) for step in range(STEPS)}
        self.assertEqual(hot, slow | {(33, 2), (33, 5), (33, 8)})

    def test_names_are_text(self):
        traces = program.path("evil")
        make_job(traces, 2, 3, seed=1)
        bad = os.path.join(traces, f"{_EVIL.replace('/', '')} rank_5.json")
        with open(bad, "w") as file:
            file.write("junk")
        fleet("ingest", traces, "-o", traces + ".dataset")
        for words in ((), ("files",), ("-by", "rank")):
            done = fleet(traces + ".dataset", *words, "-output", "html")
            self.assertIn("<!doctype html>", done.stdout, done.stderr)
            self.assertNotIn("<img src=x", done.stdout)
        done = fleet(traces + ".dataset", "files", "-output", "html")
        self.assertIn("&lt;img src=x onerror=alert(1)&gt;", done.stdout)

    def test_many_ranks_share_a_row_and_the_page_stays_small(self):
        script = (
            "import sys; from tfprof._fleet import pictures, view\n"
            "fleet = view.open_fleet(sys.argv[1])\n"
            "fleet.table('rank_steps', 'SELECT r::BIGINT"
            " AS rank, s::BIGINT AS step, (CASE WHEN r = 7777 THEN 1500000"
            " ELSE 1000000 END)::BIGINT AS own_nanos"
            " FROM range(10000) t(r), range(500) u(s)')\n"
            "fleet.expected = 10000\n"
            "made = pictures.heat_map(fleet)\n"
            "print(made.rows, made.columns, made.ranks_of_row,"
            " made.steps_of_column, made.image)"
        )
        done = program.run("-c", script, dataset("base", seed=2))
        rows, columns, of_row, of_column, image = done.stdout.split()
        self.assertEqual(
            (rows, columns, of_row, of_column), ("250", "167", "40", "3")
        )
        self.assertLess(len(image), 100_000)
        found = pixels(base64.b64decode(image.partition(",")[2]))
        hot = {y for y, row in enumerate(found) if max(row) == 128}
        self.assertEqual(hot, {7777 // 40})

    def test_a_bad_option_is_named(self):
        for option in ("html:file=x", "pdf", "html:outfile="):
            done = fleet(dataset("base", seed=2), "-output", option)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"-output {option}: ", done.stderr)

    def test_in_a_browser(self):
        if not browser.find_browser():
            self.skipTest("no Chromium")
        path, _ = self.page()
        for width in (390, 768, 1440):
            with browser.Browser(width, 900, dark=width == 390) as opened:
                page = opened.open("file://" + path, wait=False)
                page.wait(
                    "document.readyState === 'complete' && "
                    "document.images.length === 2 && "
                    "[...document.images].every(i => i.naturalWidth > 0)"
                )
                self.assertEqual(page.errors, [])
                fits = "document.documentElement.scrollWidth"
                self.assertLessEqual(page.evaluate(fits), width)
                background = "getComputedStyle(document.body).backgroundColor"
                self.assertEqual(
                    page.evaluate(background),
                    "rgb(20, 24, 28)" if width == 390 else "rgb(255, 255, 255)",
                )


def setUpModule():
    program.start(binary)


def tearDownModule():
    program.stop()


if __name__ == "__main__":
    program.take_python()
    sys.exit(junit_runner.main("fleet_page_test"))
