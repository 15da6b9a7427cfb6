#!/usr/bin/env python3
"""Tests that the pages of `tfprof serve` lead from a slow run to its cause.

Usage: answers_browser_test.py --bin=bazel-bin/profiler/tfprof
           [--browser=firefox] [TEST…]

Opens profiles whose faults are known: the tutorial, and ranks of which one is
slow. Screenshots go to $PAGE_SHOTS, if it is set.
"""

import os
import shutil
import subprocess
import sys
import tempfile

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
import make_ranks
from serve_page import PROFILES, ServeTest

binary = None


class AnswersTutorialTest(ServeTest):
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
        self.assertIn("Step 110 takes 24.16\u00a0ms", self.text(".headline"))
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
        self.page.key("Enter")
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
        for path in ("overview", "op", "explain", "steps", "devices"):
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

    def test_paper_is_light_and_has_no_controls(self):
        if self.browser.name == "firefox":
            self.skipTest("its protocol has no paper")
        self.open("/overview")
        self.evaluate("document.documentElement.dataset.theme = 'dark'")
        colors = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(self.evaluate(colors), "rgb(18, 22, 28)")
        self.page.paper(True)
        self.assertEqual(self.evaluate(colors), "rgb(255, 255, 255)")
        self.assertFalse(
            self.evaluate("document.getElementById('views').checkVisibility()")
        )
        self.page.paper(False)

    def test_memory_of_operations_is_listed(self):
        self.open("/memory")
        self.page.errors.clear()
        self.assertIn("model/hidden_1/w", self.text("tbody"))
        self.assertNotIn("command", self.text())

    def test_headings_have_tooltips(self):
        for path in ("overview", "explain", "steps", "op", "source", "advice"):
            with self.subTest(path=path):
                self.open("/" + path)
                self.assertEqual(
                    self.evaluate(
                        "[...document.querySelectorAll('th')]"
                        ".filter(t => t.checkVisibility() && t.title === '')"
                        ".map(t => t.innerText)"
                    ),
                    [],
                )
                self.doCleanups()

    def test_one_thing_has_one_length(self):
        # The wall time of a step, and the path in it.
        self.open("/critical_path?step=110")
        self.assertIn("24.16\u00a0ms", self.text(".lead"))
        self.assertNotIn("wall time", self.text(".lead"))


class AnswersComparedTest(ServeTest):
    inputs = (
        os.path.join(TESTS, "docs", "tutorial", "before.pb.gz"),
        "--base",
        os.path.join(TESTS, "docs", "tutorial", "after.pb.gz"),
    )

    def test_the_only_other_profile_is_the_base(self):
        self.open("/compare")
        self.page.wait("location.search.includes('base=after.pb.gz')")
        self.ready()
        self.assertIn(
            "slower",
            self.evaluate("document.querySelector('.verdict').innerText"),
        )


class AnswersLongTest(ServeTest):
    """A recording whose critical path has 1,901 segments."""

    inputs = (
        os.path.join(TESTS, "gpu", "recorded", "sync_storm", "trace.json.gz"),
    )

    def test_long_tables_have_pages(self):
        self.open("/critical_path")
        self.assertIn(
            "rows 1 to 200 of",
            self.evaluate("document.querySelector('main').innerText"),
        )
        self.assertLessEqual(
            self.evaluate(
                "Math.max(...[...document.querySelectorAll('tbody')]"
                ".map(b => b.rows.length))"
            ),
            200,
        )


class AnswersGraphTest(ServeTest):
    """A graph without any time."""

    inputs = (os.path.join(PROFILES, "multi_cpu", "graph.pb.gz"),)

    def test_pages_say_what_to_record(self):
        for path in ("explain", "critical_path"):
            with self.subTest(path=path):
                self.open("/" + path)
                self.page.errors.clear()  # the browser logs the status 409
                text = self.evaluate("document.querySelector('main').innerText")
                self.assertIn("record a step with", text)
                self.assertNotIn("Try:", text)
                self.assertEqual(
                    self.evaluate("document.querySelectorAll('.error').length"),
                    0,
                )
                self.doCleanups()

    def test_the_overview_leads_to_what_there_is(self):
        self.open("/overview")
        self.assertIn(
            "What this file has",
            self.evaluate("document.querySelector('main').innerText"),
        )

    def test_without_a_timeline_there_is_a_page(self):
        self.page = self.browser.open(
            "http://%s/timeline" % self.server.host, wait=False
        )
        self.addCleanup(self.page.close)
        self.page.wait("document.querySelector('a[href=\"/\"]') !== null")
        self.assertIn(
            "There is no timeline", self.evaluate("document.body.innerText")
        )


class AnswersRanksTest(ServeTest):
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
            "Rank 5 is the slowest in",
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

    def test_the_steps_begin_with_what_could_be_avoided(self):
        self.open("/steps")
        heads = self.evaluate(
            "[...document.querySelectorAll('th')].map(t => t.textContent)"
        )
        self.assertLess(heads.index("which is"), heads.index("rank 0 gpu:0"))
        # Its key is no word for a person, and hosts beside accelerators would
        # fill the screen.
        self.assertNotIn("cause", heads)
        self.assertEqual([h for h in heads if "cpu" in h], [])

    def test_cells_of_the_heat_map_by_keys(self):
        self.open("/ranks")
        self.evaluate(
            "document.querySelector('.heat [tabindex=\"0\"]').focus()"
        )

        def cell():
            return self.evaluate("document.activeElement.textContent")

        self.assertIn("rank 0", cell())
        for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft"):
            self.page.key(key)
        self.assertRegex(cell(), "rank 1: [0-9]")
        chosen = cell()
        self.page.key("Enter")
        self.page.wait("location.search.includes('step=')")
        self.ready()
        self.assertIn(
            "step=" + chosen.split()[1][:-1], self.evaluate("location.search")
        )
        # The same cell has the keys again.
        self.assertEqual(cell(), chosen)

    def test_device_time_orders_the_operations(self):
        self.open("/op")
        heads = self.evaluate(
            "[...document.querySelectorAll('th')].map(t => t.textContent)"
        )
        self.assertEqual(heads[1:3], ["accelerator", "cpu"])
        times = self.evaluate(
            "[...document.querySelectorAll('tbody tr')].map(r => "
            "parseFloat(r.cells[1].querySelector('.bar i')?.style.width ?? 0))"
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


class AnswersCompareTest(ServeTest):
    inputs = (
        os.path.join(TESTS, "docs", "tutorial", "after.pb.gz"),
        "--base=" + os.path.join(TESTS, "docs", "tutorial", "before.pb.gz"),
    )

    def test_by_steps_compares_both(self):
        self.open("/compare?base=before.pb.gz&of=steps")
        text = self.evaluate("document.querySelector('main').innerText")
        self.assertIn("mean of the steps 6.67\u00a0ms → 1.52\u00a0ms", text)
        self.assertIn("mean 6.67\u00a0ms to 1.52\u00a0ms (-77.2\u00a0%)", text)
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


class AnswersPhoneDarkTest(ServeTest):
    inputs = AnswersTutorialTest.inputs
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
            "scope",
        ]:
            with self.subTest(name=name):
                self.open("/" + name)
                self.fits()
                # Names are whole or have room, also deep in a tree.
                self.assertEqual(
                    self.evaluate(
                        "[...document.querySelectorAll('td.text .name')]"
                        ".filter(n => n.textContent.length > 16 "
                        "? n.clientWidth < 100 : n.clientHeight > 30)"
                        ".map(n => n.textContent)"
                    ),
                    [],
                )
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


if __name__ == "__main__":
    sys.exit(browser.main("answers_page"))
