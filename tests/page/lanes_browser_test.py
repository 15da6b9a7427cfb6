#!/usr/bin/env python3
"""Tests of the lanes of the timeline page in a headless browser.

Usage: lanes_browser_test.py --bin=bazel-bin/profiler/tfprof
           [--browser=firefox] [TEST…]

Pins, hides and filters lanes, limits a range to some, lists what a search
finds, saves files, and prints; on screens of 360 to 3,840 pixels.
"""

import collections
import csv
import gzip
import json
import os
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "page")]
import accessible
import browser
import browser_test
from browser_test import PS_WORKER, RECORDED, BrowserTest
from driver import ALT

CNN = os.path.join(RECORDED, "train_cnn", "trace.json.gz")
binary = None


def setUpModule():
    browser_test.binary = binary


class LanesTest(BrowserTest):
    def items(self):
        return self.app("app.layout.items.map(i => i.key)")

    def focus(self, key):
        """Makes a name of the tree the one that has the keys."""
        self.page.evaluate(
            "document.querySelector('#gutter [data-key=\"%s\"]').focus()" % key
        )

    def focused(self):
        return self.page.evaluate("document.activeElement.dataset.key")

    def shown(self):
        return self.page.evaluate(
            "[document.getElementById('lanes-shown').textContent, "
            "document.getElementById('lanes-hidden').hidden ? '' : "
            "document.getElementById('lanes-hidden').textContent]"
        )

    def count(self):
        head = self.file.head
        return len(head["lanes"]) + len(head["counters"])

    def input(self, field, value):
        self.page.evaluate(
            "(() => { const f = document.getElementById('%s'); f.value = %s; "
            "f.dispatchEvent(new Event('input')); })()"
            % (field, json.dumps(value))
        )
        self.page.settle()

    def click_on(self, ident):
        self.page.evaluate("document.getElementById('%s').click()" % ident)
        self.page.settle()

    def test_the_tree_by_keys(self):
        self.open(CNN)
        keys = self.items()
        self.focus(keys[0])
        self.page.key("ArrowDown")
        self.assertEqual(self.focused(), keys[1])
        self.page.key("End")
        self.assertEqual(self.focused(), keys[-1])
        self.page.key("Home")
        self.assertEqual(self.focused(), keys[0])
        # A device closes, and the next right arrow opens it.
        device = next(k for k in keys if k[0] == "d")
        self.focus(device)
        self.page.key("ArrowLeft")
        self.assertLess(len(self.items()), len(keys))
        self.assertEqual(self.focused(), device)
        self.page.key("ArrowRight")
        self.assertEqual(self.items(), keys)
        # One name is in the order of Tab.
        self.assertEqual(
            self.page.evaluate(
                "[...document.querySelectorAll('#gutter *')]"
                ".filter(e => e.tabIndex === 0).length"
            ),
            1,
        )

    def test_pinned_and_hidden_lanes_stay_in_the_link(self):
        self.open(CNN)
        count = self.count()
        self.assertEqual(self.shown(), ["%d lanes and counters" % count, ""])
        lanes = [k for k in self.items() if k[0] == "l"]
        pinned, hidden = lanes[2], lanes[0]
        self.focus(pinned)
        self.page.key("p")
        self.assertEqual(self.items()[0], pinned)
        self.assertEqual(self.shown()[0], "%d lanes and counters" % count)
        # It keeps its place while the others scroll.
        self.page.evaluate(
            "(() => { const app = tfprofPage.app; app.view.y = 1e6; "
            "app.redraw(); })()"
        )
        self.page.settle()
        top = "document.querySelector('#gutter [data-key=\"%s\"]')"
        top = (top + ".getBoundingClientRect().top") % pinned
        corner = "document.getElementById('canvas').getBoundingClientRect().top"
        self.assertEqual(self.page.evaluate(top + " - " + corner), 46)
        self.page.evaluate(
            "(() => { const app = tfprofPage.app; app.view.y = 0; "
            "app.redraw(); })()"
        )
        self.page.settle()
        self.focus(hidden)
        self.page.key("h")
        self.assertNotIn(hidden, self.items())
        self.assertEqual(
            self.shown(), ["%d of %d" % (count - 1, count), "1 hidden"]
        )
        self.input("lanes-filter", "gpu")
        self.page.settle()
        state = self.items()
        again = self.browser.open(self.page.evaluate("location.href"))
        self.assertEqual(
            again.evaluate("tfprofPage.app.layout.items.map(i => i.key)"), state
        )
        self.assertEqual(
            again.evaluate("document.getElementById('lanes-filter').value"),
            "gpu",
        )
        self.check_quiet(again)
        again.close()
        self.page.bring_to_front()
        # The hidden one is listed, and comes back.
        self.input("lanes-filter", "")
        self.click_on("lanes-hidden")
        self.assertEqual(
            self.page.evaluate(
                "document.querySelectorAll('#hidden-list li').length"
            ),
            1,
        )
        self.page.evaluate(
            "document.querySelector('#hidden-list button').click()"
        )
        self.page.settle()
        self.assertIn(hidden, self.items())
        self.assertFalse(
            self.page.evaluate("document.getElementById('hidden-lanes').open")
        )
        self.assertEqual(self.shown(), ["%d lanes and counters" % count, ""])

    def test_the_filter_says_what_it_leaves_out(self):
        self.open(CNN)
        head = self.file.head
        count = self.count()
        gpus = [
            i
            for i, lane in enumerate(head["lanes"])
            if head["devices"][lane["device"]]["accelerator"]
        ]
        self.assertTrue(0 < len(gpus) < len(head["lanes"]))
        counters = sum(
            "gpu" in c["name"]
            or (
                c["device"] >= 0 and head["devices"][c["device"]]["accelerator"]
            )
            for c in head["counters"]
        )
        self.input("lanes-filter", "GPU")
        kept = len(gpus) + counters
        self.assertEqual(
            self.shown()[0],
            "%d of %d · %d filtered" % (kept, count, count - kept),
        )
        self.input("lanes-filter", "no such lane")
        self.assertEqual(self.items(), [])
        # The place of an event is shown whatever the filter is.
        self.page.evaluate("tfprofPage.app.select(0, true)")
        self.page.settle()
        self.assertEqual(self.shown()[0], "%d lanes and counters" % count)
        # All at once.
        before = self.items()
        self.click_on("collapse-all")
        self.assertEqual(
            self.app("app.layout.items.filter(i => i.open).length"), 0
        )
        self.assertEqual(self.shown()[0], "%d lanes and counters" % count)
        self.click_on("expand-all")
        self.assertGreaterEqual(len(self.items()), len(before))
        self.assertEqual(
            self.app("app.layout.items.filter(i => !i.open).length"), 0
        )

    def test_the_scroll_bar(self):
        self.open(CNN)
        self.click_on("expand-all")
        most = self.app("app.timeline.maxScroll")
        self.assertGreater(most, 0)
        x, top, height = self.page.evaluate(
            "(() => { const b = document.getElementById('scrollbar')"
            ".getBoundingClientRect(); return [b.left + b.width / 2, b.top, "
            "b.height]; })()"
        )
        self.page.drag(x, top + 4, x, top + height)
        self.assertEqual(self.app("app.view.y"), most)
        bar = "document.getElementById('scrollbar')"
        self.assertEqual(
            self.page.evaluate(bar + ".getAttribute('aria-valuenow')"),
            str(round(most)),
        )
        self.page.evaluate(bar + ".focus()")
        self.page.key("Home")
        self.assertEqual(self.app("app.view.y"), 0)
        self.page.key("ArrowDown")
        self.assertGreater(self.app("app.view.y"), 0)
        self.click_on("collapse-all")
        self.assertTrue(self.page.evaluate(bar + ".hidden"))

    def test_the_names_are_as_wide_as_they_are_dragged(self):
        self.open(CNN)
        wide = "document.getElementById('side').offsetWidth"
        before = self.page.evaluate(wide)
        x, y = self.page.evaluate(
            "(() => { const b = document.getElementById('names-splitter')"
            ".getBoundingClientRect(); return [b.left + 3, b.top + 200]; })()"
        )
        self.page.drag(x, y, x + 90, y)
        self.assertEqual(self.page.evaluate(wide), before + 90)
        bar = "document.getElementById('names-splitter')"
        self.page.evaluate(bar + ".focus()")
        self.page.key("ArrowLeft")
        self.assertEqual(self.page.evaluate(wide), before + 66)
        self.assertEqual(
            self.page.evaluate(bar + ".getAttribute('aria-valuenow')"),
            str(before + 66),
        )
        left, _, _, _ = self.canvas()
        self.assertGreaterEqual(left, before + 66)
        self.page.settle()
        again = self.browser.open(self.page.evaluate("location.href"))
        self.assertEqual(again.evaluate(wide), before + 66)
        again.close()
        self.page.bring_to_front()

    def test_a_range_of_some_lanes(self):
        self.open(CNN)
        lane = max(
            (
                i
                for i, of in enumerate(self.file.head["lanes"])
                if of["kind"] == "compute" and of["counted"]
            ),
            key=lambda i: self.file.head["lanes"][i]["events"],
        )
        self.focus("l%d" % lane)
        self.page.key(" ")
        count = len(self.file.head["lanes"])
        self.assertIn("Sums of 1 of %d lanes" % count, self.panel())
        sums = collections.Counter()
        for e in self.events:
            if e["lane"] == lane:
                sums[e["op"]] += e["duration"]
        per_nano = self.file.head["ticksPerMicro"] / 1000

        def nanos(text):
            return float(text.replace(",", "").replace(" ns", ""))

        shown = {r[0]: nanos(r[3]) for r in self.rows("sums by type")}
        self.assertEqual(set(shown), {op or "(none)" for op in sums})
        for op, ticks in sums.items():
            self.assertAlmostEqual(
                shown[op or "(none)"], ticks / per_nano, delta=1, msg=op
            )
        # Other tables are of this lane, too.
        self.click_on("tab-ops")
        self.assertIn("1 of %d lanes" % count, self.panel())
        self.assertEqual(len(self.rows("operations")), len(sums))
        self.page.settle()
        again = self.browser.open(self.page.evaluate("location.href"))
        self.assertEqual(
            again.evaluate("[...tfprofPage.app.timeline.range.lanes]"), [lane]
        )
        again.close()
        self.page.bring_to_front()
        # A box has the lanes that it covers.
        self.page.key("Escape")
        left, top, width, _ = self.canvas()
        y = self.page.evaluate(
            "(() => { const t = tfprofPage.app.timeline; return t.topOf("
            "t.layout.itemOfLane(%d)); })()" % lane
        )
        self.page.drag(
            left + width * 0.2,
            top + y + 4,
            left + width * 0.9,
            top + y + 8,
            ALT,
        )
        self.assertEqual(self.app("[...app.timeline.range.lanes]"), [lane])
        self.page.evaluate("document.querySelector('.limits button').click()")
        self.page.settle()
        self.assertIsNone(self.app("app.timeline.range.lanes"))
        self.assertNotIn("Sums of", self.panel())

    def test_the_value_of_a_counter(self):
        self.open(CNN)
        head = self.file.head
        self.assertTrue(head["counters"], "the recording has counters")
        samples = self.file.samples()[0]
        if head["counters"][0]["change"]:
            total, levels = 0, []
            for at, value in samples:
                total += value
                levels.append((at, total))
            samples = levels
        self.page.evaluate("tfprofPage.app.pin('c0')")
        self.page.settle()
        left, top, width, _ = self.canvas()
        x = round(width * 0.6)
        self.page.mouse("mouseMoved", left + x, top + 60)
        self.page.settle()
        at = self.app("app.timeline.timeAt(%d)" % x)
        value = [v for t, v in samples if t <= at][-1]
        tip = self.page.evaluate("document.getElementById('tip').innerText")
        megabytes = "%.2f MB" % (value / 1e6)
        self.assertEqual(head["counters"][0]["unit"], "bytes")
        self.assertIn(megabytes, tip.replace(",", ""))
        self.page.mouse("mouseMoved", left + x, top + 20)
        self.page.settle()
        self.assertTrue(
            self.page.evaluate("document.getElementById('tip').hidden")
        )

    def test_a_list_of_what_was_found(self):
        self.open(*PS_WORKER)
        self.page.key("/")
        self.page.type("RecvTensor")
        self.page.key("ArrowDown")
        rows = self.rows("events found")
        self.assertEqual(len(rows), 5)
        self.assertIn("5 of 5 are listed", self.panel())
        found = [e for e in self.events if e["name"] == "RecvTensor"]
        per_nano = self.file.head["ticksPerMicro"] / 1000
        starts = sorted(round(e["start"] / per_nano) for e in found)
        self.assertEqual([r[2] for r in rows], [f"{s:,} ns" for s in starts])
        # The first row has the keys; Enter goes there and keeps the list.
        self.page.key("Enter")
        selected = self.app("app.timeline.selected")
        self.assertEqual(
            round(self.events[selected]["start"] / per_nano), starts[0]
        )
        self.assertEqual(len(self.rows("events found")), 5)
        # Another heading, another order.
        self.page.evaluate(
            "document.querySelectorAll('#panel th button')[3].click()"
        )
        self.page.settle()
        durations = sorted(
            (round(e["duration"] / per_nano) for e in found), reverse=True
        )
        self.assertEqual(
            [r[3] for r in self.rows("events found")],
            [f"{d:,} ns" for d in durations],
        )

    def test_a_long_list_says_how_many_it_has(self):
        self.open(CNN)
        self.input("search", "dur>=0ns")
        self.click_on("found-list")
        total = self.app("app.model.numChosen")
        self.assertGreater(total, 400)
        self.assertIn(
            "the 400 earliest of %s are listed" % format(total, ","),
            self.panel(),
        )
        self.assertEqual(len(self.rows("events found")), 400)

    def saved(self, what, extent, folder):
        """The bytes of a file that the page saves."""
        self.click_on("save-open")
        names = self.page.evaluate(
            "[...document.getElementById('save-what').options].map(o => o.text)"
        )
        at = next(i for i, n in enumerate(names) if n.startswith(extent))
        self.page.evaluate(
            "document.getElementById('save-what').value = '%d'" % at
        )
        before = set(os.listdir(folder))
        self.click_on("save-" + what)
        said = "document.getElementById('save-said').textContent"
        self.page.wait(said + ".startsWith('The browser has')")
        end = time.monotonic() + 30
        while True:
            new = [
                n
                for n in set(os.listdir(folder)) - before
                if not n.endswith(".crdownload") and not n.startswith(".")
            ]
            if new:
                break
            self.assertLess(time.monotonic(), end, "no file was saved")
            time.sleep(0.05)
        self.page.key("Escape")
        with open(os.path.join(folder, new[0]), "rb") as f:
            return new[0], names[at], f.read()

    def test_saved_files(self):
        folder = os.path.join(self.folder, "downloads")
        os.mkdir(folder)
        self.browser.downloads(folder)
        self.open(CNN)
        per_micro = self.file.head["ticksPerMicro"]
        name, extent, data = self.saved("trace", "everything", folder)
        self.assertIn(format(len(self.events), ","), extent)
        trace = json.loads(gzip.decompress(data))["traceEvents"]
        events = [e for e in trace if e["ph"] == "X" and e["cat"] != "step"]
        self.assertEqual(len(events), len(self.events))
        self.assertEqual(
            sorted((e["name"], round(e["dur"] * per_micro)) for e in events),
            sorted((e["name"], e["duration"]) for e in self.events),
        )
        # The events of a thread are inside of each other or apart.
        threads = collections.defaultdict(list)
        for e in events:
            ticks = [round(e[k] * per_micro) for k in ("ts", "dur")]
            threads[e["pid"], e["tid"]].append((ticks[0], -ticks[1]))
        for spans in threads.values():
            ends = []
            for start, minus in sorted(spans):
                while ends and ends[-1] <= start:
                    ends.pop()
                if ends:
                    self.assertLessEqual(start - minus, ends[-1])
                ends.append(start - minus)
        links = collections.Counter(e["ph"] for e in trace)
        self.assertEqual(links["s"], len(self.file.links()))
        self.assertEqual(links["f"], links["s"])
        # tfprof reads it again.
        out = subprocess.run(
            [binary, os.path.join(folder, name), "status"],
            capture_output=True,
            text=True,
            check=True,
            stdin=subprocess.DEVNULL,
        ).stdout
        self.assertIn("executions", out)

        self.drag_ruler(0.3, 0.6)
        begin, end = self.app(
            "[app.timeline.range.from, app.timeline.range.to]"
        )
        _, _, data = self.saved("csv", "the selected range", folder)
        rows = list(csv.DictReader(data.decode().splitlines()))
        inside = [
            e
            for e in self.events
            if e["start"] < end
            and (e["start"] >= begin or e["start"] + e["duration"] > begin)
        ]
        self.assertEqual(len(rows), len(inside))
        expected = sum(
            min(e["start"] + e["duration"], end) - max(e["start"], begin)
            for e in inside
        )
        self.assertAlmostEqual(
            sum(float(r["inside_ns"]) for r in rows) * per_micro / 1000,
            expected,
            delta=len(rows),
        )
        _, _, data = self.saved("png", "the selected range", folder)
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        self.assertGreater(width, 800)
        self.assertGreater(height, self.app("app.layout.height"))
        self.page.settle()
        # A saved file is no request to anywhere.
        self.page.requests = [
            r for r in self.page.requests if not r.startswith("blob:")
        ]

    def test_escape_closes_what_is_open(self):
        self.open(*PS_WORKER)
        self.page.evaluate("tfprofPage.app.select(3, true)")
        for button, box in (("help-open", "help"), ("save-open", "save")):
            self.click_on(button)
            is_open = "document.getElementById('%s').open" % box
            self.assertTrue(self.page.evaluate(is_open))
            self.page.key("Escape")
            self.assertFalse(self.page.evaluate(is_open), box)
            self.assertEqual(self.app("app.timeline.selected"), 3)
        self.click_on("filter")
        self.page.evaluate("document.getElementById('filter-min').focus()")
        self.page.key("Escape")
        self.assertTrue(
            self.page.evaluate("document.getElementById('filters').hidden")
        )
        self.assertEqual(self.app("app.timeline.selected"), 3)
        self.page.key("Escape")
        self.assertEqual(self.app("app.timeline.selected"), -1)
        # Keys do not reach the page behind a dialog.
        self.page.key("?")
        view = self.view()
        self.page.key("w")
        self.assertEqual(self.view(), view)
        self.page.key("?")
        self.assertFalse(
            self.page.evaluate("document.getElementById('help').open")
        )

    def test_on_paper_names_and_lanes_are_one_picture(self):
        if self.browser.name == "firefox":
            self.skipTest("its protocol has no paper")
        self.open(CNN)
        self.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        self.page.paper(True)
        self.page.settle()
        width, height, shown, main = self.page.evaluate(
            "(() => { const c = document.querySelector('#print canvas'), m = "
            "document.getElementById('main'); return [c.width, c.height, "
            "c.checkVisibility(), m.checkVisibility()]; })()"
        )
        self.assertTrue(shown)
        self.assertFalse(main)
        layout = self.app("app.layout.height")
        self.assertIn(
            height - 24 * width // 1040, [(46 + layout) * width // 1040]
        )
        self.page.paper(False)
        self.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(
            self.page.evaluate(
                "document.getElementById('print').children.length"
            ),
            0,
        )


class SizesTest(BrowserTest):
    def test_all_sizes(self):
        self.open(CNN)
        for width, height in (
            (360, 640),
            (390, 800),
            (720, 450),
            (1024, 768),
            (1440, 900),
            (3840, 2160),
        ):
            with self.subTest(width=width):
                self.page.resize(width, height)
                self.page.settle()
                size = self.page.evaluate(
                    "[document.documentElement.scrollWidth, "
                    "document.documentElement.scrollHeight]"
                )
                self.assertLessEqual(size[0], width)
                self.assertLessEqual(size[1], height)
                # Three lanes at least, and half of the width for them.
                _, _, wide, tall = self.canvas()
                self.assertGreaterEqual(tall, 46 + 3 * 20)
                self.assertGreaterEqual(wide, width / 2)
                self.assertEqual(accessible.problems(self.page), [])
                self.shot("lanes_%d" % width)


class DarkSizesTest(SizesTest):
    dark = True


if __name__ == "__main__":
    sys.exit(browser.main("lanes_browser"))
