#!/usr/bin/env python3
"""Tests of the pages of `tfprof serve` in a headless browser.

Usage: serve_browser_test.py --bin=bazel-bin/profiler/tfprof
           [--browser=firefox] [TEST…]

Opens each page of a server and uses it by mouse and keys. Screenshots go to
$PAGE_SHOTS, if it is set.
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
import accessible
import browser
from serve_page import ServeTest

RESNET = "conv_resnet/profile.pb"
binary = None


class ServePagesTest(ServeTest):
    def test_each_page(self):
        for name in [
            "overview",
            "explain",
            "op",
            "scope",
            "code",
            "graph",
            "steps",
            "devices",
            "flame",
            "source",
            "roofline",
            "critical_path",
            "collectives",
            "compiles",
            "advice",
            "compare",
        ]:
            with self.subTest(name=name):
                self.open("/%s?profile=%s" % (name, RESNET))
                self.assertEqual(
                    self.evaluate("document.querySelectorAll('.error').length"),
                    0,
                )
                text = self.evaluate("document.body.innerText")
                # Words and no keys; sizes are decimal.
                self.assertNotRegex(text, r"[a-z]_(micros|bytes|share|nanos)\b")
                self.assertNotRegex(text, r"\d ?([KMG]iB|kB)\b")
                self.assertNotRegex(text, r"\d(us|ms|sec|[KMG]B|%)(?!\w)")
                self.fits()
                self.assertEqual(accessible.problems(self.page), [])
                self.shot("serve_" + name)
                self.doCleanups()

    def test_the_overview_says_where_the_time_goes(self):
        self.open("/overview?profile=" + RESNET)
        widths = self.evaluate(
            "[...document.querySelectorAll('.account')].map(bar => "
            "[...bar.children].map(part => parseFloat(part.style.width)))"
        )
        self.assertTrue(widths)
        for parts in widths:
            self.assertAlmostEqual(sum(parts), 100, places=3)
        # What costs most is above the tables, on the first screen.
        self.assertLess(
            self.evaluate(
                "document.querySelector('.account')"
                ".getBoundingClientRect().bottom"
            ),
            self.size[1],
        )
        text = self.evaluate("document.querySelector('main').innerText")
        self.assertNotRegex(text, r"[a-z]_(micros|bytes|share)\b")
        self.assertIn("all that the checkers say", text)

    def test_explain_has_the_cause_and_the_account(self):
        self.open("/explain?profile=" + RESNET)
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.account').length"), 1
        )
        self.assertGreater(len(self.first_column()), 3)

    def test_an_empty_page_says_why(self):
        for name, word in (("kernels", "record"), ("ranks", "several ranks")):
            self.open("/%s?profile=%s" % (name, RESNET))
            text = self.evaluate("document.querySelector('main').innerText")
            self.assertIn(word, text.split("\n")[-1])
            self.doCleanups()

    def test_findings_have_lines(self):
        self.open("/advice?profile=" + RESNET)
        text = self.evaluate("document.querySelector('.finding').innerText")
        self.assertIn("\nTop 2 operation type: FusedBatchNormV3", text)
        self.assertNotIn("U+000A", text)

    def test_the_address_has_no_token(self):
        self.open("/?token=%s&profile=%s" % (self.server.token, RESNET))
        self.assertNotIn("token", self.evaluate("location.href"))
        self.assertIn("profile=conv_resnet", self.evaluate("location.href"))

    def test_the_heaviest_operation_comes_first(self):
        self.open("/op?profile=" + RESNET)
        self.assertEqual(self.first_column()[0], "Conv2D")
        self.assertGreater(
            self.evaluate("document.querySelectorAll('.bar').length"), 10
        )

    def test_a_heading_sorts_and_the_address_says_so(self):
        self.open("/op?profile=" + RESNET)
        self.evaluate("document.querySelector('th button').click()")
        self.page.wait("location.search.includes('sort=name')")
        self.ready()
        names = self.first_column()
        self.assertEqual(names, sorted(names))
        self.evaluate("history.back()")
        self.page.wait("!location.search.includes('sort')")
        self.ready()
        self.assertEqual(self.first_column()[0], "Conv2D")

    def test_search_by_keys(self):
        self.open("/op?profile=" + RESNET)
        self.page.key("/")
        self.page.type("conv2d")
        self.page.wait("location.search.includes('find=conv2d')")
        self.ready()
        for name in self.first_column():
            self.assertIn("conv2d", name.lower())

    def test_the_graph_of_a_step(self):
        self.open("/graph?profile=" + RESNET)
        self.assertEqual(
            self.evaluate("document.getElementById('step').value"), ""
        )
        self.evaluate(
            "(() => { const f = document.getElementById('step'); f.value = '0';"
            "f.dispatchEvent(new Event('change')); })()"
        )
        self.page.wait("location.search.includes('step=0')")
        self.ready()
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.error').length"), 0
        )
        self.assertEqual(
            self.evaluate("document.getElementById('step').value"), "0"
        )

    def test_keys_choose_a_page(self):
        self.open("/op?profile=" + RESNET)
        self.page.key("4")
        self.page.wait("location.pathname === '/steps'")
        self.ready()
        self.assertEqual(
            self.evaluate("document.querySelector('h1').textContent"), "Steps"
        )

    def test_a_long_table_has_pages(self):
        self.open("/scope?profile=%s&max_depth=50" % RESNET)
        self.assertEqual(len(self.first_column()), 200)
        self.evaluate(
            "[...document.querySelectorAll('button')].find(b => "
            "b.textContent === 'Next').click()"
        )
        self.page.wait("location.search.includes('from=200')")
        self.ready()
        self.assertEqual(len(self.first_column()), 200)

    def test_rows_of_a_tree_close(self):
        self.open("/scope?profile=" + RESNET)
        shown = (
            "[...document.querySelectorAll('tbody tr')].filter(r => "
            "!r.hidden).length"
        )
        before = self.evaluate(shown)
        self.evaluate("document.querySelector('.tree button').click()")
        self.assertEqual(self.evaluate(shown), 1)
        self.evaluate("document.querySelector('.tree button').click()")
        self.assertEqual(self.evaluate(shown), before)

    def test_an_option_is_a_field(self):
        self.open("/op?profile=" + RESNET)
        self.evaluate(
            "(() => { const l = [...document.querySelectorAll('.fields label')]"
            ".find(l => l.firstChild.textContent === 'min micros');"
            "const f = l.querySelector('input'); f.value = '1000';"
            "f.dispatchEvent(new Event('change')); })()"
        )
        self.page.wait("location.search.includes('min_micros=1000')")
        self.ready()
        self.assertLess(len(self.first_column()), 10)

    def test_two_profiles_are_compared(self):
        self.open("/compare?profile=%s&base=tiny_const/profile.pb" % RESNET)
        self.assertIn("Conv2D", self.first_column())
        # Bars of both profiles have one scale: 6 µs is nothing beside 26 ms.
        widths = self.evaluate(
            "[...[...document.querySelectorAll('tbody tr')].find(r => "
            "r.cells[0].textContent === 'Const').querySelectorAll('.bar i')]"
            ".map(i => parseFloat(i.style.width))"
        )
        self.assertLess(max(widths), 5)
        self.shot("serve_compared")

    def test_a_step_leads_to_its_operations(self):
        self.open("/steps?profile=" + RESNET)
        # It is the only one and has the number 0.
        self.assertEqual(self.first_column(), ["0"])
        self.evaluate("document.querySelector('tbody a').click()")
        self.page.wait("location.search.includes('step=0')")
        self.ready()
        self.assertEqual(self.first_column()[0], "Conv2D")

    def test_the_timeline_opens(self):
        self.open("/timeline?profile=" + RESNET)
        self.assertTrue(self.evaluate("window.tfprofPage !== undefined"))
        # And leads back to the pages of the same profile.
        self.evaluate("document.getElementById('back').click()")
        self.page.wait("location.pathname === '/'")
        self.assertIn(
            "profile=", self.page.evaluate("location.search"), "the profile"
        )
        self.ready()

    def test_a_scope_of_the_graph_opens_and_closes(self):
        self.open("/graph?profile=" + RESNET)
        boxes = "document.querySelectorAll('.drawing g.node').length"
        before = self.evaluate(boxes)
        self.assertGreater(before, 5)
        self.evaluate(
            "[...document.querySelectorAll('.drawing g.node')].find(g => "
            "g.getAttribute('aria-label') === 'open resnet')"
            ".dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))"
        )
        self.page.wait("location.search.includes('open=resnet')")
        self.ready()
        self.assertGreater(self.evaluate(boxes), before)
        self.shot("serve_graph_open")
        self.evaluate(
            "document.querySelector('[title=\"close resnet\"]').click()"
        )
        self.page.wait("!location.search.includes('open=')")
        self.ready()
        self.assertEqual(self.evaluate(boxes), before)

    def test_an_error_is_said(self):
        self.open("/op?profile=" + RESNET)
        self.page.evaluate("fetch = () => Promise.reject(new Error('gone'))")
        self.page.key("2")
        self.page.wait("document.querySelector('.error') !== null")
        self.assertEqual(
            self.evaluate("document.querySelector('.error').textContent"),
            "gone",
        )


class ServeNarrowDarkTest(ServeTest):
    size = (800, 900)
    dark = True

    def test_each_page(self):
        for name in [
            "overview",
            "op",
            "scope",
            "code",
            "graph",
            "steps",
            "advice",
            "compare",
        ]:
            with self.subTest(name=name):
                self.open("/%s?profile=%s" % (name, RESNET))
                self.fits()
                self.assertEqual(accessible.problems(self.page), [])
                self.shot("serve_" + name)
                self.doCleanups()


if __name__ == "__main__":
    sys.exit(browser.main("serve_page"))
