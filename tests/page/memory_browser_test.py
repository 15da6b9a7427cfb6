#!/usr/bin/env python3
"""Tests of the memory page of `tfprof serve` in a headless browser.

Usage: memory_browser_test.py --bin=bazel-bin/profiler/tfprof
           [--browser=firefox] [TEST…]

The snapshot is made here: 400 allocations by three lines, a request that
failed, and two segments. Screenshots go to $PAGE_SHOTS, if it is set.
"""

import os
import pickle
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [
    TESTS,
    os.path.join(TESTS, "page"),
    os.path.join(TESTS, "serve"),
]
import browser

from server import Server

MIB = 1 << 20
binary = None


def frames(line):
    return [
        {"name": "step", "filename": "/home/user/train.py", "line": line},
        {"name": "main", "filename": "/home/user/train.py", "line": 1},
    ]


def snapshot():
    """Line 10 holds 200 MiB, line 20 has short lives, line 30 fails."""
    events = [
        {"action": "segment_alloc", "addr": 0, "size": 300 * MIB, "stream": 0}
    ]
    address = 0
    for number in range(400):
        line = 10 if number % 2 == 0 else 20
        event = {"addr": address, "size": MIB, "stream": 0}
        event["frames"] = frames(line)
        event["time_us"] = 1_000_000 + number * 10
        events.append({"action": "alloc", **event})
        if line == 20:
            event["time_us"] += 5
            events.append({"action": "free_completed", **event})
        address += MIB
    events.append(
        {
            "action": "oom",
            # What the device had free.
            "addr": 7 * MIB,
            "size": 500 * MIB,
            "stream": 0,
            "frames": frames(30),
            "time_us": 1_005_000,
        }
    )
    blocks = [
        {
            "size": 200 * MIB,
            "requested_size": 200 * MIB,
            "state": "active_allocated",
            "frames": [],
        },
        {"size": 100 * MIB, "requested_size": 0, "state": "inactive"},
    ]
    segment = {
        "device": 0,
        "address": 0,
        "total_size": 300 * MIB,
        "stream": 0,
        "segment_type": "large",
        "blocks": blocks,
    }
    return {"segments": [segment], "device_traces": [events]}


class MemoryPageTest(unittest.TestCase):
    size = (1440, 1000)
    dark = False

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "snapshot.pickle")
        with open(path, "wb") as file:
            pickle.dump(snapshot(), file, 4)
        cls.server = Server(binary, path)
        cls.browser = browser.Browser(*cls.size, dark=cls.dark)
        cls.browser.open(cls.server.address).close()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.server.stop()
        cls.folder.cleanup()

    def setUp(self):
        self.page = self.browser.open("http://%s/memory" % self.server.host)
        self.ready()

    def tearDown(self):
        self.assertEqual(self.page.errors, [])
        self.page.close()

    def ready(self):
        self.page.wait("document.body.dataset.ready === 'true'")

    def text(self):
        return self.page.evaluate("document.querySelector('main').textContent")

    def query(self):
        return self.page.evaluate(
            "new URLSearchParams(location.search).get('window')"
        )

    def box(self):
        return self.page.evaluate(
            "(() => { const b = document.querySelector('canvas')"
            ".getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; "
            "})()"
        )

    def shot(self, name):
        if "PAGE_SHOTS" not in os.environ:
            return
        self.page.settle()
        self.page.screenshot(
            os.path.join(
                os.environ["PAGE_SHOTS"],
                "%s_%d%s.png"
                % (name, self.size[0], "_dark" if self.dark else ""),
            )
        )

    def test_what_it_shows(self):
        text = self.text()
        # A moment with 200 of line 10 and one of line 20.
        self.assertIn("The most memory in this window is 210.76 MB", text)
        self.assertIn("train.py:10:step", text)
        self.assertIn("524.29 MB were requested by", text)
        self.assertIn("The device had 7.34 MB free", text)
        self.assertIn("Segments at the end", text)
        self.assertEqual(
            self.page.evaluate("document.querySelectorAll('.error').length"), 0
        )
        self.assertEqual(
            self.page.evaluate("document.querySelectorAll('.segment').length"),
            1,
        )
        self.assertLessEqual(
            self.page.evaluate("document.documentElement.scrollWidth"),
            self.size[0],
        )
        # The picture has the colour of the largest owner.
        blue = self.page.evaluate(
            "(() => { const c = document.querySelector('canvas');"
            "const d = c.getContext('2d').getImageData(0, 0, c.width,"
            "c.height).data; let n = 0;"
            "for (let i = 0; i < d.length; i += 4)"
            " if (d[i] === 0 && d[i + 1] === 114 && d[i + 2] === 178) ++n;"
            "return n / (d.length / 4); })()"
        )
        self.assertGreater(blue, 0.1)
        self.shot("memory")

    def test_zoom_by_wheel_and_drag(self):
        x, y, width, height = self.box()
        for _ in range(6):
            self.page.mouse(
                "mouseWheel",
                x + width / 2,
                y + height / 2,
                deltaX=0,
                deltaY=-400,
            )
        self.page.settle()
        self.ready()
        first, last = map(int, self.query().split(":"))
        self.assertLess(last - first, 60)
        # Few events: single allocations.
        self.assertIn("Allocations that this window makes", self.text())
        self.page.drag(x + width / 2, y + 100, x + 0.9 * width, y + 100)
        self.ready()
        self.assertLess(int(self.query().split(":")[0]), first)
        self.shot("memory_zoomed")

    def test_keys(self):
        self.page.evaluate("document.querySelector('canvas').focus()")
        self.page.key("+")
        self.ready()
        first, last = map(int, self.query().split(":"))
        self.assertEqual((first, last), (151, 452))
        self.page.key("Home")
        self.ready()
        self.assertTrue(self.query().startswith("0:"))
        for _ in range(3):
            self.page.key("ArrowRight")
        self.page.key("Enter")
        self.page.wait(
            "document.querySelector('main').textContent"
            ".includes('Owners after event 6')"
        )

    def test_a_click_selects_the_owner(self):
        x, y, width, height = self.box()
        self.page.click(x + width * 0.8, y + height - 60)
        self.page.wait("document.querySelector('ol.stack') !== null")
        self.assertIn(
            "~/train.py:1:main",
            self.page.evaluate(
                "document.querySelector('ol.stack').textContent"
            ),
        )
        link = self.page.evaluate(
            "[...document.querySelectorAll('a')].find(a => "
            "a.textContent.includes('code view')).getAttribute('href')"
        )
        self.assertTrue(link.startswith("/code?"), link)
        self.shot("memory_owner")


class MemoryPageNarrowDarkTest(MemoryPageTest):
    size = (800, 1000)
    dark = True


if __name__ == "__main__":
    sys.exit(browser.main("memory_page"))
