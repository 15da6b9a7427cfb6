#!/usr/bin/env python3
"""Tests that keys alone lead through the pages of `tfprof serve`.

Usage: keys_browser_test.py --bin=bazel-bin/profiler/tfprof
           [--browser=firefox] [TEST…]

Nothing is clicked and no script moves the focus. What has the keys must be on
the screen and look different from what has not.
"""

import os
import sys

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [
    TESTS,
    os.path.join(TESTS, "page"),
    os.path.join(TESTS, "serve"),
]
import browser
from driver import SHIFT
from serve_page import ServeTest

CNN = os.path.join(TESTS, "gpu", "recorded", "train_cnn", "trace.json.gz")
binary = None

# What has the keys: its text, and whether one sees that it has them.
FOCUSED = """
(() => {
  const e = document.activeElement;
  if (e === document.body) return { text: "", seen: true, id: "" };
  const box = e.getBoundingClientRect();
  const style = getComputedStyle(e);
  const marked = (style.outlineStyle !== "none" &&
    parseFloat(style.outlineWidth) >= 1) || e.matches("#content, #panel") ||
    (e instanceof SVGElement && parseFloat(style.strokeWidth) >= 2);
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const inside = x >= 0 && y >= 0 && x <= innerWidth && y <= innerHeight &&
    box.width > 0 && box.height > 0;
  const at = inside ? document.elementFromPoint(x, y) : null;
  const covered = at !== null && !e.contains(at) && !at.contains(e);
  return {
    text: (e.getAttribute("aria-label") ?? e.textContent).trim(),
    tag: e.tagName,
    id: e.id,
    role: e.getAttribute("role") ?? "",
    href: e.getAttribute("href") ?? "",
    key: e.dataset.key ?? "",
    seen: marked && inside && !covered,
    html: e.outerHTML.slice(0, 120),
  };
})()
"""


class KeysTest(ServeTest):
    def focused(self):
        now = self.evaluate(FOCUSED)
        if not now["seen"]:
            # The page may scroll to it in its next frame.
            self.page.settle()
            now = self.evaluate(FOCUSED)
        self.assertTrue(now["seen"], now)
        return now

    def press(self, key, modifiers=0):
        self.page.key(key, modifiers, settle=False)

    def tab_to(self, wanted, most=120, modifiers=0):
        """Tab, until what has the keys is wanted; it is returned."""
        passed = []
        for _ in range(most):
            self.press("Tab", modifiers)
            now = self.focused()
            if now["id"] != "" or now["text"] != "":
                passed.append(now["text"][:20])
            if now.get("tag") and wanted(now):
                return now
        self.fail("Tab does not reach it: %s" % passed)

    def enter(self, path):
        """Enter, which opens a page."""
        self.press("Enter")
        self.page.wait("location.pathname === '%s'" % path)
        self.ready()


class KeysToolsTest(KeysTest):
    """A trace of PyTorch on a GPU."""

    inputs = (CNN,)

    def test_from_the_first_screen_to_an_execution_and_back(self):
        self.open("/")
        self.ready()
        # The first key that everybody tries leads past the list of pages.
        self.press("Tab")
        self.assertEqual(self.focused()["text"], "Skip to the content")
        self.press("Tab")
        self.tab_to(lambda e: e["text"] == "Operations")
        self.enter("/op")
        self.assertEqual(self.focused()["text"], "Operations")
        name = self.first_column()[0]
        self.tab_to(lambda e: e["text"] == "timeline")
        self.enter("/timeline")
        # The search is that for the operation; Enter goes to what was found.
        self.page.settle()
        self.assertEqual(
            self.evaluate("document.getElementById('search').value"), name
        )
        self.press("n")
        self.page.settle()
        chosen = self.evaluate("tfprofPage.app.timeline.selected")
        self.assertGreaterEqual(chosen, 0)
        self.assertIn(
            name, self.evaluate("document.getElementById('panel').innerText")
        )
        self.tab_to(lambda e: e["role"] == "treeitem")
        lane = self.focused()["key"]
        self.press("ArrowDown")
        self.page.settle()
        self.assertNotEqual(self.focused()["key"], lane)
        self.press("Escape")
        self.page.settle()
        self.assertEqual(self.evaluate("tfprofPage.app.timeline.selected"), -1)
        # Back to the pages, from wherever the keys are.
        self.tab_to(lambda e: e["id"] == "back", modifiers=SHIFT)
        self.enter("/")

    def test_a_heading_sorts_and_keeps_the_keys(self):
        self.open("/op")
        heading = self.tab_to(lambda e: e["text"] == "cpu")
        for order in ("sort=-", "sort=[a-z]"):
            self.press("Enter")
            self.page.wait("/%s/.test(location.search)" % order)
            self.ready()
            self.assertEqual(self.focused()["text"], heading["text"])
        self.assertEqual(
            self.evaluate(
                "document.activeElement.closest('th')"
                ".getAttribute('aria-sort') !== null"
            ),
            True,
        )

    def test_the_steps_of_the_page_stay_where_the_keys_are(self):
        self.open("/steps")
        bar = self.tab_to(lambda e: e["text"].startswith("step 1:"))
        self.press("ArrowRight")
        self.assertNotEqual(self.focused()["text"], bar["text"])
        self.press("ArrowLeft")
        self.press("Enter")
        self.page.wait("location.search.includes('step=1')")
        self.ready()
        self.assertEqual(self.focused()["text"], bar["text"])


if __name__ == "__main__":
    sys.exit(browser.main("keys_page"))
