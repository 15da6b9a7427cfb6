#!/usr/bin/env python3
"""Tests of the timeline page in a headless browser.

Usage: browser_test.py --bin=bazel-bin/profiler/tfprof
           [--browser=firefox] [TEST…]

Opens pages of a parameter server and its worker, of a GPU trace of PyTorch, of
one of JAX, and of a million events, and uses them by mouse, keys and touch. No
page may log an error or ask for anything. Screenshots go to $PAGE_SHOTS, if it
is set.
"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "page")]
import browser
import page_file
from driver import CTRL, SHIFT

PROFILES = os.path.join(TESTS, "golden", "profiles")
RECORDED = os.path.join(TESTS, "gpu", "recorded")
PS_WORKER = [
    "--graph_path=" + os.path.join(PROFILES, "ps_worker", "graph.pb"),
    "--run_meta_path=" + os.path.join(PROFILES, "ps_worker", "run_meta_0.gz"),
]
binary = None


class BrowserTest(unittest.TestCase):
    dark = False

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.browser = browser.Browser(dark=cls.dark)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        shutil.rmtree(cls.folder)

    def write(self, *args):
        path = os.path.join(self.folder, self.id().split(".")[-1] + ".html")
        subprocess.run(
            [binary, "timeline", "-output", "html:outfile=" + path, *args],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with open(path, encoding="utf-8") as f:
            self.file = page_file.PageFile(f.read())
        self.events = self.file.events()
        return "file://" + path

    def open(self, *args):
        address = self.write(*args)
        self.page = self.browser.open(address)
        self.addCleanup(self.check_quiet, self.page)
        return self.page

    def check_quiet(self, page):
        """Checks that nothing failed and that only the page was requested."""
        page.bring_to_front()  # others draw nothing
        page.settle()
        self.assertEqual(page.errors, [])
        # Firefox does not tell of files.
        self.assertLessEqual(
            {r.split("#")[0] for r in page.requests},
            {page.address.split("#")[0]},
        )

    def shot(self, name):
        if "PAGE_SHOTS" in os.environ:
            self.page.screenshot(
                os.path.join(os.environ["PAGE_SHOTS"], name + ".png")
            )

    def app(self, expression):
        return self.page.evaluate(
            "(() => { const app = window.tfprofPage.app; return %s; })()"
            % expression
        )

    def place(self, event):
        """Where an event is on the screen."""
        return self.app(
            "(() => { const t = app.timeline, b = "
            "t.canvas.getBoundingClientRect(), s = app.model.data.start[%d];"
            "return [b.left + Math.max(1, Math.min(t.width - 2, "
            "(t.xOf(s) + t.xOf(app.model.end(%d))) / 2)), b.top + t.yOf(%d)];"
            "})()" % (event, event, event)
        )

    def canvas(self):
        return self.page.evaluate(
            "(() => { const b = document.getElementById('canvas')"
            ".getBoundingClientRect(); return [b.left, b.top, b.width, "
            "b.height]; })()"
        )

    def panel(self):
        return self.page.evaluate("document.getElementById('panel').innerText")

    def facts(self):
        """The names and values of the panel."""
        return dict(
            self.page.evaluate(
                "[...document.querySelectorAll('#panel dt')].map(d => "
                "[d.textContent, d.nextElementSibling.textContent])"
            )
        )

    def rows(self, label):
        return self.page.evaluate(
            "[...document.querySelectorAll('#panel table')].filter(t => "
            "t.caption.textContent === '%s').flatMap(t => [...t.tBodies[0]"
            ".rows].map(r => [...r.cells].map(c => c.title || c.textContent)"
            "))" % label
        )

    def view(self):
        return self.app("[app.view.from, app.view.to]")

    def drag_ruler(self, share0, share1):
        left, top, width, _ = self.canvas()
        self.page.drag(
            left + width * share0, top + 10, left + width * share1, top + 10
        )

    def op_report(self, *args):
        out = subprocess.run(
            [
                binary,
                "op",
                "-select",
                "micros,occurrence",
                "-output",
                "json",
                "-max_depth",
                "100000",
                *args,
            ],
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
        ).stdout
        return json.loads(out)


class ParameterServerTest(BrowserTest):
    def test_a_received_tensor(self):
        self.open(*PS_WORKER)
        transfers = [
            t
            for t in self.file.transfers()
            if self.events[t[0]]["name"] == "RecvTensor"
        ]
        self.assertEqual(len(transfers), 5)
        for event, size, tensor, source, destination in transfers:
            self.page.click(*self.place(event))
            self.assertEqual(self.app("app.timeline.selected"), event)
            facts = self.facts()
            self.assertEqual(facts["tensor"], tensor)
            self.assertIn("(%s)" % format(size, ","), facts["bytes"])
            self.assertEqual(facts["source"], source)
            self.assertEqual(facts["destination"], destination)
            self.assertIn("B/s", facts["rate"])
            nanos = self.events[event]["duration"] * 1000
            self.assertIn("(%s ns)" % format(nanos, ","), facts["duration"])
        self.assertGreater(self.app("app.timeline.arrows.length"), 0)
        self.shot("received_tensor")
        self.page.key("o")
        self.assertEqual(self.app("app.timeline.arrows.length"), 0)

    def test_search(self):
        self.open(*PS_WORKER)
        self.page.key("/")
        self.assertEqual(
            self.page.evaluate("document.activeElement.id"), "search"
        )
        self.page.type("RecvTensor")
        found = "document.getElementById('found').textContent"
        self.assertEqual(self.page.evaluate(found), "5 found")
        seen = []
        for _ in range(6):
            self.page.key("Enter")
            seen.append(self.app("app.timeline.selected"))
        self.assertEqual(len(set(seen)), 5)
        self.assertEqual(seen[5], seen[0])
        self.assertEqual(self.page.evaluate(found), "1 of 5")
        starts = [self.events[e]["start"] for e in seen[:5]]
        self.assertEqual(starts, sorted(starts))
        self.page.key("Enter", SHIFT)
        self.assertEqual(self.app("app.timeline.selected"), seen[4])
        for query, number in (
            ("/^MatMul$/", None),
            ("type:/^MatMul$/", sum(e["op"] == "MatMul" for e in self.events)),
            ("dur>100us", sum(e["duration"] > 100 for e in self.events)),
            ("no such thing", 0),
        ):
            self.page.evaluate(
                "(() => { const s = document.getElementById('search');"
                "s.value = %s; s.dispatchEvent(new Event('input')); })()"
                % json.dumps(query)
            )
            self.page.settle()
            if number is not None:
                self.assertEqual(self.app("app.model.numChosen"), number)
        self.page.evaluate("window.tfprofPage.app.search('/(/')")
        self.assertIn("regular expression", self.page.evaluate(found))

    def test_filters(self):
        self.open(*PS_WORKER)
        self.page.evaluate("document.getElementById('filter').click()")
        self.page.settle()
        for field, value, number in (
            ("kind", "communication", 5),
            ("kind", "", 59),
            ("min", "100us", sum(e["duration"] >= 100 for e in self.events)),
            ("type", "RecvTensor", 5),
        ):
            self.page.evaluate(
                "(() => { const f = document.getElementById('filter-%s');"
                "f.value = '%s'; f.dispatchEvent(new Event('change')); })()"
                % (field, value)
            )
            self.page.settle()
            self.assertEqual(self.app("app.model.numChosen"), number)
        self.page.evaluate("document.getElementById('filter-clear').click()")
        self.assertEqual(self.app("app.model.numChosen"), 59)

    def test_zoom_pan_undo_and_link(self):
        self.open(*PS_WORKER)
        left, top, width, height = self.canvas()
        begin = self.view()
        self.page.mouse(
            "mouseWheel",
            left + width / 2,
            top + 100,
            deltaX=0,
            deltaY=-240,
            modifiers=CTRL,
        )
        self.page.settle()
        zoomed = self.view()
        self.assertLess(zoomed[1] - zoomed[0], begin[1] - begin[0])
        self.page.drag(left + 500, top + 300, left + 300, top + 300)
        panned = self.view()
        self.assertAlmostEqual(panned[1] - panned[0], zoomed[1] - zoomed[0])
        self.assertAlmostEqual(
            panned[0] - zoomed[0],
            200 * (zoomed[1] - zoomed[0]) / width,
            delta=(zoomed[1] - zoomed[0]) / 100,
        )
        self.page.drag(left + 200, top + 200, left + 400, top + 210, SHIFT)
        boxed = self.view()
        self.assertAlmostEqual(
            boxed[1] - boxed[0], 200 * (panned[1] - panned[0]) / width, delta=1
        )
        address = self.page.evaluate("location.href")
        self.assertIn("#t=", address)
        for expected in (panned, zoomed, begin):
            self.page.key("u")
            self.assertEqual(self.view(), expected)
        self.page.key("r")
        self.assertEqual(self.view(), zoomed)
        again = self.browser.open(address)
        state = again.evaluate(
            "[tfprofPage.app.view.from, tfprofPage.app.view.to]"
        )
        self.assertAlmostEqual(state[0], boxed[0], delta=0.01)
        self.assertAlmostEqual(state[1], boxed[1], delta=0.01)
        self.check_quiet(again)

    def test_the_sums_of_a_range_are_those_of_op(self):
        self.open(*PS_WORKER)
        self.page.key("0")
        self.drag_ruler(0.0005, 0.9999)
        self.assertIn("selected", self.panel())
        sums = collections.Counter()
        for e in self.events:
            sums[e["op"]] += e["duration"]
        self.assertEqual({r[1] for r in self.rows("sums by type")}, {"CPU"})
        shown = {r[0]: r[3] for r in self.rows("sums by type")}
        self.assertEqual(
            shown,
            {op: "%s ns" % format(t * 1000, ",") for op, t in sums.items()},
        )
        # The report counts an op of 0 as 1 microsecond, and no RecvTensor.
        counted = collections.Counter()
        for e in self.events:
            if e["node"] is not None:
                counted[e["op"]] += max(e["duration"], 1)
        report = {r["name"]: r for r in self.op_report(*PS_WORKER)["rows"]}
        for op, micros in counted.items():
            if op in report and report[op]["self_micros"]:
                self.assertEqual(report[op]["self_micros"], micros, op)
        # The time of an event includes the events inside.
        self.drag_ruler(0.7, 0.8)
        begin, end = self.app(
            "[app.timeline.range.from, app.timeline.range.to]"
        )
        inside = sum(
            max(
                0, min(end, e["start"] + e["duration"]) - max(begin, e["start"])
            )
            for e in self.events
        )
        total = self.page.evaluate(
            "(() => { const app = tfprofPage.app; let sum = 0; for (const r of"
            " document.querySelectorAll('#panel table')[0].tBodies[0].rows) "
            "sum += Number(r.cells[3].title.replace(/[^0-9]/g, '')); "
            "return sum; })()"
        )
        self.assertAlmostEqual(total / 1000, inside, delta=20)

    def test_keys_only(self):
        self.open(*PS_WORKER)
        self.page.evaluate("document.getElementById('canvas').focus()")
        self.page.key(".")
        first = self.app("app.timeline.selected")
        self.assertGreaterEqual(first, 0)
        self.page.key(".")
        self.assertEqual(self.app("app.timeline.selected"), first + 1)
        before = self.view()
        self.page.key("w")
        after = self.view()
        self.assertLess(after[1] - after[0], before[1] - before[0])
        self.page.key("d")
        self.assertGreater(self.view()[0], after[0])
        self.page.key("?")
        self.assertTrue(
            self.page.evaluate("document.getElementById('help').open")
        )
        self.page.evaluate("document.getElementById('help').close()")
        self.page.key("Escape")
        self.assertEqual(self.app("app.timeline.selected"), -1)
        for role in (
            "banner",
            "search",
            "tree",
            "tablist",
            "tabpanel",
            "separator",
        ):
            self.assertTrue(
                self.page.evaluate(
                    "!!document.querySelector('[role=%s]')" % role
                ),
                role,
            )
        # Each control has a name.
        self.assertEqual(
            self.page.evaluate(
                "[...document.querySelectorAll('button, input, select')]"
                ".filter(e => !(e.textContent.trim() || e.ariaLabel || "
                "e.title || e.labels?.length)).map(e => e.outerHTML)"
            ),
            [],
        )

    def test_touch(self):
        self.open(*PS_WORKER)
        left, top, width, _ = self.canvas()
        before = self.view()
        middle, y = left + width / 2, top + 200

        def fingers(reach):
            return [(middle - reach, y), (middle + reach, y)]

        self.page.touch("touchStart", fingers(50))
        for reach in (70, 100, 150, 200):
            self.page.touch("touchMove", fingers(reach))
        self.page.touch("touchEnd", [])
        self.page.settle()
        after = self.view()
        self.assertAlmostEqual(
            (before[1] - before[0]) / (after[1] - after[0]), 4, delta=0.5
        )

    def test_links_and_findings(self):
        self.open(*PS_WORKER)
        self.page.evaluate("document.getElementById('tab-transfers').click()")
        self.page.settle()
        rows = self.rows("transfers")
        size = collections.Counter()
        for _, moved, _, source, destination in self.file.transfers():
            size[source, destination] += moved
        self.assertEqual({(r[0], r[1]) for r in rows}, set(size))
        self.shot("transfers")
        self.page.evaluate("document.getElementById('tab-findings').click()")
        self.page.settle()
        self.assertEqual(
            self.page.evaluate("document.querySelectorAll('.finding').length"),
            len(self.file.head["findings"]),
        )
        self.assertGreater(self.app("app.timeline.marks.length"), 0)
        # A finding leads to its event, with the event's facts.
        self.page.evaluate("document.querySelector('.finding button').click()")
        self.page.settle()
        selected = self.app("app.timeline.selected")
        self.assertGreaterEqual(selected, 0)
        self.assertEqual(self.facts()["name"], self.events[selected]["name"])


class GpuTest(BrowserTest):
    dark = True

    def test_pytorch(self):
        path = os.path.join(RECORDED, "train_cnn", "trace.json.gz")
        self.open(path)
        self.shot("pytorch_dark")
        kernel = max(
            (
                i
                for i, e in enumerate(self.events)
                if e["kind"] == "compute"
                and self.file.head["devices"][
                    self.file.head["lanes"][e["lane"]]["device"]
                ]["accelerator"]
            ),
            key=lambda i: self.events[i]["duration"],
        )
        self.page.evaluate("tfprofPage.app.zoomToEvent(%d)" % kernel)
        self.page.settle()
        self.page.click(*self.place(kernel))
        self.assertEqual(self.app("app.timeline.selected"), kernel)
        self.assertIn("LAUNCH", self.panel().upper())
        launches = [a for a in self.file.links() if a[1] == kernel]
        self.assertEqual(
            self.app("app.timeline.arrows.length >= %d" % len(launches)), True
        )
        self.assertEqual(self.facts()["name"], self.events[kernel]["name"])
        for tab in ("devices", "ops", "scopes", "code", "memory"):
            self.page.evaluate(
                "document.getElementById('tab-%s').click()" % tab
            )
            self.page.settle()
            self.assertGreater(len(self.panel()), 60, tab)
            if tab == "devices":
                self.assertRegex(
                    self.panel(),
                    r"Idle by cause\n(.*\n)*.*host-bound [\d.]+ ms",
                )
            self.shot("pytorch_" + tab)

    def test_pytorch_self_times_are_those_of_op(self):
        path = os.path.join(RECORDED, "train_cnn", "trace.json.gz")
        self.open(path, "-step", "2")
        self.page.evaluate("document.getElementById('tab-ops').click()")
        self.page.settle()
        # An operation has a row of its kernels and a row of its calls.
        own = collections.Counter()
        places = set()
        for name, place, micros in self.page.evaluate(
            "(() => { const out = []; for (const r of "
            "document.querySelector('#panel table').tBodies[0].rows) "
            "out.push([r.cells[0].textContent, r.cells[1].textContent, "
            "Number(r.cells[3].title.replace(/[^0-9.]/g, '')) / 1000]); "
            "return out; })()"
        ):
            own[name] += micros
            places.add(place)
        self.assertEqual(places, {"accelerator", "CPU"})
        report = self.op_report(path, "-step", "2")["rows"]
        same = 0
        for row in report:
            if row["self_micros"] and row["name"].startswith("aten::"):
                self.assertAlmostEqual(
                    own[row["name"]],
                    row["self_micros"],
                    delta=0.01,
                    msg=row["name"],
                )
                same += 1
        self.assertGreater(same, 20)

    def test_jax(self):
        self.open(os.path.join(RECORDED, "jax_train", "trace.xplane.pb.gz"))
        self.shot("jax_dark")
        self.page.key("j")
        step = self.app("app.model.data.steps[0]")
        view = self.view()
        self.assertLessEqual(view[0], step["start"])
        longest = max(
            range(len(self.events)),
            key=lambda i: (
                self.events[i]["kind"] == "compute",
                self.events[i]["duration"],
            ),
        )
        self.page.evaluate("tfprofPage.app.select(%d, true)" % longest)
        self.page.settle()
        self.assertEqual(self.facts()["name"], self.events[longest]["name"])
        for mode in ("scope", "device", "kind", "duration"):
            self.page.evaluate("tfprofPage.app.setColors('%s')" % mode)
            self.page.settle()
            self.assertGreater(
                self.page.evaluate(
                    "document.querySelectorAll('#legend button').length"
                ),
                0,
            )


class HostileTest(BrowserTest):
    def test_names(self):
        names = [
            "</script><script>alert(1)</script>",
            "<img src=x onerror=y>",
            "\u202eright to left",
            "<b>bold</b>",
        ]
        path = os.path.join(self.folder, "trace.json")
        with open(path, "w") as f:
            json.dump(
                {
                    "schemaVersion": 1,
                    "traceEvents": [
                        {
                            "ph": "X",
                            "name": name,
                            "cat": "cpu_op",
                            "pid": name,
                            "tid": 1 + i,
                            "ts": 10 * i,
                            "dur": 9,
                            "args": {name: name},
                        }
                        for i, name in enumerate(names * 3)
                    ],
                },
                f,
            )
        self.open(path)
        for event in range(len(self.events)):
            self.page.evaluate("tfprofPage.app.select(%d, true)" % event)
        for tab in ("ops", "scopes", "findings", "devices"):
            self.page.evaluate(
                "document.getElementById('tab-%s').click()" % tab
            )
            self.page.settle()
        self.assertEqual(
            self.page.evaluate(
                "document.querySelectorAll('b, img, #panel script').length"
            ),
            0,
        )
        self.assertNotIn(
            "\u202e", self.page.evaluate("document.body.innerText")
        )


class MillionTest(BrowserTest):
    EVENTS = 1000000

    def trace(self):
        numbers = random.Random(1)
        path = os.path.join(self.folder, "million.json")
        at = device = 0
        with open(path, "w") as f:
            f.write('{"schemaVersion":1,"traceEvents":[{}')
            for i in range(self.EVENTS // 3):
                long = numbers.randrange(8000, 40000)
                device = max(device, at + 6000)
                kernel = int(numbers.expovariate(1 / 18000)) + 1
                f.write(
                    ',\n{"ph":"X","cat":"cpu_op","name":"aten::op%d","pid":9,'
                    '"tid":9,"ts":%.3f,"dur":%.3f,"args":{"External id":%d}}'
                    ',\n{"ph":"X","cat":"cuda_runtime","name":"cudaLaunch",'
                    '"pid":9,"tid":9,"ts":%.3f,"dur":%.3f,"args":'
                    '{"External id":%d,"correlation":%d}},\n{"ph":"X","cat":'
                    '"kernel","name":"kernel%d","pid":0,"tid":7,"ts":%.3f,'
                    '"dur":%.3f,"args":{"External id":%d,"device":0,'
                    '"stream":7,"correlation":%d}}'
                    % (
                        numbers.randrange(40),
                        at / 1e3,
                        long / 1e3,
                        i,
                        at / 1e3 + 2,
                        long / 1e3 - 6,
                        i,
                        i,
                        numbers.randrange(60),
                        device / 1e3,
                        kernel / 1e3,
                        i,
                        i,
                    )
                )
                at += long + numbers.randrange(3000)
                device += kernel + 500
            f.write("]}")
        return path

    def test_a_million_events(self):
        address = self.write(self.trace())
        count = len(self.events)
        self.assertGreater(count, 999000)
        size = os.path.getsize(address[len("file://") :])
        self.assertLess(size / count, 12)
        # Other work on the machine slows it: the best of three counts.
        opened, rate = 1e9, 0
        for _ in range(3):
            self.page = self.browser.open(address)
            opened = min(opened, self.page.opened)
            rate = max(
                rate,
                self.page.evaluate(
                    "(async () => { const app = tfprofPage.app; app.fit(); "
                    "app.view.zoom(0.8, 0); const begin = performance.now(), "
                    "frames = app.frames; for (let i = 0; i < 60; ++i) { "
                    "app.view.pan(app.view.span / 400); app.redraw(); "
                    "await new Promise(r => requestAnimationFrame(r)); } "
                    "return (app.frames - frames) "
                    "/ (performance.now() - begin) "
                    "* 1000; })()"
                ),
            )
            self.shot("million")
            self.check_quiet(self.page)
            self.page.close()
            if opened < 3 and rate >= 30:
                break
        print(
            "1 M events: %.2f bytes each, open in %.2f s, %.0f frames/s"
            % (size / count, opened, rate)
        )
        self.assertLess(opened, 3)
        self.assertGreaterEqual(rate, 30)


if __name__ == "__main__":
    sys.exit(browser.main("browser"))
