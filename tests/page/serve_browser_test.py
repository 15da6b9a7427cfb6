#!/usr/bin/env python3
"""Tests of the pages of `tfprof serve` in headless Chromium.

Usage: serve_browser_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Opens each page of a server and uses it by mouse and keys. No page may log an
error or ask anybody but the server. Screenshots go to $PAGE_SHOTS, if it is
set.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [
    TESTS,
    os.path.join(TESTS, "page"),
    os.path.join(TESTS, "serve"),
    os.path.join(TESTS, "fleet"),
]
import accessible
import browser
import junit_runner
import make_ranks

from server import Server

PROFILES = os.path.join(TESTS, "golden", "profiles")
RESNET = "conv_resnet/profile.pb"
binary = None


class ServeTest(unittest.TestCase):
    inputs = (PROFILES,)
    size = (1280, 900)
    dark = False

    @classmethod
    def setUpClass(cls):
        cls.server = Server(binary, *cls.inputs)
        cls.browser = browser.Browser(*cls.size, dark=cls.dark)
        # Once: the cookie stays.
        cls.browser.open(cls.server.address).call("Page.close")

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.server.stop()

    def open(self, target):
        self.page = self.browser.open(
            "http://%s%s" % (self.server.host, target)
        )
        self.addCleanup(self.check_quiet, self.page)
        return self.page

    def check_quiet(self, page):
        # A page that is open listens to the server, and a browser has six
        # connections to one.
        self.addCleanup(page.call, "Page.close")
        self.assertEqual(page.errors, [])
        for request in page.requests:
            self.assertTrue(
                request.startswith(("http://%s/" % self.server.host, "data:")),
                request,
            )

    def shot(self, name):
        if "PAGE_SHOTS" in os.environ:
            self.page.settle()
            self.page.screenshot(
                os.path.join(
                    os.environ["PAGE_SHOTS"],
                    "%s_%d%s.png"
                    % (name, self.size[0], "_dark" if self.dark else ""),
                )
            )

    def ready(self):
        self.page.wait("document.body.dataset.ready === 'true'")

    def evaluate(self, expression):
        return self.page.evaluate(expression)

    def first_column(self):
        return self.evaluate(
            "[...document.querySelectorAll('tbody tr')].map(r => "
            "r.cells[0].textContent.replace(/^[▾▸]/, ''))"
        )

    def fits(self):
        """Only tables are wider than the window."""
        self.assertLessEqual(
            self.evaluate("document.documentElement.scrollWidth"), self.size[0]
        )


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
        self.assertIn("\ntop 2 operation type: FusedBatchNormV3", text)
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
        self.page.key("/", "/")
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
        self.page.key("4", "4")
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
            ".find(l => l.firstChild.textContent === 'min_micros');"
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
        self.page.key("2", "2")
        self.page.wait("document.querySelector('.error') !== null")
        self.assertEqual(
            self.evaluate("document.querySelector('.error').textContent"),
            "gone",
        )


class TutorialTest(ServeTest):
    """Twelve steps on a CPU, of which every fifth calls Svd."""

    inputs = (
        os.path.join(TESTS, "docs", "tutorial", "before.pb.gz"),
        "-source_path",
        os.path.join(TESTS, "docs", "tutorial"),
    )

    def text(self, selector="main"):
        return self.evaluate(
            "document.querySelector('%s').innerText" % selector
        )

    def test_the_cause_and_its_line_are_at_the_top(self):
        self.open("/overview")
        self.page.wait("document.querySelector('.headline .source a') !== null")
        self.assertIn("step 110 takes 24.16ms", self.text(".headline"))
        self.assertLess(
            self.evaluate(
                "document.querySelector('.headline')"
                ".getBoundingClientRect().bottom"
            ),
            400,
        )
        # One click to the line.
        self.evaluate("document.querySelector('.headline .source a').click()")
        self.page.wait("location.pathname === '/source'")
        self.ready()
        chosen = self.text("tr.chosen")
        self.assertIn("37", chosen)
        self.assertIn("svd", chosen.lower())
        self.shot("serve_source")

    def test_a_finding_leads_to_the_timeline(self):
        self.open("/overview")
        target = self.evaluate(
            "document.querySelector('.headline a[data-leaves]')"
            ".getAttribute('href')"
        )
        self.assertIn("#s=step+110", target)
        self.doCleanups()
        self.open(target)
        self.page.settle()
        self.assertTrue(
            self.evaluate("window.tfprofPage.app.timeline.selected >= 0")
        )

    def test_a_step_stays_while_pages_change(self):
        self.open("/overview")
        bars = "document.querySelectorAll('.step-bars button')"
        self.assertEqual(self.evaluate(bars + ".length"), 12)
        self.evaluate(bars + "[10].click()")
        self.page.wait("location.search.includes('step=110')")
        self.ready()
        self.assertIn("step 110, 24.1", self.text())
        for path in ("op", "flame", "devices", "overview"):
            self.evaluate(
                "[...document.querySelectorAll('#views a')].find(a => "
                "a.getAttribute('href').startsWith('/%s')).click()" % path
            )
            self.page.wait("location.pathname === '/%s'" % path)
            self.ready()
            self.assertIn("step=110", self.evaluate("location.search"))
            self.assertEqual(
                self.evaluate("document.getElementById('step').value"), "110"
            )
        # The time of Svd in step 110 and not its average.
        self.open("/op?step=110")
        self.assertEqual(self.first_column()[0], "Svd")

    def test_steps_by_keys(self):
        self.open("/steps")
        self.evaluate("document.querySelector('.step-bars button').focus()")
        self.page.key("ArrowRight")
        self.page.key("End")
        self.page.key("ArrowLeft")
        self.assertIn(
            "step 110",
            self.evaluate("document.activeElement.getAttribute('aria-label')"),
        )
        self.page.key("Enter", "\r")
        self.page.wait("location.search.includes('step=110')")
        self.ready()

    def test_a_part_of_the_flame_graph_fills_it(self):
        self.open("/flame")
        blocks = "[...document.querySelectorAll('.flame button')]"
        self.evaluate(blocks + ".find(b => b.textContent === 'train').click()")
        self.assertEqual(
            self.evaluate(
                blocks + ".find(b => b.textContent === 'train').style.width"
            ),
            "100%",
        )
        self.assertIn("train: 796 µs", self.text())
        self.shot("serve_flame")

    def test_no_share_is_above_all(self):
        for path in ("overview", "op", "explain", "kernels", "devices"):
            self.open("/" + path)
            for share in self.evaluate(
                "[...document.querySelectorAll('td')].map(d => "
                "/([\\d.]+) %/.exec(d.textContent)).filter(m => m)"
                ".map(m => Number(m[1]))"
            ):
                self.assertLessEqual(share, 100)
            self.doCleanups()

    def test_bars_stay_in_their_cells(self):
        self.open("/steps")
        self.assertEqual(
            self.evaluate(
                "[...document.querySelectorAll('td .bar i')].filter(i => "
                "i.getBoundingClientRect().right > "
                "i.closest('td').getBoundingClientRect().right + 0.5).length"
            ),
            0,
        )

    def test_pictures_and_the_timeline_are_accessible(self):
        for path in ("overview", "explain", "flame", "source", "timeline"):
            with self.subTest(path=path):
                self.open("/" + path)
                self.assertEqual(accessible.problems(self.page), [])
                self.doCleanups()

    def test_headings_are_explained(self):
        self.open("/devices")
        title = self.evaluate(
            "[...document.querySelectorAll('th')].find(t => "
            "t.textContent === 'busy').title"
        )
        self.assertIn("the union of the intervals", title)

    def test_the_page_and_the_terminal_print_the_same(self):
        printed = subprocess.run(
            [binary, self.inputs[0], "steps"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        self.open("/steps")
        cells = self.evaluate(
            "[...document.querySelectorAll('tbody tr')].map(r => "
            "[r.cells[0].textContent, r.cells[1].textContent])"
        )
        self.assertEqual(len(cells), 12)
        for step, wall in cells:
            line = next(
                li for li in printed.split("\n") if li.split()[:1] == [step]
            )
            self.assertEqual(
                wall.replace(" ", "").replace("µs", "us"), line.split()[1]
            )

    def test_errors_of_missing_records_say_how_to_record(self):
        self.open("/memory")
        self.page.errors.clear()  # the browser logs the status 409
        self.assertIn("_record_memory_history", self.text())
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.error').length"), 0
        )


class RanksTest(ServeTest):
    """Eight ranks, of which number 5 takes a quarter longer."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tfprof-ranks-")
        make_ranks.make_job(
            cls.folder,
            ranks=8,
            steps=12,
            seed=1,
            faults=make_ranks.Faults(slow={5: 1.25}),
        )
        cls.inputs = sorted(
            os.path.join(cls.folder, name) for name in os.listdir(cls.folder)
        )
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.folder)

    def test_a_heat_map_of_ranks_and_steps(self):
        self.open("/ranks")
        self.assertIn(
            "rank 5 is the slowest in",
            self.evaluate("document.querySelector('.lead').innerText"),
        )
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.heat .cell').length"),
            8 * 12,
        )
        self.assertIn(
            "rank 5",
            self.evaluate(
                "[...document.querySelectorAll('.gantt text')].find(t => "
                "t.textContent.includes('◀')).textContent"
            ),
        )
        self.assertEqual(accessible.problems(self.page), [])
        self.shot("serve_ranks")
        # The rank that the others wait for waits least.
        self.evaluate(
            "(() => { const s = document.querySelector('figure select');"
            "s.value = 'waiting_micros';"
            "s.dispatchEvent(new Event('change')); })()"
        )
        self.assertEqual(
            self.evaluate(
                "(() => { const of = c => /rank (\\d)/.exec(c.textContent)[1];"
                "const cells = [...document.querySelectorAll('.heat .cell')]"
                ".filter(c => c.getAttribute('fill') === '#fff3b8');"
                "return [...new Set(cells.map(of))].join(); })()"
            ),
            "5",
        )
        self.evaluate(
            "document.querySelector('.heat .cell').dispatchEvent("
            "new MouseEvent('click'))"
        )
        self.page.wait("location.search.includes('step=')")
        self.ready()

    def test_device_time_orders_the_operations(self):
        self.open("/op")
        heads = self.evaluate(
            "[...document.querySelectorAll('th')].map(t => t.textContent)"
        )
        self.assertEqual(heads[1:3], ["accelerator", "cpu"])
        times = self.evaluate(
            "[...document.querySelectorAll('tbody tr')].map(r => "
            "parseFloat(r.cells[1].querySelector('.bar i').style.width))"
        )
        self.assertEqual(times, sorted(times, reverse=True))
        # An operation leads to its kernels, and back.
        self.evaluate(
            "[...document.querySelectorAll('td.links a')].find(a => "
            "a.textContent === 'kernels').click()"
        )
        self.page.wait("location.pathname === '/kernels'")
        self.ready()
        self.evaluate(
            "[...document.querySelectorAll('td.links a')].find(a => "
            "a.textContent === 'operation').click()"
        )
        self.page.wait("location.pathname === '/op'")
        self.ready()
        self.assertGreater(len(self.first_column()), 0)


class CompareTest(ServeTest):
    inputs = (
        os.path.join(TESTS, "docs", "tutorial", "after.pb.gz"),
        "--base=" + os.path.join(TESTS, "docs", "tutorial", "before.pb.gz"),
    )

    def test_by_steps_compares_both(self):
        self.open("/compare?base=before.pb.gz&of=steps")
        text = self.evaluate("document.querySelector('main').innerText")
        self.assertIn("faster: mean of the steps 6.67ms -> 1.52ms", text)
        self.assertIn("mean 6.67ms to 1.52ms (-77.2%)", text)
        self.assertEqual(
            self.evaluate("document.querySelectorAll('.step-chart').length"), 2
        )
        row = self.evaluate(
            "[...document.querySelector('tbody tr').cells]"
            ".map(c => c.textContent)"
        )
        self.assertEqual(row[:3], ["1", "100", "100"])
        self.assertIn("23.00 ms", row[3])
        self.assertIn("1.2", row[4])
        self.assertIn("-21.81 ms", row[5])
        self.assertIn("-94.8 %", row[6])
        self.shot("serve_compare_steps")

    def test_changes_within_the_noise_are_marked(self):
        self.open("/compare?base=before.pb.gz")
        self.assertIn(
            "within noise",
            self.evaluate("document.querySelector('tr.dim').innerText"),
        )
        self.assertEqual(self.first_column()[0], "Svd")
        text = self.evaluate("document.querySelector('tbody tr').innerText")
        self.assertIn("-100.0 %", text)  # of what it was
        self.assertIn("-93.1 %", text)  # of all
        self.shot("serve_compare_op")


class PhoneDarkTest(ServeTest):
    inputs = TutorialTest.inputs
    size = (390, 844)
    dark = True

    def test_each_page(self):
        for name in [
            "overview",
            "explain",
            "steps",
            "op",
            "devices",
            "flame",
            "source",
            "source?argument=train.py:37",
            "roofline",
            "critical_path",
            "advice",
        ]:
            with self.subTest(name=name):
                self.open("/" + name)
                self.fits()
                self.assertEqual(accessible.problems(self.page), [])
                self.shot("phone_" + name.split("?")[0])
                self.doCleanups()

    def test_the_check_finds_what_it_looks_for(self):
        self.open("/overview")
        self.evaluate(
            "(() => { const h = document.querySelector('h1');"
            "h.style.color = '#555';"
            "const b = document.createElement('button');"
            "b.style.width = '20px'; h.after(b, document.createElement('h4'));"
            "document.querySelector('h4').textContent = 'deep';"
            "document.querySelector('svg, .account')"
            ".removeAttribute('aria-label'); })()"
        )
        text = "\n".join(accessible.problems(self.page))
        for word in ("contrast", "no name: <button", "heading 4", "account"):
            self.assertIn(word, text)


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
    sys.exit(junit_runner.main("serve_page"))
